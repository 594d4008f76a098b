// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::object;
using takt::test::outcome;
using takt::test::with;
using takt::test::write;

auto graph_text() -> std::string { return takt::test::read(data("camera-graph")); }

}  // namespace

TEST_CASE("program: the bound of a graph is made of the bounds of nodes on one path") {
  const outcome o = takt::test::takt("analyze --json " + data("camera-graph"));
  CHECK(o.code == 0);
  const json v = object(o);
  CHECK(v.at("format") == "takt-verdict/1");
  CHECK(v.at("status") == "schedulable");
  REQUIRE(v.at("tasks").size() == 2);
  for (const json& t : v.at("tasks")) {
    std::int64_t sum = 0;
    for (const json& part : t.at("terms")) { sum += part.at("time").get<std::int64_t>(); }
    CHECK(sum == t.at("response_bound"));
    for (const json& n : t.at("nodes")) {
      CHECK(n.at("offset").get<std::int64_t>() + n.at("response_bound").get<std::int64_t>() <= t.at("response_bound"));
    }
  }
  CHECK(contains(takt::test::takt("explain --task camera " + data("camera-graph")).out, "camera.track"));
}

TEST_CASE("program: graphs run within their bounds under every pattern of releases, and leave a trace") {
  for (const char* how : {"", "--releases sporadic --execution random --seed 4 ", "--releases worst --seed 9 "}) {
    CAPTURE(how);
    const outcome o = takt::test::takt(std::string{"simulate --json --horizon 2s "} + how + data("camera-graph"));
    CHECK(o.code == 0);
    for (const json& t : object(o).at("tasks")) {
      CHECK(t.at("jobs") > 0);
      CHECK(t.at("within_bound") == true);
    }
  }
  const std::string trace = takt::test::scratch("graph-trace.json");
  const std::string picture = takt::test::scratch("graph.svg");
  CHECK(takt::test::takt("simulate --horizon 200ms --trace " + trace + " --svg " + picture + " " + data("camera-graph"))
            .code == 0);
  CHECK(contains(takt::test::read(trace), "camera.detect launch"));
  CHECK(contains(takt::test::read(picture), "<svg"));
}

TEST_CASE("program: a graph without deadline needs a bound only, and a tight deadline is not proven") {
  const outcome free =
      takt::test::takt("analyze --json " + write("free.json", with(graph_text(), "\"deadline\": \"200ms\",", "")));
  CHECK(free.code == 0);
  CHECK(object(free).at("tasks").at(0).at("deadline").is_null());
  const outcome tight = takt::test::takt(
      "analyze " + write("tight.json", with(graph_text(), "\"deadline\": \"200ms\"", "\"deadline\": \"11ms\"")));
  CHECK(tight.code == 2);
  CHECK(contains(tight.out, "camera: the bound "));
  const outcome heavy =
      takt::test::takt("analyze " + write("heavy.json", with(graph_text(), "\"cpu\": \"4ms\"", "\"cpu\": \"400ms\"")));
  CHECK(heavy.code == 2);
  CHECK(contains(heavy.out, "can be asked for more time than they have"));
}

TEST_CASE("program: graphs are scheduled by the words of the CPUs alone") {
  for (const char* policy : {"g-edf", "g-fifo", "edf"}) {
    const std::string file = write("policy.json", with(graph_text(), "g-fl", policy));
    CHECK(takt::test::takt("simulate --horizon 1s " + file).code == 0);
  }
  const std::string parts = with(graph_text(), "\"count\": 6", "\"count\": 6, \"clusters\": 2");
  const json v = object(takt::test::takt("analyze --json " + write("clusters.json", parts)));
  CHECK(v.at("platform").at("cpus").at("clusters") == 2);
  CHECK(
      contains(takt::test::takt("sensitivity " + data("camera-graph")).out, "priority points follow execution times"));
}

TEST_CASE("program: graphs run on threads within their bounds, beside what was simulated") {
  const std::string tasks =
      R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "g-edf", "pipelined": true}},
      "tasks": [{"name": "a", "period": "10ms", "segments": [{"cpu": "2ms"}]}]})";
  const std::string nodes = R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "gel"}},
      "graphs": [{"name": "a", "period": "10ms", "nodes": [{"name": "n", "cpu": "2ms", "priority_point": "5ms"}]}]})";
  const std::string kernels = with(tasks, "\"platform\": {", R"("platform": {"gpus": [{"sms": 1,
      "threads_per_sm": 64, "sharing": "fifo-blocks"}], )");
  const std::string copies = with(with(kernels, "{\"cpu\": \"2ms\"}", R"({"cpu": "1ms"}, {"copy": "1ms"},
      {"kernel": {"blocks": 2, "threads_per_block": 64, "length": "500us"}})"),
                                  "\"platform\": {", "\"platform\": {\"copy_engines\": {\"count\": 1}, ");
  const std::string trace = takt::test::scratch("run-trace.json");
  for (const std::string& text :
       {graph_text(), with(graph_text(), "\"count\": 6", "\"count\": 6, \"clusters\": 2"),
        with(graph_text(), "g-fl", "g-edf"), with(tasks, "g-edf", "g-fifo"), nodes, kernels, copies}) {
    CAPTURE(text);
    const outcome o = takt::test::takt("run --json --for 200ms --trace " + trace + " " + write("ran.json", text));
    INFO(o.err);
    CHECK(o.code <= 1);
    for (const json& t : object(o).at("tasks")) {
      CHECK(t.at("jobs") > 0);
      CHECK(t.at("simulated_worst_response") <= t.at("response_bound"));
    }
    CHECK(contains(takt::test::read(trace), "\"ph\":\"X\""));
  }
}

TEST_CASE("program: points order nodes on processors, and tasks without time there need none") {
  const std::string kernels = R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "gel"}, "gpus": [
      {"sms": 1, "sharing": "whole", "context_switch": 0}]}, "tasks": [{"name": "a", "period": "10ms",
      "segments": [{"kernel": {"wcet": "2ms", "preemption_cost": 0}}]}]})";
  CHECK(takt::test::takt("analyze " + write("points.json", kernels)).code == 0);
  const std::string before = with(kernels, "[{\"kernel\"", R"([{"cpu": "1ms"}, {"kernel")");
  CHECK(takt::test::takt("analyze " + write("points.json", before)).code == 3);
}

TEST_CASE("program: a run of graphs counts the invocations that end after their deadlines") {
  const std::string late = with(with(graph_text(), "\"deadline\": \"200ms\"", "\"deadline\": \"1us\""),
                                "\"cpu\": \"4ms\"", "\"cpu\": \"1ms\"");
  const outcome o = takt::test::takt("run --json --for 200ms " + write("late.json", late));
  CHECK(o.code == 1);
  const json camera = object(o).at("tasks").at(0);
  CHECK(camera.at("misses") == camera.at("jobs"));
}

TEST_CASE("program: graphs without bounds are neither simulated nor run, and no job of one is abandoned") {
  const std::string stuck =
      R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "g-edf", "pipelined": true}},
      "tasks": [{"name": "a", "period": "10ms", "segments": [{"cpu": "20ms"}]}]})";
  for (const char* command : {"simulate --horizon 1s ", "run --for 1ms "}) {
    const outcome o = takt::test::takt(command + write("stuck.json", stuck));
    CHECK(o.code == 2);
    CHECK(contains(o.err, "there is nothing to run: the graphs have no bounds"));
  }
  CHECK(contains(takt::test::refusal("run --for 1ms --on-violation drop", graph_text()),
                 "--on-violation: jobs are not abandoned under overlapping-nodes: expected report, stop"));
}

TEST_CASE("program: wrong graphs are refused with the place of the fault and what is allowed") {
  takt::test::check_mutations(
      graph_text(),
      {{R"(["grab", "detect"])", R"(["grab", "detekt"])",
        "/graphs/0/edges/0/1: \"detekt\" is no node of this graph, the nearest is \"detect\": expected the name of a node"},
       {R"(["grab", "flow"])", R"(["track", "grab"])", "form a cycle: expected no cycle, or a history edge"},
       {R"(["track", "flow", 8])", R"(["track", "flow", 0])", "/graphs/0/history/0/2: 0 is out of range"},
       {R"(["track", "flow", 8])", R"(["track", "flow"])", "/graphs/0/history/0: is no edge: expected [from, to, lag]"},
       {R"("name": "flow")", R"("name": "grab")",
        "/graphs/0/nodes/2/name: \"grab\" names an earlier node too: expected a name of its own for each node of a graph"},
       {R"("name": "log")", R"("name": "camera")",
        "/tasks/0/name: \"camera\" names an earlier task too: expected a name of its own"},
       {R"("blocks": 24)", R"("blocks": 0)", "/graphs/0/nodes/1/kernel/blocks: 0 is out of range"},
       {R"("threads_per_block": 512)", R"("threads_per_block": 4096)",
        "/graphs/0/nodes/1/kernel/threads_per_block: 4096 is out of range: expected an integer from 1 to 2048"},
       {R"("length": "1500us")", R"("length": 0)",
        "/graphs/0/nodes/1/kernel/length: 0ns is not positive: expected a time of at least 1ns"},
       {R"("length": "1500us")", R"("lenght": 0)", "the nearest is \"length\""},
       {R"("cpu": "4ms")", R"("cpu": "-4ms")",
        "/graphs/0/nodes/0/cpu: -4ms is negative: expected a time of at least 0ns"},
       {R"("cpu": "4ms")", R"("cpu": "4ms", "launch": "1ms")",
        "/graphs/0/nodes/0/launch: says nothing about a step without a kernel"},
       {R"("cpu": "4ms")", R"("cpu": "4ms", "copy": "1ms")", "/graphs/0/nodes/0/copy: is a second kind of one step"},
       {R"("period": "33ms")", R"("period": 0)",
        "/graphs/0/period: 0ns is not positive: expected a time of at least 1ns"},
       {R"("deadline": "200ms")", R"("deadline": "-1ms")",
        "/graphs/0/deadline: -1ms is not positive: expected a time of at least 1ns"},
       {R"({ "cpu": "20ms" })", R"({ "cpu": ["20ms", "10ms"] })",
        "/tasks/0/segments/0/cpu: [20ms, 10ms] has a lower bound above its upper bound"},
       {R"({ "cpu": "20ms" })", R"({ "cpu": "20ms", "bytes": 4 })",
        "/tasks/0/segments/0/bytes: says nothing about a step without a copy: expected a copy segment"},
       {R"({ "cpu": "20ms" })", R"({ "copy": "20ms", "direction": 4 })",
        "/tasks/0/segments/0/direction: 4 is an integer: expected \"to-device\", \"to-host\""},
       {R"({ "cpu": "20ms" })", R"({ "copy": "20ms", "bytes": -4 })", "/tasks/0/segments/0/bytes: -4 is out of range"},
       {R"("period": "33ms")", R"("period": "33ms", "cluster": 1)", "/graphs/0/cluster: 1 is out of range"},
       {R"("policy": "g-fl")", R"("policy": "fixed")", "/platform/cpus/policy: \"fixed\" is unknown, the nearest is"},
       {R"("count": 6)", R"("count": 6, "clusters": 4)",
        "/platform/cpus/clusters: 4 clusters do not divide 6 cores: expected clusters of one size"},
       {R"("sms": 6,)", R"("sms": 6, "tokens_per_gpu": 1,)",
        "/platform/gpus/0/tokens_per_gpu: says nothing about \"fifo-blocks\" sharing: expected \"tokens\" sharing"}});
  CHECK(contains(takt::test::refusal("analyze --analysis rtgpu", graph_text()),
                 "--analysis: says nothing about fifo-blocks"));
}
