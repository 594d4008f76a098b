// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/methods/gel/upward.hpp>
#include <takt/core/choice.hpp>
#include <takt/model/gel_task.hpp>
#include <takt/rules/gel.hpp>

namespace takt::inline TAKT_ABI::analysis {

enum class gel_status : std::uint8_t {
  bounded,           ///< every response is bounded as given
  task_overload,     ///< a task asks for more processors than its jobs may use at a time: no bound exists
  cluster_overload,  ///< all tasks together ask for more processors than there are: no bound exists
  overflow,          ///< the times are too large, or a load too close to a limit to tell the sides apart
  invalid_model,     ///< see `error`
};

[[nodiscard]] constexpr auto name_of(gel_status s) noexcept -> std::string_view {
  switch (s) {
    case gel_status::bounded: return "bounded";
    case gel_status::task_overload: return "task-overload";
    case gel_status::cluster_overload: return "cluster-overload";
    case gel_status::overflow: return "overflow";
    case gel_status::invalid_model: return "invalid-model";
  }
  return "";
}

/// Bounds of one task. On whole ticks each is the exact bound or a little above it.
template <ExactNumber Number>
struct gel_row {
  Number point{};     ///< relative priority point that the bound rests on
  Number x{};         ///< response - point - wcet
  Number response{};  ///< from the nominal release
  Number lateness{};  ///< response - deadline; may be negative

  [[nodiscard]] constexpr auto tardiness() const -> Number { return lateness < Number(0) ? Number(0) : lateness; }
};

/// The answer of a response-time analysis, tasks in the given order.
template <ExactNumber Number, std::size_t MaxTasks>
struct gel_bounds {
  gel_status status = gel_status::overflow;
  model_error error{};
  Number s{};  ///< the fixed point, of analyses that have one
  inline_vector<gel_row<Number>, MaxTasks> tasks{};

  [[nodiscard]] constexpr auto bounded() const noexcept -> bool { return status == gel_status::bounded; }
  [[nodiscard]] static constexpr auto failed(gel_status why) -> gel_bounds { return {.status = why}; }
  [[nodiscard]] static constexpr auto unknown_choice() -> gel_bounds {
    return {.status = gel_status::invalid_model, .error = {.fault = model_fault::choice_out_of_range}};
  }
};

/// Says what is added to points of a cluster for a bound. No schedule depends on it; bounds do. Every proof needs
/// points that are not negative: it counts on no job of an earlier point arriving after a priority point.
enum class point_shift : std::uint8_t {
  if_negative,  ///< the least point becomes 0 if it is below
  to_zero,      ///< the least point becomes 0: of all shifts the best one
};
[[nodiscard]] constexpr auto last_of(point_shift) noexcept -> point_shift { return point_shift::to_zero; }

namespace detail {

/// Shifts points of a set that is without fault, in its own number type; false when one does not fit.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto shift_points(task_rows<gel_task<Number>, MaxTasks>& table, point_shift shift) -> bool {
  if (table.size() == 0) { return true; }
  Number least = table.tasks[0].point;
  for (const auto& t : table.tasks) {
    if (!is_number(t.point)) { return false; }
    if (t.point < least) { least = t.point; }
  }
  switch (shift) {
    case point_shift::if_negative:
      if (!(least < Number(0))) { return true; }
      break;
    case point_shift::to_zero: break;
  }
  for (auto& t : table.tasks) {
    t.point = t.point - least;
    if (!is_number(t.point)) { return false; }
  }
  return true;
}

/// Returns the set on fractions, with the points of a policy.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto exact_points(const task_rows<gel_task<Number>, MaxTasks>& table, std::int32_t processors,
                                          gel_policy policy) -> task_rows<gel_task<fraction_of<Number>>, MaxTasks> {
  using fraction = fraction_of<Number>;
  task_rows<gel_task<fraction>, MaxTasks> out;
  for (const auto& t : table.tasks) {
    static_cast<void>(out.add({.name = t.name,
                               .wcet = fraction(t.wcet),
                               .period = fraction(t.period),
                               .deadline = fraction(t.deadline),
                               .point = relative_point(policy, t, processors),
                               .parallelism = t.parallelism}));
  }
  return out;
}

/// Returns the set in units of 1 / `scale` ticks, `scale` a multiple of the processors, so that all points are whole.
template <std::size_t MaxTasks, class Scaled = upward>
[[nodiscard]] constexpr auto scaled_points(const task_rows<gel_task<ticks>, MaxTasks>& table, std::int32_t processors,
                                           gel_policy policy, std::int64_t scale)
    -> task_rows<gel_task<Scaled>, MaxTasks> {
  task_rows<gel_task<Scaled>, MaxTasks> out;
  const Scaled factor{scale};
  for (const auto& t : table.tasks) {
    gel_task<Scaled> u{.name = t.name,
                       .wcet = Scaled{t.wcet} * factor,
                       .period = Scaled{t.period} * factor,
                       .deadline = Scaled{t.deadline} * factor,
                       .point = Scaled{t.point} * factor,
                       .parallelism = t.parallelism};
    Scaled point{0};
    takt::detail::add_times(point, policy.deadline, u.deadline);
    takt::detail::add_times(point, policy.period, u.period);
    takt::detail::add_times(point, policy.wcet, u.wcet);
    takt::detail::add_times(point, policy.point, u.point);
    takt::detail::add_times(point, policy.other_processors,
                            Scaled{processors - 1} * Scaled{t.wcet} * Scaled{scale / processors});
    u.point = point;
    static_cast<void>(out.add(u));
  }
  return out;
}

/// Fills rows from x = response - point - wcet. False when a bound does not fit.
template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto add_row(gel_bounds<Fraction, MaxTasks>& out, const gel_task<Fraction>& t,
                                     const Fraction& x) -> bool {
  const Fraction response = t.point + x + t.wcet;
  const Fraction lateness = response - t.deadline;
  // Bound: one per task, at most MaxTasks.
  out.tasks.unchecked_push_back({t.point, x, response, lateness});
  return is_number(response) && is_number(lateness);
}

/// Converts bounds to whole ticks, rounded up.
template <std::size_t MaxTasks, class ToTicks>
[[nodiscard]] constexpr auto in_ticks(const auto& found, const ToTicks& to_ticks) -> gel_bounds<ticks, MaxTasks> {
  gel_bounds<ticks, MaxTasks> out;
  out.status = found.status;
  out.error = found.error;
  out.s = to_ticks(found.s);
  for (const auto& row : found.tasks) {
    // Bound: one per task, at most MaxTasks.
    out.tasks.unchecked_push_back(
        {to_ticks(row.point), to_ticks(row.x), to_ticks(row.response), to_ticks(row.lateness)});
  }
  return out;
}

/// Runs `solve(table)` on exact fractions; on whole ticks whose fractions do not fit, on integers that round upwards.
template <bool Shift = true, class Number, std::size_t MaxTasks, class Solve>
[[nodiscard]] constexpr auto on_points(const task_rows<gel_task<Number>, MaxTasks>& table, std::int32_t processors,
                                       gel_policy policy, point_shift shift, const Solve& solve)
    -> gel_bounds<Number, MaxTasks> {
  using fraction = fraction_of<Number>;
  if (!is_known(shift)) { return gel_bounds<Number, MaxTasks>::unknown_choice(); }
  if (const auto error = validate(table, processors)) {
    const bool large = error.fault == model_fault::time_overflow;
    return {.status = large ? gel_status::overflow : gel_status::invalid_model, .error = error};
  }
  auto exact = exact_points(table, processors, policy);
  const auto found = !Shift || shift_points(exact, shift)
                         ? solve(exact)
                         : gel_bounds<fraction, MaxTasks>::failed(gel_status::overflow);
  if constexpr (!number_traits<Number>::integral) {
    return found;
  } else {
    if (found.status != gel_status::overflow) {
      return in_ticks<MaxTasks>(found, [](const rational& r) { return r.ceil(); });
    }
    const std::int64_t scale = processors;
    auto whole = scaled_points(table, processors, policy, scale);
    if (Shift && !shift_points(whole, shift)) { return gel_bounds<Number, MaxTasks>::failed(gel_status::overflow); }
    const auto rounded = solve(whole);
    if (!rounded.bounded()) { return gel_bounds<Number, MaxTasks>::failed(rounded.status); }
    return in_ticks<MaxTasks>(rounded, [&](upward u) { return ceil_divide(u.value(), scale); });
  }
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
