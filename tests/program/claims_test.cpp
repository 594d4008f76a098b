// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

// What is claimed of a file, and of the runs that keep to it.

namespace {

using nlohmann::json;
using takt::test::object;
using takt::test::outcome;
using takt::test::with;
using takt::test::write;

[[nodiscard]] auto analyzed(const std::string& text, const std::string& options = "") -> json {
  return object(takt::test::takt("analyze --json " + options + " " + write("claims.json", text)));
}
/// Of the task of a name, null where there is none.
[[nodiscard]] auto bound_of(const json& verdict, const std::string& name) -> json {
  for (const json& t : verdict.at("tasks")) {
    if (t.at("name") == name) { return t.at("response_bound"); }
  }
  return "no such task";
}

const std::string polling = R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "fixed-priority"},
  "copy_engines": {"count": 1}, "gpus": [{"sms": 1, "virtual_per_sm": 1, "sharing": "busy-waiting"}]}, "tasks": [
    {"name": "often", "period": "20ms", "segments": [{"cpu": ["11ms", "11ms"]}]},
    {"name": "polls", "period": "200ms", "segments": [{"cpu": ["2ms", "2ms"]}, {"kernel": {"work": ["95ms", "95ms"]}},
                                                       {"cpu": ["2ms", "2ms"]}]}]})";

const std::string two_clusters = R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "clusters": 2}}, "tasks": [
    {"name": "wide", "period": "50ms", "deadline": "30ms", "nodes": [{"name": "l", "cpu": "20ms"}, {"name": "r", "cpu": "20ms"}]}]})";

const std::string diamond = R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "g-edf"}}, "tasks": [
    {"name": "d", "period": "30ms", "nodes": [{"name": "in", "cpu": ["3ms", "3ms"]}, {"name": "l", "cpu": ["6ms", "6ms"]},
      {"name": "r", "cpu": ["4ms", "4ms"]}, {"name": "out", "cpu": ["3ms", "3ms"]}],
     "edges": [["in", "l"], ["in", "r"], ["l", "out"], ["r", "out"]]}]})";

const std::string three_on_two =
    R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "g-edf"}}, "tasks": [
    {"name": "a", "period": "30ms", "segments": [{"cpu": ["20ms", "20ms"]}]},
    {"name": "b", "period": "30ms", "segments": [{"cpu": ["20ms", "20ms"]}]},
    {"name": "c", "period": "30ms", "segments": [{"cpu": ["20ms", "20ms"]}]}]})";

/// Full, and late where both are ever released together.
const std::string apart =
    R"({"format": "takt/1", "platform": {"cpus": {"count": 1, "policy": "fixed-priority"}}, "tasks": [
    {"name": "a", "period": "10ms", "deadline": "5ms", "priority": 0, "strict": true, "segments": [{"cpu": ["3ms", "5ms"]}]},
    {"name": "b", "period": "10ms", "deadline": "5ms", "priority": 1, "strict": true, "offset": "5ms", "segments": [{"cpu": "5ms"}]}]})";

}  // namespace

TEST_CASE("program: polling is no execution, and a kernel goes on while its thread is preempted") {
  const json v = analyzed(polling);
  CHECK(v.at("status") == "schedulable");
  CHECK(bound_of(v, "often") == 11'000'000);
  CHECK(bound_of(v, "polls") <= (2 + 11 + 95 + 2 + 11) * 1'000'000);
  for (const char* how : {"periodic", "worst"}) {
    const outcome o = takt::test::takt("simulate --json --horizon 4s --releases " + std::string{how} + " " +
                                       write("polling.json", polling));
    CHECK(o.code == 0);
  }
  // Asked for more than the core has without any polling.
  CHECK(analyzed(with(polling, R"(["11ms", "11ms"])", R"(["21ms", "21ms"])")).at("status") == "unschedulable");
}

TEST_CASE("program: clusters of the board count under every rule of clusters that is asked for") {
  for (const char* rule : {"g-edf", "g-fl", "g-fifo", "g-fixed-priority"}) {
    CAPTURE(rule);
    const json v = analyzed(two_clusters, "--cpus " + std::string{rule});
    CHECK(v.at("status") != "schedulable");
    const json rows = object(takt::test::takt("compare --json --policies whole-gpu --cpus " + std::string{rule} + " " +
                                              write("clusters.json", two_clusters)))
                          .at("rows");
    CHECK(rows.at(0).at("status") != "schedulable");
  }
  const std::string one = with(two_clusters, R"(, "clusters": 2)", "");
  CHECK(analyzed(one, "--cpus g-edf").at("status") == "schedulable");
  CHECK(takt::test::takt("analyze " + write("c.json", with(two_clusters, R"("count": 2)", R"("count": 4)"))).code == 3);
}

TEST_CASE("program: no node of a graph waits for an offset unless pipelined graphs are asked for") {
  for (const char* rule : {"g-edf", "g-fl", "g-fifo"}) {
    CAPTURE(rule);
    const std::string text = with(diamond, "g-edf", rule);
    const json run = object(takt::test::takt("simulate --json --releases periodic " + write("plain.json", text)));
    CHECK(run.at("tasks").at(0).at("worst_response") == 12'000'000);
    const std::string pipelined = with(text, R"("count": 2)", R"("count": 2, "pipelined": true)");
    const json held = object(takt::test::takt("simulate --json --releases periodic " + write("held.json", pipelined)));
    CHECK(held.at("tasks").at(0).at("worst_response") > 12'000'000);
    const json v = analyzed(pipelined);
    CHECK(v.at("analysis") == "overlapping-nodes");
    CHECK(v.at("plan").dump().find("offset") != std::string::npos);
  }
}

TEST_CASE("program: pipelined graphs are refused where tasks are none") {
  const std::string late = with(with(diamond, R"("count": 2)", R"("count": 2, "pipelined": true)"),
                                R"("period": "30ms")", R"("period": "30ms", "jitter": "1ms")");
  const outcome o = takt::test::takt("analyze " + write("late.json", late));
  CHECK(o.code == 3);
  CHECK(takt::test::contains(o.err, "/platform/cpus/pipelined"));
}

TEST_CASE("program: a file under any rule of processors is answered under any other") {
  const std::array rules{"fixed-priority",
                         "deadline-monotonic",
                         "rate-monotonic",
                         "nonpreemptive-fixed-priority",
                         "edf",
                         "nonpreemptive-edf",
                         "g-edf",
                         "g-fl",
                         "g-fifo",
                         "g-fixed-priority",
                         "g-rate-monotonic",
                         "g-deadline-monotonic"};
  for (const char* own : rules) {
    const std::string file = write("rules.json", with(three_on_two, "g-edf", own));
    for (const char* asked : rules) {
      CAPTURE(own);
      CAPTURE(asked);
      const outcome o = takt::test::takt("analyze --json --cpus " + std::string{asked} + " " + file);
      CHECK((o.code == 1 || o.code == 2));
      CHECK(object(o).at("status") != "schedulable");
    }
    CHECK(takt::test::takt("analyze --cpus gel " + file).code != 4);
  }
}

TEST_CASE("program: strict periods are decided exactly, and sporadic ones of the same times are not kept apart") {
  const json v = analyzed(apart);
  CHECK(v.at("status") == "schedulable");
  CHECK(v.at("analysis") == "hyperperiod");
  CHECK(bound_of(v, "a") == 5'000'000);
  CHECK(bound_of(v, "b") == 5'000'000);
  CHECK(analyzed(apart, "--cpus edf").at("analysis") == "hyperperiod");
  const std::string file = write("apart.json", apart);
  for (const char* how : {"periodic", "sporadic", "worst"}) {
    CHECK(takt::test::takt("simulate --json --horizon 1s --releases " + std::string{how} + " " + file).code == 0);
  }
  const std::string sporadic = with(with(apart, R"("strict": true, )", ""), R"("strict": true, )", "");
  CHECK(analyzed(sporadic).at("status") == "unschedulable");
  const std::string later = with(apart, R"("offset": "5ms")", R"("offset": "12ms")");
  CHECK(analyzed(later).at("status") == "unschedulable");
  CHECK(takt::test::takt("simulate --horizon 1s " + write("later.json", later)).code == 1);
}

TEST_CASE("program: of strict tasks that no exact test decides, no sporadic run is a proof") {
  const std::string text = with(apart, "fixed-priority", "nonpreemptive-fixed-priority");
  const json v = analyzed(text);
  CHECK(v.at("status") == "not-proven");
}
