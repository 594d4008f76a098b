// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/allocation/analyze.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/report/verdict_table.hpp>
#include <takt/systems/methods.hpp>

#include "unit/report/systems.hpp"

namespace {

using namespace takt_tests;
using nlohmann::json;
using takt::verdict_status;
using takt::report::verdict_summary;

auto every_system() -> std::vector<std::pair<std::string, verdict_summary>> {
  return {{"chains", summary_of(board, chains)},
          {"kernels by priority", summary_of(accelerator_under(takt::levels(takt::rate_monotonic)), kernels)},
          {"kernels by deadline", summary_of(accelerator_under(takt::gang(takt::edf)), kernels)},
          {"graphs", summary_of(cluster, graphs)},
          {"locked GPUs", summary_of(locked_gpus(), token_tasks())},
          {"shares", summary_of(by_shares, applications())}};
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

auto kinds_of(const takt::report::task_summary& t) -> std::vector<takt::term_kind> {
  std::vector<takt::term_kind> out;
  for (const auto& part : t.terms) { out.push_back(part.what); }
  return out;
}

}  // namespace

TEST_CASE("the terms of every bound add up to it, whatever the system") {
  for (const auto& [system, v] : every_system()) {
    CAPTURE(system);
    REQUIRE(v.status == verdict_status::schedulable);
    for (const auto& t : v.tasks) {
      CAPTURE(t.name);
      CHECK(t.bound.exists == v.bounds_tasks);
      CHECK(t.terms.empty() == !t.bound.exists);
      takt::ticks sum = 0;
      for (const auto& part : t.terms) { sum += part.time; }
      CHECK(sum == (t.bound.exists ? t.bound.value : 0));
    }
  }
}

TEST_CASE("a summary says of every system what is judged, on what, under which plan and what is presumed") {
  for (const auto& [system, v] : every_system()) {
    CAPTURE(system);
    CHECK_FALSE(v.method.empty());
    CHECK_FALSE(v.platform_words.empty());
    CHECK_FALSE(v.assumptions.empty());
    CHECK(v.order.size() == v.tasks.size());
    const json j = json_of(v);
    CHECK(j.at("format") == "takt-verdict/1");
    CHECK(j.at("status") == "schedulable");
    CHECK(j.at("platform").contains("gpus"));
    CHECK_FALSE(j.at("plan").empty());
    CHECK(j.at("assumptions").size() == v.assumptions.size());
    for (const json& t : j.at("tasks")) {
      for (const char* key : {"name", "deadline", "response_bound", "meets", "terms"}) { CHECK(t.contains(key)); }
      for (const json& part : t.at("terms")) { CHECK(part.contains("by")); }
    }
  }
}

TEST_CASE("the table of every system has a cell for each head, and a row for each task in its order") {
  for (const auto& [system, v] : every_system()) {
    CAPTURE(system);
    const auto table = takt::report::verdict_table(v);
    REQUIRE(table.rows.size() == v.tasks.size());
    CHECK(table.heads.front() == v.subject);
    CHECK((std::ranges::find(table.heads, "bound ms") != table.heads.end()) == v.bounds_tasks);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      CHECK(table.rows[i].size() == table.heads.size());
      CHECK(table.rows[i].front() == v.tasks[v.order[i]].name);
    }
    const std::string text = takt::report::text_of(table);
    CHECK(std::ranges::count(text, '\n') == static_cast<std::ptrdiff_t>(v.tasks.size() + 2));
  }
}

TEST_CASE("a summary owns its text") {
  verdict_summary v;
  {
    std::string name = "a name that is too long for a small string";
    auto tasks = token_tasks();
    tasks.tasks[0].name = name;
    v = summary_of(locked_gpus(), tasks);
    name.assign(name.size(), '#');
  }
  CHECK(v.tasks[0].name == "a name that is too long for a small string");
}

TEST_CASE("the plan of a verdict stands in its JSON, by the names of tasks and visits") {
  const json chain = json_of(summary_of(board, chains)).at("plan");
  CHECK(chain.at("cores") == json{{"camera", 0}, {"lidar", 0}});
  CHECK(chain.at("priorities") == json{{"camera", 0}, {"lidar", 1}});
  CHECK(chain.at("sms") == json{{"camera", 1}, {"lidar", 1}});
  const auto slots =
      takt::slots(takt::edf, takt::pinned_slot(0_ms, 1_ms), takt::gang_slot(1_ms, 4_ms), takt::period(5_ms));
  const json slotted = json_of(summary_of(accelerator_under(slots), kernels)).at("plan");
  CHECK(slotted.at("slots")[1] == json{{"offset", 1'000'000}, {"budget", 4'000'000}, {"period", 5'000'000}});
  const json graph = json_of(summary_of(cluster, graphs)).at("plan");
  CHECK(graph.at("offsets").contains("video.detect launch"));
  CHECK(graph.at("instances").at("video.read") == 1);
  const json locked = json_of(summary_of(locked_gpus(), token_tasks())).at("plan");
  CHECK(locked.at("cores") == json{{"stereo", 0}, {"lanes", 0}});
  CHECK(locked.at("gpu") == json{{"stereo", 0}, {"lanes", 0}});
  const json shared = json_of(summary_of(by_shares, applications()));
  CHECK(shared.at("plan").at("percents") == shared.at("allocation").at("lasting_share"));
}

TEST_CASE("a kernel's bound is its own time and what others add") {
  const auto v = summary_of(accelerator_under(takt::nonpreemptive(takt::rate_monotonic)), kernels);
  CHECK(v.tasks[0].bound.value == takt::duration{8_ms}.count());
  CHECK(v.tasks[0].terms[0].time == takt::duration{3_ms}.count());
  CHECK(takt::report::explain_task(v, 0) ==
        "detect meets its deadline of 10ms: a job takes at most 8ms, which leaves 2ms. Of that bound,\n"
        "  5ms for kernels of track that are under way and cannot be interrupted\n"
        "  3ms for its own kernels on all SMs\n");
  CHECK(json_of(v).at("tasks")[0].at("terms")[1].at("by") == "track");
}

TEST_CASE("kernels by deadline are explained by the window that is the tightest, or that fails") {
  const auto met = summary_of(accelerator_under(takt::nonpreemptive(takt::edf)), kernels);
  CHECK(contains(words_of(met), "the accelerator: every window has room; the tightest, of "));
  CHECK(contains(words_of(met), "detect meets its deadline of 10ms, like all that compete with it.\n"));
  const auto late = takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(6_ms))),
                                   takt::task("b", takt::period(10_ms), takt::kernel(takt::wcet(6_ms))));
  const auto v = summary_of(accelerator_under(takt::gang(takt::edf)), late);
  CHECK(v.status == verdict_status::unschedulable);
  const auto reasons = takt::report::reasons_of(v);
  CHECK(contains(reasons.front(), "the accelerator: "));
  CHECK(reasons.back() == "Some legal run misses a deadline.");
  CHECK(json_of(v).at("tests")[0].at("passes") == false);
}

TEST_CASE("a graph's bound is the nodes of one path, and the past that it waits for") {
  const auto v = summary_of(cluster, graphs);
  CHECK(v.subject == "graph");
  CHECK_FALSE(v.tasks[0].limited);
  CHECK(takt::report::explain_task(v, 0).starts_with("video has no deadline: a job takes at most "));
  CHECK(contains(takt::report::explain_task(v, 0), " for video.read\n"));
  CHECK(json_of(v).at("tasks")[0].at("deadline").is_null());
  const auto waiting =
      takt::graph_set(takt::graph("loop", takt::period(10_ms), takt::node("learn", takt::cpu(9_ms)),
                                  takt::node("use", takt::cpu(9_ms)), takt::history("learn", "use", 1)));
  const auto past = summary_of(cluster, waiting);
  REQUIRE(past.tasks[0].bound.exists);
  CHECK(kinds_of(past.tasks[0]) == std::vector{takt::term_kind::history, takt::term_kind::node});
  CHECK(contains(takt::report::explain_task(past, 0), " for the past that it waits for\n"));
}

TEST_CASE("a graph under a plan that starts nodes late says what it waits for") {
  auto plan = takt::analysis::analyze_by<takt::published>(cluster, graphs).plan;
  for (auto& offset : plan.offsets) { offset += takt::duration{2_ms}.count(); }
  const auto v =
      takt::report::summarize(cluster, graphs, takt::analysis::analyze_by<takt::published>(cluster, graphs, plan));
  REQUIRE(v.tasks[0].bound.exists);
  takt::ticks sum = 0;
  for (const auto& part : v.tasks[0].terms) { sum += part.time; }
  CHECK(sum == v.tasks[0].bound.value);
  CHECK(contains(takt::report::explain_task(v, 0), "2ms for the planned start of video.read\n"));
}

TEST_CASE("a deadline that the analysis did not know is held against the bound") {
  auto late = takt::analysis::analyze_by<takt::published>(cluster, graphs);
  late.limit(0, takt::duration{1_ms}.count());
  const auto v = takt::report::summarize(cluster, graphs, late);
  CHECK(v.status == verdict_status::not_proven);
  CHECK(contains(takt::report::reasons_of(v).front(), "video: the bound "));
  CHECK(contains(takt::report::reasons_of(v).front(), " exceeds the deadline 1ms."));
  CHECK(contains(words_of(v), "video is not proven to meet its deadline of 1ms: its bound is "));
  CHECK(v.promised(0).exists);

  auto tasks = takt::analysis::analyze_by<takt::published>(locked_gpus(), token_tasks());
  tasks.limit(1, 1);
  const auto locked = takt::report::summarize(locked_gpus(), token_tasks(), tasks);
  CHECK(locked.status == verdict_status::not_proven);
  CHECK(locked.notes.front() == "every response is bounded, so no job is later than its bound");
  CHECK(contains(words_of(locked), "lanes is not proven to meet its deadline of 1ns: its bound is "));
  CHECK(locked.promised(1).exists);
}

TEST_CASE("responses that are bounded, and longer than deadlines, are not said to meet them") {
  auto tasks = token_tasks();
  tasks.tasks[0].deadline = 1;
  const auto v = summary_of(locked_gpus(), tasks);
  REQUIRE(v.status == verdict_status::schedulable);
  CHECK(words_of(v).starts_with("Every response is proven to have a bound"));
  CHECK(summary_of(locked_gpus(), token_tasks()).tasks[0].limited);
}

TEST_CASE("visits of one chain have names of their own") {
  const auto chain =
      takt::graph_set(takt::graph("g", takt::period(20_ms), takt::node("n", takt::cpu(1_ms), takt::cpu(2_ms)),
                                  takt::node("m", takt::cpu(1_ms)), takt::edge("n", "m")));
  CHECK(summary_of(cluster, chain).visits == std::vector<std::string>{"g.n[0]", "g.n[1]", "g.m"});
}

TEST_CASE("graphs that ask for too much are explained by what is overloaded") {
  const auto heavy = takt::graph_set(
      takt::graph("heavy", takt::period(1_ms), takt::node("a", takt::cpu(9_ms)), takt::node("b", takt::cpu(9_ms))));
  const auto v = summary_of(cluster, heavy);
  CHECK(v.status == verdict_status::not_proven);
  CHECK(contains(words_of(v), "The CPUs of cluster 0 can be asked for more time than they have.\n"));
  CHECK(contains(words_of(v), "heavy has no deadline, and no bound is known.\n"));
  CHECK(json_of(v).at("tasks")[0].at("nodes").empty());
}

TEST_CASE("a response under tokens consists of its own work, its waits, overheads and competition") {
  const auto v = summary_of(locked_gpus(), token_tasks());
  using takt::term_kind;
  CHECK(kinds_of(v.tasks[0]) ==
        std::vector{term_kind::cpu, term_kind::gpu, term_kind::copy, term_kind::token_wait, term_kind::competition});
  CHECK(contains(takt::report::explain_task(v, 0), "3ms for its own kernels\n"));
  auto tasks = token_tasks();
  tasks.tasks[0].wcet = tasks.tasks[1].wcet = tasks.tasks[1].period * 3;
  const auto heavy = summary_of(locked_gpus(), tasks);
  CHECK(heavy.status == verdict_status::not_proven);
  CHECK(contains(words_of(heavy), "No bounds are known: "));
  CHECK(heavy.tasks[0].terms.empty());
}

TEST_CASE("applications are explained by their lasting shares, down the priorities") {
  const auto v = summary_of(by_shares, applications());
  CHECK(contains(words_of(v), "The lasting shares come to "));
  CHECK(
      contains(words_of(v), "detector meets its deadline of 40ms, like all that compete with it.\n  with 20 % of the"));
  auto tight = applications();
  tight.tasks[0].alone = takt::wcet_row::scaling(39'000'000, 0);
  tight.tasks[1].alone = takt::wcet_row::scaling(90'000'000, 0);
  static_cast<void>(tight);
  const auto full = summary_of(by_shares, tight);
  CHECK(full.status != verdict_status::schedulable);
  CHECK(contains(takt::report::explain_task(full, 1), "recorder is not proven to meet its deadline of 100ms: "));
}

TEST_CASE("an invalid model of any system is a sentence with the task, the field and what is allowed") {
  constexpr std::string_view sentence = "deadline 61ms exceeds the period 60ms: deadline <= period for this analysis";
  const auto check = [&](const verdict_summary& v, std::string_view name) {
    CAPTURE(std::string{name});
    CHECK(v.status == verdict_status::invalid_model);
    CHECK(v.fault == "task \"" + std::string{name} + "\": " + std::string{sentence});
    CHECK(contains(words_of(v), v.fault));
    CHECK(words_of(v).starts_with("The model does not fit the analysis"));
    const json j = json_of(v);
    CHECK(j.at("status") == "invalid-model");
    CHECK(j.at("tasks").empty());
    CHECK(j.at("notes")[0] == v.fault);
    CHECK(takt::report::verdict_table(v).rows.empty());
  };
  constexpr takt::ticks period = 60'000'000;
  auto chain = chains.table();
  chain.tasks[1].period = period;
  chain.tasks[1].deadline = period + 1'000'000;
  check(takt::report::summarize(board, chain,
                                takt::analysis::analyze_by<takt::published>(board, chain, takt::dedicate(1, 1))),
        "lidar");
  const auto gang = accelerator_under(takt::gang(takt::edf));
  auto kernel = kernels.table<takt::ticks>();
  kernel.tasks[0].period = period;
  kernel.tasks[0].deadline = period + 1'000'000;
  check(summary_of(gang, kernel), "detect");
  auto share = applications();
  share.tasks[1].period = period;
  share.tasks[1].deadline = period + 1'000'000;
  check(summary_of(by_shares, share), "recorder");
}

TEST_CASE("an invalid model of graphs or of locked GPUs keeps its words") {
  const auto cyclic =
      takt::graph_set(takt::graph("g", takt::period(10_ms), takt::node("a", takt::cpu(1_ms)),
                                  takt::node("b", takt::cpu(1_ms)), takt::edge("a", "b"), takt::edge("b", "a")));
  const auto v = summary_of(cluster, cyclic);
  CHECK(v.status == verdict_status::invalid_model);
  CHECK(contains(v.fault, "edges form a cycle: no cycle, or a history edge"));
  auto tasks = token_tasks();
  tasks.tasks[1].period = 0;
  const auto locked = summary_of(locked_gpus(), tasks);
  CHECK(contains(locked.fault, "task \"lanes\": period 0ns is not positive: a time of at least 1ns"));
}
