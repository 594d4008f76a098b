// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Returns whether an enumeration names this number. Pre: its enumerators count from 0 without gaps, and `last_of(e)`
/// is the last.
template <class Choice>
  requires requires(Choice e) { last_of(e); }
[[nodiscard]] constexpr auto is_known(Choice e) noexcept -> bool {
  return e <= last_of(e);
}

}  // namespace takt::inline TAKT_ABI
