// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/graph/graph_result.hpp>
#include <takt/simulation/graph/graph_trace.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

/// Writes the result of a run.
template <ExactNumber Number>
class graph_log {
 public:
  /// Both outlive the log.
  graph_log(const graph_workload<Number>& work, const std::vector<std::vector<Number>>& releases)
      : work_{&work}, releases_{&releases} {
    out_.tasks.assign(work.tasks.size(), graph_task_outcome<Number>{});
    out_.inversion.assign(work.clusters.size(), Number(0));
    out_.responses.resize(work.clocks.size());
    for (std::size_t g = 0; g < work.clocks.size(); ++g) {
      const auto clock = work.clocks[g];
      if (clock != no_clock) { out_.responses[g].assign(releases[static_cast<std::size_t>(clock)].size(), Number(0)); }
    }
  }

  /// The first fault stands.
  void fail(model_fault f) {
    if (out_.ok()) { out_.fault = f; }
  }
  void late() { ++out_.late; }
  void inverted(std::size_t cluster, const Number& time) { out_.inversion[cluster] = out_.inversion[cluster] + time; }
  void entered(const graph_job_name& n, const Number& nominal, const Number& now) {
    raise(out_.tasks[n.task].enqueue_lateness, now - nominal);
  }
  void kernel_finished(const graph_job_name& n, const Number& enqueued, const Number& now) {
    raise(out_.tasks[n.task].kernel_response, now - enqueued);
  }
  void completed(const graph_job_name& n, const Number& nominal, const Number& now) {
    const auto& t = work_->tasks[n.task];
    ++out_.tasks[n.task].jobs;
    raise(out_.tasks[n.task].response, now - nominal);
    const std::int32_t clock = work_->clocks[t.graph];
    if (!t.is_sink || clock == no_clock || n.number >= out_.responses[t.graph].size()) { return; }
    raise(out_.responses[t.graph][n.number], now - (*releases_)[static_cast<std::size_t>(clock)][n.number]);
  }
  void ended(const Number& now) { out_.end = now; }

  [[nodiscard]] auto result() const -> const graph_result<Number>& { return out_; }

 private:
  static void raise(Number& worst, const Number& value) {
    if (worst < value) { worst = value; }
  }

  const graph_workload<Number>* work_;
  const std::vector<std::vector<Number>>* releases_;
  graph_result<Number> out_;
};

}  // namespace takt::simulation
