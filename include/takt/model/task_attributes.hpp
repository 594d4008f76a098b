// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <takt/core/duration.hpp>

namespace takt::inline TAKT_ABI {

/// Says where the CPU segments of a task may be preempted.
enum class task_preemption : std::uint8_t {
  preemptive,     ///< anywhere, but in the regions that a segment says
  cooperative,    ///< at the borders of its segments, and inside of those that say a shorter region
  nonpreemptive,  ///< at no instant of a segment, whatever the segment says
};
[[nodiscard]] constexpr auto last_of(task_preemption) noexcept -> task_preemption {
  return task_preemption::nonpreemptive;
}
namespace detail {

/// Returns whether a segment that says no region is one region as a whole.
[[nodiscard]] constexpr auto keeps_segments_whole(task_preemption p) noexcept -> bool {
  switch (p) {
    case task_preemption::preemptive: return false;
    case task_preemption::cooperative:
    case task_preemption::nonpreemptive: return true;
  }
  return true;
}
/// Returns whether each segment is one region, whatever it says.
[[nodiscard]] constexpr auto is_never_preempted(task_preemption p) noexcept -> bool {
  switch (p) {
    case task_preemption::preemptive:
    case task_preemption::cooperative: return false;
    case task_preemption::nonpreemptive: return true;
  }
  return true;
}

}  // namespace detail

struct period_attribute {
  duration value;
};
struct deadline_attribute {
  duration value;
};
struct priority_attribute {
  std::int32_t value;
};
struct core_attribute {
  std::int32_t value;
};
struct jitter_attribute {
  duration value;
};
struct preemption_attribute {
  task_preemption value;
};
struct strict_attribute {
  duration offset;
};

/// States the shortest time between two releases of the task.
[[nodiscard]] constexpr auto period(duration d) noexcept -> period_attribute { return {d}; }
/// States the deadline relative to the release. A task without one has its period as deadline.
[[nodiscard]] constexpr auto deadline(duration d) noexcept -> deadline_attribute { return {d}; }
/// States the priority; 0 is the highest. It counts only when every task of the set has one.
[[nodiscard]] constexpr auto priority(std::int32_t p) noexcept -> priority_attribute { return {p}; }
/// States the CPU core that runs all CPU segments of the task. Where it is left out, a plan says it, or else it goes
/// where the least load is.
[[nodiscard]] constexpr auto on_core(std::int32_t core) noexcept -> core_attribute { return {core}; }

/// A job is released at most this much after its nominal release; deadlines count from the nominal one. Only the rules
/// of pools read it.
[[nodiscard]] constexpr auto release_jitter(duration d) noexcept -> jitter_attribute { return {d}; }

/// States where the CPU segments of the task can be preempted; without it they can be anywhere. Only the rules of pools
/// read it.
[[nodiscard]] constexpr auto preemptible(task_preemption p) noexcept -> preemption_attribute { return {p}; }

/// Jobs are released exactly a period apart, the first one at `offset` on the clock of all tasks. Without it a period
/// is the shortest time between two releases. Only the rules of pools read it. A negative offset
/// is a fault of the model, `negative_time`.
[[nodiscard]] constexpr auto strictly_periodic(duration offset = {}) noexcept -> strict_attribute { return {offset}; }

inline constexpr std::int32_t no_priority = -1;

/// Holds what a task is besides its chain.
struct task_attributes {
  std::string_view name;
  duration period;
  duration deadline;
  bool has_deadline = false;
  std::int32_t priority = no_priority;
  std::int32_t core = 0;
  bool is_placed = false;  ///< it names its core
  duration jitter{};
  task_preemption preemption = task_preemption::preemptive;
  bool strict = false;  ///< released exactly a period apart
  duration offset{};    ///< of the first release of a strict task
};

template <class A>
concept TaskAttribute =
    std::same_as<A, period_attribute> || std::same_as<A, deadline_attribute> || std::same_as<A, priority_attribute> ||
    std::same_as<A, core_attribute> || std::same_as<A, jitter_attribute> || std::same_as<A, preemption_attribute> ||
    std::same_as<A, strict_attribute>;

namespace detail {

constexpr void apply(task_attributes& a, period_attribute p) noexcept {
  a.period = p.value;
  if (!a.has_deadline) { a.deadline = p.value; }
}
constexpr void apply(task_attributes& a, deadline_attribute d) noexcept {
  a.deadline = d.value;
  a.has_deadline = true;
}
constexpr void apply(task_attributes& a, priority_attribute p) noexcept {
  a.priority = p.value < 0 ? no_priority - 1 : p.value;
}
constexpr void apply(task_attributes& a, core_attribute c) noexcept {
  a.core = c.value;
  a.is_placed = true;
}
constexpr void apply(task_attributes& a, jitter_attribute j) noexcept { a.jitter = j.value; }
constexpr void apply(task_attributes& a, preemption_attribute p) noexcept { a.preemption = p.value; }
constexpr void apply(task_attributes& a, strict_attribute s) noexcept {
  a.strict = true;
  a.offset = s.offset;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
