// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/observation.hpp>
#include <takt/simulation/quantile.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/simulation/run_system.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Says how often predictions of token sections came true.
struct prediction_accuracy {
  std::int64_t predicted = 0;
  std::int64_t close = 0;  ///< within the given part of what the section took
  ticks worst_error = 0;

  /// In thousandths, rounded down; 0 without a prediction.
  [[nodiscard]] constexpr auto share() const noexcept -> std::int64_t {
    return predicted == 0 ? 0 : close * 1000 / predicted;
  }
};

/// Counts the sections of one task after a move over one distance whose prediction was off by at most `percent`. The
/// first sections, which nothing could predict, do not count. Source: Elliott 2015, section 4.4.1.2.
[[nodiscard]] inline auto accuracy_of(std::span<const host::token_section> sections, std::size_t task,
                                      std::int32_t distance, std::int64_t percent) -> prediction_accuracy {
  prediction_accuracy out;
  for (const host::token_section& s : sections) {
    if (s.task != task || s.distance != distance || !s.has_prediction || s.skipped) { continue; }
    ++out.predicted;
    const rational off = s.predicted < rational{s.cost} ? rational{s.cost} - s.predicted : s.predicted - s.cost;
    out.close += off * rational{100} <= rational{s.cost} * rational{percent} ? 1 : 0;
    out.worst_error = std::max(out.worst_error, off.ceil());
  }
  return out;
}

/// Returns responses of completed jobs in thousandths of `period`, ascending: a distribution by its steps. Rounded up.
[[nodiscard]] inline auto normalized_responses(const host::gpu_run& run, std::size_t task, ticks period)
    -> std::vector<ticks> {
  std::vector<ticks> out;
  const host::task_jobs& t = run.tasks[task];
  for (std::size_t j = t.first_job; j < t.first_job + t.job_count; ++j) {
    const host::job_outcome& seen = run.locks.jobs[j];
    if (seen.finish == no_instant) { continue; }
    const ticks response = seen.finish - seen.release;
    out.push_back(response / period * 1000 + ceil_divide<ticks>(response % period * 1000, period));
  }
  std::ranges::sort(out);
  return out;
}

/// Says how smoothly a graph delivers: the times between consecutive completions of its sink, and the frames that a
/// periodic graph would have delivered besides. Source: Elliott 2015, section 5.5.3.1.
struct delay_summary {
  std::int64_t expected = 0;
  std::int64_t completed = 0;
  std::int64_t dropped = 0;  ///< expected - completed, but for more completions than expected
  ticks longest = 0;         ///< the delays are 0 when there are none
  ticks longest_of_999 = 0;  ///< of a thousand: the 99.9th percentile
  ticks longest_of_990 = 0;
  ticks median = 0;
  ticks mean = 0;       ///< rounded down
  ticks deviation = 0;  ///< standard deviation of all delays, rounded down

  [[nodiscard]] friend constexpr auto operator==(const delay_summary&, const delay_summary&) noexcept -> bool = default;
};

namespace detail {

__extension__ using wide_sum = unsigned __int128;

[[nodiscard]] constexpr auto floor_root(wide_sum x) noexcept -> wide_sum {
  wide_sum root = 0;
  for (wide_sum bit = wide_sum{1} << 126U; bit > 0; bit >>= 2U) {
    const bool in = x >= root + bit;
    if (in) { x -= root + bit; }
    root = (root >> 1U) + (in ? bit : wide_sum{0});
  }
  return root;
}

}  // namespace detail

/// Summarizes the completions after `from` and up to `until`, where a delay begins and ends inside. Pre: `completions`
/// ascend, period > 0, from <= until, all instants within 2^50, fewer than 2^24 completions.
[[nodiscard]] inline auto summarize_delays(std::span<const ticks> completions, ticks period, ticks from, ticks until)
    -> delay_summary {
  TAKT_EXPECTS(period > 0 && from <= until && completions.size() < (std::size_t{1} << 24U));
  TAKT_EXPECTS(std::ranges::is_sorted(completions));
  const auto first = std::ranges::upper_bound(completions, from);
  const auto last = std::ranges::upper_bound(completions, until);
  delay_summary out{.expected = (until - from) / period, .completed = last - first};
  out.dropped = std::max<std::int64_t>(out.expected - out.completed, 0);
  std::vector<ticks> delays;
  detail::wide_sum squares = 0;
  for (auto c = first; c != last && c + 1 != last; ++c) {
    delays.push_back(*(c + 1) - *c);
    squares += static_cast<detail::wide_sum>(delays.back()) * static_cast<detail::wide_sum>(delays.back());
  }
  if (delays.empty()) { return out; }
  const ticks sum = *(last - 1) - *first;
  const auto count = static_cast<ticks>(delays.size());
  std::ranges::sort(delays);
  out.longest = delays.back();
  out.longest_of_999 = quantile(delays, 999);
  out.longest_of_990 = quantile(delays, 990);
  out.median = quantile(delays, 500);
  out.mean = sum / count;
  const auto all = static_cast<detail::wide_sum>(sum);
  const detail::wide_sum variance = squares * static_cast<detail::wide_sum>(count) - all * all;  // times count^2
  out.deviation = static_cast<ticks>(detail::floor_root(variance) / static_cast<detail::wide_sum>(count));
  return out;
}

/// Holds delays of several graphs over their periods, averaged with every graph alike, in millionths; drops in
/// millionths of all frames that were expected.
struct average_delays {
  std::int64_t dropped = 0;
  std::int64_t longest = 0;
  std::int64_t longest_of_999 = 0;
  std::int64_t longest_of_990 = 0;
  std::int64_t median = 0;
  std::int64_t mean = 0;
  std::int64_t deviation = 0;
};

/// Pre: one period for each summary, values below 2^40.
[[nodiscard]] inline auto average(std::span<const delay_summary> graphs, std::span<const ticks> periods)
    -> average_delays {
  TAKT_EXPECTS(periods.size() == graphs.size());
  constexpr std::int64_t million = 1'000'000;
  average_delays out;
  std::int64_t expected = 0;
  std::int64_t dropped = 0;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const ticks p = periods[g];
    const auto share = [p](ticks value) { return value / p * million + value % p * million / p; };
    out.longest += share(graphs[g].longest);
    out.longest_of_999 += share(graphs[g].longest_of_999);
    out.longest_of_990 += share(graphs[g].longest_of_990);
    out.median += share(graphs[g].median);
    out.mean += share(graphs[g].mean);
    out.deviation += share(graphs[g].deviation);
    expected += graphs[g].expected;
    dropped += graphs[g].dropped;
  }
  if (graphs.empty()) { return out; }
  const auto count = static_cast<std::int64_t>(graphs.size());
  for (std::int64_t* value :
       {&out.longest, &out.longest_of_999, &out.longest_of_990, &out.median, &out.mean, &out.deviation}) {
    *value /= count;
  }
  out.dropped = expected == 0 ? 0 : dropped * million / expected;
  return out;
}

/// Returns how many of the values are above `x`: with their number, the tail distribution. Pre: ascending.
[[nodiscard]] inline auto count_above(std::span<const ticks> ascending, ticks x) -> std::int64_t {
  TAKT_EXPECTS_IN_TESTS(std::ranges::is_sorted(ascending));
  return ascending.end() - std::ranges::upper_bound(ascending, x);
}

}  // namespace takt::inline TAKT_ABI::simulation
