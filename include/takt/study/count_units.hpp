// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

#include <takt/study/tally.hpp>

namespace takt::studies {

/// Counts the units `todo` on `jobs` threads. Each has a copy of `count`, whose `count(unit, counts)` adds to a count
/// per column, all 0. `finished(index, counts)` gets every unit, one at a time and in any order; what it keeps is the
/// same for any number of threads where `count` looks at the unit alone. Units that have begun are finished when `stop`
/// becomes true, others are not begun. Throws what either of them throws.
template <class Count, class Finished>
void count_units(const tally& known, std::span<const std::size_t> todo, unsigned jobs, const std::atomic<bool>& stop,
                 const Count& count, const Finished& finished) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex one_at_a_time;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      std::decay_t<Count> own = count;  // NOLINT(misc-const-correctness): one may change itself
      std::vector<std::int64_t> counts(known.columns());
      for (std::size_t i = next++; i < todo.size() && !stop && !failed; i = next++) {
        std::ranges::fill(counts, 0);
        own(known.unit_at(todo[i]), row{counts});
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

}  // namespace takt::studies
