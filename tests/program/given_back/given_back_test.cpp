// SPDX-License-Identifier: Apache-2.0
// What is printed is what was proven: the plan of a verdict, given back as that of the file, has the same verdict.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <variant>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <takt/report/comparison_json.hpp>
#include <takt/report/policies/policy_summary.hpp>
#include <takt/report/verdict_json.hpp>

#include "drawn_board.hpp"
#include "files/workload_file.hpp"
#include "large_stack.hpp"
#include "policies/policy_input.hpp"
#include "support/environment.hpp"

namespace {

using namespace takt::program;
using takt_tests::drawn_board;
using json = drawn_board::json;

/// What `analyze --json` and `compare --json` say of a file.
struct answer {
  std::unique_ptr<workload_file> file;
  policy_input input;
  std::unique_ptr<judged_policy> found;
  json analyzed;
  json compared;

  [[nodiscard]] auto proven() const -> bool { return found && found->judged && found->verdict.schedulable(); }
};

auto answer_to(const json& document, const rule_wishes& wishes) -> answer {
  answer out;
  try {
    out.file = read_workload(parse_json(document.dump()));
  } catch (const takt::program::input_error& why) {
    out.analyzed["refused"] = why.where + ": " + why.problem;
    return out;
  }
  auto asked = asked_of(*out.file, wishes);
  if (const auto* const why = std::get_if<takt::program::input_error>(&asked)) {
    out.analyzed["refused"] = why->where + ": " + why->problem;
    return out;
  }
  out.input = std::get<policy_input>(std::move(asked));
  out.input.question.begin_search = {};  // bounded by steps instead of seconds
  out.input.question.most_evaluations = 2000;
  out.found = judge_file(*out.file, out.input);
  if (!out.found || !out.found->judged) {
    if (out.found) { out.analyzed["refused"] = explain_fault(*out.file, out.found->verdict.error).problem; }
    return out;
  }
  std::ostringstream verdict;
  takt::report::write_verdict_json(verdict, explained_summary(*out.file, out.input, *out.found));
  out.analyzed = json::parse(verdict.str());
  takt::report::comparison_summary rows;
  rows.rows.push_back(takt::report::compared_row(*out.found, summary_of(*out.file, *out.found)));
  std::ostringstream comparison;
  takt::report::write_comparison_json(comparison, rows);
  out.compared = json::parse(comparison.str())["rows"][0];
  return out;
}

auto bounds_of(const json& verdict) -> json {
  json out = json::object();
  if (!verdict.contains("tasks")) { return out; }
  for (const json& t : verdict["tasks"]) { out[t.at("name").get<std::string>()] = t.at("response_bound"); }
  return out;
}

/// The same status, method and bounds; `what` is said of the file where they are not.
void check_same(const answer& a, const answer& b, const std::string& what) {
  INFO(what);
  CHECK(b.analyzed.value("refused", std::string{}) == std::string{});
  CHECK(b.analyzed.value("status", std::string{"none"}) == a.analyzed["status"].get<std::string>());
  CHECK(bounds_of(b.analyzed) == bounds_of(a.analyzed));
}

/// Whether all that is judged of a file is said of the plan that is printed, too.
auto is_given_back(const json& document, const rule_wishes& wishes) -> bool {
  const answer first = answer_to(document, wishes);
  if (!first.proven()) { return false; }
  CAPTURE(wishes.policy);
  CAPTURE(wishes.cpus);
  const std::string text = document.dump();
  CAPTURE(text);
  const std::string plan = first.analyzed["plan"].dump();
  CAPTURE(plan);
  CHECK(first.analyzed["plan"] == first.compared["plan"]);
  CHECK(first.analyzed["analysis"] == first.compared["analysis"]);
  CHECK(bounds_of(first.analyzed) == bounds_of(first.compared));
  for (const json* const from : {&first.analyzed, &first.compared}) {
    json given = document;
    given["plan"] = from->at("plan");
    const answer again = answer_to(given, wishes);
    check_same(first, again, "given back");
    CHECK(again.analyzed.value("plan", json{}) == first.analyzed["plan"]);
  }
  const auto same = judge_its_plan(*first.file, first.input, *first.found, 1000);
  CHECK((same && same->judged && same->verdict.schedulable()));
  answer kept = answer_to(document, wishes);
  take_over(*kept.file, kept.input, *kept.found);
  std::ostringstream written;
  print_workload(written, *kept.file);
  const std::string file = written.str();
  CAPTURE(file);
  const answer read = answer_to(json::parse(file), {});
  // Shares that follow jobs have no bounds, and sections on locked engines have a method of their own.
  const auto& asked = read.input.question;
  if (asked.engines && !first.input.question.engines) { return true; }
  if (!asked.granted) { check_same(first, read, "written and read"); }
  CHECK(read.analyzed.value("status", std::string{}) == "schedulable");
  return true;
}

}  // namespace

TEST_CASE("given back: the plan that is printed, given to the same file, is proven with the same bounds") {
  const auto wanted = takt_tests::from_environment("TAKT_SYSTEMS", 4);
  const auto first = takt_tests::from_environment("TAKT_SEED", 1);
  const auto policies = policy_names();
  const auto rules = cpu_rule_names();
  std::map<std::string, std::uint64_t> proven;
  on_large_stack([&] {
    for (std::uint64_t seed = first; seed < first + 60 * wanted; ++seed) {
      takt::random_stream r{seed * 977};
      const json document = drawn_board{seed}.file();
      for (const std::string_view policy : policies) {
        const std::string name{policy};
        if (proven[name] >= wanted) { continue; }
        const auto k = static_cast<std::size_t>(r.below(static_cast<takt::ticks>(rules.size() + 1)));
        const rule_wishes wishes{name, k < rules.size() ? std::string{rules[k]} : std::string{}};
        CAPTURE(seed);
        proven[name] += is_given_back(document, wishes) ? 1U : 0U;
      }
    }
  });
  for (const std::string_view policy : policies) {
    CAPTURE(std::string{policy});
    CHECK(proven[std::string{policy}] > 0);
    MESSAGE(std::string{policy} << ": " << proven[std::string{policy}]);
  }
}
