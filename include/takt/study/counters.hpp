// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <takt/study/unit.hpp>

namespace takt::studies {

/// Counts set by set: `judge(unit, number of the set in it, counts)`.
template <class Judge>
[[nodiscard]] auto set_by_set(Judge judge) {
  return [judge = std::move(judge)](const unit& u, row counts) mutable {
    for (std::int64_t i = 0; i < u.sets; ++i) { judge(u, i, counts); }
  };
}

/// Counts where all levels of a configuration come out of the same runs: `find(series)` does those, once for all
/// workers, and `write(found, unit, counts)` counts for a level.
template <class Find, class Write>
[[nodiscard]] auto once_per_series(std::size_t series, Find find, Write write) {
  struct entry {
    std::once_flag once;
    std::optional<decltype(find(series))> found;
  };
  return [find = std::move(find), write = std::move(write), entries = std::make_shared<std::vector<entry>>(series)](
             const unit& u, row counts) {
    entry& e = (*entries)[u.series];
    std::call_once(e.once, [&] { e.found.emplace(find(u.series)); });
    write(*e.found, u, counts);
  };
}

}  // namespace takt::studies
