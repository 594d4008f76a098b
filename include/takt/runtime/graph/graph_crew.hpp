// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <takt/model/stage.hpp>
#include <takt/rules/graph/reorder_buffer.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/graph/emulated_block_gpu.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_log.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/graph/job_flow.hpp>
#include <takt/runtime/graph/processor_queue.hpp>
#include <takt/runtime/length_source.hpp>
#include <takt/runtime/start_line.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// A thread of a graph, and where it belongs.
struct graph_thread {
  thread worker;
  std::int32_t cluster = 0;
  std::int32_t depth = -1;  ///< of its node; -1: it releases invocations
};

/// Where the jobs of a node queue, and its number there: the GPU, or the copy engines.
struct queue_place {
  emulated_block_gpu* device = nullptr;  ///< null for a node on processors
  std::uint32_t number = 0;
};

/// The threads of one graph: one that invokes it and calls its input, one for each instance of each CPU node, and one
/// that calls its output in the order of invocations. A job of a node waits for the tokens of all that come before it
/// and for room in all that it writes, works on the copy of its invocation, and hands on.
class graph_crew {
 public:
  struct surroundings {
    const graph_layout* laid = nullptr;
    const graph_run_options* options = nullptr;
    const graph_code* code = nullptr;
    graph_log* log = nullptr;
    processor_queue* processors = nullptr;
    std::int32_t first_processor = 0;                  ///< of the cluster, in a trace
    const std::vector<queue_place>* queues = nullptr;  ///< by node
  };

  graph_crew(std::uint32_t graph, const surroundings& around)
      : graph_{graph},
        around_{around},
        flow_{nodes_of(graph, around), own().waits, [this](std::uint32_t v, const ready_job& job) { told(v, job); }} {}

  /// The copies of data that a job of `node` works on.
  [[nodiscard]] static auto job_of(const laid_graph& g, std::uint32_t graph, std::uint32_t node, std::int64_t number)
      -> graph_job {
    return {graph, node, number, number % g.copies, g.copies};
  }

  /// False when the system has too few threads.
  [[nodiscard]] auto open(start_line& line) -> bool {
    add(line, -1, [this](const run_window& w) { invoke(w); });
    add(line, -1, [this](const run_window& /*window*/) { deliver(); });
    for (std::uint32_t v = 0; v < own().record.nodes; ++v) {
      if (entry_of(node(v), around_) != job_entry::worker) { continue; }
      for (std::int64_t i = 0; i < node(v).instances; ++i) {
        add(line, node(v).depth, [this, v, i](const run_window& w) { work(v, i, w); });
      }
    }
    return std::ranges::all_of(threads_, [](const graph_thread& t) { return t.worker.started(); });
  }
  void join() {
    for (graph_thread& t : threads_) { t.worker.join(); }
  }
  [[nodiscard]] auto threads() const -> const std::vector<graph_thread>& { return threads_; }

  /// Threads that `open` starts.
  [[nodiscard]] static auto threads_of(std::uint32_t graph, const surroundings& around) -> std::int64_t {
    std::int64_t count = 2;
    const auto& g = around.laid->graphs[graph].record;
    for (std::uint32_t v = g.first_node; v < g.first_node + g.nodes; ++v) {
      const laid_node& n = around.laid->nodes[v];
      count += entry_of(n, around) == job_entry::worker ? n.instances : 0;
    }
    return count;
  }

  /// A kernel or a copy of this graph has ended. `v` is a position in the graph.
  void queued_ended(std::uint32_t v, const kernel_job& job) {
    const ticks end = now();
    around_.log->ended(own().record.first_node + v, job.job, nominal(v, job.job), job.entered, end);
    flow_.end(v, job.job, end);
  }

 private:
  /// More than the invocations under way.
  static constexpr std::size_t remembered = 2 * static_cast<std::size_t>(most_instances);
  struct invocation {
    ticks release = 0;
    ticks entered = 0;  ///< its input had been called
    ticks ended = 0;
  };

  [[nodiscard]] auto own() const -> const laid_graph& { return around_.laid->graphs[graph_]; }
  [[nodiscard]] auto node(std::uint32_t v) const -> const laid_node& {
    return around_.laid->nodes[own().record.first_node + v];
  }
  [[nodiscard]] auto input() const -> std::uint32_t { return own().record.nodes; }
  [[nodiscard]] auto output() const -> std::uint32_t { return own().record.nodes + 1; }
  [[nodiscard]] auto invocation_of(std::int64_t job) -> invocation& {
    return invocations_[static_cast<std::size_t>(job) % remembered];
  }
  [[nodiscard]] auto nominal(std::uint32_t v, std::int64_t job) -> ticks {
    return later(invocation_of(job).release, node(v).offset);
  }

  [[nodiscard]] static auto entry_of(const laid_node& n, const surroundings& around) -> job_entry {
    if (n.is_free() && around.code->body_of({n.node.owner, n.node.segment, n.node.part}) == nullptr) {
      return job_entry::none;
    }
    const bool queued = n.node.kind == node_kind::kernel || n.node.kind == node_kind::copy;
    return queued ? job_entry::notice : job_entry::worker;
  }
  [[nodiscard]] static auto nodes_of(std::uint32_t graph, const surroundings& around) -> std::vector<flow_node> {
    const laid_graph& g = around.laid->graphs[graph];
    std::vector<flow_node> out;
    for (std::uint32_t v = g.record.first_node; v < g.record.first_node + g.record.nodes; ++v) {
      const laid_node& n = around.laid->nodes[v];
      const job_entry entry = entry_of(n, around);
      out.push_back({entry == job_entry::none ? g.instances : n.instances, entry});
    }
    out.push_back({g.instances, job_entry::worker});
    out.push_back({g.instances, job_entry::notice});
    return out;
  }

  void add(start_line& line, std::int32_t depth, std::function<void(const run_window&)> body) {
    threads_.push_back({thread{[&line, body = std::move(body)] {
                          if (const auto window = line.wait()) { body(*window); }
                        }},
                        own().record.cluster, depth});
  }

  /// With the flow's lock held.
  void told(std::uint32_t v, const ready_job& job) {
    if (v == output()) {
      {
        const std::lock_guard lock{sink_mutex_};
        (void)sink_.complete(job.number);
        invocation_of(job.number).ended = job.since;
      }
      sink_changed_.signal();
      return;
    }
    const ticks at = nominal(v, job.number);
    const std::uint32_t position = own().record.first_node + v;
    around_.log->eligible(position, job.number, job.since, at, invocation_of(job.number).entered);
    const queue_place& queue = (*around_.queues)[position];
    queue.device->offer(queue.number, job.number, around_.options->early_release ? job.since : at);
  }

  /// False where the run is over before.
  [[nodiscard]] auto sleep_unless_over(ticks time) const -> bool {
    const bool looks = around_.options->stop != nullptr || ends_run(around_.options->at_violation);
    for (ticks at = now(); looks && at < time; at = now()) {
      if (around_.log->is_over()) { return false; }
      sleep_until(std::min(time, at + stop_poll));
    }
    if (!looks) { sleep_until(time); }
    return !around_.log->is_over();
  }

  void invoke(const run_window& window) {
    flow_.begin(window.start);
    const auto body = around_.code->inputs().find(graph_);
    const graph_run_options& asked = *around_.options;
    ticks release = window.start;
    std::int64_t job = 0;
    while (release < window.stop && job < asked.invocations) {
      if (!sleep_unless_over(release)) {
        around_.log->cut();
        break;
      }
      const std::int64_t instance = job % own().instances;
      if (drops_release(asked.overrun) && !flow_.is_ready(input(), instance)) {
        around_.log->skipped(graph_);
        release = later(release, own().record.period);
        continue;
      }
      if (!flow_.wait(input(), instance)) { break; }
      invocation_of(job) = {release, 0, 0};
      around_.log->released(graph_, now() - release);
      if (body != around_.code->inputs().end()) { body->second(job_of(own(), graph_, input_node, job)); }
      invocation_of(job).entered = now();
      flow_.end(input(), job, invocation_of(job).entered);
      ++job;
      release = later(release, own().record.period);
    }
    {
      const std::lock_guard lock{sink_mutex_};
      invoked_ = job;
      all_invoked_ = true;
    }
    sink_changed_.signal();
  }

  void work(std::uint32_t v, std::int64_t instance, const run_window& window) {
    const laid_node& n = node(v);
    const std::uint32_t position = own().record.first_node + v;
    const auto* const body = around_.code->body_of({n.node.owner, n.node.segment, n.node.part});
    const auto id = static_cast<std::uint32_t>(instance) * 4096U + position;
    length_source lengths{around_.options->lengths, around_.options->seed, id};
    const ticks give_up = later(window.stop, 60'000'000'000);
    while (const auto job = flow_.wait(v, instance)) {
      const ticks at = nominal(v, job->number);
      around_.log->eligible(position, job->number, job->since, at, invocation_of(job->number).entered);
      if (!around_.options->early_release) { sleep_until(at); }
      const std::int32_t processor =
          around_.processors->enter({later(at, n.node.point), graph_, job->number, position});
      const ticks began = now();
      if (body != nullptr) {
        (*body)(job_of(own(), graph_, n.node.owner, job->number));
      } else {
        burn(lengths.draw({0, n.node.wcet}), give_up);
      }
      const ticks end = now();
      around_.processors->leave(processor);
      around_.log->ended(position, job->number, at, began, end);
      around_.log->worked(position, job->number, {.where = stage::cpu, .index = around_.first_processor + processor},
                          began, end);
      flow_.end(v, job->number, end);
    }
  }

  void deliver() {
    const auto body = around_.code->outputs().find(graph_);
    std::int64_t delivered = 0;
    while (true) {
      std::int64_t job = 0;
      ticks ended = 0;
      bool taken = false;
      bool over = false;
      {
        const std::lock_guard lock{sink_mutex_};
        taken = sink_.take(job);
        if (taken) { ended = invocation_of(job).ended; }
        over = !taken && all_invoked_ && delivered == invoked_;
      }
      if (over) { break; }
      if (!taken) {
        sink_changed_.wait();
        continue;
      }
      around_.log->delivered(graph_, job, invocation_of(job).release, ended);
      if (body != around_.code->outputs().end()) { body->second(job_of(own(), graph_, output_node, job)); }
      ++delivered;
      flow_.end(output(), job, now());
    }
    flow_.stop();
  }

  std::uint32_t graph_;
  surroundings around_;
  std::array<invocation, remembered> invocations_{};
  job_flow flow_;
  inheriting_mutex sink_mutex_;
  reorder_buffer<static_cast<std::size_t>(most_instances)> sink_;
  event sink_changed_;
  std::int64_t invoked_ = 0;
  bool all_invoked_ = false;
  std::vector<graph_thread> threads_;
};

}  // namespace takt::runtime
