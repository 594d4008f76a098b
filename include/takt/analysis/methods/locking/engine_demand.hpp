// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <takt/core/rational.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Operations of a task on an engine of a GPU: `work` in every `period`.
template <class Number>
struct engine_demand {
  std::size_t engine = 0;
  Number work{};
  Number period{};
};

enum class engine_view : bool {
  separate,  ///< each engine is a processor of its own
  merged,    ///< the whole GPU is one processor, as where one lock covers all of its engines
};

enum class demand_status : std::uint8_t { fits, overloaded, wrong_input, overflow };

/// Tests whether no processor is asked for more than all of its time: necessary under either view, sufficient under
/// none. Merging loses the overlap of copies and kernels, so 51 % on each of two engines is too much.
/// Cost: n per engine. Source: Elliott 2015, section 2.4.4.
template <ExactNumber Number>
[[nodiscard]] constexpr auto check_demand(std::span<const engine_demand<Number>> demands, engine_view view)
    -> demand_status {
  using fraction = std::conditional_t<number_traits<Number>::integral, rational, Number>;
  bool overloaded = false;
  for (std::size_t first = 0; first < demands.size(); ++first) {
    if (demands[first].work < Number(0) || !(Number(0) < demands[first].period)) { return demand_status::wrong_input; }
  }
  for (std::size_t first = 0; first < demands.size(); ++first) {
    if (view == engine_view::merged && first > 0) { break; }
    fraction sum(0);
    for (std::size_t i = 0; i < demands.size(); ++i) {
      if (view == engine_view::separate && demands[i].engine != demands[first].engine) { continue; }
      sum = sum + fraction(demands[i].work) / fraction(demands[i].period);
    }
    if constexpr (requires { sum.overflowed(); }) {
      if (sum.overflowed()) { return demand_status::overflow; }
    }
    overloaded = overloaded || fraction(1) < sum;
  }
  return overloaded ? demand_status::overloaded : demand_status::fits;
}

}  // namespace takt::inline TAKT_ABI::analysis
