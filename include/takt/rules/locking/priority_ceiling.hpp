// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

enum class ceiling_status : std::uint8_t {
  done,
  unknown_resource,
  in_use,      ///< a declaration while something is locked
  undeclared,  ///< the job stands above the ceiling: it was not declared to use the resource
  not_free,    ///< a job holds the resource; impossible where jobs start by `may_start` and run by `effective`
  not_last,    ///< the resource is not the one that was locked last
};

/// The locks of one processor under the stack resource policy, which for fixed priorities is the immediate priority
/// ceiling protocol. A job starts only when its level is better than every ceiling of a locked resource; then no lock
/// makes it wait. A level is the fixed priority of a task, or under EDF its relative deadline. For any nesting no job
/// can deadlock, and one is blocked at most once, before it starts. Source: Baker 1991; Sha, Rajkumar and Lehoczky
/// 1990.
template <std::size_t Resources>
class priority_ceiling {
 public:
  constexpr priority_ceiling() noexcept { ceilings_.fill(lowest_priority); }

  /// Declares that jobs of this level use r.
  [[nodiscard]] constexpr auto declare(lock_id r, const priority_point& level) noexcept -> ceiling_status {
    if (!known(r)) { return ceiling_status::unknown_resource; }
    if (!held_.empty()) { return ceiling_status::in_use; }
    if (level < ceilings_[to_index(r)]) { ceilings_[to_index(r)] = level; }
    return ceiling_status::done;
  }

  /// Returns whether a job that has not run yet may preempt the running one.
  [[nodiscard]] constexpr auto may_start(const priority_point& level) const noexcept -> bool {
    return level < system_ceiling();
  }
  [[nodiscard]] constexpr auto lock(std::int32_t job, const priority_point& level, lock_id r) noexcept
      -> ceiling_status {
    if (!known(r)) { return ceiling_status::unknown_resource; }
    if (level < ceilings_[to_index(r)]) { return ceiling_status::undeclared; }
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (held_[i].resource == r) { return ceiling_status::not_free; }
    }
    const priority_point before = system_ceiling();
    const priority_point own = ceilings_[to_index(r)];
    held_.unchecked_push_back({job, r, own < before ? own : before});  // Bound: each resource once.
    return ceiling_status::done;
  }
  [[nodiscard]] constexpr auto unlock(std::int32_t job, lock_id r) noexcept -> ceiling_status {
    if (held_.empty() || held_.back().job != job || held_.back().resource != r) { return ceiling_status::not_last; }
    held_.pop_back();
    return ceiling_status::done;
  }

  /// Returns the priority at which a started job runs: its own or the best ceiling of what it holds.
  /// Cost: one step per locked resource.
  [[nodiscard]] constexpr auto effective(std::int32_t job, const priority_point& base) const noexcept
      -> priority_point {
    priority_point best = base;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const priority_point& own = ceilings_[to_index(held_[i].resource)];
      if (held_[i].job == job && own < best) { best = own; }
    }
    return best;
  }
  /// Returns the best ceiling of a locked resource, or `lowest_priority`.
  [[nodiscard]] constexpr auto system_ceiling() const noexcept -> priority_point {
    return held_.empty() ? lowest_priority : held_.back().system_ceiling;
  }
  /// Returns the best level that was declared. Pre: 0 <= r < Resources.
  [[nodiscard]] constexpr auto ceiling(lock_id r) const noexcept -> const priority_point& {
    TAKT_EXPECTS(known(r));
    return ceilings_[to_index(r)];
  }

  [[nodiscard]] friend constexpr auto operator==(const priority_ceiling&, const priority_ceiling&) noexcept
      -> bool = default;

 private:
  struct held_resource {
    std::int32_t job = 0;
    lock_id resource = 0;
    priority_point system_ceiling{};

    [[nodiscard]] friend constexpr auto operator==(const held_resource&, const held_resource&) noexcept
        -> bool = default;
  };

  [[nodiscard]] static constexpr auto known(lock_id r) noexcept -> bool { return r >= 0 && to_index(r) < Resources; }

  std::array<priority_point, Resources> ceilings_{};
  inline_vector<held_resource, Resources> held_;  ///< in the order of locking, over all jobs
};

/// The longest section of each task on each resource, from lock to unlock; nested sections have entries of their own.
struct ceiling_section {
  priority_point level{};  ///< of the task
  lock_id resource = 0;
  ticks length = 0;
};

/// Returns how long worse jobs can keep a job of this level from starting: one section of a worse task on a resource
/// whose ceiling is at least this level. Pre: the sections name known resources.
template <std::size_t Resources>
[[nodiscard]] constexpr auto ceiling_blocking(const priority_ceiling<Resources>& rule,
                                              std::span<const ceiling_section> sections,
                                              const priority_point& level) noexcept -> ticks {
  ticks longest = 0;
  for (const ceiling_section& s : sections) {
    TAKT_EXPECTS(is_lock<Resources>(s.resource));
    const bool blocks = level < s.level && !(level < rule.ceiling(s.resource));
    if (blocks && s.length > longest) { longest = s.length; }
  }
  return longest;
}

}  // namespace takt::inline TAKT_ABI
