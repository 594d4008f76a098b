// SPDX-License-Identifier: Apache-2.0
// Every file of examples/data under every policy and its own rule of processors: what is proven is held against runs,
// and what is not judged names a fact. Keeps the last table of examples/data/README.md; TAKT_WRITE_TABLES=1 writes it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/policies/judge_any.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/systems/policies.hpp>

#include "files/workload_file.hpp"
#include "json_value.hpp"
#include "program.hpp"
#include "support/draws.hpp"
#include "support/generated_table.hpp"

namespace {

using takt::ticks;
using takt::program::max_file_visits;
using takt::program::workload_file;

constexpr std::string_view marker = "<!-- policies -->\n";

auto names_of_files() -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator{std::string{TAKT_SOURCE_DIR} + "/examples/data"}) {
    if (entry.path().extension() == ".json") { out.push_back(entry.path().stem().string()); }
  }
  std::ranges::sort(out);
  return out;
}

struct way {
  takt::release_pattern releases;
  takt::execution_times execution;
};
constexpr std::array ways{way{takt::release_pattern::adversarial, takt::execution_times::upper},
                          way{takt::release_pattern::adversarial, takt::execution_times::random},
                          way{takt::release_pattern::sporadic, takt::execution_times::random}};

/// Some of the longest periods: every task has jobs beside every other's.
auto horizon_of(const workload_file& file) -> ticks {
  ticks longest = 1;
  for (const takt::runtime_task& t : file.tasks.tasks) { longest = std::max(longest, t.period); }
  return 4 * longest;
}

template <class Policy, class Rule, class Verdict>
void run_proven(const Policy& policy, const Rule& rule, const workload_file& file, const Verdict& proven) {
  takt::hardware board = file.board;
  REQUIRE(takt::complete(file.tasks, board) == takt::model_fault::none);
  const auto pools = takt::any_board_of<max_file_visits>(policy, board, rule);
  const std::uint64_t seeds = takt_tests::systems_or(3);
  for (std::uint64_t run = 0; run < seeds * ways.size(); ++run) {
    const way& w = ways[run % ways.size()];
    const auto seen = takt::simulate(
        pools, file.tasks, proven.plan,
        {.horizon = takt::duration{horizon_of(file)}, .releases = w.releases, .execution = w.execution, .seed = run});
    CHECK_FALSE(seen.error);
    for (std::size_t i = 0; i < proven.tasks.size() && !seen.error; ++i) {
      CAPTURE(proven.tasks[i].name);
      CHECK(seen.tasks[i].worst_response <= proven.tasks[i].bound.value);
    }
  }
}

/// Policies of a file by what comes of them, in the order of `published_policies`.
struct table_row {
  std::string proven;
  std::string open;
  std::string impossible;
  std::map<std::string, std::string> missing;

  static void add(std::string& list, std::string_view word) { list += (list.empty() ? "" : ", ") + std::string{word}; }
};

template <class Rule>
void judge_all(const workload_file& file, const Rule& rule, table_row& out) {
  takt::published_policies.each([&](const auto& policy) {
    CAPTURE(policy.name);
    const auto found = takt::judge_at_run_time<takt::published_judges>(policy, rule, file.tasks, file.board);
    if (!found.judged) {
      if (found.missing.empty()) {
        CHECK(found.verdict.error.fault == takt::model_fault::waits_unpreempted);
        table_row::add(out.missing["preemption"], policy.name);
      } else {
        table_row::add(out.missing[std::string{found.missing[0].fact}], policy.name);
      }
      return;
    }
    using enum takt::verdict_status;
    const auto status = found.verdict.status;
    CHECK((status == schedulable || status == unschedulable || status == not_proven));
    table_row::add(status == schedulable     ? out.proven
                   : status == unschedulable ? out.impossible
                                             : out.open,
                   policy.name);
    if (found.schedulable()) { run_proven(found.policy, rule, file, found.verdict); }
  });
}

}  // namespace

TEST_CASE("program: every policy judges every example file or names the fact that it misses, and proofs hold in runs") {
  std::string lines =
      "\n| file | proven | not proven | a deadline must be missed | missing |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const std::string& name : names_of_files()) {
    CAPTURE(name);
    const auto file = takt::program::read_workload(takt::program::parse_json(takt::test::read(takt::test::data(name))));
    table_row row;
    const auto begin = std::chrono::steady_clock::now();
    if (file->rules.cpus == "g-fl") {
      judge_all(*file, takt::g_fl, row);
    } else {
      REQUIRE(file->rules.cpus == "fixed-priority");
      judge_all(*file, takt::fixed_priority, row);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    MESSAGE(name << ": " << spent.count() << " s with runs");
    std::string missing;
    for (const auto& [fact, policies] : row.missing) {
      missing += (missing.empty() ? "`" : "; `") + fact + "`: " + policies;
    }
    lines +=
        "| `" + name + ".json` | " + row.proven + " | " + row.open + " | " + row.impossible + " | " + missing + " |\n";
  }
  takt_tests::expect_table("examples/data/README.md", marker, lines);
}
