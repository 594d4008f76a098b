// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <takt/rules/helper_threads.hpp>
#include "support/traces.hpp"

using takt::helped_job;
using takt::helper_rank;
using takt::rational;
using takt::thread_class;
using takt::thread_rank;

namespace {

constexpr thread_rank high{.in = thread_class::normal, .point = 10};
constexpr thread_rank middle{.in = thread_class::normal, .point = 20};
constexpr thread_rank low{.in = thread_class::normal, .point = 30};
constexpr thread_rank daemon{.in = thread_class::daemon, .point = 0};
constexpr thread_rank callback{.in = thread_class::callback, .point = 0};

[[nodiscard]] constexpr auto waits_for_gpu(const thread_rank& r) -> helped_job { return {true, true, r}; }

/// Who has the CPU at each tick: two of the high job, three of the middle one and two of the helper. The high job is
/// ready at once, or when the helper has done its work.
[[nodiscard]] auto schedule(const thread_rank& helper, bool high_waits_for_helper) -> std::string {
  std::string out;
  std::int64_t high_left = 2;
  std::int64_t middle_left = 3;
  std::int64_t helper_left = 2;
  while (high_left + middle_left + helper_left > 0) {
    const bool high_ready = high_left > 0 && (!high_waits_for_helper || helper_left == 0);
    const bool helper_next = helper_left > 0 && (!high_ready || helper < high) && (middle_left == 0 || helper < middle);
    const char next = helper_next ? 'i' : high_ready ? 'h' : 'm';
    --(helper_next ? helper_left : high_ready ? high_left : middle_left);
    out += next;
  }
  return out;
}

}  // namespace

TEST_CASE("threads rank by class, then priority, then the larger share of lateness" * takt_tests::traces("GSD-88")) {
  constexpr std::array<thread_rank, 9> in_order{{
      {thread_class::normal, 10, rational{-1, 2}, 9},
      {thread_class::normal, 20, rational{3, 10}, 4},
      {thread_class::normal, 20, rational{5, 20}, 1},
      {thread_class::normal, 20, rational{1, 4}, 2},
      {thread_class::normal, 20, rational{-1, 4}, 0},
      {thread_class::callback, 0, rational{0}, 0},
      {thread_class::daemon, 0, rational{0}, 0},
      {thread_class::real_time, 0, rational{0}, 0},
      {thread_class::other, 0, rational{0}, 0},
  }};
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    for (std::size_t j = 0; j < in_order.size(); ++j) { CHECK((in_order[i] < in_order[j]) == (i < j)); }
  }
  static_assert(helper_rank(daemon, {}) == daemon);
  constexpr std::array jobs{waits_for_gpu(low), waits_for_gpu(high)};
  static_assert(helper_rank(daemon, jobs) == high, "a helper that inherits ranks as normal");
  CHECK(helper_rank(callback, jobs) == high);
  CHECK(helper_rank(callback, {}) < helper_rank(daemon, {}));
}

TEST_CASE("a helper inherits only from a job that is suspended with an engine lock" * takt_tests::traces("GSD-46")) {
  for (const bool suspended : {false, true}) {
    for (const bool locked : {false, true}) {
      const std::array jobs{helped_job{suspended, locked, high}};
      CHECK(helper_rank(daemon, jobs) == (suspended && locked ? high : daemon));
      CHECK(takt::detail::lends_rank(jobs[0]) == (suspended && locked));
    }
  }
  // An asynchronous call: the job that issued the operation goes on beside it. On two CPUs the job and a helper under
  // its identity would both run before the middle job.
  std::array jobs{waits_for_gpu(high), helped_job{}};
  CHECK(helper_rank(daemon, jobs) < middle);
  jobs[0].suspended = false;
  CHECK(middle < helper_rank(daemon, jobs));
  jobs[1] = waits_for_gpu(low);
  CHECK(helper_rank(daemon, jobs) == low);
}

TEST_CASE("a helper that inherits delays nobody more important than the job it helps, and that job for no other") {
  const std::array for_high{waits_for_gpu(high)};
  const std::array for_low{waits_for_gpu(low)};
  constexpr thread_rank above_all{.in = thread_class::normal, .point = 0};
  CHECK(schedule(low, true) == "mmmiihh");
  CHECK(schedule(daemon, true) == "mmmiihh");
  CHECK(schedule(helper_rank(daemon, for_high), true) == "iihhmmm");
  CHECK(schedule(above_all, false) == "iihhmmm");
  CHECK(schedule(helper_rank(daemon, for_low), false) == "hhmmmii");
}
