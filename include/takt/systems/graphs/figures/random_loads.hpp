// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/gel_task.hpp>

namespace takt::inline TAKT_ABI::generation {

namespace detail {

/// Unit of the times that are drawn here.
inline constexpr ticks load_time_unit = 1000;
/// Loads are in parts of this.
inline constexpr std::int64_t whole_load_parts = 1'000'000;

}  // namespace detail

/// Draws kernels that each load their part of `capacity` threads, or a little less. Blocks have 64 to 1024 threads and
/// take 0.05 to 1 time units; periods are 10 to 100. `capacity(set)` says how many threads a set may load, from its
/// blocks. Sets of takt's own for the bounds of Yang et al. 2018. Pre: room for all loads.
template <std::size_t MaxTasks, class Capacity>
constexpr void draw_kernels(random_stream& random, std::span<const ticks> loads, Capacity capacity,
                            task_rows<block_kernel<ticks>, MaxTasks>& out) {
  TAKT_EXPECTS(loads.size() <= MaxTasks);
  constexpr std::array<std::int64_t, 5> sizes{64, 128, 256, 512, 1024};
  out = {};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    block_kernel<ticks> k;
    k.threads = sizes[static_cast<std::size_t>(random.below(static_cast<ticks>(sizes.size())))];
    k.length = random.between(detail::load_time_unit / 20, detail::load_time_unit);
    k.period = detail::load_time_unit * random.between(10, 100);
    static_cast<void>(out.add(k));
  }
  const std::int64_t threads = capacity(out);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    auto& k = out.tasks[i];
    k.blocks =
        std::max<std::int64_t>(1, threads * k.period / detail::whole_load_parts * loads[i] / (k.length * k.threads));
  }
}

/// Tasks that load so much of the processors each, or a little less, with periods of 10 to 100 time units, D = T, and
/// jobs that may overlap. Pre: room for all loads.
template <std::size_t MaxTasks>
constexpr void draw_overlapping(random_stream& random, std::span<const ticks> loads, std::int32_t processors,
                                task_rows<gel_task<ticks>, MaxTasks>& out) {
  TAKT_EXPECTS(loads.size() <= MaxTasks);
  out = {};
  for (const ticks load : loads) {
    gel_task<ticks> t;
    t.period = t.deadline = detail::load_time_unit * random.between(10, 100);
    t.wcet = std::max<ticks>(1, t.period * load / detail::whole_load_parts * processors);
    t.parallelism = unrestricted_parallelism;
    static_cast<void>(out.add(t));
  }
}

}  // namespace takt::inline TAKT_ABI::generation
