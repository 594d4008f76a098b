// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::host {

/// Says how much slower a piece of work that uses the memory bus is because of others that use it meanwhile.
struct bus_interference {
  std::int64_t each = 0;   ///< thousandths by which each other piece slows one down
  std::int64_t most = 16;  ///< others that make a difference

  [[nodiscard]] constexpr auto valid() const noexcept -> bool { return each >= 0 && each <= 10'000 && most >= 0; }
};

namespace detail {

/// Is a bus that all pieces under way share. What a piece has left is kept as the time that it takes if nothing
/// changes, and rounded up whenever something does.
class memory_bus {
 public:
  constexpr explicit memory_bus(const bus_interference& by) noexcept : by_{by} {}

  [[nodiscard]] constexpr auto interferes() const noexcept -> bool { return by_.each > 0; }
  /// Returns the time of a piece that begins and takes `alone` with the bus to itself. Pre: 0 <= alone <= 2^40.
  [[nodiscard]] constexpr auto time(ticks alone) const noexcept -> ticks {
    TAKT_EXPECTS(0 <= alone && alone <= longest_piece);
    return ceil_divide<ticks>(alone * factor_, whole);
  }
  /// Says that so many pieces are under way from now on. Returns the factor before, in thousandths.
  constexpr auto share(std::int64_t pieces) noexcept -> std::int64_t {
    const std::int64_t before = factor_;
    factor_ = whole + by_.each * std::clamp<std::int64_t>(pieces - 1, 0, by_.most);
    return before;
  }
  [[nodiscard]] constexpr auto factor() const noexcept -> std::int64_t { return factor_; }
  /// Converts what has `left` to go to another factor. Pre: 0 <= left <= 2^40, before > 0.
  [[nodiscard]] constexpr auto rescaled(ticks left, std::int64_t before) const noexcept -> ticks {
    TAKT_EXPECTS(0 <= left && left <= longest_piece && before > 0);
    return ceil_divide<ticks>(left * factor_, before);
  }

 private:
  static constexpr std::int64_t whole = 1000;
  static constexpr ticks longest_piece = ticks{1} << 40;

  bus_interference by_;
  std::int64_t factor_ = whole;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
