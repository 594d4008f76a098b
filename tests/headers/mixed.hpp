// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <takt/takt.hpp>

// One program, one board and one set, and two units, of which one includes all doors and all published methods: who does
// not ask for these gets the same answer in both.
namespace mixed {

using namespace takt::literals;

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(20_ms), takt::priority(1), takt::on_core(0), takt::cpu(2_ms),
                              takt::kernel(takt::work(12_ms), takt::interleave(1)), takt::cpu(1_ms)),
                   takt::task("plan", takt::period(10_ms), takt::priority(0), takt::on_core(0), takt::cpu(3_ms)));
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(10, 2), takt::federated));

struct answer {
  std::array<takt::ticks, 2> under_a_plan{};
  std::array<takt::ticks, 2> under_a_search{};
  std::string_view method;
  friend auto operator==(const answer&, const answer&) -> bool = default;
};

template <class UnderPlan, class UnderSearch>
auto answer_of(const UnderPlan& p, const UnderSearch& s) -> answer {
  return {{p.tasks[0].bound.value, p.tasks[1].bound.value}, {s.tasks[0].bound.value, s.tasks[1].bound.value}, p.method};
}

}  // namespace mixed
