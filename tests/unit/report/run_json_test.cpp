// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/run_json.hpp>

namespace {

using nlohmann::json;
using takt::report::run_summary;

auto written(const run_summary& run) -> json {
  std::ostringstream out;
  takt::report::write_run_json(out, run);
  return json::parse(out.str());
}

TEST_CASE("run JSON compares what was seen with what was proven") {
  run_summary run;
  run.tasks.push_back({"on the edge", 10, 0, 500, 300, {500, true}});
  run.tasks.push_back({"beyond", 10, 0, 501, 300, {500, true}});
  run.tasks.push_back({"no bound", 10, 0, 501, 300, {500, false}});
  run.tasks.push_back({"no job", 0, 0, 0, 0, {500, true}});
  const json j = written(run);
  CHECK(j.at("format") == "takt-run/1");
  CHECK(j.at("status") == "no-miss");
  CHECK_FALSE(j.contains("notes"));
  CHECK(j.at("tasks")[0] == json{{"name", "on the edge"},
                                 {"jobs", 10},
                                 {"misses", 0},
                                 {"worst_response", 500},
                                 {"mean_response", 300},
                                 {"response_bound", 500},
                                 {"within_bound", true}});
  CHECK(j.at("tasks")[1].at("within_bound") == false);
  CHECK(j.at("tasks")[2].at("within_bound").is_null());
  CHECK(j.at("tasks")[2].at("response_bound").is_null());
  CHECK(j.at("tasks")[3].at("worst_response").is_null());
  CHECK(j.at("tasks")[3].at("mean_response").is_null());
}

TEST_CASE("run JSON has the status missed after one miss of any task") {
  run_summary run;
  run.tasks.push_back({"a", 10, 0, 500, 300, {}});
  run.tasks.push_back({"b", 10, 1, 500, 300, {}});
  run.notes = {"emulated device"};
  CHECK(written(run).at("status") == "missed");
  CHECK(written(run).at("notes") == json{"emulated device"});
}

}  // namespace
