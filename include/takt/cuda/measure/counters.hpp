// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/prediction/corun/indicators.hpp>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

/// The metric of NVIDIA's profiler for each indicator, in the order of `workload_indicator`. Units with partitions are
/// summed up by it. The names are the same for all chips that the library of CUDA 13.0 configures, GV100 to GB20B.
inline constexpr std::array<const char*, workload_indicators> indicator_metrics{
    "smsp__inst_executed.sum",
    "sm__warps_active.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__t_sectors_pipe_tex_mem_texture_op_tex.sum"};

/// Names the metric of how long the device was at work, in nanoseconds.
inline constexpr const char* time_metric = "gpu__time_duration.sum";

}  // namespace detail

/// Reads hardware counters over a range of a program. All but `abandon` throw `cuda_error`.
///
/// - `has(metric)`: whether the device has it.
/// - `configure(metrics)`: starts anew with these.
/// - `begin()` and `end()`: around one pass. `end` says whether that was the last; if not, the same work has to be done
///   again for the counters that are still missing. All work of the range has ended when `end` is called.
/// - `read(values)`: one value per metric, after the last pass.
/// - `abandon()`: gives up what was configured, in any state.
template <class S>
concept CounterSource =
    requires(S& s, const char* metric, std::span<const char* const> metrics, std::span<double> values) {
      { s.has(metric) } -> std::same_as<bool>;
      s.configure(metrics);
      s.begin();
      { s.end() } -> std::same_as<bool>;
      s.read(values);
      { s.abandon() } noexcept;
    };

/// Holds what an application showed when it ran alone.
struct counted_run {
  workload_profile<> profile{};  ///< per tick of `time`
  ticks time = 0;                ///< in one of the passes, under the profiler
  std::int32_t passes = 0;
};

namespace detail {

[[noreturn]] inline void refuse_counting(result code, std::string why) {
  throw cuda_error{failure{code, "count_solo_run", -1, {}, std::move(why)}};
}

template <CounterSource S>
class abandoning {
 public:
  explicit abandoning(S& source) noexcept : source_{&source} {}
  abandoning(const abandoning&) = delete;
  auto operator=(const abandoning&) -> abandoning& = delete;
  ~abandoning() { source_->abandon(); }

 private:
  S* source_;
};

}  // namespace detail

/// Returns the profile that predictors ask for, from the counters of one job of an application that has the device to
/// itself. `job` does the same work in each pass, waits for its end, and returns CUDA's answer. Error: `cuda_error` of
/// the source or of the job; also when a counter is missing or has no value, the device was idle or `most_passes` did
/// not suffice. No counter is then taken as 0, and the source is left without a configuration.
template <CounterSource S, std::invocable Job>
  requires std::same_as<std::invoke_result_t<Job&>, result>
[[nodiscard]] auto count_solo_run(S& source, Job job, std::int32_t most_passes = 64) -> counted_run {
  constexpr std::size_t time_at = workload_indicators;
  std::array<const char*, workload_indicators + 1> metrics{};
  for (std::size_t i = 0; i < workload_indicators; ++i) { metrics[i] = detail::indicator_metrics[i]; }
  metrics[time_at] = detail::time_metric;
  std::string missing;
  for (const char* m : metrics) {
    if (!source.has(m)) { missing += (missing.empty() ? "" : ", ") + std::string{m}; }
  }
  if (!missing.empty()) { detail::refuse_counting(result::not_supported, "the device has no counter " + missing); }

  counted_run out;
  std::array<double, workload_indicators + 1> values{};
  const detail::abandoning<S> guard{source};
  source.configure(metrics);
  bool last = false;
  while (!last) {
    if (out.passes == most_passes) {
      detail::refuse_counting(result::not_supported,
                              "the counters need more than " + std::to_string(most_passes) + " passes");
    }
    ++out.passes;
    source.begin();
    const result r = job();
    if (r != result::success) {
      throw cuda_error{failure{r, "the job to be counted, in pass " + std::to_string(out.passes)}};
    }
    last = source.end();
  }
  source.read(values);

  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] < 0) {
      detail::refuse_counting(result::invalid_value, std::string{"no value was read for "} + metrics[i]);
    }
  }
  constexpr double longest = 0x1p62;
  if (values[time_at] < 1 || values[time_at] > longest) {
    detail::refuse_counting(result::invalid_value, "the device did no work in the time of the job");
  }
  out.time = static_cast<ticks>(values[time_at]);
  for (std::size_t i = 0; i < workload_indicators; ++i) { out.profile[i] = values[i] / values[time_at]; }
  return out;
}

}  // namespace takt::inline TAKT_ABI::cuda
