// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/host/locked_gpus/system.hpp>

namespace takt::host {

/// A piece of work of a token section: task, number of the job counted per task, and a number for each piece.
struct work_item {
  std::size_t task = 0;
  std::size_t job = 0;
  std::size_t piece = 0;
};

/// How jobs differ from their task. `time`: what a piece really takes, of at most `worst`. `repetitions`: how often a
/// job runs each of its kernels, 1 but for a job that overruns.
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

static_assert(SectionWork<full_work>);

}  // namespace takt::host
