// EXPECT: takt: starts_early is for rules whose order is by absolute deadlines
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include "board.hpp"

struct hasty : takt::fixed_priority_rule<takt::by_relative_deadline> {
#ifndef TAKT_FIXED
  using starts_early = hasty;
#endif
  static constexpr void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) {
    takt::analysis::preemptive_priority_responses(visits);
  }
};
constexpr auto other =
    takt::platform(takt::pool(takt::processors(1), hasty{}), engine, takt::pool(takt::virtual_sms(2, 2), takt::fifo));
constexpr auto verdict = takt::analyze(other, takt::task_set(camera));
