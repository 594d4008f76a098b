// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/core/room.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>

// How tasks that keep their types are taken apart.

namespace takt::inline v0 {

namespace detail {

/// Segments one after the other. Here and below folds stand in place of `each`, which would be three more functions
/// for every sink.
template <class... S, class Sink, std::size_t... At>
constexpr auto add_chain(const boost::hana::basic_tuple<S...>& chain, Sink& sink, visit_mask before,
                         std::index_sequence<At...> /*all*/) -> visit_mask {
  ((before = add_segment(boost::hana::at_c<At>(chain), sink, before)), ...);
  return before;
}

template <class... Parts, class Sink, std::size_t... At>
constexpr void take_apart(const boost::hana::basic_tuple<Parts...>& parts, Sink& sink,
                          std::index_sequence<At...> /*all*/) {
  (visit_source<Parts>::each(boost::hana::at_c<At>(parts), sink), ...);
}

}  // namespace detail

/// A typed task.
template <Task T>
struct visit_source<T> {
 private:
  template <class... S>
  [[nodiscard]] static consteval auto count(segment_list<S...> /*chain*/) -> std::size_t {
    return (detail::visits_in<S> + ... + 0);
  }

 public:
  using segments = typename detail::segments_in_chain<typename detail::chain_of<T>::type>::type;
  static constexpr std::size_t max_tasks = 1;
  static constexpr std::size_t max_visits = count(typename detail::chain_of<T>::type{});
  static constexpr bool needs_pools = detail::has_own_visits<T>;

  template <VisitSink Sink>
  static constexpr void each(const T& task, Sink& sink) {
    const task_attributes& a = task.attributes;
    sink.open({a.name, a.period.count(), a.deadline.count(), a.jitter.count(), a.priority, a.core, a.is_placed});
    static_cast<void>(detail::add_chain(task.chain, sink, 0, std::make_index_sequence<T::segment_count>{}));
  }
};

template <class... Tasks>
struct visit_source<task_set<Tasks...>> {
  using segments = typename detail::joined_segments<typename visit_source<Tasks>::segments...>::type;
  static constexpr std::size_t max_tasks = room_for(sizeof...(Tasks));
  static constexpr std::size_t max_visits = room_for((visit_source<Tasks>::max_visits + ... + 0));
  static constexpr bool needs_pools = (visit_source<Tasks>::needs_pools || ...);

  template <VisitSink Sink>
  static constexpr void each(const task_set<Tasks...>& set, Sink& sink) {
    detail::take_apart(set.tasks, sink, std::index_sequence_for<Tasks...>{});
  }
};

}  // namespace takt::inline v0
