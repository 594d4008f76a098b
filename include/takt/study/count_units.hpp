// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/study/tally.hpp>

namespace takt::inline TAKT_ABI::studies {

namespace detail {

/// Hands out units, each once, without those that have become known meanwhile. The tally outlives it.
class unit_dealer {
 public:
  unit_dealer(const tally& known, std::vector<std::size_t> todo) : known_{&known}, todo_{std::move(todo)} {}

  [[nodiscard]] auto next() -> std::optional<std::size_t> {
    while (at_ < todo_.size() && known_->knows(todo_[at_])) { ++at_; }
    return at_ < todo_.size() ? std::optional{todo_[at_++]} : std::nullopt;
  }
  /// At most so many are still to be handed out.
  [[nodiscard]] auto left() const noexcept -> std::size_t { return todo_.size() - at_; }

 private:
  const tally* known_;
  std::vector<std::size_t> todo_;
  std::size_t at_ = 0;
};

}  // namespace detail

/// Counts units on so many threads, until `next()` has none. Each thread has a copy of `count`, whose
/// `count(unit, counts)` adds to a count per column, all 0. `finished(index, counts)` gets every unit. Both are called
/// by any thread. Throws what any of them throws.
template <class Count, class Next, class Finished>
void count_on_threads(const tally& sizes, unsigned jobs, const Count& count, const Next& next,
                      const Finished& finished) {
  std::atomic<bool> failed{false};
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      std::decay_t<Count> own = count;  // NOLINT(misc-const-correctness): one may change itself
      std::vector<std::int64_t> counts(sizes.columns());
      while (!failed) {
        const std::optional<std::size_t> index = next();
        if (!index) { return; }
        std::ranges::fill(counts, 0);
        own(sizes.unit_at(*index), row{counts});
        finished(*index, std::span<const std::int64_t>{counts});
      }
    } catch (...) {
      const std::scoped_lock lock{one_at_a_time};
      failed = true;
      failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned j = 0; j < jobs; ++j) { workers.emplace_back(work); }
  }
  if (failure) { std::rethrow_exception(failure); }
}

namespace detail {

/// Counts units with one call of `next` or `finished` at a time. Units come in in any order; what `finished` keeps is
/// the same for any number of threads where `count` looks at the unit alone.
template <class Count, class Next, class Finished>
void count_units(const tally& sizes, unsigned jobs, const Count& count, const Next& next, const Finished& finished) {
  std::mutex one_at_a_time;
  count_on_threads(
      sizes, jobs, count,
      [&]() -> std::optional<std::size_t> {
        const std::scoped_lock lock{one_at_a_time};
        return next();
      },
      [&](std::size_t index, std::span<const std::int64_t> counts) {
        const std::scoped_lock lock{one_at_a_time};
        finished(index, counts);
      });
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::studies
