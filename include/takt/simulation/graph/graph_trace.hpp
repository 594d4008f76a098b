// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/simulation/graph/graph_workload.hpp>

namespace takt::simulation {

/// A job of a task of a workload.
struct graph_job_name {
  std::size_t task = 0;
  std::size_t number = 0;
};

/// Tells a recorder what happens, where times are ticks. Blocks of one kernel that start together on an SM are one
/// slice; slices of blocks that share an SM overlap.
template <ExactNumber Number, TraceRecorder Recorder>
class graph_trace {
 public:
  /// Both outlive this.
  graph_trace(const graph_workload<Number>& work, Recorder& recorder) : work_{&work}, recorder_{&recorder} {}

  void happened(mark_kind what, const graph_job_name& who, const Number& time) {
    if constexpr (number_traits<Number>::integral) {
      recorder_->record(mark{what, static_cast<std::uint32_t>(who.task), who.number, time});
    }
  }
  void worked(const track& where, const graph_job_name& who, std::size_t step, const Number& since,
              const Number& until) {
    if constexpr (number_traits<Number>::integral) {
      if (since == until) { return; }
      const std::uint32_t segment = work_->steps[work_->tasks[who.task].first_step + step].segment;
      recorder_->record(slice{static_cast<std::uint32_t>(who.task), segment, who.number, where, since, until});
    }
  }

 private:
  const graph_workload<Number>* work_;
  Recorder* recorder_;
};

}  // namespace takt::simulation
