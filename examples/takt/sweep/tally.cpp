// SPDX-License-Identifier: Apache-2.0
#include "tally.hpp"

#include <algorithm>

namespace takt::program::sweep {

tally::tally(const experiment& e)
    : experiment_{&e}, columns_{e.columns.size()}, rows_{e.all_series.size() * e.levels.size()} {
  const auto blocks = static_cast<std::size_t>((e.sets + e.sets_per_unit - 1) / e.sets_per_unit);
  counts_.resize(rows_ * columns_);
  known_.resize(rows_ * blocks);
}

auto tally::unit_at(std::size_t index) const -> unit {
  const experiment& e = *experiment_;
  const std::int64_t first = static_cast<std::int64_t>(index / rows_) * e.sets_per_unit;
  return {.series = row(index) / e.levels.size(),
          .level = e.levels[row(index) % e.levels.size()],
          .first_set = first,
          .sets = std::min(e.sets_per_unit, e.sets - first)};
}

void tally::add(std::size_t index, std::span<const std::int64_t> counts) {
  if (known_[index]) { return; }
  known_[index] = true;
  ++known_count_;
  for (std::size_t c = 0; c < columns_; ++c) { counts_[row(index) * columns_ + c] += counts[c]; }
}

auto tally::counts(std::size_t series, std::size_t level) const -> std::span<const std::int64_t> {
  return std::span{counts_}.subspan((series * experiment_->levels.size() + level) * columns_, columns_);
}

}  // namespace takt::program::sweep
