// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/board_tracks.hpp>
#include <takt/host/declared_deadline.hpp>
#include <takt/host/disturbed_jobs.hpp>
#include <takt/host/engine.hpp>
#include <takt/host/stalled_clock.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/located.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/simulation/token_notes.hpp>

namespace takt::inline TAKT_ABI {

namespace simulation {

/// Records releases, which job of a visit is under way and when jobs end, from what the engine asks and tells.
class recording_choices {
 public:
  struct release {
    ticks nominal = 0;
    ticks at = 0;
  };

  /// Pre: both outlive it.
  template <class Table, class Stations>
  recording_choices(const simulation_options& options, const Table& table, const Stations& stations)
      : inner_{options, {table.tasks.data(), table.tasks.size()}},
        tasks_{table.tasks.data(), table.tasks.size()},
        nominal_(tasks_.size()),
        releases_(tasks_.size()),
        ends_(tasks_.size()),
        current_(table.visits.size()),
        tokens_{table} {
    if (!options.stalls.empty()) { disturbed_.emplace(table, stations); }
  }

  auto gap(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    const ticks out = inner_.gap(task, job, period);
    nominal_[task] += out;
    return out;
  }
  auto delay(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    const ticks out = inner_.delay(task, job, period);
    releases_[task].push_back({nominal_[task], nominal_[task] + out});
    return out;
  }
  auto length(const visit_record& v, std::uint64_t job) -> ticks {
    current_[tasks_[v.task].first_visit + v.position] = job;
    return inner_.length(v, job);
  }
  [[nodiscard]] auto minds_misses() const noexcept -> bool { return inner_.minds_misses(); }
  [[nodiscard]] static auto missed(std::uint32_t task, std::uint64_t job, ticks deadline) noexcept -> bool {
    return optional_choices::missed(task, job, deadline);
  }

  [[nodiscard]] auto worked(ticks clock) const -> ticks { return inner_.worked(clock); }
  [[nodiscard]] auto clock_at(ticks worked) const -> ticks { return inner_.clock_at(worked); }
  [[nodiscard]] auto clock() const noexcept -> const host::stalled_clock& { return inner_.clock(); }
  [[nodiscard]] auto drops(std::uint32_t task, ticks nominal, ticks now) const -> bool {
    return inner_.drops(task, nominal, now);
  }

  template <class Run>
  void passes(const Run& /*run*/, ticks now) {
    if (disturbed_) { host::report_stops(clock(), worked(now), stops_, *disturbed_); }
  }
  void released(std::uint32_t task, std::uint64_t /*job*/, ticks now) {
    if (disturbed_) { disturbed_->released(task, nominal_[task], now); }
  }
  void arrived(std::uint32_t visit) {
    if (disturbed_) { disturbed_->arrives(visit); }
  }
  void visited(std::uint32_t visit, const visit_record& /*v*/, std::uint64_t /*job*/, ticks /*response*/, ticks now) {
    if (disturbed_) { disturbed_->leaves(visit, now); }
  }
  void completed(std::uint32_t task, std::uint64_t /*job*/, ticks now) {
    ends_[task].push_back(now);
    if (disturbed_) { disturbed_->ended(task, now); }
  }
  void token(std::uint32_t section, host::token_event what, ticks now) {
    tokens_.note(section, ends_[tokens_.task_of(section)].size(), what, now);
  }

  [[nodiscard]] auto releases(std::size_t task) const -> const std::vector<release>& { return releases_[task]; }
  /// Returns the ends of jobs that have ended, which they do in the order of their releases.
  [[nodiscard]] auto ends(std::size_t task) const -> const std::vector<ticks>& { return ends_[task]; }
  [[nodiscard]] auto job_of(std::uint32_t visit) const -> std::uint64_t { return current_[visit]; }
  /// Returns from when to when bounds were void.
  [[nodiscard]] auto void_bounds(ticks end) const -> std::vector<host::time_span> {
    if (!disturbed_) { return {}; }
    host::disturbed_jobs seen = *disturbed_;
    const auto stalls = clock().stalls();
    if (stops_ < stalls.size() && stalls[stops_].begin < end) { seen.late(stalls[stops_].begin, end); }
    return seen.until(end);
  }
  [[nodiscard]] auto tokens() const noexcept -> const token_notes& { return tokens_; }

 private:
  optional_choices inner_;
  std::span<const flow_record> tasks_;
  std::vector<ticks> nominal_;
  std::vector<std::vector<release>> releases_;
  std::vector<std::vector<ticks>> ends_;
  std::vector<std::uint64_t> current_;
  std::optional<host::disturbed_jobs> disturbed_;
  std::size_t stops_ = 0;  ///< that have passed
  token_notes tokens_;
};

/// Turns what visits hold into slices of jobs, and releases into marks.
template <class Board, class Tasks, class Flat, TraceRecorder Recorder>
class job_recorder {
 public:
  /// Pre: all outlive it.
  job_recorder(const Board& board, const Tasks& tasks, const Flat& flat, const recording_choices& choices, Recorder& to)
      : tasks_{&tasks}, flat_{&flat}, choices_{&choices}, to_{&to}, tracks_{board} {}

  [[nodiscard]] auto sink() -> slice_sink {
    return {this, [](void* self, client who, std::int32_t unit, ticks from, ticks to) {
              static_cast<job_recorder*>(self)->tell(who, unit, from, to);
            }};
  }
  /// Adds who held which token until `end`, for a recorder that listens to it.
  void report_tokens(ticks end) {
    if constexpr (requires(const token_hold& h) { to_->record(h); }) {
      choices_->tokens().each(end, [this](const token_hold& h) { to_->record(h); });
    }
  }
  /// Adds the releases that the engine counts, and what comes of these jobs until `end`.
  void mark_jobs(ticks horizon, ticks end) {
    for (std::uint32_t i = 0; i < flat_->table.size(); ++i) {
      const ticks deadline = host::declared_deadline(flat_->table.tasks[i]);
      const auto& releases = choices_->releases(i);
      const auto& ends = choices_->ends(i);
      for (std::size_t job = 0; job < releases.size(); ++job) {
        const bool ended = job < ends.size();
        if (!ended && releases[job].at >= horizon) { break; }
        to_->record(mark{mark_kind::release, i, job, releases[job].at});
        if (ended) { to_->record(mark{mark_kind::completion, i, job, ends[job]}); }
        if (deadline == no_event || releases[job].nominal + deadline > end) { continue; }
        const ticks due = releases[job].nominal + deadline;
        to_->record(mark{mark_kind::deadline, i, job, due});
        if (!ended || ends[job] > due) { to_->record(mark{mark_kind::miss, i, job, due}); }
      }
    }
  }

 private:
  void tell(client who, std::int32_t unit, ticks from, ticks to) {
    const visit_record& v = flat_->table.visits[who];
    track where = tracks_.of(flat_->stations[v.station], unit);
    // A kernel that says how wide it is has one SM or all of them.
    if constexpr (requires { tasks_->visits[who].width; }) {
      const std::int32_t sms = tracks_.sms(flat_->stations[v.station]);
      const runtime_visit& said = tasks_->visits[who];
      if (sms > 0 && said.known.has(visit_fact::pinning)) {
        where.index = needs_all_cores(said.width) ? 0 : said.sm;
        where.count = needs_all_cores(said.width) ? sms : 1;
        where.kind = unit_kind::numbered;
      }
    }
    if constexpr (AcceleratorPlatform<Board>) {
      const bool one = DistinguishesCores<typename Board::accelerator_rule> && unit != unassigned_core;
      where.index = one ? unit : 0;
      where.count = one ? 1 : tracks_.sms(flat_->stations[v.station]);
    }
    choices_->clock().each_part(from, to, [&](ticks begin, ticks end) {
      to_->record(slice{v.task, v.position, choices_->job_of(who), where, begin, end});
    });
  }

  const Tasks* tasks_;
  const Flat* flat_;
  const recording_choices* choices_;
  Recorder* to_;
  host::board_tracks<Board::pool_count> tracks_;
};

}  // namespace simulation

/// Holds what a simulation saw that tells jobs apart.
template <std::size_t MaxTasks, std::size_t MaxVisits>
struct recorded_result : simulation_result<MaxTasks, MaxVisits> {
  /// Says from when to when bounds were void, since the process was stopped; in order, and spans do not touch.
  std::vector<host::time_span> void_bounds;
};

/// Simulates tasks and tells `recorder` which job held which unit when, and what became of each job. Segments of slices
/// are positions of visits in their tasks; deadlines are those that the tasks state.
template <class P, class T, std::size_t N, std::size_t W, TraceRecorder Recorder>
  requires detail::LaidOutOnPools<P, T, W>
auto simulate(const P& board, const T& tasks, const plan<N, W>& p, const simulation_options& options,
              Recorder& recorder) -> recorded_result<tasks_of<T>, visits_of<T>> {
  plan<tasks_of<T>, visits_of<T>> own;
  detail::copy_decisions(p, own);
  const auto flat = flatten(board, tasks, own);
  recorded_result<tasks_of<T>, visits_of<T>> out;
  out.error = simulation::composed_fault(board, flat, own, options);
  if (out.error) { return out; }
  simulation::recording_choices choices{options, flat.table, flat.stations};
  using flat_type = std::remove_cvref_t<decltype(flat)>;
  using engine = host::engine<std::remove_cvref_t<decltype(flat.stations)>, tasks_of<T>, visits_of<T>,
                              simulation::recording_choices>;
  const auto apart = std::make_unique<engine>(
      flat.table, flat.stations, choices, std::span<const ticks>{own.offsets.data(), own.offsets.size()},
      std::span<const ticks>{own.local_deadlines.data(), own.local_deadlines.size()});
  simulation::job_recorder<P, T, flat_type, Recorder> jobs{board, tasks, flat, choices, recorder};
  const slice_sink sink = jobs.sink();
  static_cast<simulation_result<tasks_of<T>, visits_of<T>>&>(out) = apart->run(options.horizon.count(), sink);
  apart->close(out.end);
  jobs.report_tokens(out.end);
  jobs.mark_jobs(options.horizon.count(), out.end);
  out.void_bounds = choices.void_bounds(out.end);
  return out;
}

template <class P, class T, TraceRecorder Recorder>
  requires ComposedBoard<P, T>
auto simulate(const P& board, const T& tasks, const simulation_options& options, Recorder& recorder) {
  return simulate(board, tasks, plan<1>{}, options, recorder);
}

}  // namespace takt::inline TAKT_ABI
