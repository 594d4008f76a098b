// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/composition.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// A segment as a job meets it.
struct step {
  stage where = stage::cpu;
  std::int32_t engine = 0;  ///< of a copy
  interval<ticks> time{};
};

/// Lists who can cause an event, in the order in which events of one instant are looked at. These are cores, then
/// engines (or the lock), then kernels, then releases, each by index.
template <std::size_t MaxTasks>
struct source_map {
  std::size_t cores = 0;
  std::size_t units = 0;
  std::size_t kernels = 0;
  std::size_t releases = 0;
  inline_vector<std::int32_t, MaxTasks> core_ids;       ///< of the platform, for the cores that have tasks
  inline_vector<std::uint32_t, MaxTasks> kernel_tasks;  ///< ranks

  [[nodiscard]] constexpr auto first_unit() const noexcept -> std::size_t { return cores; }
  [[nodiscard]] constexpr auto first_kernel() const noexcept -> std::size_t { return cores + units; }
  [[nodiscard]] constexpr auto first_release() const noexcept -> std::size_t { return cores + units + kernels; }
  [[nodiscard]] constexpr auto count() const noexcept -> std::size_t { return first_release() + releases; }
};

/// Finds what keeps a table from being simulated, and what it becomes otherwise.
template <class Table>
class layout {
 public:
  static constexpr std::size_t max_tasks = Table::max_tasks;

  /// Pre: `table` is in priority order and without fault. The plan matters only where tasks have SMs of their own. The
  /// time of a kernel on a token ranges over those of all GPUs.
  template <std::size_t MaxShares>
  constexpr layout(const Table& table, const platform_record& platform, const plan<MaxShares>& p, kernel_location place)
      : error_{place_tasks(table, platform, p, place)} {
    for (std::size_t k = 0; k < table.size() && !error_; ++k) { error_ = lay_out(table, platform, k, place); }
    sources_.cores = sources_.core_ids.size();
    sources_.releases = table.size();
  }

  [[nodiscard]] constexpr auto error() const noexcept -> const model_error& { return error_; }
  [[nodiscard]] constexpr auto steps() const noexcept -> const std::array<step, Table::max_segments>& { return steps_; }
  [[nodiscard]] constexpr auto core_of(std::size_t k) const noexcept -> std::uint32_t { return core_of_[k]; }
  [[nodiscard]] constexpr auto kernel_of(std::size_t k) const noexcept -> std::size_t { return kernel_of_[k]; }
  [[nodiscard]] constexpr auto sms_of(std::size_t k) const noexcept -> const track& { return tracks_[k]; }
  [[nodiscard]] constexpr auto sources(bool serialized) const noexcept -> source_map<max_tasks> {
    source_map<max_tasks> s = sources_;
    s.kernels = serialized ? 0 : s.kernel_tasks.size();
    s.units = serialized ? 1 : s.units;
    return s;
  }

 private:
  template <std::size_t MaxShares>
  [[nodiscard]] constexpr auto place_tasks(const Table& table, const platform_record& platform,
                                           const plan<MaxShares>& p, kernel_location place) -> model_error {
    for (const gpu_record& gpu : platform.gpus) {
      const bool fits = gpu.valid() && (!runs_on_token(place) || gpu.slot() > 0);
      if (!fits) { return {.fault = model_fault::platform_size_out_of_range}; }
    }
    const dedicated_sms<MaxShares> ranges(platform, p);
    const bool shares = runs_on_own_share(place);
    if (shares && !ranges.valid()) { return {.fault = model_fault::plan_does_not_fit}; }
    // Bound: a core and a kernel per task, at most max_tasks.
    for (std::size_t k = 0; k < table.size(); ++k) {
      const auto& t = table.tasks[k];
      if (t.core >= platform.cores) { return {.fault = model_fault::core_out_of_range, .task = t.id}; }
      if (t.period > longest_time) { return {.fault = model_fault::time_overflow, .task = t.id}; }
      core_of_[k] = slot_of(t.core);
      if (!table.has_kernel(k)) { continue; }
      if (platform.gpus.empty()) { return {.fault = model_fault::kernel_without_gpu, .task = t.id}; }
      if (shares && (t.id >= p.shares.size() || p.shares[t.id].sms < 1)) {
        return {.fault = model_fault::plan_does_not_fit, .task = t.id};
      }
      const sm_range range = shares ? ranges.range(t.id) : sm_range{0, 0, platform.gpus[0].budget()};
      tracks_[k] = {stage::kernel, range.gpu, range.first, range.count};
      kernel_of_[k] = sources_.kernel_tasks.size();
      sources_.kernel_tasks.unchecked_push_back(static_cast<std::uint32_t>(k));
    }
    return {};
  }

  constexpr auto slot_of(std::int32_t core) -> std::uint32_t {
    for (std::uint32_t c = 0; c < sources_.core_ids.size(); ++c) {
      if (sources_.core_ids[c] == core) { return c; }
    }
    sources_.core_ids.unchecked_push_back(core);  // Bound: see `place_tasks`.
    return static_cast<std::uint32_t>(sources_.core_ids.size() - 1);
  }

  [[nodiscard]] constexpr auto lay_out(const Table& table, const platform_record& platform, std::size_t k,
                                       kernel_location place) -> model_error {
    const auto& t = table.tasks[k];
    for (std::uint32_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table.segment(k, j);
      step& out = steps_[t.first_segment + j];
      out = {.where = s.where, .time = s.time};
      if (s.where == stage::copy && s.time.upper > 0) {
        if (platform.copy_engines < 1) { return {.fault = model_fault::copy_without_engine, .task = t.id, .visit = j}; }
        out.engine = platform.engine_of(s.direction);
        sources_.units = std::max(sources_.units, static_cast<std::size_t>(out.engine) + 1);
      }
      if (s.where == stage::kernel) {
        const model_fault fault = time_kernel(table, platform, s, k, place, out.time);
        if (fault != model_fault::none) { return {.fault = fault, .task = t.id, .visit = j}; }
      }
      if (out.time.upper > longest_time) { return {.fault = model_fault::time_overflow, .task = t.id, .visit = j}; }
    }
    return {};
  }

  [[nodiscard]] constexpr auto time_kernel(const Table& table, const platform_record& platform,
                                           const segment_record<ticks>& s, std::size_t k, kernel_location place,
                                           interval<ticks>& out) const -> model_fault {
    const bool anywhere = runs_on_token(place);
    const auto own = static_cast<std::size_t>(tracks_[k].gpu);
    out = {.lower = never, .upper = 0};
    for (std::size_t g = anywhere ? 0 : own; g < (anywhere ? platform.gpus.size() : own + 1); ++g) {
      const gpu_record& gpu = platform.gpus[g];
      if (gpu.shared && !s.any_neighbour) { return model_fault::interleave_among_own_blocks_only; }
      interval<ticks> on{};
      const std::int32_t sms = anywhere ? gpu.slot() : tracks_[k].count;
      if (!table.kernel_bounds(s, gpu.power(sms), on)) { on = {never, never}; }
      out = {std::min(out.lower, on.lower), std::max(out.upper, on.upper)};
    }
    return model_fault::none;
  }

  source_map<max_tasks> sources_;
  std::array<step, Table::max_segments> steps_{};
  std::array<std::uint32_t, max_tasks> core_of_{};
  std::array<std::size_t, max_tasks> kernel_of_{};
  std::array<track, max_tasks> tracks_{};
  model_error error_;  ///< last, as what finds it fills the others
};

}  // namespace takt::inline TAKT_ABI::simulation
