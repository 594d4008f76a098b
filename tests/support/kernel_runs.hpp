// SPDX-License-Identifier: Apache-2.0
// Lets jobs that are written down run under any strategy of an accelerator, also under those that no rule names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/host/engine.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/accelerator/strategy.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/rules/servers/kernel_server.hpp>
#include <takt/simulation/release_times.hpp>

namespace kernel_runs {

using takt::ticks;

inline constexpr ticks never = ticks{1} << 58;

struct options {
  takt::preemption_cost_model costs = takt::preemption_cost_model::race;
  bool free_preemption = false;                 ///< as if all preemption costs were 0
  takt::slot_reservation<ticks> pinned_slot{};  ///< in slots preemption costs no more than the wave
  takt::slot_reservation<ticks> gang_slot{};
  bool guard_band = false;
  ticks limit = never;  ///< the end of the run
};

struct planned_job {
  ticks release = 0;
  ticks work = 0;
};

/// For each task in the order of their releases.
class listed_releases {
 public:
  explicit listed_releases(std::size_t tasks) : jobs_(tasks) {}
  void add(std::size_t task, const planned_job& j) { jobs_[task].push_back(j); }
  [[nodiscard]] auto of(std::size_t task) const -> std::span<const planned_job> { return jobs_[task]; }

 private:
  std::vector<std::vector<planned_job>> jobs_;
};

/// Full length, at offset + k period while that is before `until`.
template <class Table>
[[nodiscard]] auto periodic(const Table& table, ticks until, std::span<const ticks> offsets = {}) -> listed_releases {
  listed_releases out{table.size()};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto& t = table.tasks[i];
    for (ticks at = i < offsets.size() ? offsets[i] : 0; at < until; at += t.period) { out.add(i, {at, t.wcet}); }
  }
  return out;
}

/// As bad as they get, now and then shorter than they may be.
template <class Table>
[[nodiscard]] auto hostile_releases(const Table& table, ticks until, std::uint64_t seed) -> listed_releases {
  takt::random_stream random{~seed};
  const bool shortens = random.chance(1, 4);
  const auto times = takt::simulation::staggered_releases(table.tasks, until, seed);
  listed_releases out{table.size()};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ticks wcet = table.tasks[i].wcet;
    for (const ticks at : times[i]) {
      out.add(i, {at, shortens && random.chance(1, 2) ? random.between(1, wcet) : wcet});
    }
  }
  return out;
}

/// The rule of a pool that is an accelerator under a strategy.
template <takt::AcceleratorStrategy Strategy, takt::JobPriority Order>
struct given_strategy {
  static constexpr std::size_t lanes = [] {
    if constexpr (requires { Strategy::max_cores; }) { return Strategy::max_cores + 1; }
    return std::size_t{1};
  }();
  using is_takt_rule = void;
  static constexpr std::string_view name = "strategy";
  static constexpr bool preemptive = true;
  static constexpr bool stops_kernels = true;

  Strategy strategy;
  options how;

  [[nodiscard]] constexpr auto job_order(std::int32_t /*units*/) const noexcept -> Order { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const {
    using server = takt::kernel_server<Strategy, lanes, Strategy::max_tasks>;
    if constexpr (takt::detail::SlotStrategy<Strategy>) {
      return server{strategy, how.pinned_slot, how.gang_slot};
    } else {
      return server{strategy, how.costs};
    }
  }
};

/// A kernel is a task with one visit, of station 0.
template <class Table>
[[nodiscard]] auto visits_of(const Table& table, const options& o) {
  takt::visit_table<Table::max_tasks, Table::max_tasks> out;
  for (const auto& t : table.tasks) {
    const auto core_of = [](const auto& x) { return needs_all_cores(x.width) ? takt::unassigned_core : x.core; };
    const ticks cost = o.free_preemption ? 0 : t.preemption_cost;
    ticks guard = 0;
    for (const auto& other : table.tasks) {
      if (o.guard_band && core_of(other) == core_of(t)) { guard = std::max(guard, other.preemption_cost); }
    }
    static_cast<void>(
        out.add_task({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority}));
    static_cast<void>(
        out.add_next(0, 0, t.wcet, takt::kernel_needs{cost, core_of(t), o.guard_band ? guard - cost : -cost}.values()));
  }
  return out;
}

/// The jobs of a list, and what a recorder hears of them.
template <class Table, class Recorder>
class listed_choices {
 public:
  static constexpr bool asks_at_once = true;

  listed_choices(const Table& table, const listed_releases& jobs, std::int32_t cores, bool apart, Recorder& to)
      : table_{&table},
        jobs_{&jobs},
        cores_{cores},
        apart_{apart},
        to_{&to},
        ended_(table.size()),
        end_(table.size()) {}

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto list = jobs_->of(task);
    const ticks last = job == 0 ? 0 : list[job - 1].release;
    return (job < list.size() ? list[job].release : 2 * never) - last;
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  auto length(const takt::visit_record& v, std::uint64_t job) const -> ticks {
    const planned_job& j = jobs_->of(v.task)[job];
    note(takt::mark_kind::release, v.task, job, j.release);
    note(takt::mark_kind::deadline, v.task, job, j.release + table_->tasks[v.task].deadline);
    return j.work;
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    const ticks due = jobs_->of(task)[job].release + table_->tasks[task].deadline;
    if (due < now) { note(takt::mark_kind::miss, task, job, due); }
    note(takt::mark_kind::completion, task, job, now);
    ended_[task] = job + 1;
    end_[task] = now;
  }
  [[nodiscard]] auto sink() -> takt::slice_sink {
    return {this, [](void* self, takt::client who, std::int32_t unit, ticks from, ticks to) {
              static_cast<listed_choices*>(self)->tell(who, unit, from, to);
            }};
  }

 private:
  void tell(takt::client who, std::int32_t unit, ticks from, ticks to) const {
    const std::uint64_t job = ended_[who] > 0 && to <= end_[who] ? ended_[who] - 1 : ended_[who];
    const bool one = apart_ && unit != takt::unassigned_core;
    to_->record(takt::slice{who, 0, job, {takt::stage::kernel, 0, one ? unit : 0, one ? 1 : cores_}, from, to});
  }
  void note(takt::mark_kind what, std::uint32_t task, std::uint64_t job, ticks time) const {
    to_->record(takt::mark{what, task, job, time});
  }

  const Table* table_;
  const listed_releases* jobs_;
  std::int32_t cores_;
  bool apart_;
  Recorder* to_;
  std::vector<std::uint64_t> ended_;
  std::vector<ticks> end_;
};

/// Marks come job by job. Pre: cores are below those of the strategy.
template <takt::JobPriority Order, class Strategy, class Table, class Recorder>
auto simulate_kernels(const Order& /*order*/, const Strategy& strategy, const Table& table, const listed_releases& jobs,
                      const options& o, Recorder& recorder) {
  using rule = given_strategy<Strategy, Order>;
  const auto board = takt::platform(takt::pool(takt::accelerator(strategy.cores()), rule{strategy, o}));
  takt::board_stations<std::remove_cvref_t<decltype(board)>, 1> stations{board};
  static_cast<void>(stations.number_of({}));
  const auto visits = visits_of(table, o);
  using choices_type = listed_choices<Table, Recorder>;
  choices_type choices{table, jobs, strategy.cores(), rule::lanes > 1, recorder};
  using engine_type = takt::host::engine<decltype(stations), Table::max_tasks, Table::max_tasks, choices_type>;
  const auto engine = std::make_unique<engine_type>(visits, stations, choices);
  const takt::slice_sink sink = choices.sink();
  const auto seen = engine->run(o.limit, sink);
  engine->close(seen.end);
  return seen;
}
template <takt::JobPriority Order, class Strategy, class Table>
[[nodiscard]] auto simulate_kernels(const Order& order, const Strategy& strategy, const Table& table,
                                    const listed_releases& jobs, const options& o = {}) {
  takt::null_recorder null_sink;
  return simulate_kernels(order, strategy, table, jobs, o, null_sink);
}

}  // namespace kernel_runs
