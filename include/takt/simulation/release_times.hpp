// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

namespace detail {

/// Lists with more jobs than this are refused.
inline constexpr ticks most_listed_jobs = ticks{1} << 24U;

}  // namespace detail

/// Returns whether the jobs of every row up to a horizon can be written down, `each(row)` of them per release.
template <class Rows, class Each>
[[nodiscard]] constexpr auto jobs_fit(const Rows& rows, duration horizon, const Each& each) -> bool {
  ticks sum = 0;
  for (const auto& row : rows) {
    ticks jobs = 0;
    const bool fits = checked_multiply<ticks>(horizon.count() / row.period + 1, each(row), jobs) &&
                      checked_add(sum, jobs, sum) && sum <= detail::most_listed_jobs;
    if (!fits) { return false; }
  }
  return true;
}
template <class Rows>
[[nodiscard]] constexpr auto jobs_fit(const Rows& rows, duration horizon) -> bool {
  return jobs_fit(rows, horizon, [](const auto& /*row*/) { return ticks{1}; });
}

/// Returns releases before the horizon of every row, which has a period: periodic from the offsets on, else sporadic.
/// Pre: `detail::releases_fault` found nothing; the releases are not adversarial; `jobs_fit`; the horizon and a few
/// periods do.
template <class Rows, class Options>
[[nodiscard]] auto release_times(const Rows& rows, const Options& o) -> std::vector<std::vector<ticks>> {
  TAKT_EXPECTS(!is_adversarial(o.releases));
  random_stream random{o.seed};
  const bool sporadic = is_sporadic(o.releases);
  std::vector<std::vector<ticks>> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ticks period = rows[i].period;
    TAKT_EXPECTS(period > 0);
    ticks release = i < o.offsets.size() ? o.offsets[i].count() : 0;
    if (sporadic) { release = random.below(period); }
    while (release < o.horizon.count()) {
      out[i].push_back(release);
      release += period;
      if (sporadic && random.chance(1, 2)) { release += random.below(period); }
    }
  }
  return out;
}

namespace detail {

/// Returns whether two periods fit beyond an instant.
[[nodiscard]] constexpr auto two_more_fit(ticks until, ticks period) noexcept -> bool {
  return period > 0 && period <= (std::numeric_limits<ticks>::max() - (until < 0 ? 0 : until)) / 2;
}

}  // namespace detail

/// Returns legal sporadic releases before `until`, most of them as bad as they get, of rows with a period and a
/// deadline. Rows begin a few units apart, each with an earlier deadline than the one before, so that as many as
/// possible have started when the urgent ones come. Then each comes as soon as its period allows, or a little later.
/// Pre: `until` and two more periods fit.
template <class Rows>
[[nodiscard]] auto staggered_releases(const Rows& rows, ticks until, std::uint64_t seed)
    -> std::vector<std::vector<ticks>> {
  random_stream random{seed};
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  std::ranges::sort(order, {}, [&rows](std::size_t i) { return std::pair{-rows[i].deadline, i}; });
  const ticks gap = random.between(0, 2);
  const bool together = random.chance(1, 4);
  const bool hurried = random.chance(1, 2);
  std::vector<std::vector<ticks>> out(rows.size());
  ticks first = 0;
  for (const std::size_t i : order) {
    const ticks period = rows[i].period;
    TAKT_EXPECTS(detail::two_more_fit(until, period));
    first += together || random.chance(1, 8) ? 0 : random.between(gap < 1 ? gap : 1, 1 + gap);
    const ticks skipped = random.chance(1, 8) ? random.below(period) : 0;
    for (ticks release = first + skipped; release < until;) {
      out[i].push_back(release);
      release += period + (hurried || random.chance(2, 3) ? 0 : random.below(period));
    }
  }
  return out;
}

/// Returns sporadic releases of tasks before `until`, legal and unfavourable. They are all at once, or each is first at
/// a random time within the deadline of another task, so that it interrupts a job. Later ones come as soon as the
/// period allows, or up to a period later. Pre: `until` and two more periods fit.
template <class Tasks>
[[nodiscard]] auto interrupting_releases(const Tasks& tasks, ticks until, std::uint64_t seed)
    -> std::vector<std::vector<ticks>> {
  random_stream random{seed};
  std::vector<std::vector<ticks>> out(tasks.size());
  const bool together = random.chance(1, 4);
  const bool hurried = random.chance(1, 2);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const ticks period = tasks[i].period;
    TAKT_EXPECTS(detail::two_more_fit(until, period));
    const auto& other = tasks[static_cast<std::size_t>(random.below(static_cast<ticks>(tasks.size())))];
    ticks release = together ? 0 : random.chance(1, 2) ? random.below(other.deadline) : random.below(period);
    while (release < until) {
      out[i].push_back(release);
      release += period + (hurried || random.chance(1, 2) ? 0 : random.below(period));
    }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::simulation
