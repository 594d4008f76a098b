// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/board_tracks.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/board_devices.hpp>
#include <takt/runtime/executor/executor.hpp>
#include <takt/runtime/executor/lanes.hpp>
#include <takt/runtime/executor/live_choices.hpp>
#include <takt/runtime/executor/pool_device.hpp>
#include <takt/runtime/executor/report_jobs.hpp>
#include <takt/runtime/executor/served_pools.hpp>
#include <takt/runtime/executor/visit_codes.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/rights.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/trace_buffer.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Is the priority of the dispatcher. Threads of devices are below it, so that what they have done is followed up at
/// once. Then come threads that have a processor, then those that have none.
inline constexpr int board_priority = usual_priority + 1;
inline constexpr int device_priority = usual_priority;
inline constexpr int worker_priority = usual_priority - 1;

/// Holds for choices that say themselves what they saw in a run, which ended at that instant.
template <class C>
concept ReportsRuns = requires(C& choices, ticks end) { choices.report(end); };
/// Holds for choices that are told when a run starts, and keep slices in their own way.
template <class C>
concept KeepsSlices = requires(C& choices, std::uint32_t visit, const track& where, ticks time) {
  choices.start_at(time);
  choices.worked(visit, where, time, time);
};

/// Is one run of tasks whose visits are on the stations of a board. Stations after those of its pools are of no pool:
/// code there takes no unit of the board's.
template <class Board, class Flat, class Choices = live_choices>
class board_run {
 public:
  board_run(const Board& board, const Flat& flat, const run_options& options, const visit_codes& codes,
            served_pools devices, trace_buffer& trace)
      : flat_{&flat},
        table_{flat.table},
        options_{&options},
        tracks_{board},
        devices_{std::move(devices)},
        trace_{&trace} {
    std::vector<bool> is_cpu;
    board.each([&](const auto& p) {
      is_cpu.push_back(takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>::is_processors(p));
    });
    is_cpu.push_back(false);
    for (std::size_t s = 0; s < flat.stations.size(); ++s) { is_cpu_.push_back(is_cpu[flat.stations[s].pool]); }
    codes_.resize(flat.table.visits.size());
    for (const auto& [at, what] : codes.processors()) { bind(at, what, true, &code_of_visit::code); }
    for (const auto& [at, what] : codes.units()) { bind(at, what, false, &code_of_visit::body); }
    fits_ = devices_.fit([&](const visit_position& at, std::uint32_t pool) {
      return exists(at) && flat.stations[flat.table.visit(at.first, at.second).station].pool == pool;
    }) && fits_;
    for (std::size_t v = 0; v < codes_.size(); ++v) { prepare(v); }
    fits_ = fits_ && options.expected.size() <= flat.table.size();
    for (std::size_t i = 0; fits_ && i < options.expected.size(); ++i) {
      fits_ = options.expected[i].visits.size() <= flat.table.tasks[i].visit_count;
    }
  }

  /// Returns whether code and expectations are about visits that there are.
  [[nodiscard]] auto fits() const noexcept -> bool { return fits_; }
  [[nodiscard]] auto can_be_served() const -> bool { return devices_.can_be_served(); }
  /// Returns findings about the machine, and about each device once.
  [[nodiscard]] auto findings() const -> machine_findings {
    machine_findings out;
    std::vector<std::string> seen;
    devices_.each([&](std::uint32_t /*pool*/, const pool_device& d) {
      if (std::ranges::find(seen, d.name()) != seen.end()) { return; }
      seen.push_back(d.name());
      for (const machine_finding& f : d.findings()) { out.push_back(f); }
    });
    return seen.empty() ? check_machine(parts_used::cpus) : out;
  }
  /// Returns a pool with visits for workers whose server does not say who has a unit; `no_index` if there is none.
  [[nodiscard]] auto without_bodies() const -> std::uint32_t {
    for (std::size_t v = 0; v < codes_.size(); ++v) {
      const std::uint32_t s = table_.visits[v].station;
      const std::uint32_t pool = flat_->stations[s].pool;
      if (has_worker(v) && !flat_->stations.serves_bodies(s) && !devices_.decides_by_itself(pool)) { return pool; }
    }
    return no_index;
  }

  /// Returns roughly how many entries a trace has.
  [[nodiscard]] auto entries() const -> std::size_t {
    std::size_t out = 64;
    for (const flow_record& t : table_.tasks) {
      const auto jobs = static_cast<std::size_t>(later(options_->length.count(), options_->drain.count()) / t.period);
      out += std::min(trace_buffer::most, 4 * (jobs + 1) * (t.visit_count + 1));
    }
    return std::min(trace_buffer::most, out);
  }

  /// `make(carried, trace)`: the choices of the run. `entries`: of a trace, roughly.
  template <class Make>
  void run(std::span<const ticks> offsets, std::span<const ticks> local_deadlines, const Make& make,
           std::size_t entries, run_result& result) {
    const auto pool_of = [this](std::uint32_t s) { return flat_->stations[s].pool; };
    const lane_plan lanes = lanes_of(
        table_, [this](std::size_t v) { return has_worker(v); },
        [&](std::uint32_t i, std::uint32_t s) {
          return devices_.lane_on(lane{.task = i, .station = s, .leaves_by_itself = !is_cpu_[s]}, pool_of(s));
        });
    carried_visits how{std::vector<bool>(codes_.size()), std::vector<bool>(codes_.size()), {}};
    for (std::size_t v = 0; v < codes_.size(); ++v) {
      how.told[v] = has_worker(v);
      how.has_code[v] = codes_[v].code != nullptr || codes_[v].body != nullptr;
    }
    for (std::uint32_t s = 0; s < flat_->stations.size(); ++s) {
      how.elsewhere.push_back(devices_.decides_by_itself(pool_of(s)));
    }
    devices_.each_bound(
        [&](const visit_position& at) { how.has_code[table_.tasks[at.first].first_visit + at.second] = true; });
    trace_->reserve(entries, entries);
    devices_.lay_out(table_, lanes, pool_of, trace_->is_wanted() ? entries : 0);
    choices_ = make(std::move(how), *trace_);
    if (!devices_.failure().empty() || !devices_.open()) {
      devices_.close();
      return fail(observation_status::no_threads, result);
    }
    const foreign_workers foreign{
        [this](std::size_t l, worker_reports to) { return devices_.worker(l, std::move(to)); },
        [this] { return !devices_.failure().empty(); }};
    executor host{table_, flat_->stations, *choices_, lanes, codes_, foreign, offsets, local_deadlines};
    if (!host.complete()) {
      devices_.close();
      return fail(observation_status::no_threads, result);
    }
    std::vector<run_thread> threads;
    bool is_pinned = false;
    host.each_thread([&](std::uint32_t l, pthread_t handle) {
      const board_station& s = flat_->stations[lanes.lanes[l].station];
      const bool is_cpu = is_cpu_[lanes.lanes[l].station];
      is_pinned = is_pinned || is_cpu;
      threads.push_back({handle, worker_priority, is_cpu ? s.unit : 0, is_cpu ? s.units : 0});
    });
    rights asked{std::move(threads), result.notes};
    ask_system(
        asked, *options_, is_pinned, board_priority, "processors by the board's rule",
        [this](bool above) { return devices_.serve_at(above ? device_priority : 0); }, result);
    if (result.granted.real_time) { host.raise(worker_priority); }
    note_emulated(result);
    const slice_sink sink{this, [](void* self, client who, std::int32_t unit, ticks from, ticks to) {
                            static_cast<board_run*>(self)->keep(who, unit, from, to);
                          }};
    const ticks start = now() + start_lead;
    if constexpr (KeepsSlices<Choices>) { choices_->start_at(start); }
    host.run(start, *options_, sink);
    asked.give_back();
    if (result.granted.real_time) { (void)devices_.serve_at(0); }
    host.close();
    devices_.close();
    trace_->lose(devices_.replay([&](std::uint32_t v, std::uint64_t job, const track& where, ticks from, ticks to) {
      keep_piece(v, job, where, from - start, to - start);
    }));
    if constexpr (ReportsRuns<Choices>) {
      choices_->report(host.end());
    } else {
      report_jobs(host, *choices_, *options_, result);
    }
    devices_.take_notes(result.notes);
    if (const auto v = host.silent()) { say_silent(*v, result); }
    fail(result.ended, result);
  }

 private:
  [[nodiscard]] auto has_worker(std::size_t v) const -> bool {
    const std::uint32_t s = table_.visits[v].station;
    const bool is_on_cpu = is_cpu_[s] && (table_.visits[v].upper > 0 || codes_[v].code != nullptr);
    return is_on_cpu || codes_[v].body != nullptr || devices_.is_served(flat_->stations[s].pool);
  }
  [[nodiscard]] auto exists(const visit_position& at) const -> bool {
    return at.first < table_.size() && at.second < table_.tasks[at.first].visit_count;
  }
  /// Sets what the worker of a visit knows of it, and how long a device may take before it counts as silent. Where a
  /// device stops kernels in waves, the server does not.
  void prepare(std::size_t v) {
    visit_record& x = table_.visits[v];
    const std::uint32_t pool = flat_->stations[x.station].pool;
    codes_[v].view = x.view;
    codes_[v].upper = x.upper;
    if (has_worker(v) && devices_.stops_kernels(pool)) {
      x.view = kernel_needs_of(x.view).stopped_elsewhere().values();
    }
    if (!devices_.is_served(pool)) { return; }
    ticks bound = devices_.decides_by_itself(pool) ? all_on(pool) : x.upper;
    if (x.task < options_->expected.size() && x.position < options_->expected[x.task].visits.size()) {
      const auto& own = options_->expected[x.task].visits[x.position];
      if (own.exists) { bound = std::max(bound, own.value); }
    }
    codes_[v].limit = later(bound, options_->patience.count());
  }
  /// Returns the length of all visits that a device that decides by itself may have before one of them.
  [[nodiscard]] auto all_on(std::uint32_t pool) const -> ticks {
    ticks sum = 0;
    for (const visit_record& v : table_.visits) {
      if (flat_->stations[v.station].pool == pool) { sum = later(sum, v.upper); }
    }
    return sum;
  }
  /// Writes a failure into the result, with what a device says of it.
  void fail(observation_status how, run_result& result) const {
    result.ended = how;
    const std::string why = devices_.failure();
    if (why.empty()) { return; }
    result.ended = observation_status::device_failed;
    result.device_fault = why;
    result.notes.push_back("device: failed: " + why);
  }
  void say_silent(std::uint32_t v, run_result& result) const {
    const visit_record& x = table_.visits[v];
    result.ended = observation_status::device_silent;
    result.device_fault = "no answer " + std::to_string(codes_[v].limit) + "ns after visit " +
                          std::to_string(x.position) + " of " + std::string{table_.tasks[x.task].name} +
                          " was handed to it";
    result.notes.push_back("device: silent: " + result.device_fault);
  }
  template <class Code>
  void bind(const visit_position& at, const Code& what, bool on_cpu, const Code* code_of_visit::* place) {
    const auto& table = table_;
    const auto is_free = [&](const board_station& s, bool cpu) { return cpu == on_cpu && !devices_.is_served(s.pool); };
    const auto fits = [&](std::uint32_t s) { return is_free(flat_->stations[s], is_cpu_[s]); };
    const bool binds = exists(at) && fits(table.visit(at.first, at.second).station);
    fits_ = fits_ && binds && what;
    if (binds) { codes_[table.tasks[at.first].first_visit + at.second].*place = &what; }
  }
  void note_emulated(run_result& result) const {
    devices_.each([&](std::uint32_t pool, const pool_device& d) {
      result.notes.push_back("device: pool " + std::to_string(pool) + " on " + d.name());
    });
    bool any = false;
    for (std::size_t v = 0; v < codes_.size(); ++v) { any = any || (!has_worker(v) && table_.visits[v].upper > 0); }
    if (!any) { return; }
    result.notes.emplace_back(
        "device: emulated: copies, kernels and own resources without code take their time on the clock");
  }
  void keep(client who, std::int32_t unit, ticks from, ticks to) {
    const visit_record& v = table_.visits[who];
    const board_station& s = flat_->stations[v.station];
    if (s.pool >= Board::pool_count) { return; }
    track where = tracks_.of(s, unit);
    if (const sm_range own = devices_.sms_of(s.pool, v.task); own.count > 0) {
      where.index = own.first;
      where.count = own.count;
      where.kind = unit_kind::numbered;
    }
    if constexpr (KeepsSlices<Choices>) {
      choices_->worked(who, where, from, to);
    } else {
      trace_->add(slice{v.task, v.position, choices_->job_of(who), where, from, to});
    }
  }
  void keep_piece(std::uint32_t visit, std::uint64_t job, const track& where, ticks from, ticks to) {
    const visit_record& v = table_.visits[visit];
    track at = tracks_.of(flat_->stations[v.station], where.index);
    if (at.kind != unit_kind::share && where.index >= 0) { at.count = where.count; }
    trace_->add(slice{v.task, v.position, job, at, from, to});
  }

  const Flat* flat_;
  std::remove_cvref_t<decltype(Flat::table)> table_;  ///< as the engine sees it
  const run_options* options_;
  host::board_tracks<Board::pool_count> tracks_;
  std::vector<bool> is_cpu_;
  std::vector<code_of_visit> codes_;
  served_pools devices_;
  bool fits_ = true;
  trace_buffer* trace_;
  std::unique_ptr<Choices> choices_;
};

/// Runs what has been laid out and is without fault, if code, expectations and devices fit it. As for `board_run::run`.
template <class Run, class Make>
void run_if_served(Run& one, std::span<const ticks> offsets, std::span<const ticks> local_deadlines, const Make& make,
                   std::size_t entries, const run_options& options, run_result& result) {
  if (const std::uint32_t pool = one.without_bodies(); pool != no_index) {
    result.error = {.fault = model_fault::rule_serves_no_code, .pool = pool};
  } else if (!one.fits()) {
    result.ended = observation_status::wrong_binding;
  } else if (!one.can_be_served()) {
    result.ended = observation_status::wrong_device;
  } else {
    if (options.check_machine) {
      result.findings = one.findings();
      result.notes = notes_on(result.findings);
    }
    one.run(offsets, local_deadlines, make, entries, result);
  }
}

/// Runs tasks that are laid out. `deadlines`: as the tasks state them.
template <class Board, class Flat, std::size_t N, std::size_t W>
void run_flat(const Board& board, const Flat& flat, const std::vector<ticks>& deadlines, const plan<N, W>& p,
              const board_devices& devices, const run_options& options, const visit_codes& codes, trace_buffer& kept,
              run_result& result) {
  board_run<Board, Flat> one{board, flat, options, codes, {board, p, devices, options.patience.count()}, kept};
  const auto make = [&](carried_visits how, trace_buffer& trace) {
    return std::make_unique<live_choices>(options, flat.table, host::disturbed_jobs{flat.table, flat.stations},
                                          deadlines, std::move(how), codes.hooks(), trace);
  };
  run_if_served(one, {p.offsets.data(), p.offsets.size()}, {p.local_deadlines.data(), p.local_deadlines.size()}, make,
                one.entries(), options, result);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
