// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/takt.hpp>

// One program, one board and one set, and two units, of which one includes <takt/compose.hpp>: that one bounds more.
namespace mixed {

using namespace takt::literals;

constexpr auto tasks =
    takt::task_set(takt::task("overloaded", takt::period(10_ms), takt::priority(0), takt::on_core(0), takt::cpu(12_ms)),
                   takt::task("apart", takt::period(20_ms), takt::priority(1), takt::on_core(1), takt::cpu(3_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(10, 2), takt::federated));

/// Whether the task on the core of its own has a bound.
struct answer {
  bool under_a_plan = false;
  bool under_a_search = false;
};

}  // namespace mixed
