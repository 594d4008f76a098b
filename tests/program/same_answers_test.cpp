// SPDX-License-Identifier: Apache-2.0
// The program and the headers are asked the same question, and give the same answer.
#include <cstddef>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "program.hpp"

namespace {

using namespace takt::literals;
using nlohmann::json;

/// A priority on some tasks only, a kernel without copies, and tasks without a core on a board of two.
const char* const file = R"({"format": "takt/1",
  "platform": {"cpus": {"count": 2, "policy": "CPUS"},
               "copy_engines": {"count": 1, "policy": "nonpreemptive-fixed-priority"},
               "gpus": [{"sms": 8, "virtual_per_sm": 2, "sharing": "isolated"}]},
  "tasks": [
    {"name": "camera", "period": "33ms", "deadline": "25ms", "priority": 0,
     "segments": [{"cpu": "2ms"}, {"kernel": {"work": "24ms", "interleave": 1}}, {"cpu": "1ms"}]},
    {"name": "lidar", "period": "40ms",
     "segments": [{"cpu": "3ms"}, {"copy": "1ms"}, {"kernel": {"work": "130ms", "interleave": 1}}, {"copy": "500us"}, {"cpu": "2ms"}]},
    {"name": "plan", "period": "20ms", "segments": [{"cpu": "4ms"}]},
    {"name": "control", "period": "5ms", "priority": 1, "segments": [{"cpu": "700us"}]}]})";

constexpr auto tasks = takt::task_set(
    takt::task("camera", takt::period(33_ms), takt::deadline(25_ms), takt::priority(0), takt::cpu(2_ms),
               takt::kernel(takt::work(24_ms), takt::interleave(1)), takt::cpu(1_ms)),
    takt::task("lidar", takt::period(40_ms), takt::cpu(3_ms), takt::copy(1_ms),
               takt::kernel(takt::work(130_ms), takt::interleave(1)), takt::copy(500_us), takt::cpu(2_ms)),
    takt::task("plan", takt::period(20_ms), takt::cpu(4_ms)),
    takt::task("control", takt::period(5_ms), takt::priority(1), takt::cpu(700_us)));

template <class Rule>
void check_same(const Rule& rule, const std::string& word, takt::search_method search) {
  CAPTURE(word);
  const auto board = takt::platform(takt::pool(takt::processors(2), rule),
                                    takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                    takt::pool(takt::virtual_sms(8, 2), takt::federated));
  const auto ours = takt::analysis::analyze_by<takt::published>(
      board, tasks, takt::allocate_by<takt::published>(board, tasks, search));

  std::string text = file;
  text.replace(text.find("CPUS"), 4, word);
  const json theirs = takt::test::object(takt::test::takt("analyze --json --search " + std::string{name_of(search)} +
                                                          " " + takt::test::write("same.json", text)));
  REQUIRE(theirs.at("status") == name_of(ours.status));
  CHECK(theirs.at("analysis") == ours.method);
  const json& plan = theirs.at("plan");
  for (std::size_t i = 0; i < ours.tasks.size(); ++i) {
    const std::string name{ours.tasks[i].name};
    CAPTURE(name);
    CHECK(theirs.at("tasks").at(i).at("response_bound") == ours.tasks[i].bound.value);
    CHECK(plan.at("cores").at(name) == ours.plan.cores[i]);
    if (plan.at("sms").contains(name)) { CHECK(plan.at("sms").at(name) == ours.plan.shares[i].sms); }
  }
  CHECK(plan.at("sms").size() == 2);
  CHECK_FALSE(plan.contains("priorities"));  // they follow from the file, and bounds show that they are the same
}

}  // namespace

TEST_CASE("program: a file and a typed set get the same cores, SMs and bounds") {
  for (const auto search : {takt::branch_and_bound_search, takt::greedy_search, takt::exact_search}) {
    check_same(takt::deadline_monotonic, "deadline-monotonic", search);
    check_same(takt::rate_monotonic, "rate-monotonic", search);
    check_same(takt::fixed_priority, "fixed-priority", search);
  }
}
TEST_CASE("program: spreading hands out what the cheapest plan leaves, as in a typed set") {
  check_same(takt::deadline_monotonic, "deadline-monotonic", takt::spread_search);
}
