// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/segment.hpp>

namespace takt::inline TAKT_ABI {

/// One thing that is known of a visit. Its name is what an error calls it.
template <class F>
concept Fact = std::is_trivially_copyable_v<F> && requires {
  { F::name } -> std::convertible_to<std::string_view>;
};

namespace detail {

/// Says how a fact is read of a segment. A segment whose facts are its bases needs nothing here. Others specialize it
/// with a static `get`, and with a static `has` where only run time knows whether the fact is there.
template <class F, class S>
struct fact_access {};
template <class F, std::derived_from<F> S>
struct fact_access<F, S> {
  [[nodiscard]] static constexpr auto get(const S& s) noexcept -> F { return s; }
};

template <>
struct fact_access<kernel_work, kernel_segment<divisible_work>> {
  [[nodiscard]] static constexpr auto get(const kernel_segment<divisible_work>& k) noexcept -> kernel_work {
    return {k.law.work};
  }
};
template <>
struct fact_access<kernel_overhead, kernel_segment<divisible_work>> {
  [[nodiscard]] static constexpr auto get(const kernel_segment<divisible_work>& k) noexcept -> kernel_overhead {
    return {k.law.overhead};
  }
};
template <>
struct fact_access<kernel_interleave, kernel_segment<divisible_work>> {
  [[nodiscard]] static constexpr auto has(const kernel_segment<divisible_work>& k) noexcept -> bool {
    return k.law.interleave_numerator != unsaid_interleave;
  }
  [[nodiscard]] static constexpr auto get(const kernel_segment<divisible_work>& k) noexcept -> kernel_interleave {
    return {k.law.interleave_numerator, k.law.interleave_denominator, k.law.any_neighbour};
  }
};
template <>
struct fact_access<kernel_wcet, accelerator_kernel> {
  [[nodiscard]] static constexpr auto get(const accelerator_kernel& k) noexcept -> kernel_wcet { return {k.wcet}; }
};
template <>
struct fact_access<kernel_pinning, accelerator_kernel> {
  [[nodiscard]] static constexpr auto get(const accelerator_kernel& k) noexcept -> kernel_pinning {
    return {k.width, k.core};
  }
};
/// A kernel that does not say what it costs to stop it runs to its end: the cost is its time.
template <>
struct fact_access<kernel_preemption_cost, accelerator_kernel> {
  [[nodiscard]] static constexpr auto has(const accelerator_kernel& k) noexcept -> bool { return k.cost_given; }
  [[nodiscard]] static constexpr auto get(const accelerator_kernel& k) noexcept -> kernel_preemption_cost {
    return {k.cost_to_stop()};
  }
};

}  // namespace detail

/// Tells whether a segment says so much of itself, or may.
template <class F, class S>
inline constexpr bool knows = requires(const S& s) {
  { detail::fact_access<F, S>::get(s) } -> std::same_as<F>;
};

/// Returns whether this segment says so.
template <class F, class S>
[[nodiscard]] constexpr auto states(const S& s) noexcept -> bool {
  if constexpr (requires { detail::fact_access<F, S>::has(s); }) {
    return detail::fact_access<F, S>::has(s);
  } else {
    return knows<F, S>;
  }
}

/// Pre: `states<F>(s)`.
template <class F, class S>
  requires knows<F, S>
[[nodiscard]] constexpr auto fact(const S& s) noexcept -> F {
  TAKT_EXPECTS(states<F>(s));
  return detail::fact_access<F, S>::get(s);
}

}  // namespace takt::inline TAKT_ABI
