// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include <takt/core/exact.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Time per time, such as a utilisation, good enough to compare and to extrapolate with. Exact here.
template <ExactNumber Number>
class rate {
 public:
  constexpr rate() = default;
  /// Pre: part >= 0, whole > 0.
  constexpr rate(const Number& part, const Number& whole) : value_{part / whole} {
    TAKT_EXPECTS(!(part < Number(0)) && Number(0) < whole);
  }

  constexpr void add(const rate& other) { value_ = value_ + other.value_; }
  [[nodiscard]] constexpr auto surely_below(const rate& other) const -> bool {
    return is_number(other.value_) && value_ < other.value_;
  }
  [[nodiscard]] constexpr auto surely_above(const rate& other) const -> bool {
    return is_number(value_) && other.value_ < value_;
  }
  /// Computes a time after which `lead` is made up by the difference to a greater rate. Pre: surely_below(other).
  [[nodiscard]] constexpr auto catch_up(const rate& other, const Number& lead, Number& out) const -> bool {
    TAKT_EXPECTS(surely_below(other));
    out = lead / (other.value_ - value_);
    return is_number(out);
  }

 private:
  Number value_{};
};

/// Whole ticks cannot hold a rate: bounds from below and above in units of 2^-32, so that a few integer divisions
/// settle what would need fractions of any size.
template <>
class rate<ticks> {
 public:
  constexpr rate() noexcept = default;
  constexpr rate(ticks part, ticks whole) noexcept {
    TAKT_EXPECTS(part >= 0 && whole > 0);
    if (part / whole >= most >> bits) {
      below_ = above_ = most;
      return;
    }
    const ticks rest = part % whole;
    below_ = above_ = part / whole << bits;
    if (whole <= INT32_MAX) {
      below_ += (rest << bits) / whole;
      above_ += ((rest << bits) + whole - 1) / whole;
      return;
    }
    int shift = 1;
    while (whole >> shift > INT32_MAX / 2) { ++shift; }
    below_ += ((rest >> shift) << bits) / ((whole >> shift) + 1);
    above_ += (((rest >> shift) + 1) << bits) / (whole >> shift) + 1;
  }

  constexpr void add(const rate& other) noexcept {
    below_ = below_ > most - other.below_ ? most : below_ + other.below_;
    above_ = above_ > most - other.above_ ? most : above_ + other.above_;
  }
  [[nodiscard]] constexpr auto surely_below(const rate& other) const noexcept -> bool { return above_ < other.below_; }
  [[nodiscard]] constexpr auto surely_above(const rate& other) const noexcept -> bool { return other.above_ < below_; }
  [[nodiscard]] constexpr auto catch_up(const rate& other, ticks lead, ticks& out) const noexcept -> bool {
    TAKT_EXPECTS(surely_below(other));
    if (lead <= 0) {
      out = 0;
      return true;
    }
    const ticks gain = other.below_ - above_;
    const ticks whole = lead / gain;
    const ticks rest = lead % gain;
    if (whole >= INT32_MAX / 2 || gain > INT64_C(1) << bits) { return false; }
    const auto part = (static_cast<std::uint64_t>(rest) << bits) / static_cast<std::uint64_t>(gain);
    out = (whole << bits) + static_cast<ticks>(part) + 1;
    return true;
  }

 private:
  static constexpr int bits = 32;
  static constexpr ticks most = INT64_C(1) << 62;

  ticks below_ = 0;
  ticks above_ = 0;
};

namespace detail {

enum class load_comparison : std::uint8_t {
  below,
  equal,
  above,
  unknown,  ///< the exact fractions do not fit
};

/// Returns how the utilisation of a demand compares with the rate of a supply. Exact unless `unknown`.
template <class Demand, class Supply>
[[nodiscard]] constexpr auto compare_load(const Demand& demand, const Supply& supply) -> load_comparison {
  if (demand.load().surely_below(supply.rate_of_supply())) { return load_comparison::below; }
  if (demand.load().surely_above(supply.rate_of_supply())) { return load_comparison::above; }
  const auto used = demand.utilization();
  const auto given = supply.share();
  if (!is_number(used) || !is_number(given)) { return load_comparison::unknown; }
  if (used < given) { return load_comparison::below; }
  return given < used ? load_comparison::above : load_comparison::equal;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
