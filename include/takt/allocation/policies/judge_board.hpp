// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge_spinning.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/task_places.hpp>

namespace takt::inline TAKT_ABI {

/// A fact that a policy needs and that is not given: of the hardware where no task is named.
struct missing_part {
  std::uint32_t task = no_index;
  std::uint32_t visit = no_index;  ///< within the task
  std::string_view fact{};
};

/// Holds what is proven of tasks on a board. Without `judged` facts are missing, or the verdict's error says why; with
/// it they are missing only where the verdict is `unschedulable` without them.
template <std::size_t N, std::size_t V>
struct board_verdict {
  bool judged = false;
  takt::verdict<ticks, N, V> verdict{};
  inline_vector<missing_part, V> missing;
  proven_misses<ticks, N> misses;  ///< why it is `unschedulable`

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return judged && verdict.schedulable(); }
};

/// Says what is decided about tasks before they are judged. Parts of a plan that are empty are chosen, and so is a GPU
/// below 0 or the SMs of shares without any.
template <std::size_t N, std::size_t V>
struct decided_plan {
  const plan<N, V>* parts = nullptr;  ///< null: nothing is
  bool may_guard = true;              ///< offsets and local deadlines may be chosen, too

  /// Returns whether more is decided than what tasks can say themselves, cores and priorities.
  [[nodiscard]] constexpr auto says_more() const noexcept -> bool {
    return parts != nullptr && !(parts->shares.empty() && parts->percents.empty() && parts->offsets.empty() &&
                                 parts->local_deadlines.empty() && parts->instances.empty());
  }
  [[nodiscard]] constexpr auto says_units() const noexcept -> bool {
    if (parts == nullptr) { return false; }
    bool some = !parts->percents.empty();
    for (const sm_share& s : parts->shares) { some = some || s.sms > 0; }
    return some;
  }
};

/// Returns the least (deadline - bound) / deadline of tasks that have both, in thousandths, rounded down.
template <std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto slack_permille(const verdict<ticks, N, V>& v) -> std::int64_t {
  std::int64_t least = 1000;
  for (const auto& t : v.tasks) {
    if (!t.limited || t.deadline < 1 || !t.bound.exists) { continue; }
    ticks left = t.deadline - t.bound.value;
    ticks whole = t.deadline;
    while (whole > longest_visit_time || -left > longest_visit_time) {
      left = left / 2 - (left < 0 ? 1 : 0);
      whole = whole / 2 + 1;
    }
    const ticks parts = left * 1000;
    const std::int64_t permille = parts / whole - (parts < 0 && parts % whole != 0 ? 1 : 0);
    least = permille < least ? permille : least;
  }
  return least;
}

namespace detail {

/// Returns the sum of the bounds of all tasks, each of which counts a day at most.
template <class Verdict>
[[nodiscard]] constexpr auto sum_of_bounds(const Verdict& v) -> ticks {
  constexpr ticks most = 86'400'000'000'000;
  ticks sum = 0;
  for (const auto& t : v.tasks) { sum += t.bound.exists && t.bound.value < most ? t.bound.value : most; }
  return sum;
}

/// Prefers a proof to none, then the larger slack, then the smaller bounds.
template <class Verdict>
[[nodiscard]] constexpr auto better(const Verdict& a, const Verdict& b) -> bool {
  if (a.schedulable() != b.schedulable()) { return a.schedulable(); }
  if (!a.schedulable()) { return false; }
  const std::int64_t slack = slack_permille(a);
  const std::int64_t other = slack_permille(b);
  return other != slack ? other < slack : sum_of_bounds(a) < sum_of_bounds(b);
}

/// Facts without which kernels have no time under the rule of the first GPU, where each task with kernels has an equal
/// part of it.
template <class Board, std::size_t V>
struct kernel_reader {
  const Board* board;
  std::int32_t users = 1;
  inline_vector<missing_part, V> missing{};
  std::uint32_t task = 0;
  std::uint32_t position = 0;
  bool begun = false;

  constexpr void open(const flow_attributes& /*task*/) {
    task += begun ? 1 : 0;
    begun = true;
    position = 0;
  }
  template <class S>
  constexpr auto visit(const S& asked, visit_mask /*before*/) -> visit_mask {
    if constexpr (std::same_as<typename resource_of_segment<S>::type, takt::gpu>) {
      bool first = true;
      board->each([&](const auto& p) {
        using facts = pool_facts<std::remove_cvref_t<decltype(p)>>;
        if constexpr (facts::template may_serve<S>) {
          if (first && facts::template serves_visits<S>(p)) {
            first = false;
            this->ask(facts::view(p, asked, this->part_of(p)));
          }
        }
      });
    }
    return visit_mask{1} << position++;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the flattening*/) {}

 private:
  template <class Pool>
  [[nodiscard]] constexpr auto part_of(const Pool& p) const -> visit_placement {
    using facts = pool_facts<Pool>;
    visit_placement at{.gpu = facts::gpu(p), .units = facts::units(p), .task = task};
    const std::int32_t step = at.gpu.granularity < 1 ? 1 : at.gpu.granularity;
    if (facts::hands_sms(p)) { at.sms = at.gpu.budget() / users / step * step; }
    if (facts::hands_percents(p)) { at.percent = 100 / users; }
    return at;
  }
  constexpr void ask(const visit_view& seen) {
    if (seen.fault != model_fault::visit_time_unknown || !seen.lacks) { return; }
    // Bound: one per visit, at most V.
    missing.unchecked_push_back({task, position, name_of(seen.lacks.first)});
  }
};

template <class Board, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto missing_times(const Board& board, const runtime_task_set<N, V, R, S>& all)
    -> inline_vector<missing_part, V> {
  std::int32_t users = 0;
  for (const runtime_task& t : all.tasks) {
    bool uses = false;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      uses = uses || all.visits[t.first_visit + p].where == resource_kind::gpu;
    }
    users += uses ? 1 : 0;
  }
  kernel_reader<Board, V> out{.board = &board, .users = users < 1 ? 1 : users};
  visit_source<runtime_task_set<N, V, R, S>>::each(all, out);
  return out.missing;
}

/// Asks analyses about a plan. `spins`: a job keeps its processor. `may_guard`: a plan without guards may get some.
template <class Board, class Tasks>
class board_test {
 public:
  static constexpr std::size_t max_tasks = tasks_of<Tasks>;
  using plan_type = plan<tasks_of<Tasks>, visits_of<Tasks>>;
  using verdict_type = verdict<ticks, tasks_of<Tasks>, visits_of<Tasks>>;

  constexpr board_test(const Board& board, const Tasks& tasks, bool spins, bool may_guard = true)
      : board_{&board}, tasks_{&tasks}, spins_{spins}, may_guard_{may_guard} {}

  constexpr auto operator()(const plan_type& p) const -> verdict_type {
    if (!spins_) {
      model_error ignored;
      auto own = p;
      own.may_guard = may_guard_;
      return analysis::detail::judge_pools<analysis::detail::no_known_method>(*board_, *tasks_, own, ignored);
    }
    const auto flat = flatten(*board_, *tasks_, p);
    verdict_type out;
    model_error error = flat.error;
    if (!error && !p.offsets.empty()) { error = {.fault = model_fault::plan_part_unused}; }
    if (error) {
      out.refuse(error);
      return out;
    }
    const analysis::detail::bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
    out = analysis::detail::judge_spinning(flat.table, stations);
    out.plan = p;
    state_order(*board_, flat.table, out.plan);
    out.plan.feasible = out.schedulable();
    return out;
  }

 private:
  const Board* board_;
  const Tasks* tasks_;
  bool spins_;
  bool may_guard_;
};

/// Returns what is proven of tasks on a board under what is decided, and under what a search finds for the rest.
/// `spins`: a job keeps its processor.
template <class Board, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto judge_board(const Board& board, const runtime_task_set<N, V, R, S>& all, bool spins,
                                         std::int32_t rounds, const decided_plan<N, V>& decided = {})
    -> board_verdict<N, V> {
  board_verdict<N, V> out;
  const auto missing = missing_times(board, all);
  const board_test<Board, runtime_task_set<N, V, R, S>> test{board, all, spins, decided.may_guard};
  out.verdict = share_search{.rounds = rounds}.find(board, all, test, decided.parts);
  const model_error& error = out.verdict.error;
  const bool lacks_time = error.fault == model_fault::visit_time_unknown;
  const bool finds_no_parts = !error && out.verdict.why == obstacle::gpu;
  if (lacks_time || finds_no_parts) { out.missing = missing; }
  if (lacks_time && out.missing.empty() && error.lacks) {
    // Bound: the first.
    out.missing.unchecked_push_back({error.task, error.visit, name_of(error.lacks.first)});
  }
  // Kernels without a time on parts of a GPU fit on none of them.
  if (finds_no_parts && !out.missing.empty()) { out.verdict.refuse({.fault = model_fault::visit_time_unknown}); }
  out.judged = !out.verdict.error;
  return out;
}

/// Returns the tasks with the cores and priorities of a plan, as far as it says some. Pre: it says them of all tasks.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto with_decisions(const runtime_task_set<N, V, R, S>& all, const plan<N, V>& p)
    -> runtime_task_set<N, V, R, S> {
  TAKT_EXPECTS(p.cores.empty() || p.cores.size() == all.size());
  TAKT_EXPECTS(p.priorities.empty() || p.priorities.size() == all.size());
  runtime_task_set<N, V, R, S> out = all;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!p.cores.empty()) { out.tasks[i].core = p.cores[i]; }
    if (!p.priorities.empty()) { out.tasks[i].priority = p.priorities[i]; }
  }
  return out;
}

/// Takes back bounds above the period of tasks that are not proven to be in time: jobs that overlap are not counted.
template <class Verdict, class Tasks>
constexpr void drop_late_bounds(Verdict& out, const Tasks& all) {
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    if (t.meets || !t.bound.exists || t.bound.value <= all.tasks[i].period) { continue; }
    if (takt::detail::is_explained(t)) { t.parts.clear(); }  // else they say what claims time before the deadline
    t.bound = {};
  }
}

/// Rows with the deadlines that were given: analyses hold tasks to the lesser of deadline and period. A bound above it
/// proves nothing where the analysis does not say so: it may not count jobs that are late.
template <class Verdict, class Tasks>
constexpr void restate(Verdict& out, const Tasks& all) {
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    t.limited = all.tasks[i].limited;
    t.deadline = all.tasks[i].deadline;
    t.meets = t.meets && t.bound.exists && (!t.limited || t.bound.value <= t.deadline);
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
