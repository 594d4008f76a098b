// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Says what becomes of a job at its deadline.
enum class miss_action : std::uint8_t {
  abort,  ///< it is dropped
  late,   ///< it runs on, and the next job of its task waits for it
  stop,   ///< the run ends
};
[[nodiscard]] constexpr auto last_of(miss_action) noexcept -> miss_action { return miss_action::stop; }
[[nodiscard]] constexpr auto aborts_job(miss_action e) noexcept -> bool {
  switch (e) {
    case miss_action::late:
    case miss_action::stop: return false;
    case miss_action::abort: return true;
  }
  return false;
}
[[nodiscard]] constexpr auto stops_run(miss_action e) noexcept -> bool {
  switch (e) {
    case miss_action::abort:
    case miss_action::late: return false;
    case miss_action::stop: return true;
  }
  return false;
}

}  // namespace takt::inline TAKT_ABI
