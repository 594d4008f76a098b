// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/model/sm_power.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Says what an analysis must know of a kernel: the shortest and longest time it takes on a number of dedicated virtual
/// SMs. `sampled_shares` is 0 for a closed form that the flat model knows. Otherwise it is the number of shares 1..n at
/// which the law is tabulated: on more SMs than that it counts as using only n of them.
template <class Law>
concept KernelLaw = Copyable<Law> && requires(const Law& law, std::int32_t virtual_sms) {
  { law.lower(virtual_sms) } -> std::convertible_to<duration>;
  { law.upper(virtual_sms) } -> std::convertible_to<duration>;
  { Law::sampled_shares } -> std::convertible_to<std::size_t>;
};

}  // namespace detail

/// A factor of at least one by which virtual SMs of one physical SM slow one another down.
struct interleave_ratio {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
};

/// Stands for the numerator of a ratio that is not given.
inline constexpr std::int64_t unsaid_interleave = 0;

/// Returns the ratio to count with on SMs of so many virtual ones each. A ratio that is not given is their number:
/// kernels then gain nothing from sharing an SM, and none takes longer unless the SM does less work in total.
[[nodiscard]] constexpr auto ratio_on(std::int32_t virtual_per_sm, std::int64_t numerator,
                                      std::int64_t denominator) noexcept -> interleave_ratio {
  return numerator == unsaid_interleave ? interleave_ratio{virtual_per_sm, 1}
                                        : interleave_ratio{numerator, denominator};
}

/// Computes the bounds of a kernel with divisible work W on N virtual SMs: lower / N, and (W * ratio - L) / N + L.
///
/// Returns false on overflow. Integer time rounds the first down and the second up. Pre: N >= 1, ratio >= 1,
/// 0 <= L <= W * ratio. Source: Zou et al. 2021, Lemma 5.1; it is Amdahl's law with the serial part L kept out of the
/// slowdown. Differs from the paper's Algorithm 2, which divides by 2N: see docs/errata.md, RTGPU divisor.
template <ExactNumber Number>
[[nodiscard]] constexpr auto divisible_work_bounds(const interval<Number>& work, const Number& overhead,
                                                   std::int64_t ratio_numerator, std::int64_t ratio_denominator,
                                                   std::int32_t virtual_sms, interval<Number>& out) -> bool {
  TAKT_EXPECTS(virtual_sms >= 1 && ratio_denominator >= 1 && ratio_numerator >= ratio_denominator);
  using traits = number_traits<Number>;
  Number stretched{};
  Number serial{};
  if (!traits::multiply(work.upper, ratio_numerator, stretched)) { return false; }
  if (!traits::multiply(overhead, ratio_denominator, serial)) { return false; }
  TAKT_EXPECTS(Number(0) <= serial && serial <= stretched);
  std::int64_t divisor = 0;
  if (!checked_multiply(ratio_denominator, std::int64_t{virtual_sms}, divisor)) { return false; }
  out.lower = traits::divide_down(work.lower, virtual_sms);
  out.upper = traits::divide_up(Number(stretched - serial), divisor) + overhead;
  return true;
}

/// Gives the bounds on a GPU of any speed s: those of a kernel whose work and overhead are divided by s.
///
/// Returns false also for an invalid speed. Integer time rounds each bound outwards once. Pre: as above.
template <ExactNumber Number>
[[nodiscard]] constexpr auto divisible_work_bounds(const interval<Number>& work, const Number& overhead,
                                                   std::int64_t ratio_numerator, std::int64_t ratio_denominator,
                                                   const sm_power& power, interval<Number>& out) -> bool {
  TAKT_EXPECTS(power.virtual_sms >= 1 && ratio_denominator >= 1 && ratio_numerator >= ratio_denominator);
  using traits = number_traits<Number>;
  if (power.speed.is_one()) {
    return divisible_work_bounds(work, overhead, ratio_numerator, ratio_denominator, power.virtual_sms, out);
  }
  if (!power.speed.valid()) { return false; }
  const std::int64_t faster = power.speed.numerator;
  const std::int64_t slower = power.speed.denominator;
  interval<Number> slowed{};
  Number slowed_overhead{};
  Number stretched{};
  Number serial{};
  Number rest{};
  std::int64_t shares = 0;
  std::int64_t divisor = 0;
  if (!traits::multiply(work.lower, slower, slowed.lower) || !traits::multiply(work.upper, slower, slowed.upper) ||
      !traits::multiply(overhead, slower, slowed_overhead) ||
      !traits::multiply(slowed.upper, ratio_numerator, stretched) ||
      !traits::multiply(slowed_overhead, ratio_denominator, serial) ||
      !checked_multiply(ratio_denominator, std::int64_t{power.virtual_sms}, shares) ||
      !checked_multiply(shares, faster, divisor)) {
    return false;
  }
  TAKT_EXPECTS(Number(0) <= serial && serial <= stretched);
  // What the division of the overhead leaves over is rounded together with the work. The sum below is at most the
  // stretched work times the virtual SMs.
  const Number whole = traits::divide_down(slowed_overhead, faster);
  if (!traits::multiply(stretched, power.virtual_sms, rest) ||
      !traits::multiply(Number(slowed_overhead - whole * Number(faster)), shares, rest)) {
    return false;
  }
  out.lower = traits::divide_down(slowed.lower, faster * power.virtual_sms);
  out.upper = traits::divide_up(Number(stretched - serial + rest), divisor) + whole;
  return true;
}

namespace detail {

/// Converts times measured on the GPU of speed 1 to those on another, rounded outwards; false on overflow or for an
/// invalid speed.
template <ExactNumber Number>
[[nodiscard]] constexpr auto times_at_speed(const interval<Number>& measured, const gpu_speed& speed,
                                            interval<Number>& out) -> bool {
  using traits = number_traits<Number>;
  if (speed.is_one()) {
    out = measured;
    return true;
  }
  interval<Number> slowed{};
  if (!speed.valid() || !traits::multiply(measured.lower, speed.denominator, slowed.lower) ||
      !traits::multiply(measured.upper, speed.denominator, slowed.upper)) {
    return false;
  }
  out = {traits::divide_down(slowed.lower, speed.numerator), traits::divide_up(slowed.upper, speed.numerator)};
  return true;
}

}  // namespace detail

/// Work that spreads evenly over any number of virtual SMs, but for a serial part. By itself it has no longest time
/// where the ratio is not given: that depends on the GPU.
struct divisible_work {
  static constexpr std::size_t sampled_shares = 0;

  interval<duration> work;
  duration overhead;
  std::int64_t interleave_numerator = unsaid_interleave;
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
    const bool said = interleave_numerator != unsaid_interleave;
    const bool fits =
        divisible_work_bounds<ticks>({work.lower.count(), work.upper.count()}, overhead.count(),
                                     said ? interleave_numerator : 1, interleave_denominator, virtual_sms, out);
    if (fits && !said) { return {duration{out.lower}, duration::max()}; }
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

}  // namespace takt::inline TAKT_ABI
