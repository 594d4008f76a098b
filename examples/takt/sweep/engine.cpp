// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

namespace takt::program::sweep {

tally::tally(const experiment& e)
    : experiment_{&e}, columns_{e.columns.size()}, rows_{e.series.size() * e.levels.size()} {
  const auto blocks = static_cast<std::size_t>((e.sets + e.sets_per_unit - 1) / e.sets_per_unit);
  counts_.resize(rows_ * columns_);
  known_.resize(rows_ * blocks);
}

auto tally::unit_at(std::size_t index) const -> unit {
  const experiment& e = *experiment_;
  const std::size_t row = index % rows_;
  const std::int64_t first = static_cast<std::int64_t>(index / rows_) * e.sets_per_unit;
  return {row / e.levels.size(), e.levels[row % e.levels.size()], first, std::min(e.sets_per_unit, e.sets - first)};
}

void tally::add(std::size_t index, std::span<const std::int64_t> counts) {
  if (known_[index]) { return; }
  known_[index] = true;
  ++known_count_;
  for (std::size_t c = 0; c < columns_; ++c) { counts_[index % rows_ * columns_ + c] += counts[c]; }
}

auto tally::counts(std::size_t series, std::size_t level) const -> std::span<const std::int64_t> {
  return std::span{counts_}.subspan((series * experiment_->levels.size() + level) * columns_, columns_);
}

void count_units(const experiment& e, const tally& known, const std::vector<std::size_t>& todo, unsigned jobs,
                 const std::atomic<bool>& stop, const unit_receiver& finished) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex one_at_a_time;
  std::exception_ptr failure;

  const auto work = [&] {
    try {
      const counter count = e.count;
      std::vector<std::int64_t> counts(e.columns.size());
      for (std::size_t i = next++; i < todo.size() && !stop && !failed; i = next++) {
        std::ranges::fill(counts, 0);
        count(known.unit_at(todo[i]), counts);
        const std::scoped_lock lock{one_at_a_time};
        finished(todo[i], counts);
      }
    } catch (...) {
      const std::scoped_lock lock{one_at_a_time};
      failed = true;
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned j = 0; j < std::min<std::size_t>(jobs, todo.size()); ++j) { workers.emplace_back(work); }
  }
  if (failure) { std::rethrow_exception(failure); }
}

}  // namespace takt::program::sweep
