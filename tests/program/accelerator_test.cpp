// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "support/traces.hpp"

namespace {

using nlohmann::json;
using takt::test::contains;
using takt::test::data;
using takt::test::object;
using takt::test::outcome;
using takt::test::with;
using takt::test::write;

auto levels_file() -> std::string { return takt::test::read(data("accelerator-levels")); }
auto slots_file() -> std::string { return takt::test::read(data("accelerator-example1")); }

/// The four kernels under another rule.
auto under(const std::string& rule) -> std::string {
  return with(levels_file(), R"("sharing": "levels", "preemption_levels": 2, "policy": "edf", "cost_model": "race")",
              rule);
}

auto responses(const json& run) -> std::vector<std::int64_t> {
  std::vector<std::int64_t> out;
  for (const json& t : run.at("tasks")) { out.push_back(t.at("worst_response").get<std::int64_t>()); }
  return out;
}

}  // namespace

TEST_CASE("program: the example of the accelerator platform fails in its slots and holds without them") {
  const outcome slots = takt::test::takt("analyze --json " + data("accelerator-example1"));
  CHECK(slots.code == 1);
  const json v = object(slots);
  CHECK(v.at("status") == "unschedulable");
  CHECK(v.at("analysis") == "slot-edf");
  CHECK(v.at("allocation").at("core") == json{{"tau1", 0}, {"tau2", 0}, {"tau4", 1}});
  const json expected = {{{"core", 0},
                          {"passes", false},
                          {"reason", "demand-exceeds-supply"},
                          {"window", 30'000'000},
                          {"slack", -1'000'000}},
                         {{"core", 1}, {"passes", true}, {"window", 10'000'000}, {"slack", 5'000'000}},
                         {{"core", nullptr}, {"passes", true}, {"window", 12'000'000}, {"slack", 0}}};
  CHECK(v.at("tests") == expected);

  const outcome run = takt::test::takt("simulate --json --horizon 65ms " + data("accelerator-example1"));
  CHECK(run.code == 1);
  CHECK(responses(object(run)) == std::vector<std::int64_t>{11'000'000, 12'000'000, 12'000'000, 5'000'000});

  auto text = slots_file();
  const auto from = text.find("\"sharing\"");
  const auto to = text.find("\"tasks\"");
  text.replace(from, to - from, "\"sharing\": \"gang\" } ] }, ");
  const outcome gang = takt::test::takt("simulate --json --horizon 60ms " + write("gang.json", text));
  CHECK(gang.code == 0);
  CHECK(responses(object(gang)) == std::vector<std::int64_t>{8'000'000, 12'000'000, 7'000'000, 4'000'000});
}

TEST_CASE("a file changes its strategy and its order by the words of its GPU alone" * takt_tests::traces("AP-07")) {
  const std::pair<const char*, int> rules[] = {
      {R"("sharing": "single-stream")", 0},
      {R"("sharing": "single-stream", "policy": "deadline-monotonic")", 0},
      {R"("sharing": "levels")", 0},
      {R"("sharing": "levels", "preemption_levels": 4, "cost_model": "overhead")", 0},
      {R"("sharing": "levels", "policy": "fixed-priority", "cost_model": "ideal")", 0},
      {R"("sharing": "gang", "order": "strict")", 0},
      {R"("sharing": "gang", "policy": "rate-monotonic")", 0},
      {R"("sharing": "slots", "slots": {"period": "5ms", "pinned": {"budget": 0}, "gang": {"budget": "4ms"}})", 2},
      {R"("sharing": "slots", "slots": {"period": "12ms", "gang": {"budget": "2ms"}}, "policy": "fixed-priority")", 1},
  };
  for (const auto& [rule, code] : rules) {
    CAPTURE(std::string{rule});
    const std::string file = write("rule.json", under(rule));
    const outcome o = takt::test::takt("analyze --json " + file);
    INFO(o.err);
    CHECK(o.code == code);
    const char* statuses[] = {"schedulable", "unschedulable", "not-proven"};
    CHECK(object(o).at("status") == statuses[code]);
    CHECK(takt::test::takt("explain " + file).code == code);
    const outcome run = takt::test::takt("simulate --horizon 100ms --releases worst " + file);
    CHECK((run.code == 0 || (code != 0 && run.code == 1)));
  }
}

TEST_CASE("a kernel of a file that names no core needs all of them" * takt_tests::traces("AP-06")) {
  const json v = object(takt::test::takt("analyze --json " + data("accelerator-levels")));
  CHECK(v.at("allocation").at("core").empty());
  const auto one = with(levels_file(), R"("wcet": "2ms",)", R"("wcet": "2ms", "core": 1,)");
  const json pinned = object(takt::test::takt("analyze --json " + write("pinned.json", one)));
  CHECK(pinned.at("allocation").at("core") == json{{"tau1", 1}});
  const auto placed = with(one, R"("wcet": "3ms",)", R"("wcet": "3ms", "width": "one-core",)");
  const outcome chosen = takt::test::takt("analyze " + write("placed.json", placed));
  CHECK(contains(chosen.out, "SMs chosen by this program, the file names none: tau2 on 0"));
}

TEST_CASE("program: bounds of fixed priorities on an accelerator are those of the tests, and runs stay within") {
  const std::string file = write("dm.json", under(R"("sharing": "single-stream", "policy": "deadline-monotonic")"));
  const json v = object(takt::test::takt("analyze --json " + file));
  CHECK(v.at("analysis") == "single-stream-fixed-priority");
  const std::int64_t bounds[] = {8'000'000, 11'000'000, 16'000'000, 16'000'000};
  for (std::size_t i = 0; i < 4; ++i) { CHECK(v.at("tasks").at(i).at("response_bound") == bounds[i]); }
  const outcome run = takt::test::takt("simulate --json --horizon 1s --releases worst --seed 7 " + file);
  CHECK(run.code == 0);
  for (const json& t : object(run).at("tasks")) { CHECK(t.at("within_bound") == true); }
  CHECK(contains(takt::test::takt("explain --task tau3 " + file).out,
                 "tau3 meets its deadline of 36ms: a job takes at most 16ms, which leaves 20ms."));
}

TEST_CASE("program: a trace of an accelerator has one track for each SM, whatever the width of kernels") {
  const auto file = takt::test::scratch("accelerator-trace.json");
  const auto picture = takt::test::scratch("accelerator.svg");
  const outcome o = takt::test::takt("simulate --horizon 60ms --trace " + file + " --svg " + picture + " " +
                                     data("accelerator-example1"));
  CHECK(o.code == 1);
  const std::string text = takt::test::read(file);
  CHECK(json::accept(text));
  for (const char* track : {"SM 0", "SM 1"}) { CHECK(contains(text, track)); }
  CHECK_FALSE(contains(text, "SMs 0-1"));
  CHECK(contains(takt::test::read(picture), "<svg"));
}

TEST_CASE("files about an accelerator are refused with the place of the fault and what is allowed" *
          takt_tests::traces("AP-01")) {
  takt::test::check_mutations(
      levels_file(),
      {
          {R"("wcet": "2ms")", R"("wcet": "0ms")",
           "/tasks/0/segments/0/kernel/wcet: 0ns is not positive: expected a time of at least 1ns"},
          {R"("preemption_cost": "2ms")", R"("preemption_cost": "6ms")",
           "/tasks/2/segments/0/kernel/preemption_cost: 6ms exceeds the kernel's own time 5ms: expected preemption_cost <= wcet"},
          {R"("preemption_cost": "2ms")", R"("preemption_cost": "-1ms")",
           "/tasks/2/segments/0/kernel/preemption_cost: -1ms is negative: expected a time of at least 0ns"},
          {R"("wcet": "2ms")", R"("wcet": "2ms", "core": 2)",
           "/tasks/0/segments/0/kernel/core: 2 is out of range: expected an integer from 0 to 1"},
          {R"("wcet": "2ms")", R"("wcet": "2ms", "core": 1, "width": "all-cores")",
           "/tasks/0/segments/0/kernel/core: pins a kernel that needs all cores: expected no core, or \"one-core\""},
          {R"("wcet": "2ms", "preemption_cost": "1ms")", R"("length": "2ms")", "/tasks/0/segments/0: does not say "},
          {R"([{ "kernel": { "wcet": "6ms")", R"([{ "cpu": "1ms" }, { "kernel": { "wcet": "6ms")",
           "/tasks/3/segments/0/cpu: needs a CPU, and the platform has none: expected platform.cpus, or no cpu segments"},
          {R"("tau2")", R"("tau1")",
           "/tasks/1/name: \"tau1\" names an earlier task too: expected a name of its own for each task"},
          {R"("race")", R"("rase")",
           "/platform/gpus/0/cost_model: \"rase\" is unknown, the nearest is \"race\": expected \"ideal\", \"race\", \"overhead\""},
          {R"("cost_model": "race")", R"("order": "strict")",
           "/platform/gpus/0/order: says nothing about \"levels\" sharing: expected \"gang\" sharing, or no such key"},
          {R"("preemption_levels": 2)", R"("preemption_levels": 0)",
           "/platform/gpus/0/preemption_levels: 0 is out of range: expected an integer from 1 to 4096"},
          {R"("period": "60ms")", R"("period": "9000000000s")",
           "/tasks/3: overflows 64-bit nanoseconds: expected times whose sum over the task set stays below 2^63 ns"},
      });
  takt::test::check_mutations(
      slots_file(),
      {
          {R"("budget": "8ms")", R"("budget": "13ms")",
           "/platform/gpus/0/slots: does not lie in its period: expected 0 <= offset < period and 0 <= budget <= period"},
          {R"("offset": "8ms")", R"("offset": "7ms")",
           "/platform/gpus/0/slots: overlap or differ in their periods: expected one period, and no instant in both slots"},
          {R"("period": "12ms",)", R"("period": 0,)",
           "/platform/gpus/0/slots/period: 0ns is not positive: expected a time of at least 1ns"},
      });
}

TEST_CASE("program: commands and options that an accelerator does not have are refused by name") {
  CHECK(takt::test::takt("run --device cuda " + data("accelerator-levels")).code == 4);
  const outcome test = takt::test::takt("analyze --analysis rtgpu " + data("accelerator-levels"));
  CHECK(test.code == 3);
  CHECK(contains(test.err, "--analysis: says nothing about levels"));
  const outcome far = takt::test::takt("simulate --horizon 100000s " + data("accelerator-levels"));
  CHECK(far.code == 3);
  CHECK(contains(far.err, "--horizon: "));
}

TEST_CASE(
    "program: sensitivity of an accelerator is none where a window is full, and 1.5 where a third of it is free") {
  const outcome full = takt::test::takt("sensitivity " + data("accelerator-levels"));
  CHECK(full.code == 0);
  CHECK(contains(full.out, "is proven: 1.000 ("));
  const auto shorter = R"({"format": "takt/1", "platform": {"gpus": [{"sms": 2, "sharing": "single-stream"}]},
    "tasks": [{"name": "a", "period": "6ms", "segments": [{"kernel": {"wcet": "4ms"}}]}]})";
  const outcome some = takt::test::takt("sensitivity " + write("alone.json", shorter));
  CHECK(contains(some.out, "is proven: 1.500 ("));
}

TEST_CASE("program: kernels run on the emulated accelerator under each rule, in time or not") {
  for (const char* rule :
       {R"("sharing": "levels", "preemption_levels": 2, "policy": "edf", "cost_model": "race")",
        R"("sharing": "single-stream", "policy": "deadline-monotonic")", R"("sharing": "gang", "policy": "edf")"}) {
    CAPTURE(rule);
    const std::string path = write("run.json", under(rule));
    const std::string trace = path + ".trace";
    const outcome o = takt::test::takt("run --for 400ms --json --trace " + trace + " " + path);
    CHECK((o.code == 0 || o.code == 1));
    const json run = object(o);
    CHECK(run.at("format") == "takt-run/1");
    REQUIRE(run.at("tasks").size() == 4);
    for (const auto& t : run.at("tasks")) { CHECK(t.at("jobs").get<int>() >= 1); }
    CHECK(json::parse(takt::test::read(trace)).at("traceEvents").size() > 20);
  }
  const outcome slots = takt::test::takt("run --for 60ms " + data("accelerator-example1"));
  CHECK((slots.code == 0 || slots.code == 1));
  CHECK(contains(slots.out, "verdict of the analysis: unschedulable (slot-edf)"));
}
