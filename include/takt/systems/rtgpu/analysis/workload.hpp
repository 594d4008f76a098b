// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Describes a piece of a job as one resource sees it: its own work, or a gap in which others work.
template <class Number>
struct element {
  std::int32_t resource = -1;  ///< -1: nobody competes for it
  interval<Number> time{};
};

/// Work within a window of some length, and how it goes on when the window grows: with slope one until `grows_until`,
/// or not at all until `constant_until`. Either is the window itself when nothing is known.
template <class Number>
struct work_within {
  Number value{};
  Number grows_until{};
  Number constant_until{};
};

/// Computes how much work each task can execute on each shared resource in a window of a given length.
///
/// One rule covers every chain and every resource. On resource r a job is a run of own segments (at their upper bounds)
/// separated by gaps (at the lower bounds of what stands between). The first job of a window ends as late as it may and
/// the next starts as early as it may. The gap between the two is T - X plus the lower bounds after the last and before
/// the first own segment. X is a bound on the first job's response (its deadline if nothing better is known). All later
/// jobs start exactly T apart. Sources: Zou et al. 2021, Lemmas 2.1, 5.2, 5.4; the window may start with any segment of
/// the job.
template <ExactNumber Number, std::size_t MaxTasks, std::size_t MaxElements, std::size_t Resources>
class workload_model {
 public:
  using number = Number;
  /// Most (task, resource) pairs.
  static constexpr std::size_t max_sources = MaxTasks * Resources;
  /// Says that its answer is no lower bound of a work that is not known.
  static constexpr bool from_below = false;

  /// Lays out the densest packing of task k. Pre: `latest_finish` bounds the response of its jobs, elements
  /// [first, first + count) are in chain order, and each MaxElements range is used by one task only.
  /// Cost: Resources x count.
  constexpr void pack(std::size_t k, const std::array<element<Number>, MaxElements>& elements, std::size_t first,
                      std::size_t count, const Number& period, const Number& latest_finish) {
    TAKT_EXPECTS(k < MaxTasks && first <= MaxElements && count <= MaxElements - first);
    std::size_t next = first;
    for (std::size_t r = 0; r < Resources; ++r) {
      profile& p = profiles_[k][r];
      p = {.first = next, .count = 0, .second_job = Number(0), .total = Number(0), .period = period};
      Number position(0);  // since the start of the first own segment
      Number after(0);     // lower bounds since the end of the last own segment
      Number before_first(0);
      for (std::size_t j = first; j < first + count; ++j) {
        const element<Number>& e = elements[j];
        if (e.resource != static_cast<std::int32_t>(r) || e.time.upper == Number(0)) {
          after = after + e.time.lower;
          continue;
        }
        if (p.count == 0) {
          before_first = after;
        } else {
          position = position + after;
        }
        bursts_[next] = {position, e.time.upper, p.total};
        position = position + e.time.upper;
        p.total = p.total + e.time.upper;
        after = Number(0);
        ++p.count;
        ++next;
      }
      p.second_job = position + (period - latest_finish) + after + before_first;
    }
  }

  /// Returns the work of task k on resource r in the densest window of length t: the maximum over the segment with
  /// which the window starts. Pre: t >= 0. Cost: own segments squared.
  [[nodiscard]] constexpr auto demand(std::size_t k, std::size_t r, const Number& t) const -> work_within<Number> {
    TAKT_EXPECTS(!(t < Number(0)));
    const profile& p = profiles_[k][r];
    if (p.count == 0) { return {Number(0), t, t}; }
    work_within<Number> most = window(p, 0, t);
    Number overtakes = most.constant_until - most.value;
    for (std::size_t h = 1; h < p.count; ++h) {
      const work_within<Number> w = window(p, h, t);
      if (w.constant_until - w.value < overtakes) { overtakes = w.constant_until - w.value; }
      if (most.value < w.value || (most.value == w.value && most.grows_until < w.grows_until)) { most = w; }
    }
    // No window grows faster than its length, so none passes the greatest one earlier.
    most.constant_until = most.value + overtakes;
    return most;
  }

  /// Returns the work in the one window that starts with own segment h. Pre: h < segments(k, r).
  [[nodiscard]] constexpr auto window(std::size_t k, std::size_t r, std::size_t h, const Number& t) const
      -> work_within<Number> {
    TAKT_EXPECTS(h < segments(k, r));
    return window(profiles_[k][r], h, t);
  }

  [[nodiscard]] constexpr auto segments(std::size_t k, std::size_t r) const noexcept -> std::size_t {
    return profiles_[k][r].count;
  }

 private:
  struct burst {
    Number start{};  ///< since the start of the job's first own segment
    Number length{};
    Number before{};  ///< own work of the job before it
  };
  struct profile {
    std::size_t first = 0;
    std::size_t count = 0;
    Number second_job{};  ///< start of the next job's first own segment
    Number total{};
    Number period{};
  };

  [[nodiscard]] constexpr auto window(const profile& p, std::size_t h, const Number& t) const -> work_within<Number> {
    const burst* const own = bursts_ + p.first;
    Number x = t + own[h].start;
    Number done = Number(0) - own[h].before;
    Number next_job = p.second_job;
    if (!(x < p.second_job)) {
      x = x - p.second_job;
      const Number whole_jobs = number_traits<Number>::floor_quotient(x, p.period);
      x = x - whole_jobs * p.period;
      done = done + (whole_jobs + Number(1)) * p.total;
      next_job = p.period;
    }
    std::size_t j = p.count - 1;
    while (x < own[j].start) { --j; }
    const Number rest = own[j].start + own[j].length - x;
    if (Number(0) < rest) { return {Number(done + own[j].before + (x - own[j].start)), Number(t + rest), t}; }
    const Number next = j + 1 < p.count ? own[j + 1].start : next_job;
    return {Number(done + own[j].before + own[j].length), t, Number(t + (next - x))};
  }

  // Plain arrays: an element access through std::array is a call, which constant evaluation counts.
  burst bursts_[MaxElements]{};
  profile profiles_[MaxTasks][Resources]{};
};

}  // namespace takt::inline TAKT_ABI::analysis
