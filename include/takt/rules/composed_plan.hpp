// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/pool_facts.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Says which parts of a plan a board uses. Boards of an accelerator specialize it.
template <class P>
struct board_plan_parts {
  [[nodiscard]] static constexpr auto of(const P& board) -> plan_parts {
    plan_parts used{.offsets = true, .local_deadlines = true};
    for (const pool_outline& p : outlines_of(board)) {
      used.priorities = used.priorities || p.reads_priorities;
      used.shares = used.shares || p.runs_kernels;
      used.cores = used.cores || (p.is_processors && p.names_cores);
      used.percents = used.percents || p.hands_percents;
    }
    return used;
  }
};
template <class P>
[[nodiscard]] constexpr auto composed_plan_parts(const P& board) -> plan_parts {
  return board_plan_parts<P>::of(board);
}

/// Returns what keeps a plan from fitting a composed board on which it has been laid out, beyond its shares and cores.
template <class P, class Table, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto composed_plan_fault(const P& board, const Table& table, const plan<N, V>& p)
    -> model_error {
  if (const auto error = parts_fault(p, composed_plan_parts(board), table.size(), table.visits.size())) {
    return error;
  }
  const bool fits = p.offsets.size() == p.local_deadlines.size() &&
                    (p.offsets.empty() || guards_fit(table, p.offsets.data(), p.local_deadlines.data()));
  return {.fault = fits ? model_fault::none : model_fault::plan_does_not_fit};
}

/// Copies what a plan decides into another one. Where that has too little room for a part, it is marked as cut, and
/// fits nothing.
template <std::size_t N, std::size_t V, std::size_t M, std::size_t W>
constexpr void copy_decisions(const plan<M, W>& from, plan<N, V>& to) {
  to.cut = from.cut;
  const auto copy = [&to](const auto& a, auto& b) {
    b.clear();
    for (const auto& x : a) { to.cut = !b.try_push_back(x) || to.cut; }
  };
  copy(from.shares, to.shares);
  copy(from.cores, to.cores);
  copy(from.priorities, to.priorities);
  copy(from.percents, to.percents);
  copy(from.tokens, to.tokens);
  copy(from.slots, to.slots);
  copy(from.offsets, to.offsets);
  copy(from.local_deadlines, to.local_deadlines);
  copy(from.instances, to.instances);
}

/// Lets a plan say in which order equal priorities of tasks go, so that proof and hosts keep one: as tables break ties,
/// the first task first. Nothing is said where no pool reads priorities, or no two are equal. Pre: the table was laid
/// out under the plan.
template <class P, class Table, std::size_t N, std::size_t V>
constexpr void state_order(const P& board, const Table& table, plan<N, V>& p) {
  TAKT_EXPECTS(table.size() <= N);
  const auto is_before = [&table](std::size_t a, std::size_t b) {
    const std::int32_t first = table.tasks[a].priority;
    const std::int32_t second = table.tasks[b].priority;
    return first != second ? first < second : a < b;
  };
  bool some_are_equal = false;
  inline_vector<std::int32_t, N> ranks;
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::int32_t rank = 0;
    for (std::size_t k = 0; k < table.size(); ++k) {
      rank += is_before(k, i) ? 1 : 0;
      some_are_equal = some_are_equal || (k != i && table.tasks[k].priority == table.tasks[i].priority);
    }
    ranks.unchecked_push_back(rank);  // Bound: N, of the table.
  }
  if (some_are_equal && composed_plan_parts(board).priorities) { p.priorities = ranks; }
}

}  // namespace takt::inline TAKT_ABI::detail
