// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/analysis/graph/analyze.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/graph/emulated_block_gpu.hpp>
#include <takt/runtime/graph/graph_crew.hpp>
#include <takt/runtime/graph/graph_log.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/graph_plan.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/graph/graph_rights.hpp>
#include <takt/runtime/start_line.hpp>

namespace takt::runtime {

namespace detail {

inline constexpr ticks graph_lead_time = 20'000'000;
inline constexpr std::int64_t most_graph_threads = 1024;
inline constexpr std::size_t most_graph_entries = std::size_t{1} << 20;

/// The parts of a run of graphs, which refer to each other.
[[nodiscard]] inline auto choices_known(const graph_run_options& o) noexcept -> bool {
  return is_known(o.sharing) && is_known(o.overrun) && is_known(o.lengths) && is_known(o.placement);
}

class graph_run {
 public:
  graph_run(const graph_plan& plan, const graph_platform& platform, const graph_run_options& options,
            const graph_code& code, bool traced)
      : plan_{&plan},
        platform_{&platform},
        options_{&options},
        code_{&code},
        log_{plan, options, traced ? entries() : 0},
        kernels_(plan.nodes.size()) {}

  /// Whether all code and uses are of something.
  [[nodiscard]] auto well_bound() const -> bool {
    const auto exists = [this](const auto& bound, bool kernel) {
      return std::ranges::all_of(bound, [&](const auto& entry) {
        const auto& [owner, segment, part] = entry.first;
        return entry.second && std::ranges::any_of(plan_->nodes, [&](const planned_node& n) {
                 return n.node.owner == owner && n.node.segment == segment && n.node.part == part &&
                        (n.node.kind == node_kind::kernel) == kernel;
               });
      });
    };
    const auto of_graph = [this](const auto& entry) { return entry.first < plan_->graphs.size() && entry.second; };
    return exists(code_->jobs(), false) && exists(code_->blocks(), true) &&
           std::ranges::all_of(code_->inputs(), of_graph) && std::ranges::all_of(code_->outputs(), of_graph) &&
           std::ranges::all_of(options_->uses, [this](const graph_use& u) { return u.graph < plan_->graphs.size(); });
  }

  [[nodiscard]] auto open() -> bool {
    std::int64_t workers = code_->blocks().empty() ? 0 : std::max(1, options_->block_threads);
    for (std::uint32_t g = 0; g < plan_->graphs.size(); ++g) { workers += graph_crew::threads_of(g, around(g)); }
    if (workers > most_graph_threads) { return false; }
    for (const std::int32_t cpus : platform_->clusters) {
      const bool by_points = shares_by_points(options_->sharing);
      processors_.push_back(std::make_unique<processor_queue>(static_cast<std::size_t>(by_points ? cpus : workers)));
    }
    make_gpu();
    for (std::uint32_t g = 0; g < plan_->graphs.size(); ++g) {
      crews_.push_back(std::make_unique<graph_crew>(g, around(g)));
    }
    bool started = gpu_ == nullptr || gpu_->open(std::max(1, options_->block_threads));
    for (const auto& c : crews_) { started = c->open(line_) && started; }
    return started;
  }
  void call_off() {
    line_.call_off();
    for (const auto& c : crews_) { c->join(); }
  }
  void go(graph_run_result& result) {
    graph_rights rights{crews_, gpu_.get(), result.notes};
    const auto ask = [&result](bool wanted, const char* what, auto request) {
      if (!wanted) { result.notes.push_back(std::string{what} + ": left as it is, as asked"); }
      return wanted && request();
    };
    const std::vector<std::int32_t> clusters(platform_->clusters.begin(), platform_->clusters.end());
    result.granted.pinned = ask(options_->pin_to_cores, "affinity", [&] { return rights.pin(clusters); });
    result.granted.memory_locked = ask(options_->lock_memory, "memory", [&] { return rights.lock_memory(); });
    result.granted.real_time =
        ask(options_->real_time, "scheduling", [&] { return rights.be_real_time(options_->base_priority); });
    result.granted.clock_resolution = clock_resolution();
    const ticks start = later(now(), graph_lead_time);
    log_.start_at(start);
    line_.open({start, later(start, std::max<ticks>(0, options_->length.count()))});
    for (const auto& c : crews_) { c->join(); }
    if (gpu_ != nullptr) { gpu_->close(); }
  }
  [[nodiscard]] auto log() -> graph_log& { return log_; }

 private:
  /// Of a trace: all blocks of all jobs.
  [[nodiscard]] auto entries() const -> std::size_t {
    std::int64_t sum = 64;
    for (const planned_node& n : plan_->nodes) {
      const std::int64_t jobs = invocations_of(*options_, plan_->graphs[n.node.graph].record.period);
      const std::int64_t each = 2 + std::min<std::int64_t>(n.node.blocks, std::int64_t{1} << 20);
      if (jobs > static_cast<std::int64_t>(most_graph_entries) / each) { return most_graph_entries; }
      sum += jobs * each;
    }
    return std::min(most_graph_entries, static_cast<std::size_t>(sum));
  }
  [[nodiscard]] auto around(std::uint32_t graph) const -> graph_crew::surroundings {
    const auto cluster = static_cast<std::size_t>(plan_->graphs[graph].record.cluster);
    std::int32_t first = 0;
    for (std::size_t c = 0; c < cluster; ++c) { first += platform_->clusters[c]; }
    auto* own = cluster < processors_.size() ? processors_[cluster].get() : nullptr;
    return {plan_, options_, code_, &log_, own, first, gpu_.get(), &kernels_};
  }

  void make_gpu() {
    std::vector<device_kernel> on_device;
    for (std::uint32_t v = 0; v < plan_->nodes.size(); ++v) {
      const graph_node<ticks>& n = plan_->nodes[v].node;
      if (n.kind != node_kind::kernel) { continue; }
      const planned_graph& g = plan_->graphs[n.graph];
      kernels_[v] = static_cast<std::uint32_t>(on_device.size());
      nodes_.push_back(v);
      device_kernel k{n.blocks, n.block_threads, n.block_length, g.record.period, {}};
      if (const auto body = code_->blocks().find({n.owner, n.segment, node_part::kernel});
          body != code_->blocks().end()) {
        k.code = [&body = body->second, &g, graph = n.graph, owner = n.owner](std::int64_t job, std::int64_t block) {
          body(graph_crew::job_of(g, graph, owner, job), block);
        };
      }
      on_device.push_back(std::move(k));
    }
    if (on_device.empty()) { return; }
    emulated_block_gpu::listener hears;
    hears.on_end = [this](const kernel_job& job) {
      const std::uint32_t v = nodes_[job.kernel];
      const std::uint32_t graph = plan_->nodes[v].node.graph;
      crews_[graph]->kernel_ended(v - plan_->graphs[graph].record.first_node, job);
    };
    hears.on_piece = [this](const block_piece& p) {
      log_.worked(nodes_[p.kernel], p.job, {.where = stage::kernel, .gpu = 0, .index = p.sm, .count = 1}, p.start,
                  p.end);
    };
    gpu_ = std::make_unique<emulated_block_gpu>(*platform_, options_->placement, std::move(on_device),
                                                options_->lengths, options_->seed, std::move(hears));
  }

  const graph_plan* plan_;
  const graph_platform* platform_;
  const graph_run_options* options_;
  const graph_code* code_;
  mutable graph_log log_;
  std::vector<std::uint32_t> kernels_;  ///< by node
  std::vector<std::uint32_t> nodes_;    ///< by kernel
  start_line line_;
  std::vector<std::unique_ptr<processor_queue>> processors_;
  std::vector<std::unique_ptr<graph_crew>> crews_;
  std::unique_ptr<emulated_block_gpu> gpu_;
};

}  // namespace detail

/// Runs graphs on this machine's threads and an emulated GPU, every graph invoked for the first time at the start and
/// then once per period, and every invocation to its end.
///
/// Each node has as many instances as jobs of it can be under way by the bounds, each with a thread of its own; kernels
/// go through the guard of their node into the block queue, each job on a stream of its own. Graphs for which no bound
/// is known are refused. Under `by_points` the bounds are those for non-preemptive scheduling; what the machine itself
/// adds, to wake threads up or by running something else, is not in them. Times of the trace and the result count from
/// the start; `task` in the trace is the position in the refined table. Error: see `graph_run_status`.
/// Source: Yang et al. 2018, section 5.1; Elliott 2015, section 5.4.1.
template <GraphPlatform P, GraphSet T, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const T& graphs, const graph_run_options& options, Recorder& recorder,
                       const graph_code& code = {}) -> graph_run_result {
  static_assert(takt::detail::check_graphs<P>::passed);
  graph_run_result result;
  const auto refuse = [&result](graph_run_status why) {
    result.status = why;
    return result;
  };
  const auto& table = graphs.template flat<ticks>();
  const graph_platform record = graph_platform_of(platform);
  if constexpr (requires { graphs.fault(); }) {
    result.error = graphs.fault();
  } else {
    result.error = validate(table);
  }
  if (!result.error) { result.error = fits(table, record); }
  if (!detail::choices_known(options)) { result.error = {graph_fault::choice_out_of_range}; }
  if (!result.error && record.sms > static_cast<std::int32_t>(emulated_block_gpu::most_sms)) {
    result.error = {graph_fault::platform_size_out_of_range};
  }
  if (result.error) { return refuse(graph_run_status::invalid_model); }
  const graph_plan plan = make_graph_plan(refine(table), record, takt::detail::global_rule_of<P>::policy, options);
  result.analysis = plan.status;
  if (plan.status != analysis::graph_status::bounded) { return refuse(graph_run_status::unbounded); }

  detail::graph_run parts{plan, record, options, code, !std::same_as<Recorder, no_trace>};
  if (!plan.sound_uses || !parts.well_bound()) { return refuse(graph_run_status::wrong_binding); }
  if (!parts.open()) {
    parts.call_off();
    return refuse(graph_run_status::no_threads);
  }
  result.notes.push_back("clock: CLOCK_MONOTONIC, resolution " + std::to_string(clock_resolution()) + "ns");
  result.notes.emplace_back(plan.has_bounds ? "processors: takt's, by priority point, without preemption"
                                            : "processors: the system's, for which no bound is known");
  if (plan.narrowed) {
    result.notes.push_back("room: at most " + std::to_string(most_instances) +
                           " invocations at a time, fewer than the bounds ask for: they need not hold");
  }
  if (options.copies > 0) {
    result.notes.push_back("room: " + std::to_string(std::min(options.copies, most_instances)) +
                           " copies by request: where nodes wait for one, bounds need not hold");
  }
  parts.go(result);
  parts.log().report(result);
  for (std::size_t v = 0; v < plan.nodes.size(); ++v) {
    result.nodes[v].priority = std::int64_t{options.base_priority} + plan.nodes[v].depth;
  }
  if (const std::uint64_t lost = parts.log().replay(recorder); lost > 0) {
    result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing");
  }
  return result;
}

template <GraphPlatform P, GraphSet T>
[[nodiscard]] auto run(const P& platform, const T& graphs, const graph_run_options& options = {},
                       const graph_code& code = {}) -> graph_run_result {
  no_trace nothing;
  return run(platform, graphs, options, nothing, code);
}

}  // namespace takt::runtime
