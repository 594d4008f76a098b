// SPDX-License-Identifier: Apache-2.0
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

auto shares_text() -> std::string { return takt::test::read(data("shares-trio")); }

}  // namespace

TEST_CASE("program: applications whose lasting shares fit are proven, and keep their deadlines in virtual time") {
  const outcome o = takt::test::takt("analyze --json " + data("shares-trio"));
  CHECK(o.code == 0);
  const json v = object(o);
  CHECK(v.at("analysis") == "sufficient-shares");
  int sum = 0;
  for (const json& need : v.at("allocation").at("lasting_share")) { sum += need.get<int>(); }
  CHECK(v.at("tests").at(0).at("sum") == sum);
  CHECK(v.at("tests").at(0).at("passes") == true);
  CHECK(v.at("tests").at(1).at("passes") == true);
  for (const char* how : {"", "--releases worst --seed 3 ", "--releases sporadic --seed 8 "}) {
    const outcome run = takt::test::takt(std::string{"simulate --json --horizon 4s "} + how + data("shares-trio"));
    CHECK(run.code == 0);
    for (const json& t : object(run).at("tasks")) { CHECK(t.at("jobs") > 0); }
  }
  CHECK(contains(takt::test::takt("explain --task detector " + data("shares-trio")).out, "% of the GPU it keeps up"));
  const std::string trace = takt::test::scratch("share-trace.json");
  CHECK(takt::test::takt("simulate --horizon 400ms --trace " + trace + " " + data("shares-trio")).code == 0);
  CHECK(json::parse(takt::test::read(trace)).at("traceEvents").size() > 20);
}

TEST_CASE("program: what is too long, too much or decided by weaker rules is not proven") {
  const outcome longer =
      takt::test::takt("analyze --json " + write("long.json", with(shares_text(), "\"9ms\"", "\"41ms\"")));
  CHECK(longer.code == 1);
  CHECK(object(longer).at("status") == "unschedulable");
  CHECK(object(longer).at("tests").at(1).at("passes") == false);
  CHECK(takt::test::takt("analyze " + write("text.json", with(shares_text(), "robust", "text"))).code == 2);
  CHECK(contains(takt::test::takt("sensitivity " + data("shares-trio")).out, "binary search in steps of 0.001"));
}

TEST_CASE("program: times by share are a few measurements, a row of all, or a time of which a part scales") {
  std::string row = "[";
  for (int percent = 1; percent <= 100; ++percent) {
    row += (percent > 1 ? ", " : "") + std::to_string(2'000'000'000 / percent);
  }
  const std::string full = with(shares_text(), R"({ "c100": "20ms" })", row + "]");
  const json by_row = object(takt::test::takt("analyze --json " + write("row.json", full)));
  const json by_rule = object(takt::test::takt("analyze --json " + data("shares-trio")));
  CHECK(by_row.at("allocation") == by_rule.at("allocation"));
}

TEST_CASE("program: wrong applications are refused with the place of the fault and what is allowed") {
  takt::test::check_mutations(
      shares_text(),
      {{R"("priority": 30,)", "", "/tasks/0/priority: is missing: expected 0 or more; the greater goes first"},
       {R"("priority": 30)", R"("priority": 20)", "/tasks/1/priority: 20 belongs to an earlier task too"},
       {R"("period": "50ms")", R"("period": 9223372036854775807)", "/tasks/0/period: 9223372036.854775807s overflows"},
       {R"("c100": "9ms")", R"("c100": 0)", "/tasks/0/segments/0/kernel/wcet_by_share/c100: 0ns is not positive"},
       {R"("c100": "9ms")", R"("c10": "9ms")", "the nearest is \"c100\""},
       {R"("fixed_permille": 200)", R"("fixed_permille": 1001)",
        "1001 is out of range: expected an integer from 0 to 1000"},
       {R"(, [100, "14ms"])", "", "/tasks/1/segments/0/kernel/wcet_by_share: says nothing about the whole GPU"},
       {R"([10, "70ms"])", R"([0, "70ms"])", "/tasks/1/segments/0/kernel/wcet_by_share/0/0: 0 is out of range"},
       {R"([10, "70ms"])", R"([10])", "/tasks/1/segments/0/kernel/wcet_by_share/0: is no measurement"},
       {R"("wcet_by_share": { "c100": "20ms" })", R"("wcet_by_share": [1, 2])",
        "/tasks/2/segments/0/kernel/wcet_by_share: has 2 times"},
       {R"("robust")", R"("robst")", "/platform/gpus/0/rules: \"robst\" is unknown, the nearest is \"robust\""},
       {R"(["detector", "planner", 50000])", R"(["detector", "plan", 50000])",
        "/platform/gpus/0/contention/0/1: \"plan\" is no task of this file, the nearest is \"planner\""},
       {R"("memory": 2147483648)", R"("memory": 21474836480)",
        "/tasks/1/memory: 21474836480 bytes exceeds, with that of the tasks before it, the GPU's "}});
}

TEST_CASE("program: applications run on the emulated device with the shares that their jobs need") {
  const outcome o = takt::test::takt("run --json --for 600ms " + data("shares-trio"));
  CHECK(o.code <= 1);
  const json run = object(o);
  CHECK(run.at("tasks").size() == 3);
  for (const json& t : run.at("tasks")) {
    CHECK(t.at("jobs") > 0);
    CHECK_FALSE(t.at("simulated_worst_response").is_null());
  }
}
