// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/rank_set.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Decides when jobs are released. Every pattern keeps two releases of a task at least its period apart.
///
/// The adversarial pattern changes the habit of each task now and then. A task then comes as early as it may, or after
/// a random delay. Or it waits until a lower task has just asked for a resource or started a copy, and comes one tick
/// later. Or it comes at the instant at which a higher task asks for a resource. Now and then all tasks that can meet
/// are released together. The job after one that finished late comes as early as it may, so that two jobs follow
/// closely.
template <std::size_t MaxTasks>
class arrivals {
 public:
  constexpr arrivals(release_pattern pattern, std::uint64_t seed) noexcept
      : random_{seed}, pattern_{pattern}, adversarial_{is_adversarial(pattern)} {
    tasks_.fill(task{});  // g++-12 may leave default members of array elements zero
  }

  /// Adds the task of the next rank and returns its first release.
  constexpr auto add(ticks period, ticks offset) noexcept -> ticks {
    task& t = tasks_[count_++];
    t.period = period;
    longest_ = std::max(longest_, period);
    switch (pattern_) {
      case release_pattern::periodic: return offset;
      case release_pattern::sporadic: return random_.below(period);
      case release_pattern::adversarial:
        if (count_ == 1) { together_ = random_.chance(1, 2); }
        return together_ ? 0 : random_.below(period);
    }
    return 0;
  }

  [[nodiscard]] constexpr auto adversarial() const noexcept -> bool { return adversarial_; }

  /// The release that follows one at `last`; an event may later move it forward. It is before `now` when the jobs of
  /// the task are that late.
  constexpr auto after(rank r, ticks last, ticks now) noexcept -> ticks {
    task& t = tasks_[to_index(r)];
    const ticks earliest = last + t.period;
    switch (pattern_) {
      case release_pattern::periodic: return earliest;
      case release_pattern::sporadic: return random_.chance(1, 2) ? earliest : earliest + random_.below(t.period);
      case release_pattern::adversarial: return scheme(t, earliest, now);
    }
    return earliest;
  }

  /// A lower task's copy has started: calls `bring(rank, time)` for each higher task that waited for that.
  template <class Bring>
  constexpr void copy_started(rank r, ticks now, Bring bring) noexcept {
    for (rank high = 0; high < r; ++high) { release_on(high, adversarial_release::at_copy_start, now + 1, bring); }
  }
  /// A task asks for a resource: calls `bring(rank, time)` for each other task that waited for that.
  template <class Bring>
  constexpr void request_made(rank r, ticks now, Bring bring) noexcept {
    if (random_.chance(1, 2)) { return; }
    for (rank high = 0; high < r; ++high) { release_on(high, adversarial_release::at_request, now + 1, bring); }
    for (rank low = r + 1; to_index(low) < count_; ++low) {
      release_on(low, adversarial_release::with_request, now, bring);
    }
  }
  /// A job has completed: calls `bring(rank, time)` if the next one shall follow closely.
  template <class Bring>
  constexpr void completed(rank r, ticks response, ticks now, Bring bring) noexcept {
    task& t = tasks_[to_index(r)];
    const bool late = response >= t.late;
    t.late = std::max(t.late - t.late / 64, response - response / 8);
    if (late && random_.chance(1, 2)) { advance(t, r, now, bring); }
  }

 private:
  enum class adversarial_release : std::uint8_t { at_earliest, delayed, at_copy_start, at_request, with_request };
  static constexpr ticks adversarial_kinds = 5;

  struct task {
    ticks period = 0;
    ticks earliest = never;  ///< of the release to come
    ticks scheduled = never;
    ticks late = 0;  ///< a response of this length counts as late
    adversarial_release does = adversarial_release::at_earliest;
    bool waits = false;  ///< for an event
  };

  constexpr auto scheme(task& t, ticks earliest, ticks now) noexcept -> ticks {
    if (random_.chance(1, 4)) { t.does = static_cast<adversarial_release>(random_.below(adversarial_kinds)); }
    while (meeting_ <= now) { meeting_ = now + 1 + random_.below(4 * longest_); }
    t.earliest = earliest;
    t.waits = false;
    t.scheduled = earliest;
    if (earliest <= now) { return earliest; }
    if (meeting_ >= earliest && meeting_ - earliest < t.period && random_.chance(3, 4)) {
      t.scheduled = meeting_;
    } else if (t.does == adversarial_release::delayed) {
      t.scheduled = earliest + random_.below(t.period);
    } else if (t.does != adversarial_release::at_earliest) {
      t.waits = true;
      t.scheduled = earliest + 2 * t.period;
    }
    return t.scheduled;
  }

  template <class Bring>
  constexpr void release_on(rank r, adversarial_release trigger, ticks time, Bring bring) noexcept {
    task& t = tasks_[to_index(r)];
    if (!t.waits || t.does != trigger || time < t.earliest) { return; }
    advance(t, r, time, bring);
  }

  template <class Bring>
  constexpr void advance(task& t, rank r, ticks now, Bring bring) noexcept {
    const ticks time = std::max(t.earliest, now);
    if (time >= t.scheduled) { return; }
    t.waits = false;
    t.scheduled = time;
    bring(r, time);
  }

  std::array<task, MaxTasks> tasks_{};
  std::size_t count_ = 0;
  random_stream random_;
  release_pattern pattern_;
  bool adversarial_;
  ticks longest_ = 1;
  ticks meeting_ = 0;
  bool together_ = false;
};

}  // namespace takt::inline TAKT_ABI::simulation
