// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "support/xml.hpp"

namespace {

using takt::test::contains;
using takt::test::data;
using takt::test::object;
using takt::test::read;
using takt::test::scratch;
using takt::test::with;
using takt::test::write;

/// A task that only one core is fast enough for, and one that is better off on the GPU.
constexpr std::string_view two_types = R"({"format": "takt/1",
  "platform": {"cpus": {"count": 2, "cores": [{"name": "little", "type": "little"}, {"name": "big", "type": "big"}],
                        "policy": "fixed-priority"},
               "gpus": [{"sms": 2, "virtual_per_sm": 2, "sharing": "isolated"}]},
  "chains": [{"name": "way", "tasks": ["see", "act"]}],
  "tasks": [{"name": "see", "period": "20ms", "core": 0,
             "variants": [{"name": "cpu", "segments": [{"cpu": {"big": "8ms", "little": "11ms"}}]},
                          {"name": "gpu", "segments": [{"cpu": {"big": "1ms", "little": "2ms"}},
                                                       {"kernel": {"work": "4ms", "interleave": 1}}]}]},
            {"name": "act", "period": "10ms", "core": 0,
             "segments": [{"cpu": {"big": "4ms", "little": "12ms"}}]}]})";

auto file(std::string_view name, const std::string& text) -> std::string { return write(name, text); }
auto two() -> std::string { return std::string{two_types}; }

}  // namespace

TEST_CASE("plan: the best mapping is found, is said to be the best, and its file is proven again") {
  const std::string in = file("two.json", two());
  const std::string out = scratch("two-planned.json");
  const auto text = takt::test::takt("plan " + in + " --replan --policies federated,whole-gpu --write " + out);
  CHECK(text.code == 0);
  CHECK(contains(text.out, "plan: optimal"));
  CHECK(contains(text.out, "variant: see gpu"));
  const auto plan = object(takt::test::takt("plan " + in + " --replan --policies federated,whole-gpu --json"));
  CHECK(plan["format"] == "takt-plan/1");
  CHECK(plan["complete"] == true);
  CHECK(plan["tasks"][1]["core"] == 1);
  CHECK(plan["chains"][0]["name"] == "way");
  // "act" is proven up to 10 ms of its 4 ms.
  CHECK(plan["factor_permille"] == 2500);
  const auto proof = object(takt::test::takt("analyze " + out + " --json"));
  CHECK(proof["status"] == "schedulable");
  const auto written = nlohmann::json::parse(read(out));
  CHECK(written["tasks"][0]["core"] == 0);
  CHECK(written["tasks"][1]["core"] == 1);
}

TEST_CASE("plan: the objective can be the longest chain, and a limit of a chain rules out what is longer") {
  const std::string in = file("chain.json", two());
  const auto chain = object(takt::test::takt("plan " + in + " --replan --policies whole-gpu --objective chain --json"));
  REQUIRE(chain["status"] == "schedulable");
  const auto least = chain["worst_chain"].get<std::int64_t>();
  CHECK(chain["chains"][0]["reaction"] == least);
  const auto limited = [&](std::int64_t ns) {
    return takt::test::takt(
        "plan " +
        file("limited.json",
             with(two(), R"(["see", "act"])", R"(["see", "act"], "reaction": ")" + std::to_string(ns) + R"(ns")")) +
        " --replan --policies whole-gpu");
  };
  CHECK(limited(least).code == 0);
  const auto none = limited(least - 1);
  CHECK(none.code == 2);
  CHECK(contains(none.out, "plan: none exists"));
  CHECK(contains(none.out, "nearest: all deadlines are proven, but not the limits of all chains"));
}

TEST_CASE("plan: a search that did not end is not taken for a proof that there is no plan") {
  const std::string in = file("late.json", with(two(), R"("big": "4ms")", R"("big": "11ms")"));
  const auto all = takt::test::takt("plan " + in + " --replan --policies federated");
  CHECK(all.code == 2);
  CHECK(contains(all.out, "plan: none exists"));
  const auto some = takt::test::takt("plan " + in + " --replan --policies federated --search local --evaluations 100");
  CHECK(some.code == 2);
  CHECK(contains(some.out, "plan: none found: the search ended after 100 mappings, seed 1"));
  CHECK(contains(some.out, "nearest: all deadlines are proven with 0.909 of the execution times"));
  CHECK_FALSE(contains(some.out, "exists:"));
  const std::string out = scratch("never.json");
  CHECK(contains(takt::test::takt("plan " + in + " --replan --policies federated --write " + out).out,
                 "written: nothing"));
}

TEST_CASE("plan: a search goes on where it was stopped, and no other search does") {
  const std::string in = data("gcaps-xavier");
  const std::string state = scratch("plan.state");
  const std::string asked = "plan " + in + " --policies tokens-k-fmlp --search exact --json --resume " + state;
  const auto first = object(takt::test::takt(asked + " --evaluations 1"));
  CHECK(first["complete"] == false);
  CHECK(first["evaluations"] == 1);
  const auto rest = object(takt::test::takt(asked));
  CHECK(rest["complete"] == true);
  const auto whole = object(takt::test::takt("plan " + in + " --policies tokens-k-fmlp --search exact --json"));
  CHECK(rest == whole);
  const auto other = takt::test::takt(asked + " --seed 2");
  CHECK(other.code == 3);
  CHECK(contains(other.out, "is another search"));
  const auto broken =
      takt::test::takt("plan " + in + " --resume " + file("broken.state", R"({"format": "takt-plan-state/1"})"));
  CHECK(broken.code == 3);
  CHECK(contains(broken.err, "--resume"));
}

TEST_CASE("plan: rules that move tasks, policies without facts and files without a choice end in one line") {
  const auto moved = takt::test::takt("plan " + file("two.json", two()) + " --cpus g-fl");
  CHECK(moved.code == 3);
  CHECK(contains(moved.err, "--cpus: \"g-fl\" moves tasks"));
  const auto own = takt::test::takt("plan " + file("moved.json", with(two(), R"("fixed-priority")", R"("g-edf")")));
  CHECK(own.code == 3);
  CHECK(contains(own.err, "/platform/cpus/policy: \"g-edf\" moves tasks"));
  const auto facts = takt::test::takt("plan " + data("waters2019") + " --policies time-sliced");
  CHECK(facts.code == 3);
  CHECK(contains(facts.err, "context_switch is not said"));
  const auto without = takt::test::takt("plan " + data("accelerator-example1"));
  CHECK(without.code == 3);
  CHECK(contains(without.err, "has no processors to choose from"));
  const auto time = takt::test::takt("plan " + file("two.json", two()) + " --for soon");
  CHECK(time.code == 3);
  CHECK(contains(time.err, "--for"));
}

TEST_CASE("plan: release offsets are chosen with which chains are shorter, are in the file, and hold there") {
  const std::string in = file("offsets.json", two());
  const std::string asked = "plan " + in + " --replan --policies whole-gpu --objective chain --json";
  const auto together = object(takt::test::takt(asked));
  const std::string out = scratch("offsets-planned.json");
  const auto apart = object(takt::test::takt(asked + " --offsets --write " + out));
  REQUIRE(apart["status"] == "schedulable");
  CHECK(apart["worst_chain"] < together["worst_chain"]);
  CHECK(apart["chains"][0]["reaction"] == apart["worst_chain"]);
  const auto written = nlohmann::json::parse(read(out));
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    sum += apart["tasks"][i]["offset"].get<std::int64_t>();
    CHECK(written["tasks"][i].value("offset", std::int64_t{0}) == apart["tasks"][i]["offset"]);
  }
  CHECK(sum > 0);
  const auto chains = object(takt::test::takt("chains " + out + " --json"));
  CHECK(chains["chains"][0]["reaction"]["bound"] == apart["worst_chain"]);
  CHECK(chains["chains"][0]["reaction"]["seen"] <= apart["worst_chain"]);
  const auto none = takt::test::takt("plan " + data("gcaps-xavier") + " --offsets");
  CHECK(none.code == 3);
  CHECK(contains(none.err, "--offsets: chooses first releases for chains, and the file has none"));
}

TEST_CASE("plan: a picture shows the plan, what was refused and how the best answer grew") {
  const std::string svg = scratch("plan.svg");
  const auto o = takt::test::takt("plan " + file("two.json", two()) + " --replan --policies whole-gpu --svg " + svg);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "picture: " + svg));
  const std::string drawn = read(svg);
  CHECK(takt_tests::well_formed(drawn));
  for (const std::string part : {"optimal: no other choice", "see gpu, priority", "big", "little", "way, reaction",
                                 "assumed of chains: Latencies count once", "Search: the best answer"}) {
    CAPTURE(part);
    CHECK(contains(drawn, part));
  }
  const auto late = takt::test::takt("plan " + file("late.json", with(two(), R"("big": "4ms")", R"("big": "11ms")")) +
                                     " --replan --policies whole-gpu --svg " + scratch("never.svg"));
  CHECK(contains(late.out, "picture: nothing, since no plan is proven"));
}

TEST_CASE("plan: cores and priorities that the file has stay, and --replan gives them up") {
  const std::string three = R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "fixed-priority"}},
    "tasks": [{"name": "a", "period": "10ms", "core": 1, "priority": 2, "segments": [{"cpu": "2ms"}]},
              {"name": "b", "period": "20ms", "core": 1, "priority": 0, "segments": [{"cpu": "5ms"}]},
              {"name": "c", "period": "40ms", "priority": 1, "segments": [{"cpu": "6ms"}]}]})";
  const auto kept = object(takt::test::takt("plan " + file("kept.json", three) + " --json"));
  REQUIRE(kept["status"] == "schedulable");
  const int priorities[] = {2, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) { CHECK(kept["tasks"][i]["priority"] == priorities[i]); }
  CHECK(kept["tasks"][0]["core"] == 1);
  CHECK(kept["tasks"][1]["core"] == 1);
  CHECK(kept["tasks"][2]["core"] == 0);
  const auto anew = object(takt::test::takt("plan " + file("kept.json", three) + " --replan --json"));
  REQUIRE(anew["status"] == "schedulable");
  CHECK(anew["factor_permille"] > kept["factor_permille"]);
  const auto two_cores = anew["tasks"][0]["core"] != anew["tasks"][1]["core"];
  CHECK(two_cores);
}

TEST_CASE("plan: the factor, the bounds and the written file are those of one plan") {
  const std::string out = scratch("one-plan.json");
  const auto plan = object(takt::test::takt("plan " + data("gcaps-xavier") + " --policies federated,whole-gpu" +
                                            " --evaluations 20 --search local --json --write " + out));
  REQUIRE(plan["status"] == "schedulable");
  const auto proof = object(takt::test::takt("analyze " + out + " --json"));
  REQUIRE(proof["status"] == "schedulable");
  for (std::size_t i = 0; i < proof["tasks"].size(); ++i) {
    CHECK(proof["tasks"][i]["response_bound"] == plan["tasks"][i]["response_bound"]);
  }
  const auto growth = object(takt::test::takt("sensitivity " + out + " --json"));
  CHECK(growth["factor_permille"] == plan["factor_permille"]);
}

TEST_CASE("plan: where none is found it shows the best, what falls short, and what alone makes it impossible") {
  const std::string late = R"({"format": "takt/1", "platform": {"cpus": {"count": 2, "policy": "fixed-priority"}},
    "tasks": [{"name": "fits", "period": "10ms", "segments": [{"cpu": "2ms"}]},
              {"name": "long", "period": "20ms", "deadline": "4ms", "segments": [{"cpu": ["5ms", "5ms"]}]}]})";
  const auto o = takt::test::takt("plan " + file("late-task.json", late) + " --json");
  CHECK(o.code == 2);
  const auto found = nlohmann::json::parse(o.out);
  CHECK(found["best"]["tasks"].size() == 2);
  const auto& fallen = found["short"];
  const auto late_one =
      std::ranges::find_if(fallen, [](const nlohmann::json& f) { return f.value("task", std::string{}) == "long"; });
  REQUIRE(late_one != fallen.end());
  CHECK((*late_one)["limit"] == 4'000'000);
  REQUIRE(found["impossible"].size() == 1);
  CHECK(found["impossible"][0]["task"] == "long");
  CHECK(found["impossible"][0]["reason"] == "own-time");
  CHECK(found["impossible"][0]["value"] == 5'000'000);
}

TEST_CASE("plan: cores that are equal are equal to the search") {
  const std::string eight = R"({"format": "takt/1", "platform": {"cpus": {"count": 8, "policy": "fixed-priority"}},
    "tasks": [{"name": "a", "period": "10ms", "segments": [{"cpu": "2ms"}]},
              {"name": "b", "period": "20ms", "segments": [{"cpu": "5ms"}]},
              {"name": "c", "period": "40ms", "segments": [{"cpu": "6ms"}]}]})";
  const auto found = object(takt::test::takt("plan " + file("eight.json", eight) + " --json"));
  CHECK(found["complete"] == true);
  // Of 512 ways to place them five differ, and Audsley's assignment orders each.
  CHECK(found["evaluations"] <= 60);
}
