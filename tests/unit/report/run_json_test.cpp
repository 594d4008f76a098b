// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/model/observation.hpp>
#include <takt/report/run_json.hpp>

namespace {

using nlohmann::json;
using takt::observation_status;
using takt::report::run_summary;
using takt::report::verdict_summary;

using rows = std::vector<takt::observed_task<takt::ticks>>;
using seen = takt::observation<rows, std::vector<takt::ticks>>;

auto written(const run_summary& run) -> json {
  std::ostringstream out;
  takt::report::write_run_json(out, run);
  return json::parse(out.str());
}

/// Tasks that are proven to respond within 500 ns.
auto proven(const std::vector<std::string>& names) -> verdict_summary {
  verdict_summary out;
  for (const std::string& name : names) {
    takt::report::task_summary t;
    t.name = name;
    t.deadline = 600;
    t.bound = {500, true};
    t.meets = true;
    out.order.push_back(static_cast<std::uint32_t>(out.tasks.size()));
    out.tasks.push_back(t);
  }
  return out;
}

auto row(std::string_view name, std::uint64_t jobs, takt::ticks worst) -> takt::observed_task<takt::ticks> {
  return {
      .name = name, .completed = jobs, .worst_response = worst, .total_response = 300 * static_cast<takt::ticks>(jobs)};
}

}  // namespace

TEST_CASE("run JSON compares what was seen with what was proven") {
  auto known = proven({"on the edge", "beyond", "no bound", "no job"});
  known.tasks[2].bound = {};
  seen o;
  o.tasks = {row("on the edge", 10, 500), row("beyond", 10, 501), row("no bound", 10, 501), row("no job", 0, 0)};
  const json j = written(takt::report::summarize(o, known));
  CHECK(j.at("format") == "takt-run/1");
  CHECK(j.at("status") == "exceeded");
  CHECK_FALSE(j.contains("notes"));
  CHECK(j.at("tasks")[0] == json{{"name", "on the edge"},
                                 {"jobs", 10},
                                 {"misses", 0},
                                 {"late", 0},
                                 {"dropped", 0},
                                 {"unfinished", 0},
                                 {"worst_response", 500},
                                 {"mean_response", 300},
                                 {"response_bound", 500},
                                 {"within_bound", true}});
  CHECK(j.at("tasks")[1].at("within_bound") == false);
  CHECK(j.at("tasks")[2].at("response_bound").is_null());
  CHECK(j.at("tasks")[2].at("within_bound").is_null());
  CHECK(j.at("tasks")[3].at("worst_response").is_null());
  CHECK(j.at("tasks")[3].at("within_bound") == true);
}

TEST_CASE("a run says from when to when bounds were void") {
  seen o;
  o.tasks = {row("a", 10, 500)};
  auto run = takt::report::summarize(o, proven({"a"}));
  CHECK_FALSE(written(run).contains("bounds_void"));
  run.void_bounds = {{1'000'000, 3'000'000}};
  CHECK(takt::report::void_bounds_words(run.void_bounds) == "bounds were void from 1ms to 3ms");
  run.void_bounds.push_back({5'000'000, 9'000'000});
  run.void_bounds.push_back({10'000'000, 11'000'000});
  CHECK(written(run).at("bounds_void") ==
        json::array({{1'000'000, 3'000'000}, {5'000'000, 9'000'000}, {10'000'000, 11'000'000}}));
  CHECK(takt::report::void_bounds_words(run.void_bounds) ==
        "bounds were void 3 times, 7ms in all, the longest time from 5ms to 9ms");
}

TEST_CASE("a run with a miss says so, and keeps its notes in order") {
  seen o;
  o.tasks = {row("a", 3, 5), row("b", 3, 7)};
  o.tasks[1].misses = 2;
  auto run = takt::report::summarize(o, proven({"a", "b"}));
  CHECK(run.missed());
  run.notes = {"not pinned", "clock: 1ns"};
  const json j = written(run);
  CHECK(j.at("status") == "missed");
  CHECK(j.at("tasks")[1].at("misses") == 2);
  CHECK(j.at("notes") == json{"not pinned", "clock: 1ns"});
}

TEST_CASE("bounds of tasks that may be late promise nothing, unless they hold for late jobs too") {
  auto late = proven({"a"});
  late.tasks[0].meets = false;
  seen o;
  o.tasks = {row("a", 1, 501)};
  CHECK_FALSE(takt::report::summarize(o, late).tasks[0].bound.exists);
  late.bounds_late_jobs = true;
  CHECK(takt::report::summarize(o, late).status == observation_status::exceeded);
}

TEST_CASE("a task without a deadline misses none") {
  auto free = proven({"a"});
  free.tasks[0].limited = false;
  seen o;
  o.tasks = {row("a", 1, 400)};
  o.tasks[0].misses = 1;
  CHECK(takt::report::summarize(o, free).status == observation_status::no_miss);
}

TEST_CASE("what kept tasks from running is the status, and a fault is a sentence") {
  seen o;
  o.ended = observation_status::no_threads;
  CHECK(written(takt::report::summarize(o, {})).at("status") == "no-threads");
  seen wrong;
  wrong.error = {.fault = takt::model_fault::no_task};
  const json j = written(takt::report::summarize(wrong, {}));
  CHECK(j.at("status") == "invalid-model");
  CHECK(j.at("notes") == json{"there is no task: at least one task"});
}

TEST_CASE("a run stands beside the same in virtual time, in JSON and in the table") {
  seen o;
  o.tasks = {row("a", 2, 400), row("b", 0, 0)};
  const auto known = proven({"a", "b"});
  auto run = takt::report::summarize(o, known);
  CHECK_FALSE(written(run).at("tasks")[0].contains("simulated_worst_response"));
  CHECK(takt::report::run_table(run, known).heads == std::vector<std::string>{"task", "jobs", "done", "missed",
                                                                              "deadline ms", "mean ms", "worst ms",
                                                                              "bound ms", "within"});
  seen simulated;
  simulated.tasks = {row("a", 2, 350), row("b", 0, 0)};
  takt::report::compare_with(run, simulated);
  CHECK(written(run).at("tasks")[0].at("simulated_worst_response") == 350);
  const auto table = takt::report::run_table(run, known);
  CHECK(table.rows[0] == std::vector<std::string>{"a", "2", "2", "0", "0.000600", "0.000300", "0.000400", "0.000350",
                                                  "0.000500", "yes"});
  CHECK(table.rows[1] == std::vector<std::string>{"b", "0", "0", "0", "0.000600", "-", "-", "-", "0.000500", "yes"});
}

TEST_CASE("the columns of a run count every job once, and say what is a simulation") {
  const auto known = proven({"late", "dropped", "in time"});
  seen o;
  o.tasks = {row("late", 443, 900), row("dropped", 5, 400), row("in time", 7, 400)};
  o.tasks[0].released = 1'200;
  o.tasks[0].misses = 1'192;  // most of them of jobs that were not done
  o.tasks[0].late = 436;
  o.tasks[1].released = 8;
  o.tasks[1].skipped = 3;
  o.tasks[2].released = 7;
  auto run = takt::report::summarize(o, known);
  CHECK(run.missed());
  const auto table = takt::report::run_table(run, known);
  REQUIRE(std::vector<std::string>(table.heads.begin(), table.heads.begin() + 6) ==
          std::vector<std::string>{"task", "jobs", "done", "missed", "dropped", "not done"});
  for (const auto& cells : table.rows) {
    int sum = 0;
    for (std::size_t i = 2; i < 6; ++i) { sum += std::stoi(cells[i]); }
    CHECK(sum == std::stoi(cells[1]));
  }
  CHECK(table.rows[0][1] == "1200");
  CHECK(table.rows[0][2] == "7");
  CHECK(table.rows[0][5] == "757");
  CHECK(written(run).at("tasks")[0].at("unfinished") == 757);
  CHECK(written(run).at("tasks")[1].at("dropped") == 3);

  run.tasks[0].simulated = 5;
  CHECK(takt::report::run_table(run, known).heads[8] == "observed ms");
  run.on_clock_alone = true;
  CHECK(takt::report::run_table(run, known).heads[8] == "on the clock ms");
}
