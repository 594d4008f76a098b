// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "study.hpp"
#include "tally.hpp"

namespace takt::program::sweep {

/// Counts the units `todo` on `jobs` threads, each with a counter of its own. `finished` gets every unit, one at a time
/// and in any order. Units that have begun are finished when `stop` becomes true; others are not begun. Throws what a
/// counter or `finished` throws.
void count_units(const experiment& e, const tally& known, const std::vector<std::size_t>& todo, unsigned jobs,
                 const std::atomic<bool>& stop,
                 const std::function<void(std::size_t, std::span<const std::int64_t>)>& finished);

}  // namespace takt::program::sweep
