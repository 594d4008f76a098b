// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/core/padded_capacity.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/tabulated_kernel.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_rows.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a task is besides its visits, whatever it was written as.
struct flow_attributes {
  std::string_view name{};
  ticks period = 0;
  ticks deadline = 0;
  ticks jitter = 0;
  std::int32_t priority = no_priority;
  std::int32_t core = 0;       ///< or cluster
  bool is_placed = true;       ///< the core was named; else a plan may choose another one
  bool names_cluster = false;  ///< `core` is the number of a cluster
  bool limited = true;         ///< false: the deadline orders jobs, and none has to meet it
  bool strict = false;         ///< released exactly a period apart
  ticks offset = 0;            ///< of the first release
};

namespace detail {

/// Returns the core that a task names, or the first of its cluster, where so many are scheduled together.
[[nodiscard]] constexpr auto core_named_by(const flow_attributes& t, std::int32_t cluster_size) noexcept
    -> std::int32_t {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  if (!t.names_cluster || t.core < 0 || cluster_size < 1) { return t.core; }
  return t.core > most / cluster_size ? most : t.core * cluster_size;
}

}  // namespace detail

/// Holds for what takes tasks apart. `open` begins a task, and `visit` adds a segment to it after the visits that a
/// mask names and returns its own bit. `hold` says that visits of it are one section of a mutex. `refuse` says what a
/// visit table cannot hold, before any task of the same source is opened and with tasks counted within it.
template <class S>
concept VisitSink = requires(S sink, const flow_attributes& task, const cpu_segment& s, visit_mask before,
                             const model_error& e, mutex_key mutex) {
  sink.open(task);
  { sink.visit(s, before) } -> std::same_as<visit_mask>;
  sink.hold(mutex, before);
  sink.refuse(e);
};

/// Says how a type is taken apart into tasks and visits. A specialization has `max_tasks`, `max_visits` and the
/// `segments` that the type says are surely there. It also has `each(value, sink)`, and `needs_pools`, which is true
/// where only the rules of pools can read it.
template <class T>
struct visit_source {};

/// Tasks of any spelling that become visits: typed sets, graphs, tables that were read from files.
template <class T>
concept VisitSource = requires {
  { visit_source<T>::max_tasks } -> std::convertible_to<std::size_t>;
  { visit_source<T>::max_visits } -> std::convertible_to<std::size_t>;
  { visit_source<T>::needs_pools } -> std::convertible_to<bool>;
  typename visit_source<T>::segments;
};

template <class... Parts>
struct workload;

template <VisitSource T>
inline constexpr std::size_t tasks_of = visit_source<T>::max_tasks;
template <VisitSource T>
inline constexpr std::size_t visits_of = visit_source<T>::max_visits;

namespace detail {

/// Returns what keeps the segments of a table from being read.
template <class Table>
[[nodiscard]] constexpr auto unreadable_segment(const Table& table) -> model_error {
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    for (std::uint32_t j = 0; j < table.tasks[i].segment_count; ++j) {
      const auto& s = table.segment(i, j);
      if (!is_known(s.where) || !is_known(s.direction)) { return fault_at(model_fault::choice_out_of_range, i, j); }
      if (s.samples > table.samples.size() || s.first_sample > table.samples.size() - s.samples) {
        return fault_at(model_fault::malformed, i, j);
      }
    }
  }
  return {};
}

template <class... Lists>
struct joined_segments {
  using type = segment_list<>;
};
template <class... A>
struct joined_segments<segment_list<A...>> {
  using type = segment_list<A...>;
};
template <class... A, class... B, class... Rest>
struct joined_segments<segment_list<A...>, segment_list<B...>, Rest...>
    : joined_segments<segment_list<A..., B...>, Rest...> {};

/// Tells whether CPU visits of its own go before and after a kernel, if its values say so.
template <class S>
inline constexpr bool may_split = std::same_as<S, grid_kernel> || knows<kernel_launch, S> || knows<kernel_await, S>;
template <class S>
inline constexpr std::size_t visits_in = may_split<S> ? 3 : 1;
template <class Mutex, class... Segments>
inline constexpr std::size_t visits_in<critical_section<Mutex, Segments...>> = (visits_in<Segments> + ... + 0);

/// Segments of a chain, with sections and what is in them.
template <class S>
struct segments_in {
  using type = segment_list<S>;
};
template <class Mutex, class... Segments>
struct segments_in<critical_section<Mutex, Segments...>> {
  using type = segment_list<critical_section<Mutex, Segments...>, Segments...>;
};
template <class Chain>
struct segments_in_chain;
template <class... Segments>
struct segments_in_chain<segment_list<Segments...>> : joined_segments<typename segments_in<Segments>::type...> {};

/// Returns all positions after those of a mask, up to the last of another.
[[nodiscard]] constexpr auto positions_between(visit_mask before, visit_mask last) noexcept -> visit_mask {
  const visit_mask up_to = last == 0 ? 0 : (last << 1) - 1;
  return before == 0 ? up_to : up_to & ~((before << 1) - 1);
}

template <class S, class Sink>
constexpr auto add_split(const S& kernel, duration launch, duration await, Sink& sink, visit_mask before)
    -> visit_mask {
  const visit_mask launched = sink.visit(cpu(launch), before);
  return sink.visit(cpu(await), sink.visit(kernel, launched));
}

/// Adds a segment as its visits, after those of a mask, and returns the bit of the last. Pre: of a section, the mask is
/// of one visit, the last of the task, or of none.
template <class S, class Sink>
constexpr auto add_segment(const S& s, Sink& sink, visit_mask before) -> visit_mask {
  if constexpr (is_critical_section<S>) {
    TAKT_EXPECTS((before & (before - 1)) == 0);
    visit_mask last = before;
    s.each([&](const auto& inside) { last = add_segment(inside, sink, last); });
    sink.hold(mutex_key::of<typename S::resource>(), positions_between(before, last));
    return last;
  } else if constexpr (std::same_as<S, grid_kernel>) {
    return s.split ? add_split(s, s.launch, s.await, sink, before) : sink.visit(s, before);
  } else if constexpr (may_split<S>) {
    duration launch{};
    duration await{};
    if constexpr (knows<kernel_launch, S>) { launch = fact<kernel_launch>(s).time; }
    if constexpr (knows<kernel_await, S>) { await = fact<kernel_await>(s).time; }
    return add_split(s, launch, await, sink, before);
  } else {
    return sink.visit(s, before);
  }
}
}  // namespace detail

/// Chains that were read from a file.
template <std::size_t MaxTasks, std::size_t MaxSegments, std::size_t MaxSamples>
struct visit_source<task_table<ticks, MaxTasks, MaxSegments, MaxSamples>> {
  using segments = detail::segment_list<>;
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxSegments;
  static constexpr bool needs_pools = false;

  template <VisitSink Sink>
  static constexpr void each(const task_table<ticks, MaxTasks, MaxSegments, MaxSamples>& table, Sink& sink) {
    if (const auto error = detail::unreadable_segment(table)) { return sink.refuse(located(error, table.tasks)); }
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      const task_record<ticks>& t = table.tasks[i];
      sink.open({t.name, t.period, t.deadline, 0, t.priority, t.core, t.is_placed});
      visit_mask last = 0;
      for (std::uint32_t j = 0; j < t.segment_count; ++j) {
        const segment_record<ticks>& s = table.segment(i, j);
        const interval<duration> time{duration{s.time.lower}, duration{s.time.upper}};
        switch (s.where) {
          case stage::cpu: last = sink.visit(cpu_segment{time}, last); break;
          case stage::copy: last = sink.visit(copy_segment{time, s.direction}, last); break;
          case stage::kernel:
            if (s.samples > 0) {
              last = sink.visit(detail::tabulated_kernel{{table.samples.data() + s.first_sample, s.samples}}, last);
            } else {
              last = sink.visit(
                  kernel_segment<divisible_work>{divisible_work{time, duration{s.overhead}, s.interleave_numerator,
                                                                s.interleave_denominator, s.any_neighbour}},
                  last);
            }
            break;
        }
      }
    }
  }
};

/// Whole kernels: one visit each.
template <std::size_t MaxTasks>
struct visit_source<task_rows<accelerator_task<ticks>, MaxTasks>> {
  using segments = detail::segment_list<accelerator_kernel>;
  static constexpr std::size_t max_tasks = MaxTasks;
  static constexpr std::size_t max_visits = MaxTasks;
  static constexpr bool needs_pools = false;

  template <VisitSink Sink>
  static constexpr void each(const task_rows<accelerator_task<ticks>, MaxTasks>& table, Sink& sink) {
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      if (!is_known(table.tasks[i].width)) {
        return sink.refuse(located(fault_at(model_fault::choice_out_of_range, i), table.tasks));
      }
    }
    for (const accelerator_task<ticks>& t : table.tasks) {
      sink.open({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority});
      static_cast<void>(
          sink.visit(accelerator_kernel{duration{t.wcet}, duration{t.preemption_cost}, t.width, t.core, true}, 0));
    }
  }
};

}  // namespace takt::inline TAKT_ABI
