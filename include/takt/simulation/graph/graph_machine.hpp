// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/graph/cpu_cluster.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_workload.hpp>
#include <takt/simulation/graph/kernel_engine.hpp>

namespace takt::simulation {

/// Everything that works for graphs: clusters of CPUs, copy engines that serve one FIFO queue, and a GPU. CPUs are
/// numbered through all clusters.
template <ExactNumber Number, std::size_t MaxKernels, std::size_t MaxSms>
class graph_machine {
 public:
  using gpu_type = kernel_engine<Number, MaxKernels, MaxSms>;

  graph_machine(const graph_workload<Number>& work, const graph_options& options)
      : expected_(work.clusters.size(), 0),
        copies_{static_cast<std::size_t>(options.copy_engines), false},
        gpu_{options.gpu} {
    std::int32_t first = 0;
    for (const std::int32_t cpus : work.clusters) {
      clusters_.emplace_back(static_cast<std::size_t>(cpus), options.preemptive);
      first_cpu_.push_back(first);
      first += cpus;
    }
  }

  [[nodiscard]] auto clusters() const -> const std::vector<cpu_cluster<Number>>& { return clusters_; }
  [[nodiscard]] auto gpu() -> gpu_type& { return gpu_; }

  /// So many more jobs of a cluster come.
  void expect(std::int32_t cluster, std::size_t jobs) {
    if (cluster >= 0 && static_cast<std::size_t>(cluster) < expected_.size()) {
      expected_[static_cast<std::size_t>(cluster)] += jobs;
    }
    expected_copies_ += jobs;
  }
  /// Makes room for all of them to wait.
  void reserve() {
    for (std::size_t c = 0; c < clusters_.size(); ++c) { clusters_[c].reserve(expected_[c]); }
    copies_.reserve(expected_copies_);
  }

  void ask_cpu(std::int32_t cluster, const cpu_demand<Number>& d) {
    clusters_[static_cast<std::size_t>(cluster)].ask(d);
  }
  void ask_copy(const cpu_demand<Number>& d) { copies_.ask(d); }

  /// False when nothing is under way.
  [[nodiscard]] auto next_end(Number& out) const -> bool {
    bool any = gpu_.next_end(out);
    Number end{};
    const auto consider = [&](const cpu_cluster<Number>& c) {
      if (!c.next_end(end) || (any && !(end < out))) { return; }
      out = end;
      any = true;
    };
    for (const auto& c : clusters_) { consider(c); }
    consider(copies_);
    return any;
  }
  /// Ends what is due: calls `left(unit, job, since)` when a CPU or copy engine becomes free, then `ended(job)`;
  /// `finished(tag)` for kernels.
  template <class Left, class Ended, class Finished>
  void complete_due(const Number& now, const Left& left, const Ended& ended, const Finished& finished) {
    for (std::size_t c = 0; c < clusters_.size(); ++c) { clusters_[c].complete_due(now, on_cluster(c, left), ended); }
    copies_.complete_due(
        now,
        [&](std::size_t engine, std::size_t job, const Number& since) {
          left(track{stage::copy, 0, static_cast<std::int32_t>(engine), 1}, job, since);
        },
        ended);
    gpu_.complete_due(now, finished);
  }
  /// Starts what can start, and calls `left` for jobs that are preempted and `started(tag, group)` for blocks. False
  /// when an end does not fit.
  template <class Left, class Started>
  [[nodiscard]] auto dispatch(const Number& now, const Left& left, const Started& started) -> bool {
    bool fits = gpu_.dispatch(now, started);
    fits = copies_.dispatch(now, [](std::size_t /*engine*/, std::size_t /*job*/, const Number& /*since*/) {}) && fits;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      fits = clusters_[c].dispatch(now, on_cluster(c, left)) && fits;
    }
    return fits;
  }

 private:
  template <class Left>
  [[nodiscard]] auto on_cluster(std::size_t cluster, const Left& left) const {
    return [this, cluster, &left](std::size_t cpu, std::size_t job, const Number& since) {
      left(track{stage::cpu, 0, first_cpu_[cluster] + static_cast<std::int32_t>(cpu), 1}, job, since);
    };
  }

  std::vector<cpu_cluster<Number>> clusters_;
  std::vector<std::int32_t> first_cpu_;
  std::vector<std::size_t> expected_;  ///< jobs, by cluster
  std::size_t expected_copies_ = 0;
  cpu_cluster<Number> copies_;  ///< never preemptive, and urgent by the time of the demand
  gpu_type gpu_;
};

}  // namespace takt::simulation
