// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <takt/study/unit.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Holds the counts of a study as its units come in, in any order. Units are numbered block by block through all
/// configurations and levels, so that any interval of them costs about the same. A point that ends early, by its
/// stopping rule, ends behind the first block with which those up to it are enough, whatever else is known by then.
/// Pre: no size is 0.
class tally {
 public:
  explicit tally(extent size) : size_{std::move(size)}, counts_(points() * size_.columns), points_(points()) {
    TAKT_EXPECTS(0 < size_.series && !size_.levels.empty() && 0 < size_.sets && 0 < size_.columns &&
                 0 < size_.sets_per_unit);
    known_.resize(points() * blocks());
  }

  [[nodiscard]] auto units() const noexcept -> std::size_t { return known_.size(); }
  /// Returns how many units are counted, or needed by nothing.
  [[nodiscard]] auto known_units() const noexcept -> std::size_t { return known_count_; }
  [[nodiscard]] auto complete() const noexcept -> bool { return known_count_ == known_.size(); }
  [[nodiscard]] auto columns() const noexcept -> std::size_t { return size_.columns; }
  /// Returns the points of series and levels.
  [[nodiscard]] auto points() const noexcept -> std::size_t { return size_.series * size_.levels.size(); }
  [[nodiscard]] auto stop() const noexcept -> const stopping_rule& { return size_.stop; }
  /// Pre, here and below: index < units().
  [[nodiscard]] auto knows(std::size_t index) const -> bool {
    TAKT_EXPECTS(index < units());
    return known_[index];
  }
  [[nodiscard]] auto unit_at(std::size_t index) const -> unit {
    TAKT_EXPECTS(index < units());
    const std::size_t at = index % points();
    const std::int64_t first = static_cast<std::int64_t>(index / points()) * size_.sets_per_unit;
    return {at / size_.levels.size(), size_.levels[at % size_.levels.size()], first,
            std::min(size_.sets_per_unit, size_.sets - first)};
  }

  /// Does nothing when the unit is known. Pre: one count per column.
  void add(std::size_t index, std::span<const std::int64_t> counts) {
    TAKT_EXPECTS(index < units() && counts.size() == size_.columns);
    if (known_[index]) { return; }
    learn(index);
    const std::size_t at = index % points();
    if (!size_.stop.in_use()) {
      count(at, index / points(), counts);
      return;
    }
    point& p = points_[at];
    p.waiting.emplace(index / points(), std::vector<std::int64_t>{counts.begin(), counts.end()});
    for (auto first = p.waiting.begin(); first != p.waiting.end() && first->first == p.blocks;) {
      count(at, first->first, first->second);
      first = p.waiting.erase(first);
      if (size_.stop.enough(p.sets, this->counts(at))) {
        p.waiting.clear();
        for (std::size_t b = p.blocks; b < blocks(); ++b) { learn(b * points() + at); }
        return;
      }
    }
  }

  /// Returns one count per column. Pre: both are positions.
  [[nodiscard]] auto counts(std::size_t series, std::size_t level) const -> std::span<const std::int64_t> {
    TAKT_EXPECTS(series < size_.series && level < size_.levels.size());
    return counts(series * size_.levels.size() + level);
  }
  /// Returns how many sets are in these counts.
  [[nodiscard]] auto sets(std::size_t series, std::size_t level) const -> std::int64_t {
    TAKT_EXPECTS(series < size_.series && level < size_.levels.size());
    return points_[series * size_.levels.size() + level].sets;
  }

 private:
  struct point {
    std::int64_t sets = 0;
    std::size_t blocks = 0;                                    ///< that are counted
    std::map<std::size_t, std::vector<std::int64_t>> waiting;  ///< for the blocks before them
  };

  [[nodiscard]] auto blocks() const noexcept -> std::size_t {
    return static_cast<std::size_t>((size_.sets + size_.sets_per_unit - 1) / size_.sets_per_unit);
  }
  [[nodiscard]] auto counts(std::size_t at) const -> std::span<const std::int64_t> {
    return std::span{counts_}.subspan(at * size_.columns, size_.columns);
  }
  void learn(std::size_t index) {
    known_count_ += known_[index] ? 0U : 1U;
    known_[index] = true;
  }
  void count(std::size_t at, std::size_t block, std::span<const std::int64_t> counts) {
    points_[at].sets += unit_at(block * points() + at).sets;
    ++points_[at].blocks;
    for (std::size_t c = 0; c < size_.columns; ++c) { counts_[at * size_.columns + c] += counts[c]; }
  }

  extent size_;
  std::size_t known_count_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<point> points_;
  std::vector<bool> known_;
};

}  // namespace takt::inline TAKT_ABI::studies
