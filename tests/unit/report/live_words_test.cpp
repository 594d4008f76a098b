// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/report/live_words.hpp>

namespace {

[[nodiscard]] auto proven() -> takt::report::verdict_summary {
  takt::report::verdict_summary out;
  out.tasks.resize(2);
  out.tasks[0].name = "camera";
  out.tasks[0].bound = {12'000'000, true};
  out.tasks[0].meets = true;
  out.tasks[1].name = "log";
  out.tasks[1].limited = false;
  out.order = {1, 0};
  return out;
}

struct violation {
  std::uint32_t visit = 0;
  std::uint64_t job = 0;
  bool of_visit = false;
  takt::ticks time = 0;
  takt::ticks observed = 0;
  takt::ticks bound = 0;
};

[[nodiscard]] auto progress() -> std::array<takt::task_progress, 2> {
  std::array<takt::task_progress, 2> out{};
  out[0].completed = 7;
  out[0].misses = 2;
  out[0].violations = 3;
  out[0].worst_response = 13'500'000;
  out[0].last_violation = 2'345'000'000;
  out[1].completed = 1;
  out[1].misses = 4;
  out[1].worst_response = 1'000'000;
  return out;
}
const auto seen = progress();

}  // namespace

TEST_CASE("a row of the live table shows jobs, misses, the worst response beside its bound and the last violation") {
  const auto shown = takt::report::live_table(seen, proven());
  REQUIRE(shown.rows.size() == 2);
  const std::vector<std::string> log{"log", "1", "0", "1.000000", "-", "0", "-"};
  const std::vector<std::string> camera{"camera", "7", "2", "13.500000", "12.000000", "3", "at 2.3s"};
  CHECK(shown.rows[0] == log);
  CHECK(shown.rows[1] == camera);
  CHECK(shown.heads.size() == shown.rows[0].size());
}

TEST_CASE("a task without a completed job has no worst response yet") {
  const std::array<takt::task_progress, 2> nothing{};
  CHECK(takt::report::live_table(nothing, proven()).rows[1][3] == "-");
}

TEST_CASE("the line of a run counts jobs, misses of deadlines that there are, and names the last violation") {
  CHECK(takt::report::live_line(4'250'000'000, seen, proven()) ==
        "4.2s: 8 jobs, 2 late, 3 above a bound (last: camera at 2.3s)");
  const std::array<takt::task_progress, 2> nothing{};
  CHECK(takt::report::live_line(0, nothing, proven()) == "0.0s: 0 jobs, 0 late, 0 above a bound");
}

TEST_CASE("a violation is named with its job, its segment, its time and both lengths") {
  const violation of_visit{2, 5, true, 1'500'000'000, 13'000'000, 12'000'000};
  CHECK(takt::report::detail::violation_words(of_visit, "camera") ==
        "segment 2 of job 5 of camera after 1.5s: 13ms have passed, and the bound is 12ms");
  violation of_job = of_visit;
  of_job.of_visit = false;
  CHECK(takt::report::detail::violation_words(of_job, "camera") ==
        "job 5 of camera, in segment 2, after 1.5s: 13ms have passed, and the bound is 12ms");
  of_job.visit = takt::no_index;
  CHECK(takt::report::detail::violation_words(of_job, "camera") ==
        "job 5 of camera after 1.5s: 13ms have passed, and the bound is 12ms");
}
