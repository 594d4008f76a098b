// SPDX-License-Identifier: Apache-2.0
// TAKT-TEST: WAMP-51 a constant set is accepted at compile time
// TAKT-TEST: WAMP-01 constants are checked at compile time
#include <type_traits>

#include <takt/kernels.hpp>
#include <takt/shares.hpp>
#include <takt/takt.hpp>

#include <takt/rules/shares/share_scheduler.hpp>
#include <takt/systems/methods.hpp>

namespace shares_door {

using namespace takt::literals;

constexpr auto contention = [] {
  takt::contention_matrix<3> c;
  c.set(0, 1, 60'000);
  c.set(0, 2, 45'000);
  c.set(1, 0, 60'000);
  c.set(1, 2, 88'000);
  c.set(2, 0, 45'000);
  c.set(2, 1, 88'000);
  return c;
}();

constexpr auto avionics =
    takt::application_set(
        takt::application("map", takt::period(1000_ms), takt::share_priority(10), takt::scaling_wcet(261_ms, 500)),
        takt::application("track", takt::period(1500_ms), takt::share_priority(9), takt::scaling_wcet(356_ms, 300)),
        takt::application("plan", takt::period(2000_ms), takt::share_priority(6), takt::scaling_wcet(448_ms, 100)))
        .with(contention);

constexpr auto board = takt::platform(takt::pool(takt::gpu_shares(takt::memory_units{24}), takt::shares()));
static_assert(takt::SharePlatform<std::remove_cvref_t<decltype(board)>>);
static_assert(!takt::SharePlatform<decltype(takt::platform(takt::pool(takt::accelerator(2), takt::gang(takt::edf))))>);

constexpr auto verdict = takt::analysis::analyze_by<takt::published>(board, avionics);
static_assert(takt::require_schedulable<verdict>);
static_assert(verdict.plan.percents[0] == 16 && verdict.plan.percents[1] == 20 && verdict.plan.percents[2] == 23);

// Ten applications: the test stays inside the default limits of all compilers.
constexpr auto ten = [] {
  takt::application_set<10> table;
  constexpr std::string_view names = "abcdefghij";
  for (std::int32_t i = 0; i < 10; ++i) {
    const auto at = static_cast<std::size_t>(i);
    static_cast<void>(table.add({.name = names.substr(at, 1),
                                 .period = (100_ms).count() * (i + 2),
                                 .deadline = (100_ms).count() * (i + 2),
                                 .priority = 10 - i,
                                 .alone = takt::wcet_row::scaling((9_ms).count() * (i + 1), 200)}));
    table.contention.set(at, (at + 1) % 10, 50'000);
  }
  return table;
}();
constexpr auto verdict_of_ten = takt::analysis::analyze_by<takt::published>(board, ten);
static_assert(takt::require_schedulable<verdict_of_ten>);

constexpr auto first_decision = [] {
  const auto& table = avionics.table();
  takt::share_scheduler<3, takt::contention_predictor<3>> scheduler(table, takt::contention_predictor<3>(table));
  for (std::size_t i = 0; i < 3; ++i) { static_cast<void>(scheduler.release(i, 0)); }
  return scheduler.decide(0);
}();
static_assert(first_decision.shares[0] == takt::share{33} && first_decision.shares[1] == takt::share{35} &&
              first_decision.shares[2] == takt::share{32} && first_decision.schedulable);

}  // namespace shares_door
