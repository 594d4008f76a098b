// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>

namespace takt {

/// What an analysis must know of a kernel: the shortest and longest time it takes on a number of dedicated virtual
/// SMs. `sampled_shares` is 0 for a closed form that the flat model knows, otherwise the number of shares 1..n at which
/// the law is tabulated; on more SMs than that it counts as using only n of them.
template <class Law>
concept KernelLaw = std::copyable<Law> && requires(const Law& law, std::int32_t virtual_sms) {
  { law.lower(virtual_sms) } -> std::convertible_to<duration>;
  { law.upper(virtual_sms) } -> std::convertible_to<duration>;
  { Law::sampled_shares } -> std::convertible_to<std::size_t>;
};

/// Bounds of a kernel with divisible work W on N virtual SMs: lower / N, and (W * ratio - L) / N + L.
///
/// Returns false on overflow. Integer time rounds the first down and the second up. Pre: N >= 1, ratio >= 1,
/// 0 <= L <= W * ratio. Source: Zou et al. 2021, Lemma 5.1; it is Amdahl's law with the serial part L kept out of the
/// stretch. Differs from the paper's Algorithm 2, which divides by 2N: see docs/errata.md, RTGPU divisor.
template <ExactNumber Number>
[[nodiscard]] constexpr auto divisible_work_bounds(const interval<Number>& work, const Number& overhead,
                                                   std::int64_t ratio_numerator, std::int64_t ratio_denominator,
                                                   std::int32_t virtual_sms, interval<Number>& out) -> bool {
  using traits = number_traits<Number>;
  Number stretched{};
  Number serial{};
  if (!traits::multiply(work.upper, ratio_numerator, stretched)) { return false; }
  if (!traits::multiply(overhead, ratio_denominator, serial)) { return false; }
  std::int64_t divisor = 0;
  if (!checked_multiply(ratio_denominator, std::int64_t{virtual_sms}, divisor)) { return false; }
  out.lower = traits::divide_down(work.lower, virtual_sms);
  out.upper = traits::divide_up(Number(stretched - serial), divisor) + overhead;
  return true;
}

/// Work that spreads evenly over any number of virtual SMs, but for a serial part.
struct divisible_work {
  static constexpr std::size_t sampled_shares = 0;

  interval<duration> work;
  duration overhead;
  std::int64_t interleave_numerator = 1;
  std::int64_t interleave_denominator = 1;
  bool any_neighbour = true;  ///< the ratio holds beside kernels of other tasks too

  [[nodiscard]] constexpr auto lower(std::int32_t virtual_sms) const noexcept -> duration {
    return bounds(virtual_sms).lower;
  }
  [[nodiscard]] constexpr auto upper(std::int32_t virtual_sms) const noexcept -> duration {
    return bounds(virtual_sms).upper;
  }

 private:
  [[nodiscard]] constexpr auto bounds(std::int32_t virtual_sms) const noexcept -> interval<duration> {
    interval<ticks> out;
    const bool fits = divisible_work_bounds<ticks>({work.lower.count(), work.upper.count()}, overhead.count(),
                                                   interleave_numerator, interleave_denominator, virtual_sms, out);
    return fits ? interval<duration>{duration{out.lower}, duration{out.upper}}
                : interval<duration>{duration{}, duration::max()};
  }
};

/// Times measured on 1, 2, ... `Shares` virtual SMs.
template <std::size_t Shares>
struct measured_times {
  static constexpr std::size_t sampled_shares = Shares;

  std::array<interval<duration>, Shares> at{};

  [[nodiscard]] constexpr auto lower(std::int32_t virtual_sms) const noexcept -> duration {
    return row(virtual_sms).lower;
  }
  [[nodiscard]] constexpr auto upper(std::int32_t virtual_sms) const noexcept -> duration {
    return row(virtual_sms).upper;
  }

 private:
  [[nodiscard]] constexpr auto row(std::int32_t virtual_sms) const noexcept -> const interval<duration>& {
    const auto n = static_cast<std::size_t>(virtual_sms < 1 ? 1 : virtual_sms);
    return at[(n < Shares ? n : Shares) - 1];
  }
};

template <class... Rows>
  requires(sizeof...(Rows) > 0)
[[nodiscard]] constexpr auto measured(const Rows&... rows) noexcept -> measured_times<sizeof...(Rows)> {
  return {{interval<duration>{rows}...}};
}

static_assert(KernelLaw<divisible_work>);
static_assert(KernelLaw<measured_times<4>>);

}  // namespace takt
