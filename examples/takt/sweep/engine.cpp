// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

namespace takt::program::sweep {

void count_units(const experiment& e, const tally& known, const std::vector<std::size_t>& todo, unsigned jobs,
                 const std::atomic<bool>& stop,
                 const std::function<void(std::size_t, std::span<const std::int64_t>)>& finished) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex one_at_a_time;
  std::exception_ptr failure;

  const auto work = [&] {
    try {
      const counter count = e.make_counter();
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
