// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/core/each_once.hpp>
#include <takt/model/each_of.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/typed_visits.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <Segment... Segments>
struct typed_task {
  static constexpr std::size_t segment_count = sizeof...(Segments);

  task_attributes attributes;
  boost::hana::basic_tuple<Segments...> chain;

  /// Calls f with each segment, in order of execution.
  template <class F>
  constexpr void each(const F& f) const {
    detail::each_of(chain, f, std::index_sequence_for<Segments...>{});
  }
};

/// A task that says what no flat table of chains holds: release jitter, strict periods, or where it can be preempted.
template <Segment... Segments>
struct pooled_task : typed_task<Segments...> {};

template <Segment... Segments>
[[nodiscard]] constexpr auto for_pools(const typed_task<Segments...>& t) -> pooled_task<Segments...> {
  return {t};
}

/// Attributes come first, so that the chain reads as one piece.
template <Segment... Segments>
[[nodiscard]] constexpr auto make_task(const task_attributes& attributes, const Segments&... segments)
    -> typed_task<Segments...> {
  return {attributes, boost::hana::basic_tuple<Segments...>(segments...)};
}

template <TaskAttribute A, class... Rest>
[[nodiscard]] constexpr auto make_task(task_attributes attributes, A first, const Rest&... rest) {
  apply(attributes, first);
  return make_task(attributes, rest...);
}

/// Returns whether segments, and only segments, follow the attributes.
template <class... Parts>
[[nodiscard]] constexpr auto well_formed() noexcept -> bool {
  bool in_chain = false;
  bool fine = true;
  ((in_chain = in_chain || !TaskAttribute<Parts>,
    fine = fine && (Segment<Parts> || (TaskAttribute<Parts> && !in_chain))),
   ...);
  return fine;
}

/// Returns whether a segment that is a whole task stands alone, and on no CPU core.
template <class... Parts>
[[nodiscard]] constexpr auto whole_if_indivisible() noexcept -> bool {
  constexpr std::size_t segments = (std::size_t{Segment<Parts>} + ... + 0);
  constexpr bool alone = segments == 1 && !(std::same_as<Parts, core_attribute> || ...);
  return alone || !(requires { typename Parts::is_whole_task; } || ...);
}

}  // namespace detail

/// Makes a sporadic task: its name, attributes, then its chain of segments in order of execution.
template <class... Parts>
[[nodiscard]] constexpr auto task(std::string_view name, const Parts&... parts) {
  constexpr bool well_formed = detail::well_formed<Parts...>();
  constexpr bool once = ((!TaskAttribute<Parts> || detail::times_among<Parts, Parts...> == 1) && ...);
  constexpr bool empty = !(Segment<Parts> || ...);
  constexpr bool whole = detail::whole_if_indivisible<Parts...>();
  static_assert(
      well_formed,
      "takt: a task takes period() and its other attributes first and then only segments: cpu(), copy(), kernel(), "
      "visit(). See docs/errors.md#E01");
  static_assert(once, "takt: a task says the same thing twice; give each attribute once. See docs/errors.md#E96");
  static_assert(!empty, "takt: the task has no segment; give it at least one cpu(). See docs/errors.md#E02");
  static_assert(
      whole,
      "takt: a kernel with wcet() is all of its task: no other segment, no on_core(); copies are part of wcet(). "
      "See docs/errors.md#E44");
  if constexpr (well_formed && once && !empty && whole) {
    const auto made = detail::make_task(task_attributes{.name = name, .period = {}, .deadline = {}}, parts...);
    if constexpr (((std::same_as<Parts, jitter_attribute> || std::same_as<Parts, strict_attribute> ||
                    std::same_as<Parts, preemption_attribute>) ||
                   ...)) {
      return detail::for_pools(made);
    } else {
      return made;
    }
  }
}

}  // namespace takt::inline TAKT_ABI
