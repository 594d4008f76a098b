// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/study/unit.hpp>

namespace takt::studies {

/// The counts of a study as its units come in, in any order. Units are numbered block by block through all
/// configurations and levels, so that any stretch of them costs about the same. Pre: no size is 0.
class tally {
 public:
  explicit tally(extent size) : size_{std::move(size)}, counts_(rows() * size_.columns) {
    known_.resize(rows() * static_cast<std::size_t>((size_.sets + size_.sets_per_unit - 1) / size_.sets_per_unit));
  }

  [[nodiscard]] auto units() const noexcept -> std::size_t { return known_.size(); }
  [[nodiscard]] auto known_units() const noexcept -> std::size_t { return known_count_; }
  [[nodiscard]] auto complete() const noexcept -> bool { return known_count_ == known_.size(); }
  [[nodiscard]] auto columns() const noexcept -> std::size_t { return size_.columns; }
  /// Pre, here and below: index < units().
  [[nodiscard]] auto knows(std::size_t index) const -> bool { return known_[index]; }
  [[nodiscard]] auto unit_at(std::size_t index) const -> unit {
    const std::size_t at = index % rows();
    const std::int64_t first = static_cast<std::int64_t>(index / rows()) * size_.sets_per_unit;
    return {at / size_.levels.size(), size_.levels[at % size_.levels.size()], first,
            std::min(size_.sets_per_unit, size_.sets - first)};
  }

  /// Does nothing when the unit is known. Pre: one count per column.
  void add(std::size_t index, std::span<const std::int64_t> counts) {
    if (known_[index]) { return; }
    known_[index] = true;
    ++known_count_;
    const std::size_t first = index % rows() * size_.columns;
    for (std::size_t c = 0; c < size_.columns; ++c) { counts_[first + c] += counts[c]; }
  }

  /// One per column. Pre: both are positions.
  [[nodiscard]] auto counts(std::size_t series, std::size_t level) const -> std::span<const std::int64_t> {
    return std::span{counts_}.subspan((series * size_.levels.size() + level) * size_.columns, size_.columns);
  }

 private:
  [[nodiscard]] auto rows() const noexcept -> std::size_t { return size_.series * size_.levels.size(); }

  extent size_;
  std::size_t known_count_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<bool> known_;
};

}  // namespace takt::studies
