// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/core/random.hpp>
#include <takt/report/summarize_graphs.hpp>
#include <takt/simulation/graph/simulate.hpp>

#include "../kinds.hpp"
#include "../sightings.hpp"
#include "graph_file.hpp"

namespace takt::program {

namespace {

using graph_verdict = verdict<ticks, max_graphs, refined_graphs::max_nodes>;

constexpr double most_jobs = 2e6;
constexpr double most_traced_jobs = 200e3;

/// Graphs of nodes on clusters of CPUs and a GPU with a block queue.
class graph_description final : public described_file {
 public:
  explicit graph_description(std::unique_ptr<graph_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override {
    if (file_->list == "/graphs") { return {file_->list, "graphs"}; }
    return file_->platform.sms > 0 ? kind_mark{"/platform/gpus/0/sharing", "fifo-blocks"}
                                   : kind_mark{"/platform/cpus/policy", file_->policy};
  }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a == ability::sensitivity; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "graphs"; }

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.graphs); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> sighting override;
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error override {
    return explain_fault(*file_, error);
  }
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return "priority points follow execution times";
  }

 protected:
  [[nodiscard]] auto assess(const question& q) -> report::verdict_summary override;

 private:
  /// The verdict with the deadlines that the file states.
  template <class P>
  [[nodiscard]] auto judge_table(const P& platform, const file_graphs& table) const -> std::unique_ptr<graph_verdict> {
    auto out = std::make_unique<graph_verdict>(analyze(platform, table));
    for (std::size_t i = 0; i < out->tasks.size(); ++i) {
      if (file_->wishes[i].limited) { out->limit(i, file_->wishes[i].deadline); }
    }
    return out;
  }

  std::unique_ptr<graph_file> file_;
  std::unique_ptr<graph_verdict> found_;
};

auto graph_description::assess(const question& /*q*/) -> report::verdict_summary {
  report::verdict_summary out;
  with_graph_platform(*file_, [&](const auto& p) {
    found_ = judge_table(p, file_->table);
    if (found_->error) { throw refuse(found_->error); }
    out = report::summarize(p, file_->table, *found_);
  });
  out.notes.insert(out.notes.end(), file_->notes.begin(), file_->notes.end());
  return out;
}

auto graph_description::run_size_until(duration horizon) const -> run_size {
  double jobs = 0;
  for (const auto& g : file_->table.graphs) {
    jobs += 3.0 * g.nodes * static_cast<double>(horizon.count()) / static_cast<double>(g.period);
  }
  return {jobs, "jobs of nodes", most_jobs, most_traced_jobs};
}

auto graph_description::simulate(const simulation_options& options, trace* kept) const -> sighting {
  if (!found_->bounded()) {
    throw nothing_to_run{
        "the graphs have no bounds, from which the offsets of their nodes would follow. See the reasons of analyze."};
  }
  std::vector<duration> deadlines;
  for (const graph_wish& wish : file_->wishes) { deadlines.push_back(duration{wish.limited ? wish.deadline : 0}); }
  simulation_options how = options;
  how.deadlines = deadlines;
  return heard_by(kept, [&](auto& recorder) {
    return sighting_of(simulation::simulate_planned_graphs(file_->table, file_->platform, policy_of(*file_), true,
                                                           found_->plan, how, recorder));
  });
}

auto graph_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<file_graphs>(file_->table);
  for (auto& n : scaled->nodes) {
    for (ticks* const time : {&n.wcet, &n.block_length, &n.launch, &n.await}) {
      if (!scale_time(*time, factor, true, *time)) { return factor_answer::not_proven; }
    }
  }
  auto answer = factor_answer::not_proven;
  with_graph_platform(*file_, [&](const auto& p) { answer = answer_of(judge_table(p, *scaled)->status); });
  return answer;
}

}  // namespace

auto known_graphs(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file> {
  return std::make_unique<graph_description>(graphs_of(std::move(file)));
}

}  // namespace takt::program
