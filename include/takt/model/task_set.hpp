// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>

#include <takt/core/number.hpp>
#include <takt/model/task.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/validate.hpp>

namespace takt {

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
    table.samples.push_back(
        {number(duration{s.law.lower(share)}.count()), number(duration{s.law.upper(share)}.count())});
  }
  table.add_segment(
      {.where = stage::kernel, .first_sample = first, .samples = static_cast<std::uint32_t>(Law::sampled_shares)});
}

}  // namespace detail

/// Tasks whose chains keep their types: `takt::task_set(takt::task(...), takt::task(...))`. In a constant expression a
/// wrong value stops compilation with a sentence; at run time it is reported by `validate` and by every analysis as
/// `invalid_model`.
template <Task... Tasks>
struct [[nodiscard]] task_set {
  static_assert(sizeof...(Tasks) > 0, "takt: the task set has no task; give it at least one. See docs/errors.md#E03");

  static constexpr std::size_t max_tasks = sizeof...(Tasks);
  static constexpr std::size_t max_segments = (Tasks::segment_count + ... + 0);
  static constexpr std::size_t max_samples = (detail::samples_in<Tasks> + ... + 0);

  template <ExactNumber Number>
  using table_type = task_table<Number, max_tasks, max_segments, max_samples>;

  boost::hana::tuple<Tasks...> tasks;

  constexpr explicit task_set(const Tasks&... given, detail::refusal&& refused = detail::refusal{}) : tasks{given...} {
    if (std::is_constant_evaluated()) { refused.error = validate(table<ticks>()); }
  }

  /// The same set as flat values, in the given order.
  template <ExactNumber Number = ticks>
  [[nodiscard]] constexpr auto table() const -> table_type<Number> {
    table_type<Number> out;
    boost::hana::for_each(tasks, [&out](const auto& t) {
      const task_attributes& a = t.attributes;
      out.add_task(a.name, Number(a.period.count()), Number(a.deadline.count()), a.priority, a.core);
      boost::hana::for_each(t.chain, [&out](const auto& s) { detail::append(out, s); });
    });
    return out;
  }
};

template <Task... Tasks>
task_set(const Tasks&...) -> task_set<Tasks...>;

/// Anything that flattens: a typed set, or a table that was read from a file.
template <class T>
concept TaskSet = requires(const T& t) { t.template table<ticks>(); };

}  // namespace takt
