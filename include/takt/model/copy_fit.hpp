// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/copy_model.hpp>

namespace takt::inline TAKT_ABI {

struct copy_sample {
  std::int64_t bytes = 0;
  ticks time = 0;
};

namespace detail {

/// Computes bytes per `time` in bytes per second, rounded down or up; false on overflow. Pre: time > 0.
[[nodiscard]] constexpr auto bandwidth(std::int64_t bytes, ticks time, bool up, std::int64_t& out) noexcept -> bool {
  TAKT_EXPECTS(time > 0);
  std::int64_t scaled = 0;
  if (!checked_multiply(bytes, std::int64_t{1'000'000'000}, scaled)) { return false; }
  out = up ? ceil_divide(scaled, time) : floor_divide(scaled, time);
  out = out < 1 ? 1 : out;
  return true;
}

}  // namespace detail

/// Fits a copy model whose upper bounds are at least, and lower bounds at most, every sample. The upper line has the
/// steepest slope from the smallest to the largest transfers; latencies are shifted until all samples lie between.
/// False, and no change, without two different sizes, with a time or size that is not positive, or beyond 9 GB.
[[nodiscard]] constexpr auto fit_copy_model(std::span<const copy_sample> samples, copy_model& out) noexcept -> bool {
  if (samples.empty()) { return false; }
  copy_sample small_fast = samples[0];
  copy_sample large_slow = samples[0];
  std::int64_t fastest = 1;
  for (const copy_sample& s : samples) {
    std::int64_t rate = 0;
    if (s.bytes < 1 || s.time < 1 || !detail::bandwidth(s.bytes, s.time, true, rate)) { return false; }
    fastest = rate > fastest ? rate : fastest;
    const bool smaller = s.bytes < small_fast.bytes || (s.bytes == small_fast.bytes && s.time < small_fast.time);
    const bool larger = s.bytes > large_slow.bytes || (s.bytes == large_slow.bytes && s.time > large_slow.time);
    if (smaller) { small_fast = s; }
    if (larger) { large_slow = s; }
  }
  if (small_fast.bytes == large_slow.bytes) { return false; }
  const ticks rise = large_slow.time - small_fast.time;
  copy_model fit{{}, 1, fastest};
  if (!detail::bandwidth(large_slow.bytes - small_fast.bytes, rise < 1 ? 1 : rise, false, fit.slowest)) {
    return false;
  }
  duration above;
  duration below = duration::max();
  for (const copy_sample& s : samples) {
    const interval<duration> without_latency = fit.time(s.bytes);
    const duration measured{s.time};
    if (above < measured - without_latency.upper) { above = measured - without_latency.upper; }
    if (measured - without_latency.lower < below) { below = measured - without_latency.lower; }
  }
  fit.latency = {below, above};
  out = fit;
  return true;
}

}  // namespace takt::inline TAKT_ABI
