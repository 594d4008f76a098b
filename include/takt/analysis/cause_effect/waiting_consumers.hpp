// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// Says why a job may start while an older one of another task has not ended.
enum class wait_obstacle : std::uint8_t {
  none,                ///< it may not: `chain_stage::waits_for_producer`
  rule_unknown,        ///< the rule of the processors is none that serves the most urgent job of each core
  workload_unknown,    ///< no board or plan is known for the tasks
  visits_held_back,    ///< the plan holds visits back until times of their own
  priorities_donated,  ///< a job may lend its priority and wait, whatever it asks for itself
  producer_late,       ///< it is released up to its jitter after its nominal release
  producer_leaves,     ///< the core, for a device or a token, between its release and its end
  consumer_elsewhere,  ///< it starts on another core or device, or with a token
  consumer_takes_no_time,
  consumer_more_urgent,
  order_tied,  ///< equal priorities or relative deadlines: who goes first, of jobs that meet, is left to the host
};
[[nodiscard]] constexpr auto name_of(wait_obstacle o) noexcept -> std::string_view {
  switch (o) {
    case wait_obstacle::none: return "none";
    case wait_obstacle::rule_unknown: return "rule-unknown";
    case wait_obstacle::workload_unknown: return "workload-unknown";
    case wait_obstacle::visits_held_back: return "visits-held-back";
    case wait_obstacle::priorities_donated: return "priorities-donated";
    case wait_obstacle::producer_late: return "producer-late";
    case wait_obstacle::producer_leaves: return "producer-leaves";
    case wait_obstacle::consumer_elsewhere: return "consumer-elsewhere";
    case wait_obstacle::consumer_takes_no_time: return "consumer-takes-no-time";
    case wait_obstacle::consumer_more_urgent: return "consumer-more-urgent";
    case wait_obstacle::order_tied: return "order-tied";
  }
  return "";
}

namespace detail {

/// Holds where each core by itself serves the most urgent ready job, or starts it when the core is free. Of two jobs,
/// that of the task which goes first if both are released together also goes first where it is the older one.
template <class Rule>
concept ServesTheMostUrgent =
    FixedPriority<Rule> || NonpreemptiveFixedPriority<Rule> || EarliestDeadlineFirst<Rule> || NonpreemptiveEdf<Rule>;

/// Returns whether a station is a part of the processors of a board.
template <class Board, class Stations>
[[nodiscard]] constexpr auto is_of_processors(const Board& board, const Stations& stations, std::uint32_t station)
    -> bool {
  bool yes = false;
  std::uint32_t at = 0;
  board.each([&](const auto& p) {
    using facts = pool_facts<std::remove_cvref_t<decltype(p)>>;
    yes = yes || (at == stations[station].pool && facts::is_processors(p));
    ++at;
  });
  return yes;
}

template <class Table>
[[nodiscard]] constexpr auto asks_for_token(const Table& table, const visit_record& v) -> bool {
  for (const visit_section& s : table.sections) {
    if (contains(s, v)) { return true; }
  }
  return false;
}

/// Returns the obstacle between tasks on stations of processors that serve the most urgent job.
template <class Board, class Flat>
[[nodiscard]] constexpr auto obstacle_between(const Board& board, const Flat& flat, std::size_t producer,
                                              std::size_t consumer) -> wait_obstacle {
  const auto& table = flat.table;
  const flow_record& first = table.tasks[producer];
  const std::uint32_t core = table.visit(producer, 0).station;
  for (std::uint32_t pool = 0; pool < flat.stations.token_pools(); ++pool) {
    if (flat.stations.token_donates(pool)) { return wait_obstacle::priorities_donated; }
  }
  if (first.jitter != 0) { return wait_obstacle::producer_late; }
  if (!is_of_processors(board, flat.stations, core)) { return wait_obstacle::producer_leaves; }
  for (std::uint32_t p = 0; p < first.visit_count; ++p) {
    const visit_record& v = table.visit(producer, p);
    if (v.station != core || asks_for_token(table, v)) { return wait_obstacle::producer_leaves; }
  }
  for (std::uint32_t p = 0; p < table.tasks[consumer].visit_count; ++p) {
    const visit_record& v = table.visit(consumer, p);
    if (v.predecessors != 0) { continue; }
    if (v.station != core || asks_for_token(table, v)) { return wait_obstacle::consumer_elsewhere; }
    if (v.lower < 1) { return wait_obstacle::consumer_takes_no_time; }
  }
  priority_point urgent{};
  priority_point other{};
  const bool known = flat.stations.point(core, timing_of(table, producer, core), 0, urgent) &&
                     flat.stations.point(core, timing_of(table, consumer, core), 0, other);
  if (!known || other.point < urgent.point) { return wait_obstacle::consumer_more_urgent; }
  return urgent.point < other.point ? wait_obstacle::none : wait_obstacle::order_tied;
}

}  // namespace detail

/// Returns what keeps the jobs of `consumer` from waiting until every job of `producer` that was released before or
/// with them has ended. `none`: they wait, so that `chain_stage::waits_for_producer` holds for the two, in that order.
/// `rule`: of the board's processors. `p`: the plan under which the tasks run. Semantics do not count: under LET
/// nothing is read at the start of a job, which `find_fault` refuses.
///
/// Why it holds: let a job of the producer be released at r and one of the consumer, released at r' >= r, start at s.
/// At s the producer's job has been released, as it has no jitter, and nothing holds it back. Unless it has ended, its
/// next visit is ready on the core of both: all of its visits are there, and none of them waits for a token. The
/// consumer's job begins with time on that core, and so when the core is given to it. The core is given to the ready
/// job of the least point, without preemption as well as with it. No protocol has raised the consumer's point, as it
/// holds no token before it has started. The producer's point is less: by the order of tasks under fixed priorities,
/// under EDF as its job is no younger and its relative deadline shorter. So that job has ended. Equal points prove
/// nothing: a tie may go either way. Where a job of the consumer may take no time it begins without the core, and
/// nothing holds.
///
/// Source: that such consumers save the response of their producers, Duerr et al. 2019. Cost: as `flatten`.
template <RuleTag CpuRule, class Board, class Tasks, std::size_t N, std::size_t W>
  requires ComposedBoard<Board, Tasks>
[[nodiscard]] constexpr auto obstacle_to_waiting(const CpuRule& /*rule*/, const Board& board, const Tasks& tasks,
                                                 const plan<N, W>& p, std::size_t producer, std::size_t consumer)
    -> wait_obstacle {
  if constexpr (detail::ServesTheMostUrgent<CpuRule>) {
    if (!p.offsets.empty()) { return wait_obstacle::visits_held_back; }
    plan<tasks_of<Tasks>, visits_of<Tasks>> own;
    detail::copy_decisions(p, own);
    const auto flat = flatten(board, tasks, own);
    if (flat.error || producer >= flat.table.size() || consumer >= flat.table.size()) {
      return wait_obstacle::workload_unknown;
    }
    return detail::obstacle_between(board, flat, producer, consumer);
  }
  return wait_obstacle::rule_unknown;
}

}  // namespace takt::inline TAKT_ABI
