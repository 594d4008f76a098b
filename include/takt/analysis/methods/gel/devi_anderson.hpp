// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/bounded_response.hpp>
#include <takt/analysis/methods/gel/gel_bounds.hpp>
#include <takt/core/choice.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Which counts of processors stand in (sum of the s - 1 longest C - shortest C) / (D - sum of the s - 2 greatest u).
enum class devi_form : std::uint8_t {
  processors,       ///< s = D = m: Elliott 2015, equation 2.18
  busy_processors,  ///< s = D = ceil(U): the same with equation 2.19
  mixed,            ///< s = ceil(U), D = m: Devi and Anderson 2008; not above the others if U > 1
};
[[nodiscard]] constexpr auto last_of(devi_form) noexcept -> devi_form { return devi_form::mixed; }

/// Says whether the quotient counts below 0, which it is if s = 1.
enum class devi_quotient : std::uint8_t { any, not_negative };
[[nodiscard]] constexpr auto last_of(devi_quotient) noexcept -> devi_quotient { return devi_quotient::not_negative; }

namespace detail {

/// Returns the sum of the `count` greatest.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto longest_work(const task_rows<gel_task<Fraction>, MaxTasks>& table, std::int64_t count)
    -> Fraction {
  std::array<bool, MaxTasks> taken{};
  Fraction sum(0);
  for (std::int64_t round = 0; round < count; ++round) {
    std::size_t best = table.size();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!taken[i] && (best == table.size() || table.tasks[best].wcet < table.tasks[i].wcet)) { best = i; }
    }
    if (best == table.size()) { break; }
    taken[best] = true;
    sum = sum + table.tasks[best].wcet;
  }
  return sum;
}
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto greatest_loads(const task_rows<gel_task<Fraction>, MaxTasks>& table, std::int64_t count)
    -> load_sum<Fraction> {
  std::array<bool, MaxTasks> taken{};
  std::array<load_sum<Fraction>, MaxTasks> own{};
  for (std::size_t i = 0; i < table.size(); ++i) { own[i].add(table.tasks[i].wcet, table.tasks[i].period); }
  load_sum<Fraction> sum;
  for (std::int64_t round = 0; round < count; ++round) {
    std::size_t best = table.size();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!taken[i] && (best == table.size() || own[i].above(own[best]))) { best = i; }
    }
    if (best == table.size()) { break; }
    taken[best] = true;
    sum.add(own[best]);
  }
  return sum;
}

/// The counts of processors s and D that a form takes.
struct devi_counts {
  std::int64_t carried = 1;
  std::int64_t divisor = 1;
};
[[nodiscard]] constexpr auto counts_of(devi_form form, std::int64_t processors, std::int64_t busy) noexcept
    -> devi_counts {
  switch (form) {
    case devi_form::processors: return {processors, processors};
    case devi_form::busy_processors: return {busy, busy};
    case devi_form::mixed: return {busy, processors};
  }
  return {processors, processors};
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_devi_anderson(const task_rows<gel_task<Fraction>, MaxTasks>& table,
                                                 std::int32_t processors, devi_form form, devi_quotient sign)
    -> gel_bounds<Fraction, MaxTasks> {
  using bounds = gel_bounds<Fraction, MaxTasks>;
  load_sum<Fraction> load;
  if (const auto status = long_run(table, processors, job_overlap::none, load); status != gel_status::bounded) {
    return bounds::failed(status);
  }
  const std::int64_t ceiling = load.greatest_ceiling(processors);
  const std::int64_t busy = ceiling < 1 ? 1 : ceiling;
  const devi_counts count = counts_of(form, processors, busy);
  Fraction shortest(0);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Fraction& wcet = table.tasks[i].wcet;
    if (i == 0 || wcet < shortest) { shortest = wcet; }
  }
  const Fraction above = longest_work(table, count.carried - 1) - shortest;
  Fraction quotient = greatest_loads(table, count.carried - 2).divide_by_rest(above, count.divisor);
  switch (sign) {
    case devi_quotient::any: break;
    case devi_quotient::not_negative: quotient = quotient < Fraction(0) ? Fraction(0) : quotient; break;
  }
  bounds out{.status = gel_status::bounded};
  for (const auto& t : table.tasks) {
    if (!add_row(out, t, quotient)) { return bounds::failed(gel_status::overflow); }
  }
  return out;
}

/// Returns the lesser lateness of each task; a failure of either is passed on.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto lesser(gel_bounds<Number, MaxTasks> a, const gel_bounds<Number, MaxTasks>& b)
    -> gel_bounds<Number, MaxTasks> {
  if (!a.bounded()) { return a; }
  if (!b.bounded()) { return b; }
  for (std::size_t i = 0; i < a.tasks.size(); ++i) {
    if (a.tasks[i].response > b.tasks[i].response) { a.tasks[i] = b.tasks[i]; }
  }
  return a;
}

/// Returns the fault of a set whose deadlines are not its periods.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto implicit_deadline_fault(const task_rows<gel_task<Number>, MaxTasks>& table)
    -> model_error {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].deadline != table.tasks[i].period) {
      return fault_at(model_fault::deadline_is_not_the_period, i);
    }
  }
  return {};
}

}  // namespace detail

/// Tardiness (as `lateness`) and response bounds of sequential jobs with deadline = period under preemptive G-EDF: a
/// task's tardiness is its C plus the quotient that `form` names. Bounded exactly if U <= m and every u_i <= 1.
/// Source: Devi and Anderson 2008; Elliott 2015, equations 2.18 and 2.19.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto devi_anderson(const task_rows<gel_task<Number>, MaxTasks>& table, std::int32_t processors,
                                           devi_form form = devi_form::mixed, devi_quotient sign = devi_quotient::any)
    -> gel_bounds<Number, MaxTasks> {
  if (!is_known(form) || !is_known(sign)) { return gel_bounds<Number, MaxTasks>::unknown_choice(); }
  if (const auto error = detail::implicit_deadline_fault(table)) {
    return {.status = gel_status::invalid_model, .error = error};
  }
  return detail::on_points(table, processors, gel_policy::earliest_deadline, point_shift::if_negative,
                           [&](const auto& t) { return detail::solve_devi_anderson(t, processors, form, sign); });
}

/// Returns the least of the three forms per task; and no tardiness at all if U <= 1, where G-EDF meets every deadline.
/// Source: as above; Goossens, Funk and Baruah 2003 for U <= 1.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto devi_anderson_best(const task_rows<gel_task<Number>, MaxTasks>& table,
                                                std::int32_t processors) -> gel_bounds<Number, MaxTasks> {
  auto out = detail::lesser(detail::lesser(devi_anderson(table, processors, devi_form::mixed),
                                           devi_anderson(table, processors, devi_form::busy_processors)),
                            devi_anderson(table, processors, devi_form::processors));
  if (!out.bounded() || detail::bounded_response(table, 1) != gel_status::bounded) { return out; }
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    const auto& t = table.tasks[i];
    out.tasks[i] = {t.period, Number(Number(0) - t.wcet), t.period, Number(0)};
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
