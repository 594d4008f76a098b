// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

/// Processors, copy engines and GPUs whose rules are types and whose sizes, the number of engines and GPUs among them,
/// are values. Models `Platform`, as `platform(...)` does for pools in source code.
template <RuleTag CpuRule, RuleTag CopyRule, RuleTag GpuRule>
struct chain_board {
  using cpu_rule = CpuRule;
  using copy_rule = CopyRule;
  using gpu_rule = GpuRule;

  platform_record sizes{};

  [[nodiscard]] constexpr auto record() const -> platform_record { return sizes; }
  [[nodiscard]] constexpr auto validate() const -> model_error {
    const auto in_range = [](std::int32_t count, std::int32_t most) { return count > 0 && count <= most; };
    bool good = in_range(sizes.cores, max_units) && sizes.copy_engines >= 0 && sizes.copy_engines <= max_copy_engines;
    for (const gpu_record& g : sizes.gpus) {
      good = good && g.valid() && g.sms > 0 && g.granularity <= g.sms && g.slot() > 0;
    }
    return {.fault = good ? model_fault::none : model_fault::platform_size_out_of_range};
  }
};

namespace detail {

template <class CpuRule>
struct rule_beneath : std::type_identity<CpuRule> {};
template <BusyWaiting CpuRule>
struct rule_beneath<CpuRule> : std::type_identity<typename CpuRule::inner_rule> {};

template <class CpuRule, class GpuRule>
struct copies_beside : std::type_identity<fifo_rule> {};
template <class CpuRule, class GpuRule>
  requires(!TokenLocked<GpuRule> && FixedPriority<typename rule_beneath<CpuRule>::type>)
struct copies_beside<CpuRule, GpuRule> : std::type_identity<nonpreemptive_rule<typename rule_beneath<CpuRule>::type>> {
};

}  // namespace detail

/// The rule of copy engines that published methods know beside others: holders of tokens queue for them, all other jobs
/// have the priorities of the processors there.
template <RuleTag CpuRule, RuleTag GpuRule>
using copies_beside = typename detail::copies_beside<CpuRule, GpuRule>::type;

/// Returns a board of so much hardware under rules of its processors and of its GPUs.
template <RuleTag CpuRule, RuleTag GpuRule>
[[nodiscard]] constexpr auto chain_board_of(const hardware& board, const CpuRule& /*cpus*/, const GpuRule& gpus)
    -> chain_board<CpuRule, copies_beside<CpuRule, GpuRule>, GpuRule> {
  chain_board<CpuRule, copies_beside<CpuRule, GpuRule>, GpuRule> out;
  out.sizes.cores = board.processors;
  out.sizes.copy_engines = board.copy_engines;
  // Bound: max_gpus of either.
  for (const gpu_hardware& g : board.gpus) {
    out.sizes.gpus.unchecked_push_back({.sms = g.sms,
                                        .virtual_per_sm = g.virtual_per_sm,
                                        .granularity = g.granularity,
                                        .shared = detail::shares_physical_sms<GpuRule>(),
                                        .speed = g.speed,
                                        .tokens = detail::tokens_of(gpus),
                                        .residency = g.residency()});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
