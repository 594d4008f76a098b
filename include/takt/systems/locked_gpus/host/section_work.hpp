// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

namespace takt::inline TAKT_ABI::host {

/// Describes a token section that has ended.
struct token_section {
  std::size_t task = 0;
  std::size_t job = 0;              ///< position among all jobs of the workload
  std::int32_t gpu = no_gpu;        ///< within its GPU cluster
  std::int32_t came_from = no_gpu;  ///< the GPU of the job before; `no_gpu` for the first
  std::int32_t distance = 0;        ///< between the two
  ticks cost = 0;                   ///< time on CPUs and engines
  ticks execution = 0;              ///< of it, on the execution engine
  rational predicted{};             ///< when the token was granted; 0 before anything was known
  bool has_prediction = false;
  bool stopped = false;  ///< its budget was used up
  bool skipped = false;  ///< nothing was done, as an earlier job had its budget

  [[nodiscard]] constexpr auto migrated() const noexcept -> bool { return came_from != no_gpu && came_from != gpu; }
};

/// Describes a piece of work of a token section: task, number of the job counted per task, and a number for each piece.
struct work_item {
  std::size_t task = 0;
  std::size_t job = 0;
  std::size_t piece = 0;
};

namespace detail {

/// Says how jobs differ from their task. `time`: what a piece really takes, of at most `worst`. `repetitions`: how
/// often a job runs each of its kernels, 1 but for a job that overruns.
template <class W>
concept SectionWork = requires(const W& w, const work_item& item, ticks worst) {
  { w.time(item, worst) } -> std::same_as<ticks>;
  { w.repetitions(item) } -> std::same_as<std::int32_t>;
};

/// Every piece takes its longest time.
struct full_work {
  [[nodiscard]] static constexpr auto time(const work_item& /*item*/, ticks worst) noexcept -> ticks { return worst; }
  [[nodiscard]] static constexpr auto repetitions(const work_item& /*item*/) noexcept -> std::int32_t { return 1; }
};

}  // namespace detail

static_assert(detail::SectionWork<detail::full_work>);

}  // namespace takt::inline TAKT_ABI::host
