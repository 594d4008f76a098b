// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/servers/kernel_needs.hpp>

namespace takt_tests {

/// The response of a visit of so much, with a deadline that is far away, beside one that needs `wcet` of every 6 and is
/// more important.
template <class Responses>
[[nodiscard]] auto response_beside(takt::ticks wcet, takt::ticks own, const Responses& responses) -> takt::ticks {
  constexpr takt::ticks far = takt::ticks{1} << 40;
  std::array<takt::visit_demand, 2> visits{
      takt::visit_demand{.task = 0, .wcet = wcet, .period = 6, .deadline = 6, .limit = far},
      takt::visit_demand{.task = 1, .wcet = own, .period = far, .deadline = far, .limit = far}};
  for (std::uint32_t i = 0; i < visits.size(); ++i) {
    visits[i].point.point = i;
    visits[i].view = takt::kernel_needs{}.values();
  }
  responses(std::span{visits});
  return visits[1].response;
}

}  // namespace takt_tests
