// EXPECT: segment\[0\].*"logging"
// EXPECT: takt: a non-preemptive region is longer than its segment
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

constexpr auto cores = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
constexpr auto logging = [](takt::duration region) {
  return takt::task_set(
      takt::task("logging", takt::period(15_ms), takt::cpu(2_ms, takt::nonpreemptive_region(region))));
};

#ifdef TAKT_FIXED
constexpr auto verdict = takt::analyze(cores, logging(1_ms));
#else
constexpr auto verdict = takt::analyze(cores, logging(3_ms));
#endif
