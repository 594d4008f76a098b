// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/expects.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// The process stands still: nothing is released, and neither CPU time nor a kernel or a copy goes on.
struct stall {
  ticks begin = 0;
  ticks length = 0;
};

/// Stalls that are ascending, apart, of positive lengths, and end within 2^60 ns.
[[nodiscard]] constexpr auto are_apart(std::span<const stall> stalls) noexcept -> bool {
  constexpr ticks latest = ticks{1} << 60;
  ticks after = 0;
  for (const stall& s : stalls) {
    if (s.begin < after || s.length <= 0 || s.begin >= latest || s.length >= latest - s.begin) { return false; }
    after = s.begin + s.length + 1;
  }
  return true;
}

/// A late system has releases that it has not begun, since a job took too long or the process was stopped. This decides
/// which of them it begins. A job finds room where the one before of its task has ended, an invocation where the graph
/// has room for it.
enum class late_handling : std::uint8_t {
  catch_up,     ///< all are begun, one after the other, as fast as there is room
  skip_late,    ///< one that finds no room is dropped
  newest_only,  ///< of those that wait for room only the newest is begun
};
[[nodiscard]] constexpr auto last_of(late_handling) noexcept -> late_handling { return late_handling::newest_only; }
/// True if not all of them are begun.
[[nodiscard]] constexpr auto drops_releases(late_handling h) noexcept -> bool {
  switch (h) {
    case late_handling::catch_up: return false;
    case late_handling::skip_late:
    case late_handling::newest_only: return true;
  }
  return false;
}
/// True if a release is dropped. `is_full`: there is no room for it; `is_older`: another has come after it.
[[nodiscard]] constexpr auto drops_release(late_handling h, bool is_full, bool is_older) noexcept -> bool {
  switch (h) {
    case late_handling::catch_up: return false;
    case late_handling::skip_late: return is_full;
    case late_handling::newest_only: return is_older;
  }
  return false;
}
[[nodiscard]] constexpr auto name_of(late_handling h) noexcept -> std::string_view {
  switch (h) {
    case late_handling::catch_up: return "catch_up";
    case late_handling::skip_late: return "skip_late";
    case late_handling::newest_only: return "newest_only";
  }
  return "";
}

}  // namespace takt::inline TAKT_ABI
