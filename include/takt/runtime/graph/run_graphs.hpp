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

#include <sched.h>

#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_validate.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/refine_for.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/enforced.hpp>
#include <takt/runtime/graph/emulated_block_gpu.hpp>
#include <takt/runtime/graph/graph_binding.hpp>
#include <takt/runtime/graph/graph_crew.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_log.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/graph_result.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/rights.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/start_line.hpp>

namespace takt::runtime {

namespace detail {

inline constexpr ticks graph_lead_time = 20'000'000;
inline constexpr std::int64_t most_graph_threads = 1024;
inline constexpr std::size_t most_graph_entries = std::size_t{1} << 20;

/// The parts of a run of graphs, which refer to each other.
class graph_run {
 public:
  graph_run(const graph_layout& laid, const graph_platform& platform, const graph_run_options& options,
            const graph_code& code, bool traced)
      : laid_{&laid},
        platform_{&platform},
        options_{&options},
        code_{&code},
        log_{laid, options, traced ? entries() : 0},
        places_(laid.nodes.size()) {}

  [[nodiscard]] auto open() -> bool {
    std::int64_t workers = code_->blocks().empty() ? 0 : options_->block_threads;
    workers += code_->copies().empty() ? 0 : platform_->copy_engines;
    for (std::uint32_t g = 0; g < laid_->graphs.size(); ++g) { workers += graph_crew::threads_of(g, around(g)); }
    if (workers > most_graph_threads) { return false; }
    for (const std::int32_t cpus : platform_->clusters) {
      const bool by_points = shares_by_points(options_->sharing);
      processors_.push_back(std::make_unique<processor_queue>(static_cast<std::size_t>(by_points ? cpus : workers)));
    }
    make_device(gpu_, node_kind::kernel, *platform_, options_->placement);
    graph_platform engines;
    engines.sms = platform_->copy_engines;
    engines.threads_per_sm = 1;
    engines.warp_size = 1;
    make_device(engines_, node_kind::copy, engines, block_placement::even);
    for (std::uint32_t g = 0; g < laid_->graphs.size(); ++g) {
      crews_.push_back(std::make_unique<graph_crew>(g, around(g)));
    }
    bool started = gpu_.device == nullptr || gpu_.device->open(options_->block_threads);
    started = (engines_.device == nullptr || engines_.device->open(platform_->copy_engines)) && started;
    for (const auto& c : crews_) { started = c->open(line_) && started; }
    return started;
  }
  void call_off() {
    line_.call_off();
    for (const auto& c : crews_) { c->join(); }
  }
  void go(graph_run_result& result) {
    std::vector<emulated_block_gpu*> devices;
    for (const emulated_queue* q : {&gpu_, &engines_}) {
      if (q->device != nullptr) { devices.push_back(q->device.get()); }
    }
    const std::int32_t base = options_->base_priority;
    const bool exists = base > 0 && base <= sched_get_priority_max(SCHED_FIFO);
    const std::int32_t top = exists ? base + deepest() + 1 : 0;
    rights asked{placed(base, top), result.notes};
    result.granted.pinned = ask(options_->pin_to_cores, "affinity", result, [&] { return asked.pin(); });
    result.granted.memory_locked = ask(options_->lock_memory, "memory", result, [&] { return asked.lock_memory(); });
    result.granted.real_time = ask(options_->real_time, "scheduling", result, [&] {
      return asked.be_real_time(exists ? top + 1 : 0, "nodes at " + std::to_string(base) + " plus their depth", "",
                                [&](bool above) { return serve_at(devices, above ? top : 0, above ? base : 0); });
    });
    const ticks start = later(now(), graph_lead_time);
    log_.start_at(start);
    line_.open({start, later(start, std::max<ticks>(0, options_->length.count()))});
    for (const auto& c : crews_) { c->join(); }
    asked.forget_threads();
    asked.give_back();
    result.end = std::max<ticks>(0, now() - start);
    for (emulated_block_gpu* d : devices) { d->close(); }
  }
  [[nodiscard]] auto log() -> graph_log& { return log_; }

 private:
  [[nodiscard]] auto deepest() const -> std::int32_t {
    std::int32_t out = 0;
    for (const auto& c : crews_) {
      for (const graph_thread& t : c->threads()) { out = std::max(out, t.depth); }
    }
    return out;
  }
  /// A node at `base` plus its longest distance from the input, so that what is begun is ended; at `top`, above them,
  /// those who invoke and deliver; 0 without a top. Source: Elliott 2015, section 5.4.1.
  [[nodiscard]] auto placed(std::int32_t base, std::int32_t top) const -> std::vector<run_thread> {
    std::vector<run_thread> out;
    for (const auto& c : crews_) {
      for (const graph_thread& t : c->threads()) {
        const std::int32_t priority = top == 0 || t.depth < 0 ? top : base + t.depth;
        out.push_back({t.worker.native_handle(), priority, first_processor(t.cluster),
                       platform_->clusters[static_cast<std::size_t>(t.cluster)]});
      }
    }
    return out;
  }
  [[nodiscard]] static auto serve_at(const std::vector<emulated_block_gpu*>& devices, std::int32_t priority,
                                     std::int32_t code_priority) -> bool {
    bool granted = true;
    for (emulated_block_gpu* d : devices) { granted = d->serve_at(priority, code_priority) && granted; }
    return granted;
  }
  /// Of a cluster.
  [[nodiscard]] auto first_processor(std::int32_t cluster) const -> std::int32_t {
    std::int32_t first = 0;
    for (std::size_t c = 0; c < static_cast<std::size_t>(cluster); ++c) { first += platform_->clusters[c]; }
    return first;
  }
  /// Of a trace: all blocks of all jobs.
  [[nodiscard]] auto entries() const -> std::size_t {
    std::int64_t sum = 64;
    for (const laid_node& n : laid_->nodes) {
      const std::int64_t jobs = invocations_of(*options_, laid_->graphs[n.node.graph].record.period);
      const std::int64_t each = 2 + std::min<std::int64_t>(n.node.blocks, std::int64_t{1} << 20);
      if (jobs > static_cast<std::int64_t>(most_graph_entries) / each) { return most_graph_entries; }
      sum += jobs * each;
    }
    return std::min(most_graph_entries, static_cast<std::size_t>(sum));
  }
  [[nodiscard]] auto around(std::uint32_t graph) const -> graph_crew::surroundings {
    const std::int32_t home = laid_->graphs[graph].record.cluster;
    const auto cluster = static_cast<std::size_t>(home);
    auto* own = cluster < processors_.size() ? processors_[cluster].get() : nullptr;
    return {laid_, options_, code_, &log_, own, first_processor(home), &places_};
  }

  /// A device made of host threads, and the nodes whose jobs queue there, by their number.
  struct emulated_queue {
    std::vector<std::uint32_t> nodes;
    std::unique_ptr<emulated_block_gpu> device;
  };

  /// Nodes of a kind on a device of their own: kernels as they are, a copy as one block of one thread.
  void make_device(emulated_queue& queue, node_kind kind, const graph_platform& shape, block_placement placement) {
    std::vector<device_kernel> on_device;
    for (std::uint32_t v = 0; v < laid_->nodes.size(); ++v) {
      if (laid_->nodes[v].node.kind != kind) { continue; }
      places_[v].number = static_cast<std::uint32_t>(on_device.size());
      queue.nodes.push_back(v);
      on_device.push_back(kind == node_kind::kernel ? kernel_of(v) : copy_of(v));
    }
    if (on_device.empty()) { return; }
    emulated_block_gpu::listener hears;
    hears.on_end = [this, &queue](const kernel_job& job) {
      const std::uint32_t v = queue.nodes[job.kernel];
      const std::uint32_t graph = laid_->nodes[v].node.graph;
      crews_[graph]->queued_ended(v - laid_->graphs[graph].record.first_node, job);
    };
    const stage where = kind == node_kind::kernel ? stage::kernel : stage::copy;
    hears.on_piece = [this, &queue, where](const block_piece& p) {
      log_.worked(queue.nodes[p.kernel], p.job, {.where = where, .gpu = 0, .index = p.sm, .count = 1}, p.start, p.end);
    };
    // Another sequence of lengths for each device.
    const std::uint64_t seed = options_->seed + static_cast<std::uint64_t>(where);
    queue.device = std::make_unique<emulated_block_gpu>(shape, placement, std::move(on_device), options_->lengths, seed,
                                                        std::move(hears));
    for (const std::uint32_t v : queue.nodes) { places_[v].device = queue.device.get(); }
  }
  [[nodiscard]] auto kernel_of(std::uint32_t v) const -> device_kernel {
    const graph_node<ticks>& n = laid_->nodes[v].node;
    const laid_graph& g = laid_->graphs[n.graph];
    device_kernel out{n.blocks, n.block_threads, n.block_length, g.record.period, {}};
    if (const auto body = code_->blocks().find({n.owner, n.segment, node_part::kernel});
        body != code_->blocks().end()) {
      out.code = [&body = body->second, &g, graph = n.graph, owner = n.owner](std::int64_t job, std::int64_t block) {
        body(graph_crew::job_of(g, graph, owner, job), block);
      };
    }
    return out;
  }
  [[nodiscard]] auto copy_of(std::uint32_t v) const -> device_kernel {
    const graph_node<ticks>& n = laid_->nodes[v].node;
    const laid_graph& g = laid_->graphs[n.graph];
    device_kernel out{1, 1, n.wcet, g.record.period, {}};
    if (const auto* const body = code_->body_of({n.owner, n.segment, n.part})) {
      out.code = [body, &g, graph = n.graph, owner = n.owner](std::int64_t job, std::int64_t /*block*/) {
        (*body)(graph_crew::job_of(g, graph, owner, job));
      };
    }
    return out;
  }

  const graph_layout* laid_;
  const graph_platform* platform_;
  const graph_run_options* options_;
  const graph_code* code_;
  mutable graph_log log_;
  std::vector<queue_place> places_;  ///< by node
  start_line line_;
  std::vector<std::unique_ptr<processor_queue>> processors_;
  std::vector<std::unique_ptr<graph_crew>> crews_;
  emulated_queue gpu_;
  emulated_queue engines_;
};

}  // namespace detail

/// Runs graphs under a plan on this machine's threads, an emulated GPU and emulated copy engines, every graph invoked
/// for the first time at the start and then once per period, and every invocation to its end.
///
/// The plan is that of a verdict: each node has an offset and as many instances as jobs of it can be under way, each
/// with a thread of its own. Kernels and copies go through the guard of their node into the queue of the GPU or of the
/// engines, each job on a stream of its own. Under `by_points` processors are shared without preemption, which the rule
/// of the platform must say; what the machine itself adds, to wake threads up or by running something else, is in no
/// bound. What the run is to be compared with stands in `options.expected`: see `expect`. Times of the trace and the
/// result count from the start; `task` in the trace is the position in the refined table. A platform whose rules are
/// not enforced here does not compile. Error: see `observation_status`. Source: Yang et al. 2018, section 5.1; Elliott
/// 2015, section 5.4.1.
template <Platform P, GraphSet T, std::size_t N, std::size_t V, TraceRecorder Recorder>
[[nodiscard]] auto run(const P& platform, const T& graphs, const plan<N, V>& p, const graph_run_options& options,
                       Recorder& recorder, const graph_code& code = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_graph_run<P>::passed})
    -> graph_run_result {
  graph_run_result result;
  if constexpr (GraphPlatform<P> && GlobalRule<takt::detail::global_rule_of<P>>) {
    using rule = takt::detail::global_rule_of<P>;
    const auto refuse = [&result](observation_status why) {
      result.ended = why;
      return result;
    };
    const auto& table = graphs.template flat<ticks>();
    const graph_platform record = graph_platform_of(platform);
    refined_table<std::remove_cvref_t<decltype(table)>> refined;
    result.error = platform.validate();
    if constexpr (requires { graphs.fault(); }) {
      if (!result.error) { result.error = graphs.fault(); }
    } else {
      if (!result.error) { result.error = validate(table); }
    }
    if (!result.error) { result.error = located(fits(table, record), table.graphs); }
    if (!result.error) { result.error = detail::device_size_fault(record); }
    if (!result.error) { result.error = detail::graph_options_fault(options, is_preemptive<rule>); }
    if (!result.error && !refine_for(platform, table, refined)) {
      result.error = {.fault = model_fault::time_overflow};
    }
    if (result.error) { return result; }
    const graph_layout laid = make_graph_layout(refined, p, options);
    result.error = located(laid.error, refined.graphs);
    if (result.error) { return result; }
    const bool well_named =
        detail::well_bound(table, code, options.uses) && detail::well_expected_graphs(refined, options.expected);
    if (!laid.sound_uses || !well_named) { return refuse(observation_status::wrong_binding); }

    detail::graph_run parts{laid, record, options, code, !std::same_as<Recorder, no_trace>};
    if (!parts.open()) {
      parts.call_off();
      return refuse(observation_status::no_threads);
    }
    if (options.check_machine) {
      result.findings = check_machine(parts_used::cpus);
      result.notes = notes_on(result.findings);
    }
    detail::note_clock(result);
    result.notes.emplace_back(shares_by_points(options.sharing)
                                  ? "processors: takt's, by priority point, without preemption"
                                  : "processors: the system's, for which no bound is known");
    if (options.copies > 0) {
      result.notes.push_back("room: " + std::to_string(std::min(options.copies, most_instances)) +
                             " copies by request: where nodes wait for one, bounds need not hold");
    }
    parts.go(result);
    parts.log().report(result);
    if (const std::uint64_t lost = parts.log().replay(recorder); lost > 0) {
      result.notes.push_back("trace: " + std::to_string(lost) + " entries did not fit and are missing");
    }
  }
  return result;
}

template <Platform P, GraphSet T, std::size_t N, std::size_t V>
[[nodiscard]] auto run(const P& platform, const T& graphs, const plan<N, V>& p, const graph_run_options& options = {},
                       const graph_code& code = {},
                       takt::detail::refusal&& /*refused*/ = takt::detail::refusal{detail::check_graph_run<P>::passed})
    -> graph_run_result {
  no_trace nothing;
  return run(platform, graphs, p, options, nothing, code);
}

}  // namespace takt::runtime
