// SPDX-License-Identifier: Apache-2.0
// What happens to a run while it goes on: it is watched, violations are acted upon, and it is asked to stop.
#include <atomic>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/runtime/executor/run.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/takt.hpp>
#include "support/longer_runs.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;

/// Asks the system for nothing, so that answers do not hang on what it grants.
auto plain(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.lengths = rt::length_choice::upper;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

constexpr auto one =
    takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo));
constexpr auto two_parts =
    takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(100_us), takt::copy(100_us), takt::cpu(100_us)));

/// Code of both parts of `two_parts`; the first one takes longer than its bound in job `late`.
struct bodies {
  std::atomic<std::uint64_t> first = 0;
  std::atomic<std::uint64_t> second = 0;
  rt::visit_codes codes;

  explicit bodies(std::uint64_t late) {
    codes.cpu(0, 0, [this, late](std::uint64_t job) {
      ++first;
      if (job == late) { takt::runtime::sleep_until(takt::runtime::now() + (30_ms).count()); }
    });
    codes.cpu(0, 2, [this](std::uint64_t /*job*/) { ++second; });
  }
};

constexpr takt::response_bound<takt::ticks> short_bound{(25_ms).count(), true};
constexpr takt::response_bound<takt::ticks> no_bound{};

}  // namespace

TEST_CASE("a reported violation changes nothing: the late job does all its visits") {
  bodies code{1};
  auto options = plain(200_ms);
  options.expected = {{.response = short_bound, .visits = {}}};
  const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options, code.codes);
  REQUIRE_FALSE(ran.error);
  CHECK_FALSE(ran.stopped);
  REQUIRE(ran.first_violation.has_value());
  CHECK_FALSE(ran.tasks[0].within_bound);
  CHECK(ran.tasks[0].skipped == 0);
  CHECK(code.second >= ran.tasks[0].completed);
  CHECK(ran.end == (200_ms).count());
}

TEST_CASE("a dropped job calls no further code, counts as skipped and takes the releases that it let pass with it") {
  bodies code{1};
  auto options = plain(200_ms);
  options.expected = {{.response = short_bound, .visits = {}}};
  options.at_violation = rt::violation_handling::drop;
  takt::trace seen;
  const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options, seen, code.codes);
  REQUIRE_FALSE(ran.error);
  const auto& row = ran.tasks[0];
  // The late one, and the release that came while it was under way.
  CHECK(row.skipped >= 2);
  CHECK(row.completed + row.skipped + row.unfinished == row.released);
  CHECK(code.second < code.first);
  REQUIRE(ran.first_violation.has_value());
  CHECK(ran.first_violation->visit == 0);
  for (const takt::slice& s : seen.slices()) { CHECK_FALSE((s.job == ran.first_violation->job && s.segment == 2)); }
  CHECK(row.worst_response <= short_bound.value);
}

TEST_CASE("a job is dropped too when one of its visits is longer than expected, and not the job") {
  CHECK(takt_tests::seen_in_some_run(100_ms, [](takt::duration length) {
    bodies code{0};
    auto options = plain(length);
    options.expected = {{.response = no_bound, .visits = {{(10_ms).count(), true}}}};
    options.at_violation = rt::violation_handling::drop;
    const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options, code.codes);
    if (!ran.first_violation) { return false; }
    CHECK(ran.first_violation->of_visit);
    CHECK(ran.first_violation->job == 0);
    CHECK(ran.tasks[0].skipped >= 1);
    CHECK(code.second < code.first);
    return true;
  }));
}

TEST_CASE("a violation ends the run that is to stop at one, with the violation in its result") {
  bodies code{1};
  auto options = plain(100_s);
  options.expected = {{.response = short_bound, .visits = {}}};
  options.at_violation = rt::violation_handling::stop;
  const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options, code.codes);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.stopped);
  REQUIRE(ran.first_violation.has_value());
  CHECK(ran.end < (100_s).count());
  CHECK(ran.end > ran.first_violation->time);
  CHECK(ran.tasks[0].unfinished >= 1);
  CHECK(ran.status() != takt::observation_status::no_miss);
}

TEST_CASE("a violation is noticed while the job is still under way, on the visit that it came to") {
  constexpr auto endless =
      takt::task_set(takt::task("endless", takt::period(100_s), takt::copy(1_ms), takt::cpu(50_s)));
  auto options = plain(100_s);
  options.expected = {{.response = {(20_ms).count(), true}, .visits = {}}};
  options.at_violation = rt::violation_handling::stop;
  const auto ran = rt::run(one, endless, takt::plan<1, 2>{}, options);
  REQUIRE(ran.first_violation.has_value());
  CHECK(ran.first_violation->visit == 1);
  CHECK(ran.first_violation->observed > (20_ms).count());
  CHECK(ran.stopped);
  CHECK(ran.tasks[0].unfinished == 1);
  CHECK(ran.tasks[0].released == 1);
}

TEST_CASE("a run that is asked to stop ends with what was seen until then") {
  std::atomic<bool> stop = false;
  rt::visit_codes codes;
  codes.cpu(0, 0, [&stop](std::uint64_t job) { stop = stop || job == 3; });
  auto options = plain(100_s);
  options.stop = &stop;
  const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options, codes);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.stopped);
  CHECK(ran.end < (100_s).count());
  CHECK(ran.tasks[0].completed >= 3);
  CHECK(ran.tasks[0].completed + ran.tasks[0].unfinished == ran.tasks[0].released);
}

TEST_CASE("a run that is asked to stop between jobs leaves none unfinished") {
  std::atomic<bool> stop = true;
  auto options = plain(100_s);
  options.stop_when_idle = &stop;
  const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.stopped);
  CHECK(ran.tasks[0].released >= 1);
  CHECK(ran.tasks[0].unfinished == 0);
}

TEST_CASE("who watches a run reads what its result says in the end") {
  bodies code{1};
  rt::run_watch watch{1};
  auto options = plain(150_ms);
  options.expected = {{.response = short_bound, .visits = {}}};
  options.at_violation = rt::violation_handling::drop;
  options.watch = &watch;
  const auto ran = rt::run(one, two_parts, takt::plan<1, 3>{}, options, code.codes);
  REQUIRE(watch.size() == 1);
  const takt::task_progress row = watch.row(0);
  CHECK(row.completed == ran.tasks[0].completed);
  CHECK(row.misses == ran.tasks[0].misses);
  CHECK(row.skipped == ran.tasks[0].skipped);
  CHECK(row.worst_response == ran.tasks[0].worst_response);
  CHECK(row.violations >= 1);
  CHECK(row.last_violation >= ran.first_violation->time);
}

TEST_CASE("a watch can be read while the run goes on, and rows that it has not are not kept") {
  rt::run_watch watch{0};
  auto options = plain(50_ms);
  options.watch = &watch;
  CHECK(rt::run(one, two_parts, takt::plan<1, 3>{}, options).tasks[0].released == 3);
}

TEST_CASE("how a violation is handled is one of the choices") {
  auto options = plain(10_ms);
  options.at_violation = static_cast<rt::violation_handling>(9);
  CHECK(rt::run(one, two_parts, takt::plan<1, 3>{}, options).error.fault == takt::model_fault::choice_out_of_range);
}
