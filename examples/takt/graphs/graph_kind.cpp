// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/analysis/graph/fine.hpp>
#include <takt/core/random.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/simulate_graphs.hpp>

#include "../failure.hpp"
#include "../kinds.hpp"
#include "graph_file.hpp"

namespace takt::program {

namespace {

using analysis::graph_status;
using report::format_duration;
using graph_bounds = analysis::timing_of<refined_graphs>;

constexpr double most_jobs = 2e6;
constexpr double most_traced_jobs = 200e3;

[[nodiscard]] auto part_text(node_part part) -> std::string_view {
  return part == node_part::launch ? " launch" : part == node_part::await ? " await" : "";
}

/// How long steps take within their bounds; shortest times count as 0.
struct chosen_lengths {
  execution_times which = execution_times::upper;
  simulation::random_lengths random{1};

  [[nodiscard]] auto operator()(std::size_t task, std::size_t step, std::size_t job, ticks most) const -> ticks {
    if (which == execution_times::random) { return random(task, step, job, most); }
    return which == execution_times::lower ? std::min<ticks>(most, 1) : most;
  }
};

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

  [[nodiscard]] auto platform_text() const -> std::string override;
  [[nodiscard]] auto verdict_table() const -> text_table override;
  [[nodiscard]] auto explain_task(std::size_t i) const -> std::string override;

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.graphs); }
  [[nodiscard]] auto trace_names() const -> std::vector<std::string_view> override {
    return {node_names_.begin(), node_names_.end()};
  }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const
      -> std::optional<report::run_summary> override;
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return "priority points follow execution times";
  }

 protected:
  [[nodiscard]] auto assess(const question& q) -> judgement override;
  void write_platform(report::json_writer& json) const override;
  void write_task_parts(report::json_writer& json, std::size_t task) const override;

 private:
  [[nodiscard]] auto bounds_of(const refined_graphs& refined) const -> std::unique_ptr<graph_bounds> {
    return std::make_unique<graph_bounds>(analysis::fine_bounds(refined, file_->platform, {.policy = file_->rule}));
  }
  [[nodiscard]] auto meets(const graph_bounds& bounds, std::size_t graph) const -> bool {
    const graph_wish& wish = file_->wishes[graph];
    return bounds.bounded() && (!wish.limited || bounds.end_to_end[graph] <= wish.deadline);
  }
  [[nodiscard]] auto critical_path(std::size_t graph) const -> std::vector<std::uint32_t>;
  [[nodiscard]] auto invocations_until(std::size_t graph, const simulation_options& options) const
      -> std::vector<ticks>;

  std::unique_ptr<graph_file> file_;
  std::unique_ptr<refined_graphs> refined_;
  std::unique_ptr<graph_bounds> bounds_;
  std::vector<std::string> node_names_;
};

auto graph_description::assess(const question& /*q*/) -> judgement {
  refined_ = std::make_unique<refined_graphs>(refine(file_->table, file_->copies()));
  for (const auto& n : refined_->nodes) {
    const auto graph = refined_->graphs[n.graph].name;
    node_names_.push_back(n.name.empty() ? fmt::format("{} {}", graph, n.part == node_part::source ? "source" : "sink")
                                         : fmt::format("{}.{}{}", graph, n.name, part_text(n.part)));
  }
  bounds_ = bounds_of(*refined_);
  judgement out{.analysis = "overlapping-nodes"};
  switch (bounds_->status) {
    case graph_status::bounded: break;
    case graph_status::cpu_unbounded:
      out.findings.push_back(fmt::format("The CPUs of cluster {} can be asked for more time than they have.",
                                         bounds_->where == nowhere ? 0 : bounds_->where));
      break;
    case graph_status::gpu_unbounded:
      out.findings.emplace_back("The blocks of the kernels can ask for more of the GPU than is certain to be used.");
      break;
    case graph_status::copies_unbounded:
      out.findings.emplace_back("The copies can ask for more time than the copy engines have.");
      break;
    case graph_status::history_cycle:
      out.findings.push_back(fmt::format("{} waits for its own past for longer than its period allows.",
                                         file_->table.graphs[bounds_->where].name));
      break;
    default:
      throw input_error{file_->list, "what the times add up to overflows 64-bit nanoseconds",
                        "times whose sum over the graphs stays below 2^63 ns", true};
  }
  bool all = true;
  for (std::uint32_t i = 0; i < file_->table.graphs.size(); ++i) {
    const graph_wish& wish = file_->wishes[i];
    const bool met = meets(*bounds_, i);
    all = all && met;
    const response_bound<ticks> bound{bounds_->end_to_end[i], bounds_->bounded()};
    out.tasks.push_back({std::string{file_->table.graphs[i].name}, wish.deadline, bound, met, wish.limited});
    out.rows.push_back(i);
    if (bounds_->bounded() && !met) {
      out.findings.push_back(fmt::format("{}: the bound {} exceeds the deadline {}.", out.tasks[i].name,
                                         format_duration(bound.value), format_duration(wish.deadline)));
    }
  }
  out.status = all ? verdict_status::schedulable : verdict_status::not_proven;
  out.notes = file_->notes;
  return out;
}

auto graph_description::platform_text() const -> std::string {
  const graph_platform& p = file_->platform;
  std::string out = fmt::format("{} cluster{} of {} core{} ({})", p.clusters.size(), p.clusters.size() == 1 ? "" : "s",
                                p.clusters[0], p.clusters[0] == 1 ? "" : "s", file_->policy);
  if (p.copy_engines > 0) {
    out += fmt::format(", {} copy engine{} (fifo)", p.copy_engines, p.copy_engines == 1 ? "" : "s");
  }
  if (p.sms == 0) { return out + ", no GPU"; }
  out += fmt::format(", GPU with {} SMs x {} threads", p.sms, p.threads_per_sm);
  if (p.blocks_per_sm > 0) { out += fmt::format(" in at most {} blocks", p.blocks_per_sm); }
  return out + " (fifo-blocks)";
}

auto graph_description::verdict_table() const -> text_table {
  text_table table{{"graph", "nodes", "period ms", "deadline ms", "end to end ms", "at once", "meets"}};
  for (std::size_t i = 0; i < judged().tasks.size(); ++i) {
    const judged_task& t = judged().tasks[i];
    const auto& g = refined_->graphs[i];
    table.add(
        {t.name, fmt::format("{}", g.nodes), in_milliseconds(g.period), deadline_text(t),
         t.bound.exists ? in_milliseconds(t.bound.value) : "-",
         t.bound.exists ? fmt::format("{}", ceil_divide<ticks>(std::max<ticks>(t.bound.value, 1), g.period)) : "-",
         t.meets     ? t.limited ? "yes" : "bounded"
         : t.limited ? "not proven"
                     : "no bound"});
  }
  return table;
}

/// Nodes from the first to the last of those whose bounds add up to that of the graph.
auto graph_description::critical_path(std::size_t graph) const -> std::vector<std::uint32_t> {
  const auto& g = refined_->graphs[graph];
  const auto end_of = [this](std::uint32_t v) { return bounds_->offset[v] + bounds_->response[v]; };
  std::uint32_t at = g.first_node;
  for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
    if (end_of(v) > end_of(at)) { at = v; }
  }
  std::vector<std::uint32_t> out{at};
  for (bool found = true; found;) {
    found = false;
    for (std::uint32_t e = g.first_edge; !found && e < g.first_edge + g.edges; ++e) {
      const graph_edge& edge = refined_->edges[e];
      found = edge.lag == 0 && edge.to == at && end_of(edge.from) == bounds_->offset[at];
      if (found) { at = edge.from; }
    }
    if (found) { out.push_back(at); }
  }
  std::ranges::reverse(out);
  return out;
}

auto graph_description::explain_task(std::size_t i) const -> std::string {
  std::string out = described_file::explain_task(i);
  if (!judged().tasks[i].bound.exists) { return out; }
  const auto path = critical_path(i);
  if (const ticks start = bounds_->offset[path.front()]; start > 0) {
    out += fmt::format("  {} for the past that it waits for\n", format_duration(start));
  }
  for (const std::uint32_t v : path) {
    if (bounds_->response[v] > 0) {
      out += fmt::format("  {} for {}\n", format_duration(bounds_->response[v]), node_names_[v]);
    }
  }
  return out;
}

void graph_description::write_platform(report::json_writer& json) const {
  const graph_platform& p = file_->platform;
  std::int32_t count = 0;
  for (const std::int32_t cpus : p.clusters) { count += cpus; }
  json.key("platform").begin_object().key("cpus").begin_object().member("count", count);
  json.member("clusters", static_cast<std::int64_t>(p.clusters.size())).member("policy", file_->policy).end_object();
  json.key("copy_engines").begin_object().member("count", p.copy_engines).member("policy", "fifo").end_object();
  json.key("gpus").begin_array();
  if (p.sms > 0) {
    json.begin_object().member("sms", p.sms).member("threads_per_sm", p.threads_per_sm);
    if (p.blocks_per_sm > 0) { json.member("blocks_per_sm", p.blocks_per_sm); }
    json.member("sharing", "fifo-blocks").end_object();
  }
  json.end_array().end_object();
}

void graph_description::write_task_parts(report::json_writer& json, std::size_t task) const {
  const auto& g = refined_->graphs[task];
  json.key("terms").begin_array();
  if (bounds_->bounded()) {
    const auto path = critical_path(task);
    if (const ticks start = bounds_->offset[path.front()]; start > 0) {
      json.begin_object().member("what", "history").member("by", g.name).member("time", start).end_object();
    }
    for (const std::uint32_t v : path) {
      json.begin_object().member("what", "node").member("by", node_names_[v]);
      json.member("time", bounds_->response[v]).end_object();
    }
  }
  json.end_array().key("nodes").begin_array();
  for (std::uint32_t v = g.first_node; bounds_->bounded() && v < g.first_node + g.nodes; ++v) {
    json.begin_object().member("name", node_names_[v]).member("offset", bounds_->offset[v]);
    json.member("response_bound", bounds_->response[v]).end_object();
  }
  json.end_array();
}

auto graph_description::run_size_until(duration horizon) const -> run_size {
  double jobs = 0;
  for (const auto& g : file_->table.graphs) {
    jobs += 3.0 * g.nodes * static_cast<double>(horizon.count()) / static_cast<double>(g.period);
  }
  return {jobs, "jobs of nodes", most_jobs, most_traced_jobs};
}

auto graph_description::invocations_until(std::size_t graph, const simulation_options& options) const
    -> std::vector<ticks> {
  random_stream random{options.seed + graph};
  const ticks period = file_->table.graphs[graph].period;
  const ticks end = options.horizon.count();
  std::vector<ticks> out;
  ticks next = options.releases == release_pattern::adversarial && random.chance(1, 2) ? random.below(period) : 0;
  while (next < end) {
    out.push_back(next);
    ticks gap = period;
    if (options.releases == release_pattern::sporadic) { gap += random.below(period); }
    if (!checked_add(next, gap, next)) { break; }
  }
  return out;
}

auto graph_description::simulate(const simulation_options& options, trace* kept) const
    -> std::optional<report::run_summary> {
  if (!bounds_->bounded()) {
    throw input_error{file_->list, "have no bounds, from which the offsets of their nodes would follow",
                      "graphs that analyze finds bounds for"};
  }
  const std::span<const std::int32_t> clusters{file_->platform.clusters.data(), file_->platform.clusters.size()};
  const auto points = simulation::node_points(*refined_, clusters, file_->rule);
  const std::span<const ticks> offsets{bounds_->offset.data(), refined_->nodes.size()};
  const auto work = simulation::fine_workload<ticks>(*refined_, clusters, offsets, points);
  simulation::invocations<ticks> releases;
  for (std::size_t g = 0; g < file_->table.graphs.size(); ++g) { releases.push_back(invocations_until(g, options)); }
  simulation::graph_options how;
  if (file_->platform.sms > 0) {
    how.gpu.sms = file_->platform.sms;
    how.gpu.each.threads = file_->platform.threads_per_sm;
    if (file_->platform.blocks_per_sm > 0) { how.gpu.each.blocks = file_->platform.blocks_per_sm; }
  }
  how.copy_engines = std::max(file_->platform.copy_engines, 1);
  how.early_release = options.releases == release_pattern::adversarial;
  const chosen_lengths lengths{options.execution, simulation::random_lengths{options.seed}};
  simulation::no_gpu_observer unseen;
  no_trace unheard;
  const auto run = kept != nullptr ? simulation::simulate_graphs(work, releases, how, lengths, *kept, unseen)
                                   : simulation::simulate_graphs(work, releases, how, lengths, unheard, unseen);
  if (run.fault == simulation::graph_run_fault::times_do_not_fit) { return std::nullopt; }
  if (run.fault == simulation::graph_run_fault::too_many_kernels) {
    throw input_error{file_->list, "have more kernels under way than this simulation holds", "at most 2048 at once"};
  }
  if (!run.ok()) {
    throw environment_error{"the simulation of graphs stopped: this is a fault of takt, please report it"};
  }
  report::run_summary out;
  for (std::size_t g = 0; g < judged().tasks.size(); ++g) {
    const judged_task& t = judged().tasks[g];
    report::task_run seen{.name = t.name, .jobs = run.responses[g].size(), .bound = t.bound};
    double sum = 0;
    for (const ticks response : run.responses[g]) {
      seen.worst_response = std::max(seen.worst_response, response);
      seen.misses += t.limited && response > t.deadline ? 1U : 0U;
      sum += static_cast<double>(response);
    }
    if (seen.jobs > 0) { seen.mean_response = static_cast<ticks>(sum / static_cast<double>(seen.jobs)); }
    out.tasks.push_back(std::move(seen));
  }
  return out;
}

auto graph_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<refined_graphs>(*refined_);
  for (auto& n : scaled->nodes) {
    const bool fits =
        scale_time(n.wcet, factor, true, n.wcet) && scale_time(n.block_length, factor, true, n.block_length);
    if (!fits) { return factor_answer::not_proven; }
  }
  const auto bounds = bounds_of(*scaled);
  for (std::size_t g = 0; g < file_->wishes.size(); ++g) {
    if (!meets(*bounds, g)) { return factor_answer::not_proven; }
  }
  return factor_answer::proven;
}

[[nodiscard]] auto read(const json_value& document) -> std::unique_ptr<described_file> {
  return std::make_unique<graph_description>(read_graphs(document));
}

}  // namespace

const file_kind graph_kind{is_graph_document, read};

}  // namespace takt::program
