// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Says what of a board a plan decides, and for which tasks. A task's visits are told to it.
template <std::size_t N>
struct plan_space {
  struct gpu_budget {
    std::int32_t step = 1;
    std::int32_t units = 0;   ///< of `step` SMs or per cent; 0: it hands nothing out
    bool by_percent = false;  ///< shares of the GPU, not SMs
  };
  inline_vector<gpu_budget, max_gpus> gpus;
  std::int32_t cluster_size = 1;  ///< processors that are scheduled together
  std::int32_t processors = 0;    ///< 0: tasks have no cores
  bool hands_out = false;         ///< some GPU does
  bool by_percent = false;        ///< some GPU hands out shares
  bool reads_priorities = false;
  bool all_given = true;             ///< every task has a priority of its own
  bool all_placed = true;            ///< every task has a core of its own
  bool in_range = true;              ///< every period and deadline is a time that may be
  inline_vector<bool, N> asks;       ///< whether a task has kernels
  inline_vector<bool, N> is_placed;  ///< whether it names its core
  inline_vector<std::int32_t, N> core;
  inline_vector<std::string_view, N> name;
  inline_vector<ticks, N> period;
  inline_vector<ticks, N> deadline;

  constexpr void open(const flow_attributes& task) {
    if (!asks.try_push_back(false)) { return; }  // told by the flattening
    // Bound: as many as `asks` has.
    is_placed.unchecked_push_back(task.is_placed);
    core.unchecked_push_back(core_named_by(task, cluster_size));
    name.unchecked_push_back(task.name);
    period.unchecked_push_back(task.period);
    deadline.unchecked_push_back(task.deadline);
    all_given = all_given && task.priority >= 0;
    all_placed = all_placed && task.is_placed;
    in_range = in_range && task.period > 0 && task.period <= unbounded_response && task.deadline > 0 &&
               task.deadline <= unbounded_response;
  }
  template <class S>
  constexpr auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    if (std::same_as<typename resource_of_segment<S>::type, gpu> && !asks.empty()) { asks.back() = true; }
    return 0;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the flattening*/) {}

  [[nodiscard]] constexpr auto chooses_cores() const noexcept -> bool { return processors > 0 && !all_placed; }
};

template <class P, class T>
[[nodiscard]] constexpr auto plan_space_of(const P& board, const T& tasks) -> plan_space<tasks_of<T>> {
  plan_space<tasks_of<T>> out;
  for (const pool_outline& p : outlines_of(board)) {
    out.reads_priorities = out.reads_priorities || p.reads_priorities;
    if (p.is_processors && p.names_cores && p.cluster > 0) {
      out.cluster_size = p.cluster;
      out.processors = p.units;
    }
    if (!p.runs_kernels) { continue; }
    typename plan_space<tasks_of<T>>::gpu_budget gpu;
    if (p.hands_sms) {
      gpu.step = p.gpu.granularity < 1 ? 1 : p.gpu.granularity;
      gpu.units = p.gpu.budget() / gpu.step;
      out.hands_out = true;
    } else if (p.hands_percents) {
      gpu = {.step = 1, .units = full_share.percent(), .by_percent = true};
      out.hands_out = out.by_percent = true;
    }
    // Bound: a board has at most `max_gpus` pools of GPUs.
    out.gpus.unchecked_push_back(gpu);
  }
  visit_source<T>::each(tasks, out);
  out.reads_priorities = out.reads_priorities && !out.all_given;
  return out;
}

/// Holds the times that a job takes alone where a plan puts it; an unknown one is `unbounded_response`.
struct job_times {
  ticks all = 0;
  ticks processors = 0;
  ticks gpu = 0;
};

inline constexpr std::size_t every_task = ~std::size_t{0};

/// Measures jobs of tasks, or of one of them. Visits are told to it.
template <class P>
class job_meter {
 public:
  /// Pre: all outlive it. Tasks beyond the entries of a span have none.
  constexpr job_meter(const P& board, std::span<const sm_share> shares, std::span<const std::int32_t> percents,
                      std::span<job_times> out, std::size_t only = every_task)
      : board_{&board}, shares_{shares}, percents_{percents}, out_{out}, only_{only} {}

  constexpr void open(const flow_attributes& /*task*/) {
    ++opened_;
    is_wanted_ = (only_ == every_task || only_ + 1 == opened_) && opened_ <= out_.size();
    if (!is_wanted_) { return; }
    out_[opened_ - 1] = {};
    at_ = {.task = static_cast<std::uint32_t>(opened_ - 1)};
    gpu_ = 0;
    if (opened_ <= shares_.size()) {
      at_.sms = shares_[opened_ - 1].sms;
      gpu_ = shares_[opened_ - 1].gpu;
    }
    if (opened_ <= percents_.size()) { at_.percent = percents_[opened_ - 1]; }
  }
  template <class S>
  constexpr auto visit(const S& asked, visit_mask /*before*/) -> visit_mask {
    if (!is_wanted_) { return 0; }
    const routed_visit found = route(*board_, asked, gpu_, at_);
    const bool is_known = found.served && found.seen.fault == model_fault::none;
    const ticks time = is_known ? found.seen.time.upper : unbounded_response;
    job_times& job = out_[opened_ - 1];
    add(job.all, time);
    if constexpr (is_cpu_segment<S>) { add(job.processors, time); }
    if constexpr (std::same_as<typename resource_of_segment<S>::type, takt::gpu>) { add(job.gpu, time); }
    return 0;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  constexpr void refuse(const model_error& /*told by the flattening*/) {}

 private:
  static constexpr void add(ticks& sum, ticks time) {
    const bool is_known = sum < unbounded_response && time >= 0 && time <= longest_visit_time;
    sum = is_known ? sum + time : unbounded_response;
  }

  const P* board_;
  std::span<const sm_share> shares_;
  std::span<const std::int32_t> percents_;
  std::span<job_times> out_;
  std::size_t only_;
  std::size_t opened_ = 0;
  bool is_wanted_ = false;
  std::int32_t gpu_ = 0;
  visit_placement at_{};
};

}  // namespace takt::inline TAKT_ABI::detail
