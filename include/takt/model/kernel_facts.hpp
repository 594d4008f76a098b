// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <takt/core/each_once.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/visit.hpp>

namespace takt::inline TAKT_ABI {

/// Times on 1, 2, ... dedicated virtual SMs.
template <detail::KernelLaw Law>
struct kernel_times {
  static constexpr std::string_view name = "time_on";
  Law law;
};

/// Times measured on 1, 2, ... virtual SMs, or a law of the caller's own.
template <class... Rows>
  requires(sizeof...(Rows) > 0 && (std::convertible_to<Rows, interval<duration>> && ...))
[[nodiscard]] constexpr auto time_on(const Rows&... rows) noexcept -> kernel_times<measured_times<sizeof...(Rows)>> {
  return {measured(rows...)};
}
template <detail::KernelLaw Law>
[[nodiscard]] constexpr auto time_on(const Law& law) noexcept -> kernel_times<Law> {
  return {law};
}

namespace detail {

/// A kernel with a law of its own of the number of virtual SMs.
template <class K>
concept HasTimesOnSms = requires(const K& k, std::int32_t sms) {
  { k.law.lower(sms) } -> std::convertible_to<duration>;
  { k.law.upper(sms) } -> std::convertible_to<duration>;
  requires !std::same_as<std::remove_cvref_t<decltype(k.law)>, divisible_work>;
};

}  // namespace detail

/// States the longest times with 1 to 100 per cent of the GPU, measured where shares keep kernels apart.
[[nodiscard]] constexpr auto wcet_by_share(const wcet_row& row) noexcept -> wcet_row { return row; }

namespace detail {

template <class... Facts>
inline constexpr bool is_divisible_work =
    is_among<kernel_work, Facts...> && (is_among<Facts, kernel_work, kernel_overhead, kernel_interleave> && ...);
template <class... Facts>
inline constexpr bool is_whole_kernel =
    is_among<kernel_wcet, Facts...> && (is_among<Facts, kernel_wcet, kernel_preemption_cost, kernel_pinning> && ...);
template <class... Facts>
inline constexpr bool is_grid_kernel =
    is_among<kernel_grid, Facts...> && is_among<kernel_block_length, Facts...> &&
    is_among<kernel_launch, Facts...> == is_among<kernel_await, Facts...> &&
    (is_among<Facts, kernel_grid, kernel_block_length, kernel_launch, kernel_await> && ...);

template <class F, class S>
[[nodiscard]] constexpr auto fact_or_none(const S& s) -> F {
  if constexpr (knows<F, S>) {
    if (states<F>(s)) { return fact<F>(s); }
  }
  return {};
}

}  // namespace detail

/// A kernel with whatever is known of it, in any order. What a published method reads is the kernel of that method;
/// anything else is read by the rules of pools only.
template <Fact... Facts>
  requires(sizeof...(Facts) > 0 && !(sizeof...(Facts) == 1 && (detail::KernelLaw<Facts> && ...)))
[[nodiscard]] constexpr auto kernel(const Facts&... facts) {
  constexpr bool once = detail::each_once<Facts...>;
  static_assert(once, "takt: a kernel says the same thing twice; give each fact once. See docs/errors.md#E96");
  if constexpr (once) {
    const visit_segment<gpu, Facts...> k{facts...};
    using detail::fact_or_none;
    if constexpr (detail::is_divisible_work<Facts...>) {
      return kernel(fact<kernel_work>(k), fact_or_none<kernel_overhead>(k), fact_or_none<kernel_interleave>(k));
    } else if constexpr (detail::is_whole_kernel<Facts...> && knows<kernel_preemption_cost, decltype(k)>) {
      return kernel(fact<kernel_wcet>(k), fact<kernel_preemption_cost>(k), fact_or_none<kernel_pinning>(k));
    } else if constexpr (detail::is_whole_kernel<Facts...>) {
      return kernel(fact<kernel_wcet>(k), fact_or_none<kernel_pinning>(k));
    } else if constexpr (detail::is_grid_kernel<Facts...> && knows<kernel_launch, decltype(k)>) {
      return kernel(fact<kernel_grid>(k), fact<kernel_block_length>(k), fact<kernel_launch>(k), fact<kernel_await>(k));
    } else if constexpr (detail::is_grid_kernel<Facts...>) {
      return kernel(fact<kernel_grid>(k), fact<kernel_block_length>(k));
    } else {
      return k;
    }
  }
}

}  // namespace takt::inline TAKT_ABI
