// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/locked_gpus/gpu_jobs.hpp>
#include <takt/host/locked_gpus/point_rule.hpp>
#include <takt/host/locked_gpus/section_work.hpp>
#include <takt/host/locked_gpus/system.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/executor/live_choices.hpp>
#include <takt/runtime/kept_trace.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime::detail {

/// The same pieces of the same jobs take the same time whatever the order in which they are asked for.
struct drawn_work {
  length_choice lengths = length_choice::uniform;
  std::uint64_t seed = 1;

  [[nodiscard]] auto time(const host::work_item& item, ticks worst) const noexcept -> ticks {
    if (worst < 2) { return worst; }
    switch (lengths) {
      case length_choice::upper: return worst;
      case length_choice::lower: return 1;
      case length_choice::uniform: break;
    }
    random_stream random{seed ^ (item.task << 48U) ^ (item.job << 16U) ^ item.piece};
    static_cast<void>(random.next());
    return random.between(1, worst);
  }
  [[nodiscard]] static constexpr auto repetitions(const host::work_item& /*item*/) noexcept -> std::int32_t {
    return 1;
  }
};

/// Slices go into a trace whose marks come from elsewhere.
struct kept_slices {
  kept_trace* trace = nullptr;

  void record(const slice& s) const { trace->add(s); }
  void record(const mark& /*m*/) const noexcept {}
};

/// Jobs in the order of the points that count from their nominal releases.
struct pointed_releases {
  std::vector<host::detail::point_rule> rules;
  const live_choices* live = nullptr;

  /// Pre: points up to the end of the run fit.
  [[nodiscard]] auto of(std::uint32_t task, std::uint64_t /*job*/) const -> host::timed_job {
    host::timed_job out{.release = live->nominal(task), .priority = {0, static_cast<std::int32_t>(task)}};
    static_cast<void>(rules[task].point(out.release, out.priority.point));
    return out;
  }
  static void completed(std::uint32_t /*task*/, ticks /*now*/) noexcept {}
};

/// What is open in a run of locked GPUs in real time: releases, misses and bounds are those of any board, the rest is
/// what jobs on locked GPUs do.
template <std::size_t MaxTasks>
class live_gpu_jobs : public live_choices {
 public:
  using jobs_type = host::detail::gpu_jobs<MaxTasks, r2dglp_rules, drawn_work, pointed_releases, kept_slices>;

  live_gpu_jobs(live_choices common, jobs_type& jobs) : live_choices{std::move(common)}, jobs_{&jobs} {}

  auto length(const visit_record& v, std::uint64_t job) -> ticks { return takes(v, job, jobs_->length(v, job)); }
  [[nodiscard]] auto skips(std::uint32_t v, std::uint64_t job) const -> bool { return jobs_->skips(v, job); }
  [[nodiscard]] auto again(std::uint32_t v, std::uint64_t job) -> visit_mask { return jobs_->again(v, job); }
  template <class Run>
  void passes(const Run& run, ticks now) {
    jobs_->passes(run, now);
  }
  void released(std::uint32_t task, std::uint64_t job, ticks now) { jobs_->released(task, job, now); }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    live_choices::completed(task, job, now);
    jobs_->completed(task, job, now);
  }

 private:
  jobs_type* jobs_;
};

}  // namespace takt::runtime::detail
