// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <takt/core/to_index.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/simulation/arrivals.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/composition.hpp>
#include <takt/simulation/core_bank.hpp>
#include <takt/simulation/device_bank.hpp>
#include <takt/simulation/job_accounting.hpp>
#include <takt/simulation/layout.hpp>
#include <takt/simulation/lengths.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Virtual time: moves from instant to instant and lets the rules of a platform decide what happens there.
///
/// Order within one instant. First everything that ends, is released or needs no decision settles, until nothing
/// changes. Completions come in the order of `source_map`, then releases in priority order, each followed at once by
/// what it leads to. That is segments of length zero, kernels, which never wait, and the choice of jobs on cores. Only
/// then do spinning jobs that still run start their copies and kernels. After that the servers that cannot take back a
/// grant (copy engines, the lock) decide. So no copy of lower priority starts at an instant at which a higher one is
/// requested. Tokens are asked for, given back and passed on as these events come.
template <KnownComposition P, class Table, std::size_t MaxShares, TraceRecorder Recorder>
class simulator {
 public:
  static constexpr bool spins = composition_of<P>.spins;
  static constexpr std::size_t max_tasks = Table::max_tasks;
  using result_type = simulation_result<max_tasks, Table::max_segments>;

  /// Pre: `steps` has no error; everything passed by reference outlives the simulator.
  constexpr simulator(const Table& table, const layout<Table>& steps, const platform_record& platform,
                      const plan<MaxShares>& p, const simulation_options& options, Recorder& recorder)
      : layout_{&steps},
        sources_{steps.sources(composition_of<P>.serialized)},
        calendar_{sources_.count()},
        jobs_{table, recorder},
        cores_{sources_.core_ids, jobs_, calendar_},
        devices_{table, steps, sources_, platform, p, jobs_, calendar_},
        arrivals_{options.releases, options.seed},
        lengths_{options.execution, ~options.seed},
        horizon_{std::max(options.horizon.count(), ticks{0})},
        stops_at_miss_{options.stop_at_first_miss} {
    TAKT_EXPECTS(!steps.error());
    for (rank r = 0; r < jobs_.size(); ++r) {
      const auto& t = table.tasks[to_index(r)];
      jobs_[r].core = steps.core_of(to_index(r));
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
      if (devices_.asked()) { devices_.decide(now_, notify_arrivals()); }
    }
    now_ = stopped() ? now_ : horizon_;
    cores_.close(now_);
    devices_.close(now_);
    return jobs_.close(now_, [this](rank r, ticks last) { return arrivals_.after(r, last, now_); });
  }

 private:
  using core_server = typename detail::server_for<typename P::cpu_rule, max_tasks>::type;
  using accounting_type = job_accounting<Table, Recorder>;
  using calendar_type = detail::calendar<3 * max_tasks + max_copy_engines>;

  [[nodiscard]] constexpr auto stopped() const noexcept -> bool { return stops_at_miss_ && jobs_.missed(); }

  constexpr void happen(std::size_t source) {
    if (source < sources_.first_unit()) {
      end_cpu(source);
    } else if (source < sources_.first_kernel()) {
      end_operation(devices_.end_unit(source - sources_.first_unit()));
    } else if (source < sources_.first_release()) {
      calendar_.set(source, never);
      end_operation(static_cast<rank>(sources_.kernel_tasks[source - sources_.first_kernel()]));
    } else {
      release(static_cast<rank>(source - sources_.first_release()));
    }
    go_on_with_others();
  }

  // Releases and completions of jobs.

  constexpr void schedule_release(rank r, ticks time) {
    job& j = jobs_[r];
    j.next_release = time;
    const bool comes = time < horizon_ && (time > now_ || !j.alive);
    calendar_.set(sources_.first_release() + to_index(r), comes ? time : never);
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
    // It waits for the job before it, which is late if its deadline is not after this release.
    calendar_.set(sources_.first_release() + to_index(r), never);
    if (!j.late && j.deadline <= now_ - j.release) { jobs_.miss(j); }
  }
  constexpr void begin(rank r) {
    job& j = jobs_[r];
    jobs_.open(j);
    j.position = j.first;
    j.where = stage::cpu;
    devices_.tokens().released(r);
    schedule_release(r, arrivals_.after(r, j.release, now_));
  }
  /// Returns true when the next job of the task has been waiting and takes over. It is kept out of line, as it runs
  /// once for a job, and `advance` for each of its segments.
  [[gnu::noinline]] constexpr auto finish(rank r) -> bool {
    job& j = jobs_[r];
    jobs_.complete(j, now_);
    devices_.leave_section(r, now_, notify_arrivals());
    devices_.tokens().completed(r);
    if constexpr (spins) { cores_.withdraw(r); }
    if (arrivals_.adversarial()) { arrivals_.completed(r, now_ - j.release, now_, bring_forward()); }
    if (j.next_release > now_ || j.next_release >= horizon_) { return false; }
    begin(r);
    return true;
  }

  // The chain of a job.

  /// Goes to the first segment from the current position on that takes time.
  constexpr void advance(rank r) {
    job& j = jobs_[r];
    for (;;) {
      if (devices_.tokens().lends(r)) { return; }
      if (j.position == j.end) {
        if (!finish(r)) { return; }
        continue;
      }
      const step& s = layout_->steps()[j.position];
      if (s.where == stage::cpu) { devices_.leave_section(r, now_, notify_arrivals()); }
      const ticks length = lengths_.draw(s.time);
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
      devices_.start(r, now_, notify_arrivals());
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

  constexpr void end_operation(rank r) {
    devices_.end_operation(r, now_);
    end_segment(r);
    cores_.decide(jobs_[r].core, now_);
  }

  // Copies and kernels that begin later than their jobs come to them.

  [[nodiscard]] constexpr auto notify_arrivals() noexcept {
    return [this](rank r) {
      if (arrivals_.adversarial()) { arrivals_.copy_started(r, now_, bring_forward()); }
    };
  }
  constexpr void start_held_off() {
    for (std::size_t c = 0; c < cores_.size(); ++c) {
      const rank r = cores_.running(c);
      if (r == nobody || !jobs_[r].holds_off) { continue; }
      jobs_[r].holds_off = false;
      devices_.start(r, now_, notify_arrivals());
    }
  }
  /// Lets jobs go on that were kept from asking for a token, or from doing anything at all, and are no longer.
  constexpr void go_on_with_others() {
    for (rank r = devices_.tokens().next_freed(); r != nobody; r = devices_.tokens().next_freed()) {
      if (jobs_[r].holds_off) {
        devices_.start(r, now_, notify_arrivals());
      } else {
        advance(r);
      }
      cores_.decide(jobs_[r].core, now_);
    }
  }

  const layout<Table>* layout_;
  source_map<max_tasks> sources_;
  calendar_type calendar_;
  accounting_type jobs_;
  detail::core_bank<core_server, spins, max_tasks, accounting_type, calendar_type> cores_;
  detail::device_bank<P, Table, MaxShares, accounting_type, calendar_type> devices_;
  arrivals<max_tasks> arrivals_;
  lengths lengths_;
  ticks horizon_;
  ticks now_ = -1;
  bool stops_at_miss_;
};

}  // namespace takt::inline TAKT_ABI::simulation
