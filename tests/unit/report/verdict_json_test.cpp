// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/report/summarize.hpp>

namespace {

using namespace takt::literals;
using nlohmann::json;

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(10, 2), takt::federated));

constexpr auto tasks = takt::task_set(
    takt::task("lidar", takt::period(50_ms), takt::cpu(1_ms, 4_ms), takt::copy(1_ms),
               takt::kernel(takt::work(20_ms), takt::interleave(1)), takt::cpu(3_ms)),
    takt::task("camera \"left\"", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(2_ms), takt::copy(500_us),
               takt::kernel(takt::work(12_ms), takt::overhead(20_us), takt::interleave(9, 5)), takt::cpu(1_ms)),
    takt::task("log", takt::period(100_ms), takt::cpu(20_ms)));

template <class P, class T, std::size_t N>
auto summary_of(const P& platform, const T& set, const takt::plan<N>& plan) -> takt::report::verdict_summary {
  return takt::report::summarize(platform, set, takt::analysis::analyze_by<takt::published>(platform, set, plan));
}

auto written(const takt::report::verdict_summary& v) -> std::string {
  std::ostringstream out;
  takt::report::write_verdict_json(out, v);
  return out.str();
}

TEST_CASE("verdict JSON says what analyze says, and the terms add up") {
  const auto plan = takt::allocate_by<takt::published>(board, tasks);
  auto summary = summary_of(board, tasks, plan);
  summary.notes = {"priorities: deadline monotonic"};
  summary.tasks[0].other_bounds = {{"rtgpu", {77, true}}, {"rtgpu-sharper", {}}};
  const std::string text = written(summary);
  CHECK(text.find('\n') == text.size() - 1);
  const json j = json::parse(text);
  const auto verdict = takt::analysis::analyze_by<takt::published>(board, tasks, plan);

  CHECK(j.at("format") == "takt-verdict/1");
  CHECK(j.at("analysis") == verdict.method);
  CHECK(j.at("status") == "schedulable");
  CHECK(j.at("platform") == json::parse(R"({"cpus": {"count": 1, "policy": "fixed-priority"},
                        "copy_engines": {"count": 1, "policy": "nonpreemptive-fixed-priority"},
                        "gpus": [{"sms": 10, "virtual_per_sm": 2, "granularity": 1, "sharing": "isolated"}]})"));
  CHECK(j.at("allocation").at("sms") == json{{"lidar", plan.shares[0].sms}, {"camera \"left\"", plan.shares[1].sms}});
  CHECK_FALSE(j.at("allocation").contains("gpu"));
  CHECK(j.at("notes") == json{"priorities: deadline monotonic"});
  REQUIRE(j.at("tasks").size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& t = j.at("tasks")[i];
    CHECK(t.at("name") == verdict.tasks[i].name);
    CHECK(t.at("deadline") == verdict.tasks[i].deadline);
    CHECK(t.at("response_bound") == verdict.tasks[i].bound.value);
    CHECK(t.at("meets") == true);
    std::int64_t sum = 0;
    for (const json& term : t.at("terms")) { sum += term.at("time").get<std::int64_t>(); }
    CHECK(sum == verdict.tasks[i].bound.value);
  }
  CHECK(j.at("tasks")[0].at("bounds") == json{{"rtgpu", 77}, {"rtgpu-sharper", nullptr}});
  CHECK_FALSE(j.at("tasks")[1].contains("bounds"));
  CHECK(j.at("tasks")[1].at("terms")[0] == json{{"what", "cpu"}, {"by", "camera \"left\""}, {"time", 3'000'000}});
}

TEST_CASE("verdict JSON has null for a bound that does not exist or was not asked for") {
  const auto overloaded = takt::task_set(takt::task("high", takt::period(10_ms), takt::cpu(8_ms)),
                                         takt::task("middle", takt::period(20_ms), takt::cpu(8_ms)),
                                         takt::task("low", takt::period(30_ms), takt::cpu(1_ms)));
  const json j = json::parse(written(summary_of(board, overloaded, takt::dedicate(0, 0, 0))));
  CHECK(j.at("status") == "unschedulable");
  CHECK(j.at("allocation").at("sms") == json::object());
  CHECK(j.at("tasks")[0].at("meets") == true);
  for (const std::size_t i : {1U, 2U}) {
    CHECK(j.at("tasks")[i].at("response_bound").is_null());
    CHECK(j.at("tasks")[i].at("meets") == false);
    CHECK(j.at("tasks")[i].at("terms").empty());
  }
}

TEST_CASE("verdict JSON names the GPU of each task where there are several") {
  constexpr auto two_gpus = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                           takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                           takt::pool(takt::virtual_sms(4, 2), takt::federated_virtual),
                                           takt::pool(takt::virtual_sms(2, 2), takt::federated_virtual));
  takt::plan<3> plan = takt::dedicate(4, 4, 0);
  plan.shares[1].gpu = 1;
  const json j = json::parse(written(summary_of(two_gpus, tasks, plan)));
  CHECK(j.at("allocation").at("gpu") == json{{"lidar", 0}, {"camera \"left\"", 1}});
  CHECK(j.at("platform").at("gpus")[1].at("sharing") == "shared");
}

TEST_CASE("verdict JSON of an invalid model has a status and no task") {
  auto table = tasks.table();
  table.tasks[0].deadline = table.tasks[0].period + 1;
  const json j = json::parse(written(summary_of(board, table, takt::dedicate(1, 1, 0))));
  CHECK(j.at("status") == "invalid-model");
  CHECK(j.at("tasks").empty());
}

}  // namespace
