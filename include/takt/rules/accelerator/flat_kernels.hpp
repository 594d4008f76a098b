// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/flatten.hpp>

namespace takt::inline TAKT_ABI {

/// Kernels on an accelerator that stands alone: cores of the plan are its SMs, and fixed priorities are ranks, which
/// the plan may say. Error: also what is wrong with the kernels for the rule.
template <AcceleratorPlatform P, AcceleratorTaskSet T, std::size_t N, std::size_t V>
  requires ComposedBoard<P, T>
[[nodiscard]] constexpr auto flatten(const P& board, const T& tasks, const plan<N, V>& p) {
  using rule = typename P::accelerator_rule;
  auto table = tasks.template table<ticks>();
  model_error error = board.validate();
  if (!error) { error = plan_fault(board.strategy(), table, p); }
  if (!error) {
    table = detail::planned_kernels(table, p);
    error = located(detail::fits_accelerator<rule>(table, board.accelerator()), table.tasks);
  }
  if (error) {
    detail::flat_board<P, N, V> out{.stations = decltype(detail::flat_board<P, N, V>::stations){board}};
    out.error = error;
    return out;
  }
  detail::rank_kernels<kernel_order<rule>>(table);
  const plan<N, V> decided{};
  return detail::board_flattener<P, N, V>{board, decided}.run(table);
}

}  // namespace takt::inline TAKT_ABI
