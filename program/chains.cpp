// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/report/chain_summary.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/svg_chain.hpp>
#include <takt/simulation/observed_chain.hpp>

#include "chain_bounds.hpp"
#include "command.hpp"
#include "files/offsets.hpp"
#include "json_value.hpp"
#include "observe.hpp"
#include "picture_file.hpp"
#include "side_files.hpp"

namespace takt::program {

namespace {

/// Simulates the tasks, periodically released, and how data goes through the chains.
void observe_chains(const chains_options& o, const task_set_file& file, std::vector<judged_chain>& chains,
                    written_files& written) {
  const simulation_options options{
      .horizon = duration{option_time("--horizon", o.horizon)}, .execution = execution_times::random, .seed = o.seed};
  require_bearable(file, options.horizon, "--horizon", true);
  trace recorded;
  (void)simulated(file, options, "--horizon", &recorded);
  job_log jobs{file.workload().tasks.size()};
  for (const slice& s : recorded.slices()) { jobs.record(s); }
  for (const mark& m : recorded.marks()) { jobs.record(m); }
  std::optional<report::chain_view> slowest;
  ticks longest = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    judged_chain& c = chains[i];
    const observed_chain seen{jobs, file.workload().chains[i].tasks, c.stages};
    if (seen.latency().outputs == 0) { continue; }
    c.summary.seen = seen.latency();
    if (seen.latency().reaction <= longest) { continue; }
    longest = seen.latency().reaction;
    slowest = report::chain_view{
        .title = fmt::format("{}: a reaction of {}", c.summary.name, report::format_duration(longest)),
        .names = c.summary.tasks,
        .steps = seen.steps(),
        .path = seen.slowest()};
  }
  if (o.svg_file.empty()) { return; }
  if (!slowest) { throw nothing_to_run{"no chain has reacted to a change until the horizon; ask for a longer one"}; }
  written.add(o.svg_file,
              [&] { write_picture(o.svg_file, [&](std::ostream& out) { report::write_svg_chain(out, *slowest); }); });
}

[[nodiscard]] auto answer_of(const std::vector<report::chain_summary>& all) -> exit_code {
  if (std::ranges::any_of(all, &report::chain_summary::misses)) { return exit_code::missed; }
  return std::ranges::all_of(all, &report::chain_summary::meets) ? exit_code::ok : exit_code::not_proven;
}

}  // namespace

auto chains_command(const chains_options& o) -> exit_code {
  task_set_file file{o.file, o.wishes};
  if (file.workload().chains.empty()) {
    throw input_error{
        "/chains", "is missing, and this command is about chains",
        R"([{"name": .., "tasks": [..], "semantics": "implicit" or "let" or one for each, "reaction": ..}])"};
  }
  if (o.own_clocks) {
    refuse_offsets(file.workload(), "says nothing where each task has a clock of its own",
                   "--clocks common, or no such key");
  }
  try_files({o.file}, {{"--svg", o.svg_file}});
  const auto& proven = file.judge(o.ask);
  std::vector<judged_chain> chains;
  for (const chain_facts& c : file.workload().chains) {
    chains.push_back(judge_chain(c, file.workload(), proven, file.waiting(), o.own_clocks));
  }
  written_files written;
  observe_chains(o, file, chains, written);
  std::vector<report::chain_summary> all;
  for (judged_chain& c : chains) { all.push_back(std::move(c.summary)); }
  auto assumptions = assumptions_of(all, file.workload(), o.own_clocks);
  const auto said = words_of_file(file.workload());
  assumptions.insert(assumptions.end(), said.begin(), said.end());
  if (o.json) {
    report::write_chains_json(std::cout, all, assumptions);
  } else {
    if (!file.title().empty()) { fmt::print("{}\n\n", one_line(file.title(), 200)); }
    fmt::print("{}\n", report::text_of(report::chain_table(all)));
    for (const report::chain_summary& c : all) {
      for (const std::string& sentence : {c.why, c.condition}) {
        if (!sentence.empty()) { fmt::print("  {}\n", sentence); }
      }
    }
    for (const report::chain_summary& c : all) {
      if (const std::string waits = report::wait_words(c); !waits.empty()) {
        fmt::print("  {}: counts on it that {}\n", c.name, waits);
      }
    }
    for (const report::chain_figure& f : report::chain_figures) { fmt::print("  {}: {}\n", f.head, f.definition); }
    for (const std::string& a : assumptions) { fmt::print("  assumed: {}\n", a); }
  }
  if (std::ranges::any_of(all, &report::chain_summary::contradicted)) {
    throw environment_error{"a chain takes longer than is proven: this is a fault of takt, please report it"};
  }
  written.require_all();
  return answer_of(all);
}

}  // namespace takt::program
