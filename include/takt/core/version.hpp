// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Read by the build too, so that the version is written in one place.
inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;

}  // namespace takt::inline TAKT_ABI
