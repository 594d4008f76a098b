// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>

#include <takt/core/duration.hpp>
#include <takt/model/segment.hpp>

namespace takt::inline v0 {

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

/// Shortest time between two releases of the task.
[[nodiscard]] constexpr auto period(duration d) noexcept -> period_attribute { return {d}; }
/// Relative to the release. A task without one has its period as deadline.
[[nodiscard]] constexpr auto deadline(duration d) noexcept -> deadline_attribute { return {d}; }
/// 0 is the highest. Counts only when every task of the set has one.
[[nodiscard]] constexpr auto priority(std::int32_t p) noexcept -> priority_attribute { return {p}; }
/// The CPU core that runs all CPU segments of the task. Where it is left out, a plan says it, or else it goes where the
/// least load is.
[[nodiscard]] constexpr auto on_core(std::int32_t core) noexcept -> core_attribute { return {core}; }

/// A job is released at most this much after its nominal release; deadlines count from the nominal one. Only the rules
/// of pools read it: see compose.hpp.
[[nodiscard]] constexpr auto release_jitter(duration d) noexcept -> jitter_attribute { return {d}; }

inline constexpr std::int32_t no_priority = -1;

/// What a task is besides its chain.
struct task_attributes {
  std::string_view name;
  duration period;
  duration deadline;
  bool has_deadline = false;
  std::int32_t priority = no_priority;
  std::int32_t core = 0;
  bool is_placed = false;  ///< it names its core
  duration jitter{};
};

template <Segment... Segments>
struct typed_task {
  static constexpr std::size_t segment_count = sizeof...(Segments);

  task_attributes attributes;
  boost::hana::tuple<Segments...> chain;

  /// f of each segment, in order of execution.
  template <class F>
  constexpr void each(const F& f) const {
    boost::hana::for_each(chain, f);
  }
};

/// A task whose releases have jitter, which no flat table of chains holds.
template <Segment... Segments>
struct jittered_task : typed_task<Segments...> {};

template <class... Segments>
struct segment_list {};

namespace detail {

template <class T>
struct chain_of {};
template <Segment... Segments>
struct chain_of<typed_task<Segments...>> {
  using type = segment_list<Segments...>;
};
template <Segment... Segments>
struct chain_of<jittered_task<Segments...>> : chain_of<typed_task<Segments...>> {};

}  // namespace detail

template <class A>
concept TaskAttribute =
    std::same_as<A, period_attribute> || std::same_as<A, deadline_attribute> || std::same_as<A, priority_attribute> ||
    std::same_as<A, core_attribute> || std::same_as<A, jitter_attribute>;

template <class T>
concept Task = requires(const T& t) {
  { t.attributes } -> std::convertible_to<task_attributes>;
  { T::segment_count } -> std::convertible_to<std::size_t>;
  t.chain;
};

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

template <Segment... Segments>
[[nodiscard]] constexpr auto with_jitter(const typed_task<Segments...>& t) -> jittered_task<Segments...> {
  return {t};
}

/// Attributes come first, so that the chain reads as one piece.
template <Segment... Segments>
[[nodiscard]] constexpr auto make_task(const task_attributes& attributes, const Segments&... segments)
    -> typed_task<Segments...> {
  return {attributes, boost::hana::tuple<Segments...>(segments...)};
}

template <TaskAttribute A, class... Rest>
[[nodiscard]] constexpr auto make_task(task_attributes attributes, A first, const Rest&... rest) {
  apply(attributes, first);
  return make_task(attributes, rest...);
}

/// Whether segments, and only segments, follow the attributes.
template <class... Parts>
[[nodiscard]] constexpr auto well_formed() noexcept -> bool {
  bool in_chain = false;
  bool fine = true;
  ((in_chain = in_chain || !TaskAttribute<Parts>,
    fine = fine && (Segment<Parts> || (TaskAttribute<Parts> && !in_chain))),
   ...);
  return fine;
}

/// Whether a segment that is a whole task stands alone, and on no CPU core.
template <class... Parts>
[[nodiscard]] constexpr auto whole_if_indivisible() noexcept -> bool {
  constexpr std::size_t segments = (std::size_t{Segment<Parts>} + ... + 0);
  constexpr bool alone = segments == 1 && !(std::same_as<Parts, core_attribute> || ...);
  return alone || !(requires { typename Parts::is_whole_task; } || ...);
}

}  // namespace detail

/// A sporadic task: its name, its attributes, then its chain of segments in order of execution.
template <class... Parts>
[[nodiscard]] constexpr auto task(std::string_view name, const Parts&... parts) {
  constexpr bool well_formed = detail::well_formed<Parts...>();
  constexpr bool empty = !(Segment<Parts> || ...);
  constexpr bool whole = detail::whole_if_indivisible<Parts...>();
  static_assert(well_formed,
                "takt: a task takes period(), deadline(), priority(), on_core(), release_jitter() first and then only "
                "segments: cpu(), copy(), kernel(), visit(). See docs/errors.md#E01");
  static_assert(!empty, "takt: the task has no segment; give it at least one cpu(). See docs/errors.md#E02");
  static_assert(
      whole,
      "takt: a kernel with wcet() is all of its task: no other segment, no on_core(); copies are part of wcet(). "
      "See docs/errors.md#E44");
  if constexpr (well_formed && !empty && whole) {
    const auto made = detail::make_task(task_attributes{.name = name, .period = {}, .deadline = {}}, parts...);
    if constexpr ((std::same_as<Parts, jitter_attribute> || ...)) {
      return detail::with_jitter(made);
    } else {
      return made;
    }
  }
}

}  // namespace takt
