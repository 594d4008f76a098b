// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>

namespace takt::inline TAKT_ABI {

/// Keeps what was said about the remaining time of a job at each change of its load. The end of the job tells how wrong
/// it was. These are the samples that `pick_threshold` works on. Source: Yao et al. 2022, Fig. 12 and 13.
template <std::size_t MaxChanges>
class estimate_log {
 public:
  using errors = inline_vector<progress_error, MaxChanges>;

  constexpr void started(ticks now) noexcept {
    start_ = now;
    entries_.clear();
  }

  /// Notes an estimate. `progress`: 0 to 1. Returns false, and changes nothing, when the log is full.
  [[nodiscard]] constexpr auto estimated(ticks now, double progress, ticks remaining) noexcept -> bool {
    return entries_.try_push_back({now, remaining, progress});
  }

  /// Returns one error per estimate, oldest first, relative to the response time. Estimates of after the end, and a job
  /// that took no time or longer than 64 bits, give none.
  [[nodiscard]] constexpr auto finished(ticks now) const noexcept -> errors {
    errors out;
    ticks response = 0;
    if (!checked_subtract(now, start_, response) || response <= 0) { return out; }
    for (const entry& e : entries_) {
      ticks remained = 0;
      if (e.at < start_ || !checked_subtract(now, e.at, remained) || remained < 0) { continue; }
      const double distance = static_cast<double>(e.remaining) - static_cast<double>(remained);
      // Bound: one per estimate, at most MaxChanges.
      out.unchecked_push_back({e.progress, (distance < 0 ? -distance : distance) / static_cast<double>(response)});
    }
    return out;
  }

 private:
  struct entry {
    ticks at = 0;
    ticks remaining = 0;
    double progress = 0;
  };

  ticks start_ = 0;
  inline_vector<entry, MaxChanges> entries_;
};

namespace detail {

/// Returns the errors of a job that ran for `lengths` under one load after the other. Under each load the whole job was
/// expected to take one of `whole_times`. At the start of each load the remaining time is whole x (1 - progress).
/// Progress is the sum of length / whole so far. Pre: as many of both, times above 0, sums below 2^62. Source: Yao et
/// al. 2022, Eq. 9 to 11.
template <std::size_t MaxChanges>
[[nodiscard]] auto remaining_time_errors(std::span<const ticks> lengths, std::span<const double> whole_times) ->
    typename estimate_log<MaxChanges>::errors {
  TAKT_EXPECTS(lengths.size() == whole_times.size());
  estimate_log<MaxChanges> log;
  log.started(0);
  ticks now = 0;
  double progress = 0;
  for (std::size_t j = 0; j < lengths.size(); ++j) {
    TAKT_EXPECTS(lengths[j] > 0 && whole_times[j] > 0);
    if (!log.estimated(now, progress, std::llround(whole_times[j] * (1 - progress)))) { break; }
    progress += static_cast<double>(lengths[j]) / whole_times[j];
    progress = progress < 1 ? progress : 1;
    now += lengths[j];
  }
  return log.finished(now);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
