// SPDX-License-Identifier: Apache-2.0
#include <takt/report/observation_summary.hpp>
#include <takt/simulation/trace.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using takt::ticks;

struct late_job {
  std::uint32_t task = 0;
  std::uint32_t visit = 0;
  std::uint64_t job = 0;
  bool of_visit = false;
  ticks time = 0;
  ticks observed = 0;
  ticks bound = 0;
};
struct seen_run : takt::observation<std::array<takt::observed_task<ticks>, 3>, std::array<ticks, 1>> {
  std::string device_fault;
  std::vector<std::string> notes;
  bool stopped = false;
  std::optional<late_job> first_violation;
};

auto late_jobs() -> seen_run {
  seen_run out;
  for (auto& t : out.tasks) {
    t.name = "job";
    t.completed = 4;
    t.misses = 2;
    t.worst_response = 25;
    t.total_response = 80;
  }
  out.end = 99;
  out.notes = {"a note"};
  out.stopped = true;
  out.first_violation = {.task = 2, .visit = 0, .job = 3, .time = 99, .observed = 25, .bound = 20};
  return out;
}

}  // namespace

TEST_CASE("what was seen owns its names, whatever the capacities of its tables") {
  auto out = takt::report::observation_summary_of(late_jobs());
  CHECK(out.seen.end == 99);
  REQUIRE(out.seen.tasks.size() == 3);
  CHECK(out.seen.tasks[2].name == "job");
  CHECK(out.seen.tasks[2].mean_response() == 20);
  CHECK(out.seen.misses() == 6);
  CHECK(out.notes == std::vector<std::string>{"a note"});
  CHECK(out.stopped);
  CHECK(out.first_violation.find("job") != std::string::npos);
}

TEST_CASE("misses are those of deadlines that tasks state") {
  takt::runtime_task_set<3, 3> tasks;
  REQUIRE(tasks.add_task({.name = "period", .period = 20, .deadline = 20}));
  REQUIRE(tasks.add_task({.name = "later", .period = 20, .deadline = 30}));
  REQUIRE(tasks.add_task({.name = "none", .period = 20, .deadline = 20, .limited = false}));
  auto out = takt::report::observation_summary_of(late_jobs());
  takt::report::keep_declared_misses(tasks, out);
  CHECK(out.seen.tasks[0].misses == 2);
  CHECK(out.seen.tasks[1].misses == 0);
  CHECK(out.seen.tasks[2].misses == 0);
  auto later = takt::report::observation_summary_of(late_jobs());
  later.seen.tasks[1].worst_response = 31;
  takt::report::keep_declared_misses(tasks, later);
  CHECK(later.seen.tasks[1].misses == 2);
}

TEST_CASE("a recorder that nobody listens to keeps nothing") {
  takt::trace kept;
  for (takt::trace* const to : {&kept, static_cast<takt::trace*>(nullptr)}) {
    const takt::optional_trace recorder{to};
    recorder.record(takt::slice{});
    recorder.record(takt::mark{});
  }
  CHECK(kept.slices().size() == 1);
  CHECK(kept.marks().size() == 1);
}
