// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI {

/// Times of a kernel on 1, 2, ... virtual SMs that stand in a table; on more than that it counts as using only the last
/// number. Where they are of whole SMs, row n is about n physical ones, all of whose virtual SMs the kernel has. Pre:
/// one at least, and the table outlives it.
struct tabulated_times {
  static constexpr std::string_view name = "time_on";
  const interval<ticks>* first = nullptr;
  std::uint32_t count = 0;
  bool on_whole_sms = false;

  [[nodiscard]] constexpr auto lower(std::int32_t sms) const noexcept -> duration { return duration{at(sms).lower}; }
  [[nodiscard]] constexpr auto upper(std::int32_t sms) const noexcept -> duration { return duration{at(sms).upper}; }

 private:
  [[nodiscard]] constexpr auto at(std::int32_t sms) const noexcept -> const interval<ticks>& {
    TAKT_EXPECTS(first != nullptr && count > 0);
    const auto n = static_cast<std::uint32_t>(sms < 1 ? 1 : sms);
    return first[(n < count ? n : count) - 1];
  }
};

namespace detail {

/// A kernel of a table that was read from a file.
struct tabulated_kernel {
  using resource = gpu;
  tabulated_times law;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
