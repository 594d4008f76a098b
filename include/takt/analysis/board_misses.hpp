// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/strict_misses.hpp>
#include <takt/analysis/task_ranks.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/units.hpp>

namespace takt::inline TAKT_ABI {

template <Pool... Pools>
struct platform;

}  // namespace takt::inline TAKT_ABI

namespace takt::inline TAKT_ABI::analysis::detail {

/// Returns what a rule of processors leaves of so many of them, whatever the GPUs do.
template <class CpuRule>
[[nodiscard]] constexpr auto limits_beside(const CpuRule& rule, std::int32_t processors) -> board_limits {
  return {.processors = processors, .named_cores = takt::detail::cluster_of(rule, processors) == 1};
}

/// Notes the parts that the GPUs of a board hand out.
template <class Board>
constexpr void note_parts(const Board& board, board_limits& out) {
  board.each([&](const auto& p) {
    using facts = takt::detail::pool_facts<std::remove_cvref_t<decltype(p)>>;
    if (!facts::runs_kernels(p)) { return; }
    const gpu_record gpu = facts::gpu(p);
    const std::int32_t step = gpu.granularity < 1 ? 1 : gpu.granularity;
    if (facts::hands_sms(p)) {
      out.parts += gpu.budget() / step;
      out.sms_of_part = gpu.virtual_sms(step);
    } else if (facts::hands_percents(p)) {
      out.parts += full_share.percent();
    }
  });
}

/// Returns the proofs of misses within limits, under a rule of processors.
template <RuleTag CpuRule, std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto misses_within(const board_limits& limits, const runtime_task_set<N, V, R, S>& all,
                                           const hardware& board) -> proven_misses<ticks, N> {
  const auto ranks = limits.named_cores ? ranks_under<CpuRule>(all) : inline_vector<std::int64_t, N>{};
  const std::span<const std::int64_t> known{ranks.data(), ranks.size()};
  auto out = find_proven_misses(all, board, limits, known);
  add_strict_misses<CpuRule>(all, limits, known, out);
  return out;
}

template <class P>
inline constexpr bool is_platform = false;
template <Pool... Pools>
inline constexpr bool is_platform<platform<Pools...>> = true;

/// Returns the sizes of a typed board.
template <class P>
[[nodiscard]] constexpr auto hardware_of(const P& board) -> hardware {
  hardware out;
  board.each([&](const auto& p) {
    using pool_type = std::remove_cvref_t<decltype(p)>;
    using facts = takt::detail::pool_facts<pool_type>;
    using resource = typename pool_type::resource_type;
    if constexpr (std::same_as<resource, processors_resource>) { out.processors += facts::units(p); }
    if constexpr (std::same_as<resource, copy_engines_resource>) { out.copy_engines += facts::units(p); }
    if constexpr (takt::detail::is_gpu<resource>) {
      const gpu_record gpu = facts::gpu(p);
      // Bound: a platform has at most `max_gpus` pools of GPUs.
      out.gpus.unchecked_push_back(
          {.sms = gpu.sms, .virtual_per_sm = gpu.virtual_per_sm, .granularity = gpu.granularity, .speed = gpu.speed});
    }
  });
  return out;
}

/// Returns the proofs that some legal run misses a deadline of tasks on a typed board, under every plan. None where the
/// tasks hold what descriptions do not, such as mutexes. Cost: those of `find_proven_misses` and `add_strict_misses`.
template <class P, class T>
[[nodiscard]] constexpr auto misses_on(const P& board, const T& tasks)
    -> proven_misses<ticks, takt::runtime_task_set_for<T>::max_tasks> {
  proven_misses<ticks, takt::runtime_task_set_for<T>::max_tasks> out;
  if constexpr (detail::is_platform<P>) {
    using cpu_rule = typename P::template rule_of<processors_resource>;
    if constexpr (!Absent<cpu_rule>) {
      const auto all = to_runtime_tasks(tasks);
      if (all.error) { return out; }
      const hardware sizes = detail::hardware_of(board);
      board.each([&](const auto& p) {
        if constexpr (std::same_as<typename std::remove_cvref_t<decltype(p)>::rule_type, cpu_rule> &&
                      std::same_as<typename std::remove_cvref_t<decltype(p)>::resource_type, processors_resource>) {
          board_limits limits = limits_beside(p.rule, sizes.processors);
          limits.spins = takt::detail::keeps_processors(board);
          note_parts(board, limits);
          out = misses_within<cpu_rule>(limits, all.tasks, sizes);
        }
      });
    }
  }
  return out;
}

/// Returns a verdict on a typed board: `unschedulable` where it is no proof and a miss is proven under every plan.
template <class P, class T, class Verdict>
[[nodiscard]] constexpr auto with_proven_misses(const P& board, const T& tasks, Verdict found) -> Verdict {
  const bool is_open = !found.error && !found.schedulable() && found.status != verdict_status::unschedulable;
  if (is_open && !misses_on(board, tasks).empty()) { found.status = verdict_status::unschedulable; }
  return found;
}

}  // namespace takt::inline TAKT_ABI::analysis::detail
