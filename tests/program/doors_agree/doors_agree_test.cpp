// SPDX-License-Identifier: Apache-2.0
// One question has one answer: `analyze`, `explain`, a row of `compare`, `plan` and C++ say the same of a workload.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/format_duration.hpp>

#include "../given_back/drawn_board.hpp"
#include "command.hpp"
#include "json_value.hpp"
#include "large_stack.hpp"
#include "library_door.hpp"
#include "said.hpp"
#include "support/environment.hpp"

namespace {

using namespace takt::program;
using takt_tests::difference;
using takt_tests::drawn_board;
using takt_tests::library_answers;
using takt_tests::said;
using json = nlohmann::json;
using ordered = drawn_board::json;

/// A file in the folder for temporary ones, as long as it lives.
class written_workload {
 public:
  explicit written_workload(const ordered& document) : path_{next_path()} { std::ofstream{path_} << document.dump(); }
  written_workload(const written_workload&) = delete;
  auto operator=(const written_workload&) -> written_workload& = delete;
  ~written_workload() { std::remove(path_.c_str()); }

  [[nodiscard]] auto path() const -> const std::string& { return path_; }

 private:
  static auto next_path() -> std::string {
    static std::uint64_t count = 0;
    const std::string name = "takt_doors_" + std::to_string(::getpid()) + "_" + std::to_string(++count) + ".json";
    return (std::filesystem::temp_directory_path() / name).string();
  }

  std::string path_;
};

/// What a command prints as JSON, or why it refuses the file.
template <class Command>
auto printed(const Command& command) -> std::pair<json, std::string> {
  std::ostringstream out;
  struct redirected {
    std::streambuf* before;
    ~redirected() { std::cout.rdbuf(before); }
  } const kept{std::cout.rdbuf(out.rdbuf())};
  try {
    static_cast<void>(command());
  } catch (const input_error& why) { return {json{}, line_of(why)}; }
  return {json::parse(out.str()), {}};
}

auto bounds_of(const json& tasks) -> json {
  json out = json::object();
  for (const json& t : tasks) { out[t.at("name").get<std::string>()] = t.at("response_bound"); }
  return out;
}

struct question_of_file {
  ordered document;
  rule_wishes wishes;
};

auto ask_analyze(const std::string& path, const rule_wishes& wishes, const question& ask = {}) -> said {
  const auto [answer, refused] =
      printed([&] { return analyze_command({.file = path, .wishes = wishes, .ask = ask, .json = true}); });
  if (!refused.empty()) { return {.refused = refused}; }
  return {{},
          answer.at("status"),
          answer.at("analysis"),
          answer.value("plan", json{}),
          bounds_of(answer.at("tasks")),
          takt_tests::terms_of(answer.at("tasks"))};
}

auto ask_compare(const std::string& path, const rule_wishes& wishes) -> said {
  const auto [answer, refused] = printed([&] {
    compare_options o;
    o.file = path;
    o.policies = {wishes.policy};
    o.cpus = {wishes.cpus};
    o.json = true;
    return compare_command(o);
  });
  if (!refused.empty()) { return {.refused = refused}; }
  const json& row = answer.at("rows").at(0);
  if (row.at("status").is_null() || row.contains("because")) { return {.refused = row.dump()}; }
  const std::string method = row.at("analysis").is_null() ? "" : row.at("analysis").get<std::string>();
  return {{}, row.at("status"), method, row.value("plan", json{}), bounds_of(row.at("tasks")), {}};
}

/// The status and the method that `explain` says, and the tasks whose sentences do not say the bound of `analyze`.
auto ask_explain(const std::string& path, const rule_wishes& wishes, const said& expected) -> said {
  const auto [answer, refused] =
      printed([&] { return explain_command({.file = path, .wishes = wishes, .task = {}, .ask = {}, .json = true}); });
  if (!refused.empty()) { return {.refused = refused}; }
  said out{{}, answer.at("status"), answer.at("analysis"), expected.plan, expected.bounds, {}};
  for (const json& t : answer.at("tasks")) {
    const json& bound = expected.bounds.at(t.at("name").get<std::string>());
    const std::string sentences = t.at("sentences").dump();
    const bool is_said =
        bound.is_null() || sentences.find(takt::report::format_duration(bound.get<takt::ticks>())) != std::string::npos;
    if (!is_said) { out.bounds[t.at("name").get<std::string>()] = sentences; }
  }
  return out;
}

/// A mapping that `plan` finds, as a file has it, and what it says of that.
struct planned_file {
  std::string refused;
  bool found = false;
  ordered document;
  said answer;
};
auto ask_plan(const std::string& path, const ordered& document, const rule_wishes& wishes) -> planned_file {
  const auto [answer, refused] = printed([&] {
    plan_options o;
    o.file = path;
    o.policies = {wishes.policy};
    o.cpus = {wishes.cpus};
    o.search = plan_search::local;
    o.evaluations = 3;
    o.json = true;
    return plan_command(o);
  });
  planned_file out;
  out.refused = refused;
  if (!refused.empty() || answer.at("status") != "schedulable") { return out; }
  out.found = true;
  out.document = document;
  out.document["platform"]["cpus"]["policy"] = wishes.cpus;
  out.document["platform"]["cpus"].erase("clusters");
  for (std::size_t i = 0; i < answer.at("tasks").size(); ++i) {
    const json& t = answer.at("tasks").at(i);
    out.document["tasks"][i].erase("cluster");
    out.document["tasks"][i]["core"] = t.at("core").get<int>();
    out.document["tasks"][i]["priority"] = t.at("priority").get<int>();
  }
  out.document["plan"] = answer.at("plan");
  out.answer = {{}, "schedulable", {}, answer.at("plan"), bounds_of(answer.at("tasks")), {}};
  return out;
}

/// How many answers of each kind were compared.
struct tally {
  std::map<std::string, std::uint64_t> by_policy;
  std::map<std::string, std::uint64_t> by_method;
  std::map<std::string, std::uint64_t> pairs;
};

void check_same(const said& a, const said& b, const std::string& doors) {
  INFO(doors);
  CHECK(difference(a, b) == "");
}

auto is_of_combiner(const std::string& method) -> bool {
  for (const char* const name : {"holistic", "inflated", "guarded", "hyperperiod"}) {
    if (method == name) { return true; }
  }
  return false;
}

void check_library(const ordered& document, const rule_wishes& wishes, const said& analyzed, tally& seen) {
  const auto file = read_workload(parse_json(document.dump()));
  const auto input = input_of(*file, wishes);
  const auto found = judge_file(*file, input);
  const library_answers in_cpp = takt_tests::ask_library(*file, input, *found);
  if (!in_cpp.asked) { return; }
  said expected = analyzed;
  const bool spins = analyzed.method == "busy-waiting";  // the name of a combiner and of a published method
  const bool spins_by_pools = spins && found->verdict.schedulable() && in_cpp.typed.bounds != analyzed.bounds;
  const bool by_pools = is_of_combiner(analyzed.method) || spins_by_pools;
  expected.plan = in_cpp.under_plan.plan;
  expected.terms = {};
  if (found->verdict.schedulable() && by_pools) {
    check_same(expected, in_cpp.under_plan, "analyze, and analyze of C++ under its plan");
    ++seen.pairs["C++ under the plan"];
  }
  if (by_pools && !in_cpp.has_choices) {
    said alone = in_cpp.alone;
    // Boards of values say nothing of what must be missed whatever the plan is: `judge_at_run_time` does.
    if (alone.status == "not-proven" && expected.status == "unschedulable") { alone.status = expected.status; }
    check_same(expected, alone, "analyze, and analyze of C++");
    ++seen.pairs["C++ without a plan, " + analyzed.status];
  }
  if (in_cpp.is_judged) {
    check_same(expected, in_cpp.judged, "analyze, and judge_at_run_time of C++");
    ++seen.pairs["C++ by policy"];
  }
  {
    INFO("C++ proves what the program does not");
    CHECK((in_cpp.has_choices || in_cpp.alone.status != "schedulable" || analyzed.status == "schedulable"));
  }
  if (in_cpp.has_fewest && file->board.processors == 1) {
    const written_workload written{document};
    said by_search = ask_analyze(written.path(), wishes, {.given_search = takt::search_method::branch_and_bound});
    by_search.plan = by_search.plan.value("sms", json::object());
    by_search.terms = {};
    // Without a proof both show the bounds of an even split, and the program leaves out those above the period.
    if (by_search.status == "schedulable" || in_cpp.fewest.status == "schedulable") {
      check_same(by_search, in_cpp.fewest, "analyze by a search for the fewest SMs, and the same in C++");
      ++seen.pairs["C++ by fewest SMs"];
    }
  }
  if (found->verdict.schedulable() && in_cpp.is_typed && !by_pools) {
    said typed = in_cpp.typed;
    typed.plan = analyzed.plan;
    check_same(analyzed, typed, "analyze, and analyze of C++ about a board in types under its plan");
    ++seen.pairs["C++ in types"];
  }
}

/// Asks all doors about a workload.
void check_doors(const question_of_file& q, tally& seen) {
  const std::string text = q.document.dump();
  CAPTURE(text);
  CAPTURE(q.wishes.policy);
  CAPTURE(q.wishes.cpus);
  const written_workload file{q.document};
  const said analyzed = ask_analyze(file.path(), q.wishes);
  const said compared = ask_compare(file.path(), q.wishes);
  check_same(analyzed, compared, "analyze and compare");
  if (!analyzed.refused.empty() || !compared.refused.empty()) {
    ++seen.pairs["refused"];
    return;
  }
  ++seen.by_policy[q.wishes.policy];
  ++seen.by_method[analyzed.status + " " + analyzed.method];
  check_same(analyzed, ask_explain(file.path(), q.wishes, analyzed), "analyze and explain");
  check_library(q.document, q.wishes, analyzed, seen);
  const planned_file planned = ask_plan(file.path(), q.document, q.wishes);
  if (!planned.found) {
    ++seen.pairs[planned.refused.empty() ? "no plan" : "plan refused"];
    return;
  }
  const written_workload decided{planned.document};
  said again = ask_analyze(decided.path(), q.wishes);
  const std::string document = planned.document.dump();
  CAPTURE(document);
  check_same(again, ask_compare(decided.path(), q.wishes), "analyze and compare of that plan");
  check_same(again, ask_explain(decided.path(), q.wishes, again), "analyze and explain of that plan");
  again.method.clear();
  check_same(planned.answer, again, "plan, and analyze of its plan");
  ++seen.pairs["plan"];
}

/// All times of steps and of kernels, so many times as long.
void lengthen(ordered& part, takt::ticks factor) {
  static constexpr std::string_view times[]{"cpu",  "copy",   "npu",  "wcet", "work", "overhead", "preemption_cost",
                                            "c100", "length", "slice"};
  for (auto& [key, value] : part.items()) {
    if (value.is_structured()) { lengthen(value, factor); }
    for (const std::string_view time : times) {
      if (key == time && value.is_number()) { value = value.get<takt::ticks>() * factor; }
    }
  }
}

/// What published methods of chains ask for: one processor, one GPU, and no task that names a place.
void make_plain(ordered& file) {
  file["platform"]["cpus"] = {{"count", 1}, {"policy", "fixed-priority"}};
  file["platform"]["gpus"][0].erase("count");
  for (ordered& t : file["tasks"]) {
    t.erase("core");
    t.erase("cluster");
    t.erase("jitter");
  }
}

/// Adds what boards of `given_back` do not have: devices and sections, deadlines after the period or none, strict
/// releases, regions without preemption, and loads up to what no test proves.
auto drawn_workload(std::uint64_t seed, bool is_plain) -> ordered {
  ordered out = drawn_board{seed}.file();
  takt::random_stream r{seed * 7919 + 1};
  lengthen(out["tasks"], r.between(1, is_plain ? 2 : 5));
  if (is_plain) {
    make_plain(out);
    return out;
  }
  const bool has_device = r.chance(1, 4);
  if (has_device) { out["platform"]["resources"] = {{{"name", "npu"}, {"count", r.between(1, 2)}}}; }
  const bool sections = r.chance(1, 3);
  for (ordered& t : out["tasks"]) {
    const takt::ticks period = t["period"].get<takt::ticks>();
    if (r.chance(1, 10)) { t["deadline"] = period + period / r.between(1, 4); }
    if (r.chance(1, 12)) { t["deadline"] = nullptr; }
    if (r.chance(1, 10)) { t["preemption"] = r.chance(1, 2) ? "cooperative" : "nonpreemptive"; }
    if (r.chance(1, 10)) { t["strict"] = true; }
    if (!t.contains("segments") || t["segments"].size() < 2) { continue; }
    if (has_device && r.chance(1, 2)) {
      t["segments"].push_back({{"npu", period / 20}});
      t["segments"].push_back({{"cpu", period / 50}});
    }
    for (ordered& s : t["segments"]) {
      if (sections && s.contains("kernel")) { s["section"] = true; }
    }
  }
  return out;
}

auto question_of(std::uint64_t seed) -> question_of_file {
  question_of_file out;
  takt::random_stream r{seed * 104'729 + 5};
  const auto policies = policy_names();
  const auto rules = cpu_rule_names();
  out.wishes.policy = policies[seed % policies.size()];
  const bool has_own_sms = out.wishes.policy.starts_with("federated") || out.wishes.policy == "busy-waiting";
  const bool is_plain = r.chance(has_own_sms ? 2 : 1, 3);
  out.document = drawn_workload(seed, is_plain);
  // The rules that C++ is asked about are drawn more often.
  const auto k = static_cast<std::size_t>(r.below(static_cast<takt::ticks>(rules.size() + 12)));
  constexpr std::string_view asked_in_cpp[]{"fixed-priority", "edf", "g-edf"};
  out.wishes.cpus = is_plain && has_own_sms ? "fixed-priority" : k < rules.size() ? rules[k] : asked_in_cpp[k % 3];
  return out;
}

}  // namespace

TEST_CASE("doors: analyze, explain, compare, plan and C++ say the same of a workload") {
  const auto wanted = takt_tests::from_environment("TAKT_SYSTEMS", 260);
  const auto first = takt_tests::from_environment("TAKT_SEED", 1);
  tally seen;
  on_large_stack([&] {
    for (std::uint64_t seed = first; seed < first + wanted; ++seed) {
      CAPTURE(seed);
      check_doors(question_of(seed), seen);
    }
  });
  for (const auto& [what, count] : seen.by_policy) { MESSAGE(what << ": " << count); }
  for (const auto& [what, count] : seen.by_method) { MESSAGE(what << ": " << count); }
  for (const auto& [what, count] : seen.pairs) { MESSAGE(what << ": " << count); }
  for (const std::string_view policy : policy_names()) {
    CAPTURE(std::string{policy});
    CHECK(seen.by_policy[std::string{policy}] > 0);
  }
  for (const char* const pair : {"C++ under the plan", "C++ without a plan, schedulable", "C++ in types",
                                 "C++ by policy", "C++ by fewest SMs", "plan"}) {
    CAPTURE(std::string{pair});
    CHECK(seen.pairs[pair] > 0);
  }
}

TEST_CASE("doors: an answer that differs in its status, method, plan or a bound is told apart") {
  const said base{
      {}, "schedulable", "holistic", json{{"cores", {{"a", 0}}}}, json{{"a", 5}, {"b", nullptr}}, json{{"a", 1}}};
  CHECK(difference(base, base) == "");
  said other = base;
  other.bounds["a"] = 6;
  CHECK(difference(base, other).starts_with("bounds"));
  other = base;
  other.bounds["b"] = 0;
  CHECK(difference(base, other).starts_with("bounds"));
  other = base;
  other.plan["cores"]["a"] = 1;
  CHECK(difference(base, other).starts_with("plan"));
  other = base;
  other.status = "not-proven";
  CHECK(difference(base, other).starts_with("status"));
  other = base;
  other.method = "inflated";
  CHECK(difference(base, other).starts_with("method"));
  other = base;
  other.terms["a"] = 2;
  CHECK(difference(base, other).starts_with("terms"));
  other = {.refused = "why"};
  CHECK(difference(base, other).starts_with("refused"));
}
