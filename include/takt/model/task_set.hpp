// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <boost/hana/basic_tuple.hpp>

#include <takt/core/number.hpp>
#include <takt/core/padded_capacity.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/each_of.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/validate.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class S>
inline constexpr std::size_t samples_of = 0;
template <KernelLaw Law>
inline constexpr std::size_t samples_of<kernel_segment<Law>> = Law::sampled_shares;

template <class T>
inline constexpr std::size_t samples_in = 0;
template <Segment... Segments>
inline constexpr std::size_t samples_in<typed_task<Segments...>> = (samples_of<Segments> + ... + 0);

template <class Table>
constexpr void append(Table& table, const cpu_segment& s) {
  using number = typename Table::number;
  table.add_segment({.where = stage::cpu, .time = {number(s.time.lower.count()), number(s.time.upper.count())}});
}
template <class Table>
constexpr void append(Table& table, const copy_segment& s) {
  using number = typename Table::number;
  table.add_segment({.where = stage::copy,
                     .direction = s.direction,
                     .time = {number(s.time.lower.count()), number(s.time.upper.count())}});
}
template <class Table>
constexpr void append(Table& table, const kernel_segment<divisible_work>& s) {
  using number = typename Table::number;
  table.add_segment({.where = stage::kernel,
                     .time = {number(s.law.work.lower.count()), number(s.law.work.upper.count())},
                     .overhead = number(s.law.overhead.count()),
                     .interleave_numerator = s.law.interleave_numerator,
                     .interleave_denominator = s.law.interleave_denominator,
                     .any_neighbour = s.law.any_neighbour});
}
template <class Table, KernelLaw Law>
  requires(Law::sampled_shares > 0)
constexpr void append(Table& table, const kernel_segment<Law>& s) {
  using number = typename Table::number;
  const auto first = static_cast<std::uint32_t>(table.samples.size());
  for (std::size_t n = 1; n <= Law::sampled_shares; ++n) {
    const auto share = static_cast<std::int32_t>(n);
    // Bound: `sampled_shares` of each law of the set, at most its samples.
    table.samples.unchecked_push_back(
        {number(duration{s.law.lower(share)}.count()), number(duration{s.law.upper(share)}.count())});
  }
  table.add_segment(
      {.where = stage::kernel, .first_sample = first, .samples = static_cast<std::uint32_t>(Law::sampled_shares)});
}

template <class Table>
constexpr void append_task(Table& table, const auto& task) {
  using number = typename Table::number;
  const task_attributes& a = task.attributes;
  table.add_task(a.name, number(a.period.count()), number(a.deadline.count()), a.priority, a.core);
  table.tasks.back().is_placed = a.is_placed;
  task.each([&table](const auto& s) { append(table, s); });
}
template <class Number, std::size_t MaxTasks>
constexpr void append_task(task_rows<accelerator_task<Number>, MaxTasks>& table, const auto& task) {
  const task_attributes& a = task.attributes;
  task.each([&](const accelerator_kernel& k) {
    table.add({.name = a.name,
               .wcet = Number(k.wcet.count()),
               .period = Number(a.period.count()),
               .deadline = Number(a.deadline.count()),
               .preemption_cost = Number(k.cost_to_stop().count()),
               .width = k.width,
               .core = k.core,
               .priority = a.priority});
  });
}

/// Returns what is wrong with a set whatever it runs on.
template <class Table>
[[nodiscard]] constexpr auto fault_of(const Table& table) -> model_error {
  return validate(table);
}
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto fault_of(const task_rows<accelerator_task<Number>, MaxTasks>& table) -> model_error {
  return validate(table, {.cores = max_units, .preemption_levels = 1});
}

template <class Number, bool OnAccelerator, std::size_t MaxTasks, std::size_t MaxSegments, std::size_t MaxSamples>
struct flat_table {
  using type = task_table<Number, MaxTasks, MaxSegments, MaxSamples>;
};
template <class Number, std::size_t MaxTasks, std::size_t MaxSegments, std::size_t MaxSamples>
struct flat_table<Number, true, MaxTasks, MaxSegments, MaxSamples> {
  using type = task_rows<accelerator_task<Number>, MaxTasks>;
};

}  // namespace detail

/// Tasks whose chains keep their types: `takt::task_set(takt::task(...), takt::task(...))`. In a constant expression a
/// wrong value stops compilation with a sentence; at run time it is reported by `validate` and by every analysis as
/// `invalid_model`.
template <Task... Tasks>
struct [[nodiscard]] task_set {
  static_assert(sizeof...(Tasks) > 0, "takt: the task set has no task; give it at least one. See docs/errors.md#E03");
  static constexpr bool on_accelerator = (detail::AcceleratorTask<Tasks> && ...);
  static constexpr bool of_one_kind = on_accelerator || !(detail::AcceleratorTask<Tasks> || ...);
  /// Tells whether a chain visits a resource, or has a fact or release jitter, that the flat table does not know.
  static constexpr bool has_own_visits = (detail::has_own_visits<Tasks> || ...);
  static_assert(of_one_kind,
                "takt: kernels with wcet() and other tasks are in one set; give each platform a set of its own. "
                "See docs/errors.md#E45");

  static constexpr std::size_t max_tasks = padded_capacity(sizeof...(Tasks));
  static constexpr std::size_t max_segments = padded_capacity((Tasks::segment_count + ... + 0));
  static constexpr std::size_t max_samples = padded_capacity((detail::samples_in<Tasks> + ... + 0));

  template <ExactNumber Number>
  using table_type = typename detail::flat_table<Number, on_accelerator, max_tasks, max_segments, max_samples>::type;

  boost::hana::basic_tuple<Tasks...> tasks;

  constexpr explicit task_set(const Tasks&... given, detail::refusal&& refused = detail::refusal{}) : tasks{given...} {
    if constexpr (!has_own_visits) {
      if (std::is_constant_evaluated()) { refused.error = detail::fault_of(table<ticks>()); }
    }
  }

  /// Calls f with each task, in the given order.
  template <class F>
  constexpr void each(const F& f) const {
    detail::each_of(tasks, f, std::index_sequence_for<Tasks...>{});
  }
  /// Returns the same set as flat values, in the given order.
  template <ExactNumber Number = ticks>
    requires(!has_own_visits)
  [[nodiscard]] constexpr auto table() const -> table_type<Number> {
    table_type<Number> out;
    each([&out](const auto& t) { detail::append_task(out, t); });
    return out;
  }
  template <ExactNumber Number = ticks>
  constexpr void table() const {
    constexpr bool holds_all = std::is_void_v<Number>;
    static_assert(holds_all,
                  "takt: a flat table holds no visits of resources of your own, no facts of the rules of pools and no "
                  "release_jitter(); use flatten(board, tasks, plan).table. See docs/errors.md#E123");
  }
};

template <Task... Tasks>
task_set(const Tasks&...) -> task_set<Tasks...>;

}  // namespace takt::inline TAKT_ABI
