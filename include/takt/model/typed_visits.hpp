// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/core/padded_capacity.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>

// How tasks that keep their types are taken apart.

namespace takt::inline TAKT_ABI {

namespace detail {

/// Adds segments one after the other. Here and below folds stand in place of `each`, which would be three more
/// functions for every sink.
template <class... S, class Sink, std::size_t... At>
constexpr auto add_chain(const boost::hana::basic_tuple<S...>& chain, Sink& sink, visit_mask before,
                         std::index_sequence<At...> /*all*/) -> visit_mask {
  ((before = add_segment(boost::hana::at_c<At>(chain), sink, before)), ...);
  return before;
}

/// Hands the segments of a task on with the regions that the task gives them. Cost: none of its own.
template <class Sink>
class limited_visits {
 public:
  constexpr limited_visits(Sink& sink, task_preemption how) noexcept : sink_{&sink}, how_{how} {}

  template <class S>
  constexpr auto visit(const S& s, visit_mask before) -> visit_mask {
    if constexpr (std::same_as<S, cpu_segment>) {
      return sink_->visit(limited_cpu_segment{s.time, s.time.upper, s.label}, before);
    } else if constexpr (std::same_as<S, limited_cpu_segment>) {
      const duration region = is_never_preempted(how_) ? s.time.upper : s.region;
      return sink_->visit(limited_cpu_segment{s.time, region, s.label}, before);
    } else {
      return sink_->visit(s, before);
    }
  }
  constexpr void hold(mutex_key mutex, visit_mask visits) { sink_->hold(mutex, visits); }

 private:
  Sink* sink_;
  task_preemption how_;
};

/// Looks for a CPU segment that directly follows another one.
struct cpu_run_finder {
  bool found = false;
  visit_mask cpus = 0;
  std::uint32_t count = 0;

  template <class S>
  constexpr auto visit(const S& /*s*/, visit_mask before) -> visit_mask {
    const visit_mask own = visit_mask{1} << (count < max_visits_of_task - 1 ? count : max_visits_of_task - 1);
    ++count;
    if constexpr (is_cpu_segment<S>) {
      found = found || (before & cpus) != 0;
      cpus |= own;
    }
    return own;
  }
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
};

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
  [[nodiscard]] static consteval auto count(detail::segment_list<S...> /*chain*/) -> std::size_t {
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
    constexpr auto all = std::make_index_sequence<T::segment_count>{};
    if constexpr (detail::is_pooled_task<T>) {
      if (detail::is_never_preempted(a.preemption)) {
        detail::cpu_run_finder finder;
        static_cast<void>(detail::add_chain(task.chain, finder, 0, all));
        if (finder.found) {
          model_error error = fault_at(model_fault::nonpreemptive_task_divided, 0);
          error.name = a.name;
          return sink.refuse(error);
        }
      }
    }
    sink.open({.name = a.name,
               .period = a.period.count(),
               .deadline = a.deadline.count(),
               .jitter = a.jitter.count(),
               .priority = a.priority,
               .core = a.core,
               .is_placed = a.is_placed,
               .strict = a.strict,
               .offset = a.offset.count()});
    if constexpr (detail::is_pooled_task<T>) {
      if (detail::keeps_segments_whole(a.preemption)) {
        detail::limited_visits<Sink> limited{sink, a.preemption};
        static_cast<void>(detail::add_chain(task.chain, limited, 0, all));
        return;
      }
    }
    static_cast<void>(detail::add_chain(task.chain, sink, 0, all));
  }
};

template <class... Tasks>
struct visit_source<task_set<Tasks...>> {
  using segments = typename detail::joined_segments<typename visit_source<Tasks>::segments...>::type;
  static constexpr std::size_t max_tasks = padded_capacity(sizeof...(Tasks));
  static constexpr std::size_t max_visits = padded_capacity((visit_source<Tasks>::max_visits + ... + 0));
  static constexpr bool needs_pools = (visit_source<Tasks>::needs_pools || ...);

  template <VisitSink Sink>
  static constexpr void each(const task_set<Tasks...>& set, Sink& sink) {
    detail::take_apart(set.tasks, sink, std::index_sequence_for<Tasks...>{});
  }
};

}  // namespace takt::inline TAKT_ABI
