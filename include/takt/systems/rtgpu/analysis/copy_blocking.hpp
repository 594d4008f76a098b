// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds for each task and copy engine the longest copy of a lower task, which may hold the engine when the task asks.
template <class Table>
class copy_blocking {
 public:
  using number = typename Table::number;

  struct entry {
    number time;       ///< 0 when no lower task uses the engine
    std::uint32_t by;  ///< the task of that copy, in the given order
  };

  /// Pre: the table is in priority order.
  constexpr copy_blocking(const Table& table, const platform_record& platform) {
    std::array<entry, engines> below{};
    below.fill({number(0), no_index});
    for (std::size_t k = table.size(); k-- > 0;) {
      longest_[k] = below;
      for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
        const auto& s = table.segment(k, j);
        if (s.where != stage::copy) { continue; }
        entry& e = below[static_cast<std::size_t>(platform.engine_of(s.direction))];
        if (e.time < s.time.upper) { e = {s.time.upper, table.tasks[k].id}; }
      }
    }
  }

  [[nodiscard]] constexpr auto of(std::size_t k, std::size_t engine) const -> const entry& {
    return longest_[k][engine];
  }

 private:
  static constexpr auto engines = static_cast<std::size_t>(max_copy_engines);

  std::array<std::array<entry, engines>, Table::max_tasks> longest_{};
};

}  // namespace takt::inline TAKT_ABI::analysis
