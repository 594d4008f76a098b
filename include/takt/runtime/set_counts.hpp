// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace takt {

/// A study draws so many sets for each of its configurations at each of its levels, and counts in columns what it finds
/// in them: how many sets an analysis accepts, for instance.
struct study_size {
  std::size_t series = 1;            ///< configurations
  std::vector<std::int64_t> levels;  ///< in thousandths
  std::int64_t sets = 1;
  std::size_t columns = 1;
  std::int64_t sets_per_unit = 10;
};

/// A block of sets of one configuration at one level: what a worker does at a time.
struct study_unit {
  static constexpr std::int64_t most_sets = 1'000'000;

  std::size_t series = 0;
  std::int64_t level = 0;  ///< thousandths
  std::int64_t first_set = 0;
  std::int64_t sets = 0;

  /// Of one of its sets: unique among the levels and sets of a study. Pre: at most so many sets.
  [[nodiscard]] constexpr auto number(std::int64_t set) const noexcept -> std::uint64_t {
    return static_cast<std::uint64_t>(level * most_sets + first_set + set);
  }
  /// Of levels that number something.
  [[nodiscard]] constexpr auto whole_level() const noexcept -> std::size_t {
    return static_cast<std::size_t>(level / 1000);
  }
};

/// Counts set by set: `judge(unit, number of the set in it, counts)`.
template <class Judge>
[[nodiscard]] auto set_by_set(Judge judge) {
  return [judge = std::move(judge)](const study_unit& u, std::span<std::int64_t> counts) mutable {
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
             const study_unit& u, std::span<std::int64_t> counts) {
    entry& e = (*entries)[u.series];
    std::call_once(e.once, [&] { e.found.emplace(find(u.series)); });
    write(*e.found, u, counts);
  };
}

/// The counts of a study as its units come in, in any order. Units are numbered block by block through all
/// configurations and levels, so that any stretch of them costs about the same. Pre: no size is 0.
class set_counts {
 public:
  explicit set_counts(study_size size) : size_{std::move(size)}, counts_(rows() * size_.columns) {
    known_.resize(rows() * static_cast<std::size_t>((size_.sets + size_.sets_per_unit - 1) / size_.sets_per_unit));
  }

  [[nodiscard]] auto units() const noexcept -> std::size_t { return known_.size(); }
  [[nodiscard]] auto known_units() const noexcept -> std::size_t { return known_count_; }
  [[nodiscard]] auto complete() const noexcept -> bool { return known_count_ == known_.size(); }
  [[nodiscard]] auto columns() const noexcept -> std::size_t { return size_.columns; }
  /// Pre, here and below: index < units().
  [[nodiscard]] auto knows(std::size_t index) const -> bool { return known_[index]; }
  [[nodiscard]] auto unit_at(std::size_t index) const -> study_unit {
    const std::size_t row = index % rows();
    const std::int64_t first = static_cast<std::int64_t>(index / rows()) * size_.sets_per_unit;
    return {row / size_.levels.size(), size_.levels[row % size_.levels.size()], first,
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

  study_size size_;
  std::size_t known_count_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<bool> known_;
};

/// Counts the units `todo` on `jobs` threads. Each has a copy of `count`, whose `count(unit, counts)` adds to a count
/// per column, all 0. `finished(index, counts)` gets every unit, one at a time and in any order; what it keeps is the
/// same for any number of threads where `count` looks at the unit alone. Units that have begun are finished when `stop`
/// becomes true, others are not begun. Throws what either of them throws.
template <class Count, class Finished>
void count_units(const set_counts& known, std::span<const std::size_t> todo, unsigned jobs,
                 const std::atomic<bool>& stop, const Count& count, const Finished& finished) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      std::decay_t<Count> own = count;
      std::vector<std::int64_t> counts(known.columns());
      for (std::size_t i = next++; i < todo.size() && !stop && !failed; i = next++) {
        std::ranges::fill(counts, 0);
        own(known.unit_at(todo[i]), std::span<std::int64_t>{counts});
        const std::scoped_lock lock{one_at_a_time};
        finished(todo[i], std::span<const std::int64_t>{counts});
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

}  // namespace takt
