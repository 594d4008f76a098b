// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>

namespace takt_benchmarks {

/// How much work takes at least `wanted`, by measured time: the amount is enlarged until one run of it does. None when
/// a run fails, or when `most` takes less. Pre: 1 <= first <= most, wanted >= 1.
///
/// `measure(amount)` answers with the time of one run, or with none.
template <class Measure>
[[nodiscard]] auto work_that_takes(takt::ticks wanted, std::int64_t first, std::int64_t most, Measure measure)
    -> std::optional<std::int64_t> {
  std::int64_t amount = first;
  while (true) {
    const std::optional<takt::ticks> time = measure(amount);
    if (!time) { return std::nullopt; }
    if (*time >= wanted) { return amount; }
    if (amount == most) { return std::nullopt; }
    // In proportion and a tenth more, but not blindly: a time near 0 says little.
    const double factor = *time > 0 ? 1.1 * static_cast<double>(wanted) / static_cast<double>(*time) : 8;
    const double next = static_cast<double>(amount) * std::clamp(factor, 1.1, 8.0) + 1;
    amount = std::min(most, static_cast<std::int64_t>(next));
  }
}

/// Times of jobs beside a long kernel. One counts only if the long kernel had not ended where the job needed it.
class samples_beside {
 public:
  void add(takt::ticks time, bool long_one_was_there) {
    if (!long_one_was_there) {
      ++rejected_;
      return;
    }
    times_.push_back(time);
  }

  [[nodiscard]] auto times() const noexcept -> const std::vector<takt::ticks>& { return times_; }
  [[nodiscard]] auto rejected() const noexcept -> std::int64_t { return rejected_; }
  /// Why these times say nothing; empty when they do. A tenth may be rejected: were it more, what is left would be
  /// the quick ones.
  [[nodiscard]] auto problem() const -> std::string {
    const auto all = static_cast<std::int64_t>(times_.size()) + rejected_;
    if (all == 0) { return "there are no samples"; }
    if (10 * rejected_ <= all) { return {}; }
    return "the long kernel had ended in " + std::to_string(rejected_) + " of " + std::to_string(all) +
           " samples, which are more than a tenth";
  }

 private:
  std::vector<takt::ticks> times_;
  std::int64_t rejected_ = 0;
};

}  // namespace takt_benchmarks
