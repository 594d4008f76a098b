// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gel_policy.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>
#include <takt/systems/graphs/analysis/graph_method.hpp>

namespace takt::inline TAKT_ABI {

/// Describes a platform of graphs whose rule of processors is a value.
struct graph_board {
  graph_platform sizes{};
  gel_policy policy{};
  bool preemptive = true;
};

namespace analysis::detail {

/// Refines graphs on a board. Returns false if a point does not fit. Pre: `validate` and `fits` found nothing.
template <std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] constexpr auto refine_on(const graph_board& board, const graph_table<ticks, N, E, G>& table,
                                       refined_table<graph_table<ticks, N, E, G>>& out) -> bool {
  TAKT_EXPECTS_IN_TESTS(!validate(table) && !takt::fits(table, board.sizes));
  out = refine(table, board.sizes.placement());
  return board.preemptive || set_whole_points(out, board.sizes, board.policy);
}
[[nodiscard]] constexpr auto fine_options_on(const graph_board& board) -> fine_options {
  return {.policy = board.preemptive ? board.policy : gel_policy::given_points, .preemptive = board.preemptive};
}

}  // namespace analysis::detail

/// Returns the verdict of `overlapping_nodes_method` on graphs of a table, nodes as they are refined.
template <std::size_t N, std::size_t E, std::size_t G, std::size_t M = 1, std::size_t V = 0>
[[nodiscard]] constexpr auto analyze(const graph_board& board, const graph_table<ticks, N, E, G>& table,
                                     const plan<M, V>& p = {})
    -> verdict<ticks, G, refined_table<graph_table<ticks, N, E, G>>::max_nodes> {
  verdict<ticks, G, refined_table<graph_table<ticks, N, E, G>>::max_nodes> out;
  out.method = board.preemptive ? analysis::overlapping_nodes_method<true>::name
                                : analysis::overlapping_nodes_method<false>::name;
  model_error error = validate(table);
  if (!error) { error = fits(table, board.sizes); }
  refined_table<graph_table<ticks, N, E, G>> refined;
  if (!error && !analysis::detail::refine_on(board, table, refined)) { error = {.fault = model_fault::time_overflow}; }
  if (error) {
    out.refuse(located(error, table.graphs));
    return out;
  }
  analysis::detail::judge_refined(out, refined, board.sizes, analysis::detail::fine_options_on(board), p);
  return out;
}

}  // namespace takt::inline TAKT_ABI
