// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::check_mutations;
using takt::test::contains;
using takt::test::good_file;
using takt::test::object;
using takt::test::outcome;
using takt::test::read;
using takt::test::refusal;
using takt::test::scratch;
using takt::test::with;
using takt::test::write;

/// Two chains with kernels, on so many GPUs of eight SMs.
auto two_chains(std::string_view sharing, int gpus = 1) -> json {
  json file = json::parse(R"({"format": "takt/1",
    "platform": {"cpus": {"count": 2, "policy": "fixed-priority"}, "copy_engines": {"count": 1}},
    "tasks": [
      {"name": "camera", "period": "20ms", "segments": [
        {"cpu": "1ms"}, {"kernel": {"work": "48ms", "interleave": 1, "preemption_cost": 0}}, {"cpu": "1ms"}]},
      {"name": "lidar", "period": "40ms", "segments": [
        {"cpu": "2ms"}, {"kernel": {"work": "24ms", "interleave": 1, "preemption_cost": 0}}, {"cpu": "2ms"}]},
      {"name": "logger", "period": "80ms", "segments": [{"cpu": "3ms"}]}]})");
  file["platform"]["gpus"] = {{{"sms", 8}, {"virtual_per_sm", 2}, {"count", gpus}, {"sharing", sharing}}};
  return file;
}

auto planned(json file, const json& plan) -> json {
  file["plan"] = plan;
  return file;
}

auto call(const std::string& command, const json& file, const std::string& options = {}) -> outcome {
  return takt::test::takt(command + " " + write("given.json", file.dump()) + " " + options);
}
auto verdict_of(const json& file, const std::string& options = {}) -> json {
  return object(call("analyze", file, "--json " + options));
}
auto bound_of(const json& verdict, std::size_t task) -> std::int64_t {
  return verdict.at("tasks").at(task).at("response_bound").get<std::int64_t>();
}

const json even{{"sms", {{"camera", 4}, {"lidar", 4}}}};

}  // namespace

TEST_CASE("given plan: what analyze says of the plan is one that a file can give, and is proven the same again") {
  const auto check = [](const json& file, const std::string& options) {
    CAPTURE(options);
    const json found = verdict_of(file, options);
    REQUIRE(found["status"] == "schedulable");
    const json again = verdict_of(planned(file, found["plan"]), options);
    CHECK(again["status"] == "schedulable");
    for (const char* const part : {"sms", "gpu"}) {
      CHECK(again["plan"].value(part, json{}) == found["plan"].value(part, json{}));
    }
    for (std::size_t i = 0; i < found["tasks"].size(); ++i) { CHECK(bound_of(again, i) == bound_of(found, i)); }
  };
  for (const char* const sharing : {"isolated", "shared", "busy-waiting", "whole", "time-sliced"}) {
    CAPTURE(std::string{sharing});
    json file = two_chains(sharing);
    if (std::string_view{sharing} == "time-sliced") {
      file["platform"]["gpus"][0]["slice"] = "1ms";
      file["platform"]["gpus"][0]["context_switch"] = 0;
    }
    check(file, "");
  }
  for (const char* const sharing : {"isolated", "whole"}) { check(two_chains(sharing, 2), ""); }
  check(two_chains("isolated"), "--cpus edf");
  check(two_chains("isolated"), "--analysis rtgpu");
}

TEST_CASE("given plan: SMs are those of the plan, not those that a search would find") {
  const json file = two_chains("isolated");
  const json wide = verdict_of(planned(file, {{"sms", {{"camera", 6}, {"lidar", 2}}}}));
  const json narrow = verdict_of(planned(file, even));
  CHECK(wide["plan"]["sms"] == json{{"camera", 6}, {"lidar", 2}});
  CHECK(narrow["plan"]["sms"] == json{{"camera", 4}, {"lidar", 4}});
  CHECK(bound_of(wide, 0) < bound_of(narrow, 0));
  CHECK(bound_of(wide, 1) > bound_of(narrow, 1));
  // One SM, which is two virtual ones, is too little for 48 ms of work in 20 ms.
  const json late = verdict_of(planned(file, {{"sms", {{"camera", 1}, {"lidar", 4}}}}));
  CHECK(late["status"] == "not-proven");
  CHECK(late["plan"]["sms"]["camera"] == 1);
  for (const json& note : late["notes"]) { CHECK_FALSE(contains(note, "search")); }
}

TEST_CASE("given plan: simulate, run, explain and compare use it") {
  const json file = planned(two_chains("isolated"), even);
  const auto plan = "SMs: camera 4, lidar 4";
  CHECK(contains(call("simulate", file, "--for 200ms").out, plan));
  CHECK(contains(call("run", file, "--for 40ms").out, plan));
  CHECK(contains(call("explain", file).out, "for its own kernels on 4 SMs"));
  const json late = planned(two_chains("isolated"), {{"sms", {{"camera", 1}, {"lidar", 4}}}});
  CHECK(call("simulate", late, "--for 200ms").code == 1);
  const json rows = object(call("compare", file, "--json --policies federated,busy-waiting,whole-gpu"))["rows"];
  CHECK(rows[0]["plan"]["sms"] == even["sms"]);
  CHECK(rows[1]["plan"]["sms"] == even["sms"]);
  CHECK(contains(rows[2].dump(), "/plan/sms: is not used under"));
}

TEST_CASE("given plan: cores and priorities there are those of the tasks") {
  const json own = planned(two_chains("isolated"), {{"cores", {{"logger", 1}, {"camera", 1}}},
                                                    {"priorities", {{"camera", 2}, {"lidar", 1}, {"logger", 0}}}});
  json said = two_chains("isolated");
  for (const auto& [task, core, priority] : {std::tuple{std::size_t{0}, 1, 2}, {1U, -1, 1}, {2U, 1, 0}}) {
    if (core >= 0) { said["tasks"][task]["core"] = core; }
    said["tasks"][task]["priority"] = priority;
  }
  const json a = verdict_of(own);
  const json b = verdict_of(said);
  CHECK(a["status"] == b["status"]);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(a["tasks"][i]["response_bound"] == b["tasks"][i]["response_bound"]); }
}

TEST_CASE("given plan: a task that names one core of a cluster keeps it") {
  json file = two_chains("fifo-blocks");
  file["platform"]["cpus"] = {{"count", 4}};
  file["platform"]["gpus"][0].update({{"virtual_per_sm", 1}, {"threads_per_sm", 1024}, {"blocks_per_sm", 16}});
  file["tasks"].clear();
  for (const int core : {1, 3, -1}) {
    const json kernel{{"work", "12ms"}, {"wcet", "4ms"}, {"blocks", 8}, {"threads_per_block", 128}, {"length", "1ms"}};
    file["tasks"].push_back(
        {{"name", "t" + std::to_string(core)}, {"period", "80ms"}, {"segments", {{{"kernel", kernel}}}}});
    if (core >= 0) { file["tasks"].back()["core"] = core; }
  }
  const std::string options = "--policy fifo-blocks --cpus gel";
  const json found = verdict_of(file, options);
  CHECK(found["status"] == "schedulable");
  CHECK(found["plan"]["cores"] == json{{"t1", 1}, {"t3", 3}, {"t-1", 0}});
  const json again = verdict_of(planned(file, found["plan"]), options);
  CHECK(again["plan"] == found["plan"]);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(bound_of(again, i) == bound_of(found, i)); }
}

TEST_CASE("given plan: chains whose steps have points are written as nodes, which say them") {
  json file = two_chains("fifo-blocks");
  file["platform"]["cpus"] = {{"count", 3}};
  file["platform"]["gpus"][0].update({{"virtual_per_sm", 1}, {"threads_per_sm", 1024}, {"blocks_per_sm", 16}});
  file["tasks"] = {{{"name", "a"}, {"period", "100ms"}, {"segments", {{{"cpu", "7ms"}}, {{"cpu", "2ms"}}}}},
                   {{"name", "b"}, {"period", "80ms"}, {"deadline", "40ms"}, {"segments", {{{"cpu", "6ms"}}}}}};
  const std::string to = scratch("points.json");
  REQUIRE(call("compare", file, "--cpus gel --write " + to).code == 0);
  const json written = json::parse(read(to));
  CHECK(written["tasks"][0]["nodes"][1]["priority_point"] == 0);
  const json again = object(takt::test::takt("analyze " + to + " --json"));
  const json found = verdict_of(file, "--policy fifo-blocks --cpus gel");
  CHECK(again["status"] == "schedulable");
  for (std::size_t i = 0; i < 2; ++i) { CHECK(bound_of(again, i) == bound_of(found, i)); }
}

TEST_CASE("given plan: kernels alone have no points, and are judged by priorities as what is written of them is") {
  json file = two_chains("levels");
  file["platform"]["gpus"][0].update({{"virtual_per_sm", 1}, {"preemption_levels", 3}, {"context_switch", "12us"}});
  file["tasks"].clear();
  for (const int priority : {10, 6, 3, 2}) {
    const std::string wcet = std::to_string(priority * 300) + "us";
    const json kernel{{"wcet", wcet}, {"preemption_cost", priority % 4 == 2 ? "0us" : "1us"}};
    file["tasks"].push_back({{"name", "t" + std::to_string(priority)},
                             {"period", std::to_string(50 - 4 * priority) + "ms"},
                             {"priority", priority},
                             {"segments", {{{"kernel", kernel}}}}});
  }
  const json by_points = verdict_of(file, "--policy levels --cpus gel");
  const json by_priorities = verdict_of(file, "--policy levels --cpus fixed-priority");
  CHECK(by_points["status"] == "schedulable");
  CHECK(by_points["analysis"] == by_priorities["analysis"]);
  for (std::size_t i = 0; i < 4; ++i) { CHECK(bound_of(by_points, i) == bound_of(by_priorities, i)); }
}

TEST_CASE("given plan: of several GPUs it says which one a task is on") {
  const json plan{{"gpu", {{"camera", 1}, {"lidar", 0}}}, {"sms", {{"camera", 8}, {"lidar", 8}}}};
  const json found = verdict_of(planned(two_chains("isolated", 2), plan));
  CHECK(found["status"] == "schedulable");
  CHECK(found["plan"]["gpu"] == plan["gpu"]);
  const json together{{"gpu", {{"camera", 1}, {"lidar", 1}}}};
  CHECK(verdict_of(planned(two_chains("whole", 2), together))["plan"]["gpu"] == together["gpu"]);
}

TEST_CASE("given plan: compare --write and plan --write keep it") {
  const std::string to = scratch("kept.json");
  CHECK(call("compare", planned(two_chains("isolated"), even), "--policies federated --write " + to).code == 0);
  CHECK(json::parse(read(to))["plan"] == even);
  json plan = even;
  plan["cores"] = {{"camera", 0}, {"lidar", 0}, {"logger", 0}};
  const auto o = call("plan", planned(two_chains("isolated"), plan), "--policies federated --write " + to);
  INFO(o.err);
  CHECK(o.code == 0);
  const json written = json::parse(read(to));
  CHECK(written["plan"] == even);
  CHECK(written["tasks"][0].contains("core"));
}

TEST_CASE("given plan: offsets and local deadlines are those of all steps") {
  json file = two_chains("isolated");
  file["tasks"].erase(1);
  file["platform"]["cpus"]["policy"] = "edf";
  json plan{{"sms", {{"camera", 8}}}};
  const char* const steps[] = {"camera step 0", "camera step 1", "camera step 2", "logger step 0"};
  const int offsets[] = {0, 6, 12, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    plan["offsets"][steps[i]] = std::to_string(offsets[i]) + "ms";
    plan["local_deadlines"][steps[i]] = "6ms";
  }
  const json found = verdict_of(planned(file, plan));
  CHECK(found["status"] == "schedulable");
  CHECK(found["plan"]["offsets"]["camera step 2"] == 12'000'000);
  CHECK(found["plan"]["local_deadlines"]["camera step 2"] == 6'000'000);
  plan.erase("local_deadlines");
  CHECK(contains(refusal("analyze", planned(file, plan).dump()), "/plan/local_deadlines: is missing"));
}

TEST_CASE("given plan: what it says wrongly is refused with its place") {
  const std::string text = with(good_file(), "\"tasks\": [", "\"plan\": { },\n  \"tasks\": [");
  const auto fault = [](const char* plan, const char* line) { return takt::test::mutation{"{ }", plan, line}; };
  check_mutations(
      text,
      {fault("[]", "/plan: is an array"), fault("{\"sm\": 3}", "/plan/sm: "), fault("{\"sms\": 3}", "/plan/sms: 3 is "),
       fault("{\"sms\": {\"camra\": 3}}", "\"camra\" is no task of this file, the nearest is \"camera\""),
       fault("{\"cores\": {\"camra\": 0}}", "\"camra\" is no task of this file, the nearest is \"camera\""),
       fault("{\"sms\": {\"camera\": 0}}", "/plan/sms/camera: 0 is out of range"),
       fault("{\"sms\": {\"camera\": 11}}", "/plan/sms/camera: 11 exceeds"),
       fault("{\"sms\": {\"camera\": 3, \"lidar\": 1}}", "/plan/sms/lidar: is about a task without kernels"),
       fault("{\"gpu\": {\"camera\": 1}}", "/plan/gpu/camera: 1 is out of range"),
       fault("{\"percents\": {\"camera\": 101}}", "/plan/percents/camera: 101 is out of range"),
       fault("{\"percents\": {\"camera\": 50}}", "is "),
       fault("{\"cores\": {\"camera\": 1}}", "/plan/cores/camera: 1 is out of range"),
       fault("{\"priorities\": {\"camera\": 4}}", "/plan/priorities/camera: 4 differs from 0 at /tasks/0/priority"),
       fault("{\"offsets\": {\"camera step 9\": 4}}", "\"camera step 9\" is no step of a task"),
       fault("{\"offsets\": {\"camera step 0\": 4}}", "/plan/offsets: says nothing about camera step 1")});
  const json two = two_chains("isolated", 2);
  const auto line = [](const json& file, const json& plan) { return refusal("analyze", planned(file, plan).dump()); };
  CHECK(contains(line(two, {{"sms", {{"camera", 4}}}}), "/plan/sms: says nothing about lidar"));
  CHECK(contains(line(two_chains("whole"), even), "/plan/sms: is not used under \"whole-gpu\""));
  CHECK(contains(line(two, {{"priorities", {{"camera", 0}}}}), "/plan/priorities: says nothing about lidar"));
  json edf = two_chains("isolated");
  edf["platform"]["cpus"]["policy"] = "edf";
  CHECK(contains(line(edf, {{"priorities", {{"camera", 0}, {"lidar", 1}, {"logger", 2}}}}),
                 "/plan/priorities: is not used under \"edf\""));
  json steps = two_chains("isolated");
  steps["platform"]["gpus"][0]["granularity"] = 2;
  CHECK(contains(line(steps, {{"sms", {{"camera", 3}, {"lidar", 2}}}}),
                 "/plan/sms/camera: 3 is not handed out in steps"));
  json shares = two_chains("shares");
  for (std::size_t i = 0; i < 2; ++i) {
    json& task = shares["tasks"][i];
    task["segments"][1]["kernel"]["wcet_by_share"] = {{"c100", "4ms"}, {"fixed_permille", 100}};
  }
  for (std::size_t i = 0; i < 3; ++i) { shares["tasks"][i]["priority"] = i; }
  CHECK(verdict_of(planned(shares, {{"percents", {{"camera", 60}, {"lidar", 40}}}}))["status"] == "schedulable");
  CHECK(contains(line(shares, {{"percents", {{"camera", 60}, {"lidar", 41}}}}), "/plan/percents/lidar: 41 exceeds"));
  CHECK(contains(call("analyze", planned(two_chains("isolated"), even), "--search exact").err,
                 "--search: says nothing about a plan that the file gives"));
}

TEST_CASE("given plan: of a part that is left out the rest is chosen, and what is said stays") {
  const json two = two_chains("isolated", 2);
  const json placed = verdict_of(planned(two, {{"gpu", {{"camera", 1}, {"lidar", 1}}}}));
  CHECK(placed["plan"]["gpu"] == json{{"camera", 1}, {"lidar", 1}});
  CHECK(placed["plan"]["sms"]["camera"] > 0);
  const json sized = verdict_of(planned(two, {{"sms", {{"camera", 8}, {"lidar", 8}}}}));
  CHECK(sized["status"] == "schedulable");
  CHECK(sized["plan"]["sms"] == json{{"camera", 8}, {"lidar", 8}});
  CHECK(sized["plan"]["gpu"]["camera"] != sized["plan"]["gpu"]["lidar"]);
}

namespace {

/// Checks that a plan which is printed has the same proof when it is given, and returns the verdict.
auto same_again(const json& file, const std::string& options = {}) -> json {
  const json found = verdict_of(file, options);
  REQUIRE(found["status"] == "schedulable");
  const json again = verdict_of(planned(file, found["plan"]), options);
  CHECK(again["status"] == "schedulable");
  CHECK(again["analysis"] == found["analysis"]);
  CHECK(again["plan"] == found["plan"]);
  for (std::size_t i = 0; i < found["tasks"].size(); ++i) {
    CHECK(again["tasks"][i]["response_bound"] == found["tasks"][i]["response_bound"]);
  }
  return found;
}

}  // namespace

TEST_CASE("given plan: the GPUs of jobs that hold tokens are those of the proof") {
  const json file = json::parse(R"({"format": "takt/1",
    "platform": {"cpus": {"count": 1, "policy": "fixed-priority"}, "copy_engines": {"count": 1},
                 "gpus": [{"sms": 1, "virtual_per_sm": 1, "count": 2, "sharing": "tokens", "protocol": "k-fmlp",
                           "tokens_per_gpu": 1}]},
    "tasks": [{"name": "near", "period": "100ms", "deadline": "30ms",
               "segments": [{"cpu": "1ms"}, {"kernel": {"work": "20ms"}}, {"cpu": "1ms"}]},
              {"name": "far", "period": "100ms", "deadline": "60ms",
               "segments": [{"cpu": "1ms"}, {"kernel": {"work": "20ms"}}, {"cpu": "1ms"}]}]})");
  const json found = same_again(file);
  CHECK(found["plan"]["gpu"]["near"] != found["plan"]["gpu"]["far"]);
  CHECK(verdict_of(planned(file, {{"gpu", {{"near", 0}, {"far", 0}}}}))["status"] != "schedulable");
}

TEST_CASE("given plan: guards of a proof stand in the plan, and a plan without them has none") {
  const json file = json::parse(R"({"format": "takt/1",
    "platform": {"cpus": {"count": 1}, "copy_engines": {"count": 2},
                 "gpus": [{"sms": 10, "virtual_per_sm": 2, "threads_per_sm": 1024, "blocks_per_sm": 16,
                           "preemption_levels": 3, "context_switch": "1ms", "count": 2}]},
    "tasks": [{"name": "heavy", "period": "61ms",
               "segments": [{"cpu": "36960us"}, {"kernel": {"blocks": 11, "threads_per_block": 32, "length": 2640000,
                                                            "preemption_cost": 0}}]},
              {"name": "light", "period": "53ms",
               "segments": [{"kernel": {"blocks": 3, "threads_per_block": 100, "length": 2640000,
                                        "preemption_cost": 0}, "launch": 0}, {"cpu": "15840us"}]}]})");
  const json found = same_again(file);
  REQUIRE(found["analysis"] == "guarded");
  CHECK(found["plan"]["offsets"].size() == found["plan"]["local_deadlines"].size());
  json bare = found["plan"];
  bare.erase("offsets");
  bare.erase("local_deadlines");
  const json without = verdict_of(planned(file, bare));
  CHECK(without["status"] == "not-proven");
  CHECK_FALSE(without["plan"].contains("offsets"));
  bare["guards"] = "choose";
  const json chosen = verdict_of(planned(file, bare));
  CHECK(chosen["status"] == "schedulable");
  CHECK(chosen["plan"]["offsets"] == found["plan"]["offsets"]);
}

TEST_CASE("given plan: priorities that were found on a GPU with shares are written, and read again") {
  const json file = json::parse(R"({"format": "takt/1",
    "platform": {"cpus": {"count": 1, "policy": "fixed-priority"}, "gpus": [{"sms": 2, "virtual_per_sm": 1}]},
    "tasks": [{"name": "often", "period": "40ms", "deadline": "14ms",
               "segments": [{"kernel": {"time_on": [["3ms", "3ms"]]}}, {"cpu": ["7ms", "7ms"]}]},
              {"name": "seldom", "period": "200ms", "deadline": "23ms",
               "segments": [{"cpu": ["1ms", "1ms"]}, {"kernel": {"time_on": [["19ms", "19ms"]]}},
                            {"cpu": ["2ms", "2ms"]}]}]})");
  const std::string out = scratch("found-priorities.json");
  const json row = object(call("compare", file, "--policies shares --json --write " + out))["rows"][0];
  REQUIRE(row["status"] == "schedulable");
  const json proof = object(takt::test::takt("analyze --json " + out));
  CHECK(proof["status"] == "schedulable");
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(proof["tasks"][i]["response_bound"] == row["tasks"][i]["response_bound"]);
  }
  CHECK(json::parse(read(out))["plan"]["priorities"] == row["plan"]["priorities"]);
  same_again(file, "--policy shares");
}
