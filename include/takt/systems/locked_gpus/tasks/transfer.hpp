// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/linear_cost.hpp>

namespace takt::inline TAKT_ABI {

/// Says where a copy engine moves data: into a GPU, out of it, or from one GPU to another.
enum class transfer_kind : std::uint8_t { in, out, peer };

template <ExactNumber Number>
struct linear_transfer_costs {
  using number = Number;
  std::array<linear_cost<Number>, 3> kinds{};  ///< in the order of `transfer_kind`

  [[nodiscard]] constexpr auto time(transfer_kind kind, std::int64_t bytes) const -> Number {
    return kinds[static_cast<std::size_t>(kind)].time(bytes);
  }
};

struct curve_point {
  std::int64_t bytes = 0;
  ticks time = 0;
};

/// Is a cost that was measured at some sizes. Up to the first of them it is that of the first. It then goes straight
/// from point to point, and beyond the last it is in proportion to the bytes.
template <std::size_t MaxPoints>
class cost_curve {
 public:
  constexpr cost_curve() noexcept = default;

  /// False, and no change, unless bytes > 0 rise, times are at least 0 and do not fall, and there is room.
  constexpr auto add(curve_point p) noexcept -> bool {
    const curve_point last = points_.empty() ? curve_point{} : points_.back();
    if (p.bytes <= last.bytes || p.time < last.time || p.time > longest_transfer_time) { return false; }
    return points_.try_push_back(p);
  }
  [[nodiscard]] constexpr auto empty() const noexcept -> bool { return points_.empty(); }

  /// Returns it rounded up; 0 for no bytes. Error: `longest_transfer_time` where the exact time is above it.
  [[nodiscard]] constexpr auto time(std::int64_t bytes) const noexcept -> ticks {
    if (bytes <= 0 || points_.empty()) { return 0; }
    if (bytes <= points_.front().bytes) { return points_.front().time; }
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const curve_point a = points_[i - 1];
      const curve_point b = points_[i];
      if (bytes <= b.bytes) { return add(a.time, scaled(b.time - a.time, bytes - a.bytes, b.bytes - a.bytes)); }
    }
    return scaled(points_.back().time, bytes, points_.back().bytes);
  }

 private:
  [[nodiscard]] static constexpr auto add(ticks a, ticks b) noexcept -> ticks {
    ticks sum = 0;
    return checked_add(a, b, sum) && sum < longest_transfer_time ? sum : longest_transfer_time;
  }
  /// time * part / whole, a whole multiple first so that intermediate values stay small.
  [[nodiscard]] static constexpr auto scaled(ticks time, std::int64_t part, std::int64_t whole) noexcept -> ticks {
    ticks multiples = 0;
    ticks rest = 0;
    if (!checked_multiply(time, part / whole, multiples) || !checked_multiply(time, part % whole, rest)) {
      return longest_transfer_time;
    }
    return add(multiples, ceil_divide(rest, whole));
  }

  inline_vector<curve_point, MaxPoints> points_;
};

/// One curve per kind of transfer.
template <std::size_t MaxPoints>
struct transfer_curves {
  using number = ticks;
  std::array<cost_curve<MaxPoints>, 3> kinds{};

  [[nodiscard]] constexpr auto time(transfer_kind kind, std::int64_t bytes) const noexcept -> ticks {
    return kinds[static_cast<std::size_t>(kind)].time(bytes);
  }
};

namespace detail {

/// Worst times of transfers: 0 for 0 bytes, never falling with the bytes. Costs that differ between GPU clusters have a
/// third argument, the GPU cluster.
template <class C>
concept TransferCosts = requires(const C& c, transfer_kind kind, std::int64_t bytes) {
  typename C::number;
  requires ExactNumber<typename C::number>;
  requires requires {
    { c.time(kind, bytes) } -> std::convertible_to<typename C::number>;
  } || requires(std::int32_t gpu_cluster) {
    { c.time(kind, bytes, gpu_cluster) } -> std::convertible_to<typename C::number>;
  };
};

template <TransferCosts Costs>
[[nodiscard]] constexpr auto transfer_time(const Costs& costs, transfer_kind kind, std::int64_t bytes,
                                           std::int32_t gpu_cluster) -> typename Costs::number {
  if constexpr (requires { costs.time(kind, bytes, gpu_cluster); }) {
    return costs.time(kind, bytes, gpu_cluster);
  } else {
    return costs.time(kind, bytes);
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
