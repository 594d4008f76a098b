// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "study.hpp"

namespace takt::program::sweep {

/// The counts of an experiment as its units come in, in any order. Units are numbered block by block through all
/// configurations and levels, so that any stretch of them costs about the same.
class tally {
 public:
  explicit tally(const experiment& e);

  [[nodiscard]] auto units() const noexcept -> std::size_t { return known_.size(); }
  [[nodiscard]] auto known_units() const noexcept -> std::size_t { return known_count_; }
  [[nodiscard]] auto complete() const noexcept -> bool { return known_count_ == known_.size(); }
  [[nodiscard]] auto knows(std::size_t index) const -> bool { return known_[index]; }
  [[nodiscard]] auto unit_at(std::size_t index) const -> unit;

  /// Does nothing when the unit is known. Pre: one count per column.
  void add(std::size_t index, std::span<const std::int64_t> counts);

  [[nodiscard]] auto counts(std::size_t series, std::size_t level) const -> std::span<const std::int64_t>;

 private:
  const experiment* experiment_;
  std::size_t columns_;
  std::size_t rows_;
  std::size_t known_count_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<bool> known_;
};

/// Gets the number and the counts of a unit.
using unit_receiver = std::function<void(std::size_t, std::span<const std::int64_t>)>;

/// Counts the units `todo` on `jobs` threads. `finished` gets every unit, one at a time and in any order. Units that
/// have begun are finished when `stop` becomes true; others are not begun. Throws what a counter or `finished` throws.
void count_units(const experiment& e, const tally& known, const std::vector<std::size_t>& todo, unsigned jobs,
                 const std::atomic<bool>& stop, const unit_receiver& finished);

}  // namespace takt::program::sweep
