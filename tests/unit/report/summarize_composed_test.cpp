// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/report.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/summarize.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>

namespace {

using namespace takt::literals;
using nlohmann::json;
using takt::ticks;
using takt::report::verdict_summary;

struct named_npu {
  static constexpr std::string_view name = "NPU";
  std::int32_t count = 1;
};

/// EDF on a board that the method below is registered for.
struct watched_edf : takt::edf_rule {
  static constexpr void responds(std::span<takt::visit_demand> visits, std::int32_t /*units*/) {
    takt::analysis::edf_responses(visits);
  }
};
constexpr auto watched_board = takt::platform(takt::pool(takt::processors(1), watched_edf{}));
struct log_mutex {};
struct first_is_alone {
  static constexpr std::string_view name = "first alone";
  static constexpr void responds(const auto& table, const auto& /*stations*/, std::span<ticks> bounds) {
    for (std::size_t i = 0; i < bounds.size(); ++i) { bounds[i] = table.tasks[i].deadline; }
    bounds[0] = table.visits[0].upper;
  }
};

constexpr auto pair = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(2_ms)),
                                     takt::task("b", takt::period(20_ms), takt::cpu(5_ms)));

template <class P, class T, class... M>
auto summary_of(const P& board, const T& tasks, takt::methods<M...> asked = {}) -> verdict_summary {
  return takt::report::summarize(board, tasks, takt::analyze(board, tasks, asked));
}
auto words_of(const verdict_summary& v) -> std::string {
  std::ostringstream out;
  takt::report::explain(out, v);
  return out.str();
}
auto json_of(const verdict_summary& v) -> json {
  std::ostringstream out;
  takt::report::write_verdict_json(out, v);
  return json::parse(out.str());
}
auto contains(const std::string& text, std::string_view part) -> bool { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a report names the method of each bound, in words and tables where they differ, in JSON always") {
  const verdict_summary v = summary_of(watched_board, pair, takt::methods<first_is_alone>{});
  CHECK(v.method == "first alone, holistic");
  CHECK(v.mixes_methods());
  const json j = json_of(v);
  CHECK(j.at("analysis") == "first alone, holistic");
  CHECK(j.at("tasks")[0].at("method") == "first alone");
  CHECK(j.at("tasks")[1].at("method") == "holistic");
  CHECK(
      contains(words_of(v), "a meets its deadline of 10ms: a job takes at most 2ms (first alone), which leaves 8ms."));
  CHECK(contains(words_of(v), "b meets its deadline of 20ms: a job takes at most 7ms (holistic), which leaves 13ms."));
  const auto table = takt::report::verdict_table(v);
  CHECK(table.heads == std::vector<std::string>{"task", "deadline ms", "bound ms", "slack", "by", "meets"});
  CHECK(table.rows[0][4] == "first alone");
  CHECK(table.rows[1][4] == "holistic");
}

TEST_CASE("where one method has all bounds, only JSON repeats its name") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::edf));
  const verdict_summary v = summary_of(board, pair);
  CHECK(v.method == "holistic");
  CHECK_FALSE(v.mixes_methods());
  CHECK(json_of(v).at("tasks")[1].at("method") == "holistic");
  CHECK_FALSE(contains(words_of(v), "ms (holistic)"));
  CHECK(takt::report::verdict_table(v).heads.size() == 5);
}

TEST_CASE("a report says how much of a bound is waiting for locks, also behind guards") {
  constexpr auto tasks =
      takt::task_set(takt::task("fast", takt::period(20_ms), takt::cpu(1_ms), takt::locks<log_mutex>(takt::cpu(1_ms))),
                     takt::task("slow", takt::period(60_ms), takt::locks<log_mutex>(takt::cpu(3_ms)), takt::cpu(1_ms)));
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(log_mutex{}, takt::locked(takt::priority_ceiling_order)));
  const verdict_summary v = summary_of(board, tasks);
  REQUIRE(v.status == takt::verdict_status::schedulable);
  CHECK(json_of(v).at("tasks")[0].at("blocking") == 3'000'000);
  CHECK_FALSE(json_of(v).at("tasks")[1].contains("blocking"));
  CHECK(
      contains(words_of(v), "fast meets its deadline of 20ms: a job takes at most 5ms (3ms of it waiting for locks)"));

  constexpr auto fifo = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                       takt::pool(log_mutex{}, takt::locked(takt::fifo_order)));
  takt::plan<2, 4> guards;
  for (const std::int32_t core : {0, 1}) { REQUIRE(guards.cores.try_push_back(core)); }
  for (const takt::duration offset : {0_ms, 8_ms, 4_ms, 10_ms}) {
    REQUIRE(guards.offsets.try_push_back(offset.count()));
  }
  for (const takt::duration local : {4_ms, 6_ms, 6_ms, 10_ms}) {
    REQUIRE(guards.local_deadlines.try_push_back(local.count()));
  }
  const auto guarded = takt::analyze(fifo, tasks, guards, takt::published_methods);
  REQUIRE(guarded.schedulable());
  CHECK(guarded.tasks[0].blocking == 4'000'000);  // from the end of the window before to the offset
  CHECK(guarded.tasks[1].blocking == 4'000'000);
}

TEST_CASE("chains with a published method have their rows named too") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                        takt::pool(takt::virtual_sms(6, 1), takt::federated));
  constexpr auto tasks =
      takt::task_set(takt::task("small", takt::period(30_ms), takt::cpu(1_ms), takt::copy(1_ms),
                                takt::kernel(takt::work(8_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("log", takt::period(40_ms), takt::cpu(2_ms)));
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  const json j = json_of(takt::report::summarize(board, tasks, verdict));
  REQUIRE(verdict.schedulable());
  for (std::size_t i = 0; i < 2; ++i) { CHECK(j.at("tasks")[i].at("method") == verdict.tasks[i].method); }
}

TEST_CASE("a board of pools is reported with its rules, its plan and what is presumed of it") {
  constexpr auto board = takt::platform(
      takt::pool(takt::processors(4), takt::clustered(takt::edf, 2)), takt::pool(takt::copy_engines(1), takt::fifo),
      takt::pool(takt::virtual_sms(4, 2), takt::federated), takt::pool(named_npu{1}, takt::nonpreemptive(takt::edf)));
  constexpr auto tasks =
      takt::task_set(takt::task("detect", takt::period(33_ms), takt::cpu(2_ms), takt::copy(1_ms),
                                takt::kernel(takt::work(12_ms), takt::interleave(1)), takt::cpu(1_ms)),
                     takt::task("plan", takt::period(20_ms), takt::cpu(2_ms), takt::visit<named_npu>(takt::takes(6_ms)),
                                takt::cpu(1_ms)));
  const verdict_summary v = summary_of(board, tasks);
  REQUIRE(v.status == takt::verdict_status::schedulable);
  const json j = json_of(v);
  CHECK(j.at("platform").at("pools") ==
        json::parse(R"([{"kind": "core", "count": 4, "rule": "global EDF", "cluster": 2},
                        {"kind": "copy engine", "count": 1, "rule": "first come, first served"},
                        {"kind": "SM", "count": 4, "rule": "SMs of one's own", "virtual_per_sm": 2},
                        {"kind": "NPU", "count": 1, "rule": "non-preemptive EDF"}])"));
  CHECK(v.platform_words[0] == "4 cores (global EDF, clusters of 2)");
  CHECK(j.at("plan").at("sms").contains("detect"));
  CHECK_FALSE(j.at("plan").at("sms").contains("plan"));
  CHECK(j.at("assumptions").size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(j.at("tasks")[i].at("response_bound").get<ticks>() <= j.at("tasks")[i].at("deadline").get<ticks>());
  }
}

TEST_CASE("a proof behind guards says that it presumes them, and where they stand") {
  constexpr auto board =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(named_npu{1}, takt::edf));
  constexpr auto tasks =
      takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(4_ms), takt::visit<named_npu>(takt::takes(4_ms))),
                     takt::task("b", takt::period(20_ms), takt::cpu(4_ms), takt::visit<named_npu>(takt::takes(5_ms))));
  takt::plan<2, 4> guards;
  for (const takt::duration offset : {0_ms, 5_ms, 0_ms, 10_ms}) {
    REQUIRE(guards.offsets.try_push_back(offset.count()));
  }
  for (const takt::duration local : {5_ms, 5_ms, 10_ms, 10_ms}) {
    REQUIRE(guards.local_deadlines.try_push_back(local.count()));
  }
  const auto v = takt::report::summarize(board, tasks, takt::analyze(board, tasks, guards, takt::published_methods));
  REQUIRE(v.status == takt::verdict_status::schedulable);
  const json j = json_of(v);
  CHECK(j.at("tasks")[0].at("method") == "guarded");
  CHECK(j.at("assumptions").size() == 3);
  CHECK(j.at("plan").at("offsets").at("a visit 0") == 0);
  CHECK(j.at("plan").at("offsets").at("b visit 1") == 10'000'000);
  CHECK(j.at("plan").at("local_deadlines").size() == 4);
}

TEST_CASE("a board without proof says what stands in its way") {
  constexpr auto board =
      takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
                     takt::pool(takt::virtual_sms(4, 1), takt::locked(takt::ck_omlp_order, 2)));
  constexpr auto tasks =
      takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(4_ms), takt::copy(1_ms),
                                takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::cpu(4_ms)),
                     takt::task("b", takt::period(10_ms), takt::cpu(1_ms)));
  const verdict_summary v = summary_of(board, tasks);
  CHECK(v.status == takt::verdict_status::not_proven);
  CHECK(v.platform_words[2] == "4 SMs (SMs behind a token: 2 tokens under CK-OMLP)");
  const json j = json_of(v);
  CHECK(j.at("platform").at("pools")[2].at("protocol") == "CK-OMLP");
  CHECK(j.at("tasks")[0].at("response_bound").is_null());
  CHECK_FALSE(j.at("tasks")[0].contains("method"));
  CHECK(contains(words_of(v),
                 "a is not proven to meet its deadline of 10ms: the times along its visits add up to more."));
}

TEST_CASE("a wrong plan of a board of pools is reported as what it is") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::edf));
  takt::plan<2> wrong;
  REQUIRE(wrong.cores.try_push_back(3));
  REQUIRE(wrong.cores.try_push_back(0));
  const auto v = takt::report::summarize(board, pair, takt::analyze(board, pair, wrong, takt::published_methods));
  CHECK(v.status == takt::verdict_status::invalid_model);
  CHECK_FALSE(v.fault.empty());
  CHECK(json_of(v).at("tasks").empty());
}

TEST_CASE("each task with kernels has its GPU named on a board of several, whether SMs are handed out or not") {
  const auto set = takt::task_set(
      takt::task("lidar", takt::period(50_ms), takt::cpu(1_ms), takt::kernel(takt::work(20_ms), takt::interleave(1)),
                 takt::cpu(3_ms)),
      takt::task("log", takt::period(100_ms), takt::cpu(20_ms)),
      takt::task("camera", takt::period(33_ms), takt::kernel(takt::work(12_ms), takt::interleave(1)), takt::cpu(1_ms)));
  const auto gpu_of = [&](const auto& rule, std::int32_t sms) {
    const auto board =
        takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(takt::virtual_sms(4, 2), rule),
                       takt::pool(takt::virtual_sms(2, 2), rule));
    auto plan = takt::dedicate(sms, 0, sms);
    plan.shares[2].gpu = 1;
    const json j =
        json_of(takt::report::summarize(board, set, takt::analyze(board, set, plan, takt::published_methods)));
    CHECK(j.at("allocation").at("sms").size() == (sms == 0 ? 0 : 2));
    return j.at("allocation").at("gpu");
  };
  const json expected{{"lidar", 0}, {"camera", 1}};
  CHECK(gpu_of(takt::federated, 2) == expected);
  CHECK(gpu_of(takt::nonpreemptive(takt::edf), 0) == expected);
  CHECK(gpu_of(takt::levels(takt::edf), 0) == expected);
}
