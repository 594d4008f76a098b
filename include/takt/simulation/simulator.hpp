// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include <takt/core/random.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/simulation/arrivals.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/composition.hpp>
#include <takt/simulation/core_bank.hpp>
#include <takt/simulation/job.hpp>
#include <takt/simulation/layout.hpp>
#include <takt/simulation/ledger.hpp>
#include <takt/simulation/options.hpp>

namespace takt::simulation {

/// Virtual time: moves from instant to instant and lets the rules of a platform decide what happens there.
///
/// Order within one instant. First everything that ends, is released or needs no decision settles, until nothing
/// changes: completions in the order of `source_map`, then releases in priority order, each followed at once by what it
/// leads to, that is segments of length zero, kernels, which never wait, and whom the cores run. Only then do spinning
/// jobs that still run start their copies and kernels, and only after that do the servers that cannot take back a grant
/// (copy engines, the lock) decide. So no copy of lower priority starts at an instant at which a higher one is
/// requested.
template <KnownComposition P, class Table, std::size_t MaxShares, TraceRecorder Recorder>
class simulator {
 public:
  static constexpr bool spins = BusyWaitingPlatform<P>;
  static constexpr bool serialized = Serialized<P>;
  static constexpr bool all_sms = SerializedWholeGpu<typename P::gpu_rule>;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  using result_type = simulation_result<max_tasks, Table::max_segments>;

  /// Pre: `steps` has no error; everything passed by reference outlives the simulator.
  constexpr simulator(const Table& table, const layout<Table>& steps, const platform_record& platform,
                      const plan<MaxShares>& p, const simulation_options& options, Recorder& recorder)
      : layout_{&steps},
        sources_{steps.sources(serialized)},
        calendar_{sources_.count()},
        jobs_{table, recorder},
        cores_{sources_.core_ids, jobs_, calendar_},
        sms_{platform, p},
        arrivals_{options.releases, options.seed},
        random_{~options.seed},
        execution_{options.execution},
        horizon_{std::max(options.horizon.count(), ticks{0})},
        stops_at_miss_{options.stop_at_first_miss} {
    units_.fill(unit_server{});  // g++-12 may leave default members of array elements zero
    for (rank r = 0; r < jobs_.size(); ++r) {
      const auto& t = table.tasks[index(r)];
      jobs_[r].core = steps.core_of(index(r));
      const ticks offset = t.id < options.offsets.size() ? options.offsets[t.id].count() : 0;
      schedule_release(r, arrivals_.add(t.period, offset));
    }
  }
  simulator(const simulator&) = delete;
  auto operator=(const simulator&) -> simulator& = delete;
  ~simulator() = default;

  constexpr auto run() -> result_type {
    while (calendar_.time() <= horizon_ && !stopped()) {
      now_ = calendar_.time();
      do { happen(calendar_.source()); } while (calendar_.time() == now_);
      if constexpr (spins) { start_held_off(); }
      if (asked_) { decide_units(); }
    }
    now_ = stopped() ? now_ : horizon_;
    cores_.close(now_);
    for (rank r = 0; r < jobs_.size(); ++r) {
      if (under_way(r)) { record_operation(r); }
    }
    return jobs_.close(now_, [this](rank r, ticks last) { return arrivals_.after(r, last, now_); });
  }

 private:
  using unit_rule = std::conditional_t<serialized, typename P::gpu_rule, typename P::copy_rule>;
  using unit_server = typename detail::server_for<unit_rule, max_tasks>::type;
  using core_server = typename P::cpu_rule::template server<max_tasks>;
  using ledger_type = ledger<Table, Recorder>;
  using calendar_type = calendar<3 * max_tasks + max_copy_engines>;

  [[nodiscard]] static constexpr auto index(rank r) noexcept -> std::size_t { return static_cast<std::size_t>(r); }
  [[nodiscard]] constexpr auto stopped() const noexcept -> bool { return stops_at_miss_ && jobs_.missed(); }

  constexpr void happen(std::size_t source) {
    if (source < sources_.first_unit()) {
      end_cpu(source);
    } else if (source < sources_.first_kernel()) {
      end_unit(source - sources_.first_unit());
    } else if (source < sources_.first_release()) {
      calendar_.set(source, never);
      end_operation(static_cast<rank>(sources_.kernel_tasks[source - sources_.first_kernel()]));
    } else {
      release(static_cast<rank>(source - sources_.first_release()));
    }
  }

  // Releases and completions of jobs.

  constexpr void schedule_release(rank r, ticks time) {
    job& j = jobs_[r];
    j.next_release = time;
    const bool comes = time < horizon_ && (time > now_ || !j.alive);
    calendar_.set(sources_.first_release() + index(r), comes ? time : never);
  }
  [[nodiscard]] constexpr auto bring_forward() noexcept {
    return [this](rank whom, ticks time) { schedule_release(whom, time); };
  }

  constexpr void release(rank r) {
    job& j = jobs_[r];
    if (!j.alive) {
      begin(r);
      advance(r);
      cores_.decide(j.core, now_);
      return;
    }
    // It waits for the job before it, whose deadline is not after this release.
    calendar_.set(sources_.first_release() + index(r), never);
    if (!j.late) { jobs_.miss(j); }
  }
  constexpr void begin(rank r) {
    job& j = jobs_[r];
    jobs_.open(j);
    j.position = j.first;
    schedule_release(r, arrivals_.after(r, j.release, now_));
  }
  /// True when the next job of the task has been waiting and takes over.
  constexpr auto finish(rank r) -> bool {
    job& j = jobs_[r];
    jobs_.complete(j, now_);
    if constexpr (serialized) { leave_section(r); }
    if constexpr (spins) { cores_.withdraw(r); }
    if (arrivals_.adversarial()) { arrivals_.completed(r, now_ - j.release, now_, bring_forward()); }
    if (j.next_release > now_ || j.next_release >= horizon_) { return false; }
    begin(r);
    return true;
  }

  // The chain of a job.

  [[nodiscard]] constexpr auto draw(const interval<ticks>& time) noexcept -> ticks {
    if (execution_ == execution_times::upper) { return time.upper; }
    if (execution_ == execution_times::lower || time.lower == time.upper) { return time.lower; }
    const ticks luck = random_.below(8);
    if (luck < 5) { return luck < 3 ? time.upper : time.lower; }
    return time.lower + random_.below(time.upper - time.lower + 1);
  }

  /// Goes to the first segment from the current position on that takes time.
  constexpr void advance(rank r) {
    job& j = jobs_[r];
    for (;;) {
      if (j.position == j.end) {
        if (!finish(r)) { return; }
        continue;
      }
      const step& s = layout_->steps()[j.position];
      if constexpr (serialized) {
        if (s.where == stage::cpu) { leave_section(r); }
      }
      const ticks length = draw(s.time);
      if (length == 0) {
        ++j.position;
        continue;
      }
      j.where = s.where;
      j.engine = s.engine;
      j.ready = now_;
      j.remaining = length;
      return ask(r);
    }
  }
  constexpr void ask(rank r) {
    job& j = jobs_[r];
    if (arrivals_.adversarial()) { arrivals_.request_made(r, now_, bring_forward()); }
    if (spins || j.where == stage::cpu) {
      cores_.request(r);
      j.holds_off = j.where != stage::cpu;
    } else {
      start(r);
    }
  }
  constexpr void end_segment(rank r) {
    job& j = jobs_[r];
    if constexpr (spins) { cores_.put_down(r, now_); }
    jobs_.complete_segment(j, now_);
    ++j.position;
    advance(r);
  }
  constexpr void end_cpu(std::size_t c) {
    const rank r = cores_.running(c);
    if constexpr (!spins) { cores_.release(c, now_); }
    end_segment(r);
    if (!cores_.decide(c, now_)) { calendar_.set(c, never); }
  }

  // Copies, kernels, and the lock around both where there is one.

  constexpr void start_held_off() {
    for (std::size_t c = 0; c < cores_.size(); ++c) {
      const rank r = cores_.running(c);
      if (r == nobody || !jobs_[r].holds_off) { continue; }
      jobs_[r].holds_off = false;
      start(r);
    }
  }
  /// Sets off a copy or a kernel, or asks for what it needs.
  constexpr void start(rank r) {
    job& j = jobs_[r];
    if (serialized && units_[0].running() == r) {
      occupy(0, r);
    } else if (serialized || j.where == stage::copy) {
      units_[static_cast<std::size_t>(serialized ? 0 : j.engine)].request(r);
      asked_ = true;
    } else {
      (void)sms_.request(j.id);
      j.started = now_;
      calendar_.set(sources_.first_kernel() + layout_->kernel_of(index(r)), now_ + j.remaining);
    }
  }
  constexpr void decide_units() {
    asked_ = false;
    for (std::size_t u = 0; u < sources_.units; ++u) {
      const rank r = units_[u].decide().started;
      if (r != nobody) { occupy(u, r); }
    }
  }
  constexpr void occupy(std::size_t u, rank r) {
    job& j = jobs_[r];
    j.started = now_;
    if (serialized && !all_sms && j.where == stage::kernel) { (void)sms_.request(j.id); }
    calendar_.set(sources_.first_unit() + u, now_ + j.remaining);
    if (arrivals_.adversarial()) { arrivals_.copy_started(r, now_, bring_forward()); }
  }
  constexpr void end_unit(std::size_t u) {
    const rank r = units_[u].running();
    calendar_.set(sources_.first_unit() + u, never);
    if constexpr (!serialized) {
      units_[u].complete();
      asked_ = true;
    }
    end_operation(r);
  }
  constexpr void end_operation(rank r) {
    const job& j = jobs_[r];
    record_operation(r);
    if (!all_sms && j.where == stage::kernel) { sms_.complete(j.id); }
    end_segment(r);
    cores_.decide(j.core, now_);
  }
  constexpr void leave_section(rank r) {
    if (units_[0].running() != r) { return; }
    units_[0].complete();
    asked_ = true;
  }

  constexpr void record_operation(rank r) {
    const job& j = jobs_[r];
    const bool kernel = j.where == stage::kernel;
    jobs_.record(j, kernel ? layout_->sms_of(index(r)) : track{stage::copy, 0, j.engine, 1}, j.started, now_);
  }
  [[nodiscard]] constexpr auto under_way(rank r) noexcept -> bool {
    const job& j = jobs_[r];
    if (!j.alive || j.where == stage::cpu) { return false; }
    if (serialized) { return units_[0].running() == r; }
    if (j.where == stage::kernel) { return !j.holds_off; }
    return units_[static_cast<std::size_t>(j.engine)].running() == r;
  }

  const layout<Table>* layout_;
  source_map<max_tasks> sources_;
  calendar_type calendar_;
  ledger_type jobs_;
  core_bank<core_server, spins, max_tasks, ledger_type, calendar_type> cores_;
  std::array<unit_server, max_copy_engines> units_{};
  dedicated_sms<MaxShares> sms_;
  arrivals<max_tasks> arrivals_;
  random_stream random_;
  execution_times execution_;
  ticks horizon_;
  ticks now_ = -1;
  bool stops_at_miss_;
  bool asked_ = false;
};

}  // namespace takt::simulation
