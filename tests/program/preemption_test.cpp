// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::check_mutations;
using takt::test::object;
using takt::test::read;
using takt::test::scratch;
using takt::test::write;

constexpr std::int64_t ms = 1'000'000;

/// A short task above a long one.
const std::string control_above_logging = R"({"format": "takt/1",
  "platform": {"cpus": {"count": 1, "policy": "fixed-priority"}},
  "tasks": [
    {"name": "control", "period": "20ms", "priority": 0, "segments": [{"cpu": "1ms"}]},
    {"name": "logging", "period": "100ms", "priority": 1, "preemption": "nonpreemptive", "segments": [{"cpu": "12ms"}]}]})";

/// With another body of the second task.
auto with_logging(const json& body) -> json {
  json file = json::parse(control_above_logging);
  file["tasks"][1].erase("preemption");
  file["tasks"][1].update(body);
  return file;
}
auto segments(const json& all) -> json { return {{"segments", all}}; }
auto cooperative(const json& all) -> json { return {{"preemption", "cooperative"}, {"segments", all}}; }

auto verdict_of(const json& file, const std::string& options = {}) -> json {
  return object(takt::test::takt("analyze " + write("file.json", file.dump()) + " --json " + options));
}
/// Of the more important task.
auto bound_of(const json& file, const std::string& options = {}) -> std::int64_t {
  const json v = verdict_of(file, options);
  REQUIRE(v.at("status") == "schedulable");
  return v.at("tasks").at(0).at("response_bound").get<std::int64_t>();
}

}  // namespace

TEST_CASE("preemption: a task waits for one region of a less important one, under every rule that preempts") {
  const json whole = json::parse(control_above_logging);
  for (const std::string rule : {"fixed-priority", "edf", "deadline-monotonic", "g-edf"}) {
    CAPTURE(rule);
    CHECK(bound_of(whole, "--cpus " + rule) == 13 * ms);
  }
  CHECK(bound_of(with_logging(segments({{{"cpu", "12ms"}}}))) == 1 * ms);
  CHECK(bound_of(with_logging(segments({{{"cpu", "12ms"}, {"nonpreemptive_region", "4ms"}}}))) == 5 * ms);
  CHECK(bound_of(with_logging(cooperative({{{"cpu", "7ms"}}, {{"cpu", "5ms"}}}))) == 8 * ms);
  CHECK(bound_of(with_logging(cooperative({{{"cpu", "7ms"}, {"nonpreemptive_region", "2ms"}}, {{"cpu", "5ms"}}}))) ==
        6 * ms);
  CHECK(bound_of(with_logging(cooperative({{{"cpu", "7ms"}, {"nonpreemptive_region", 0}},
                                           {{"cpu", "5ms"}, {"nonpreemptive_region", 0}}}))) == 1 * ms);
}

TEST_CASE("preemption: a deadline within a region is not proven, and a run misses it") {
  json file = json::parse(control_above_logging);
  file["tasks"][0]["period"] = "10ms";
  CHECK(verdict_of(file).at("status") != "schedulable");
  file["tasks"][0]["offset"] = "1ms";
  const auto o = takt::test::takt("simulate " + write("late.json", file.dump()) + " --horizon 20ms --json");
  CHECK(o.code == 1);
  CHECK(object(o).at("tasks").at(0).at("worst_response") == 12 * ms);
}

TEST_CASE("preemption: a file that is written says the same") {
  for (const json& file : {json::parse(control_above_logging),
                           with_logging(segments({{{"cpu", "12ms"}, {"nonpreemptive_region", "4ms"}}})),
                           with_logging(cooperative({{{"cpu", "7ms"}, {"nonpreemptive_region", "2ms"}},
                                                     {{"cpu", "5ms"}, {"nonpreemptive_region", 0}}}))}) {
    const std::string out = scratch("written.json");
    CHECK(takt::test::takt("plan " + write("given.json", file.dump()) + " --write " + out).code == 0);
    CHECK(bound_of(json::parse(read(out))) == bound_of(file));
    const json& was = file.at("tasks").at(1);
    const json now = json::parse(read(out)).at("tasks").at(1);
    CHECK(now.value("preemption", "") == was.value("preemption", ""));
  }
}

TEST_CASE("preemption: regions are times of cpu segments, and no longer than these") {
  check_mutations(control_above_logging,
                  {{R"("nonpreemptive")", R"("sometimes")", "/tasks/1/preemption"},
                   {R"({"cpu": "12ms"})", R"({"cpu": "12ms"}, {"cpu": "1ms"})", "/tasks/1/preemption"},
                   {R"({"cpu": "12ms"})", R"({"cpu": "12ms", "nonpreemptive_region": "13ms"})",
                    "/tasks/1/segments/0/nonpreemptive_region"},
                   {R"({"cpu": "12ms"})", R"({"cpu": "12ms", "nonpreemptive_region": "1ms"})",
                    "/tasks/1/segments/0/nonpreemptive_region"}});
}

TEST_CASE("preemption: what supposes preemption at any instant says so") {
  json file = json::parse(control_above_logging);
  file["platform"]["gpus"] = {{{"sms", 4}, {"sharing", "busy-waiting"}}};
  file["tasks"][0]["segments"] = {{{"cpu", "1ms"}}, {{"kernel", {{"work", "1ms"}}}}, {{"cpu", 0}}};
  const auto o = takt::test::takt("analyze " + write("spinning.json", file.dump()) + " --json");
  CHECK((o.code == 2 || o.code == 3));
  CHECK(bound_of(file, "--policy federated") >= 13 * ms);
}
