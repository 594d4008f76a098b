// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/to_runtime_tasks.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Times factor / whole, and whether all of them fitted.
class time_scale {
 public:
  constexpr explicit time_scale(std::int64_t factor, std::int64_t whole = 1000) noexcept
      : factor_{factor}, whole_{whole} {}

  constexpr void up(ticks& t) {
    ticks product = 0;
    fits_ = checked_multiply(t, factor_, product) && fits_;
    t = ceil_divide(product, ticks{whole_});
  }
  constexpr void down(ticks& t) {
    ticks product = 0;
    fits_ = checked_multiply(t, factor_, product) && fits_;
    t = floor_divide(product, ticks{whole_});
  }
  constexpr void apart(interval<ticks>& time) {
    down(time.lower);
    up(time.upper);
  }
  [[nodiscard]] constexpr auto fits() const noexcept -> bool { return fits_; }

 private:
  std::int64_t factor_;
  std::int64_t whole_;
  bool fits_ = true;
};

/// Rounding up lets a serial part of few ticks exceed the work around it, which then grows with it.
constexpr auto keep_serial_part_within(runtime_visit& v) -> bool {
  if (!v.known.has(visit_fact::work) || !v.known.has(visit_fact::overhead)) { return true; }
  const bool has_ratio = v.known.has(visit_fact::interleave);
  const std::int64_t numerator = has_ratio ? v.interleave_numerator : 1;
  const std::int64_t denominator = has_ratio ? v.interleave_denominator : 1;
  if (numerator < 1 || denominator < 1 || numerator < denominator) { return true; }
  ticks serial = 0;
  if (!checked_multiply(v.overhead, denominator, serial)) { return false; }
  const ticks least = ceil_divide(serial, numerator);
  if (v.work.upper < least) { v.work.upper = least; }
  return true;
}

constexpr void scale_times(runtime_visit& v, time_scale& by) {
  const ticks before = v.time.upper;
  if (v.known.has(visit_fact::time)) { by.apart(v.time); }
  if (v.region > 0 && v.region == before) {
    v.region = v.time.upper;
  } else {
    by.up(v.region);
    if (v.region > 0 && v.region >= v.time.upper) { v.region = v.time.upper - 1; }
  }
  if (v.known.has(visit_fact::work)) { by.apart(v.work); }
  if (v.known.has(visit_fact::overhead)) { by.up(v.overhead); }
  if (v.known.has(visit_fact::block_length)) { by.up(v.block_length); }
  if (v.known.has(visit_fact::wcet)) { by.up(v.wcet); }
  if (v.known.has(visit_fact::preemption_cost)) { by.up(v.preemption_cost); }
}

[[nodiscard]] constexpr auto scaled_row(const wcet_row& row, time_scale& by) -> wcet_row {
  std::array<ticks, wcet_row::shares> times{};
  for (std::int32_t percent = 1; percent <= full_share.percent(); ++percent) {
    ticks& t = times[static_cast<std::size_t>(percent - 1)];
    t = row.at(share::bounded(percent));
    if (t != unbounded_time) { by.up(t); }
  }
  return wcet_row::measured(times);
}

template <class Tasks>
[[nodiscard]] constexpr auto overflow_of(const Tasks& tasks, std::uint32_t visit) -> model_error {
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    if (visit >= t.first_visit && visit - t.first_visit < t.visit_count) {
      return located(fault_at(model_fault::time_overflow, i, visit - t.first_visit), tasks.tasks);
    }
  }
  return {.fault = model_fault::time_overflow};
}

}  // namespace detail

/// Returns the same workload with all execution times and costs times `permille` / 1000, lower ends rounded down and
/// upper ends up. Periods, deadlines, bytes, blocks and priority points stay. Errors: `options_out_of_range` where
/// permille < 1, `time_overflow`.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto scaled(const runtime_task_set<N, V, R, S>& tasks, std::int64_t permille)
    -> runtime_conversion<runtime_task_set<N, V, R, S>> {
  runtime_conversion<runtime_task_set<N, V, R, S>> out{.tasks = tasks};
  if (permille < 1) {
    out.error = {.fault = model_fault::options_out_of_range};
    return out;
  }
  if (permille == 1000) { return out; }
  for (std::uint32_t x = 0; x < tasks.visits.size(); ++x) {
    runtime_visit& v = out.tasks.visits[x];
    detail::time_scale by{permille};
    detail::scale_times(v, by);
    const bool fits = detail::keep_serial_part_within(v) && by.fits();
    if (!fits && !out.error) { out.error = detail::overflow_of(tasks, x); }
  }
  detail::time_scale by{permille};
  for (auto& row : out.tasks.rows) { row = detail::scaled_row(row, by); }
  for (auto& time : out.tasks.samples) {
    if (time.upper != unbounded_time) { by.apart(time); }
  }
  if (!by.fits() && !out.error) { out.error = {.fault = model_fault::time_overflow}; }
  return out;
}

/// Returns whether shortest times count for nothing: all are 0, or no task has more than one visit. A proof for a
/// factor is then one for every smaller factor as far as times go.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] constexpr auto only_upper_times_count(const runtime_task_set<N, V, R, S>& tasks) -> bool {
  bool single = true;
  bool zero = true;
  for (const runtime_task& t : tasks.tasks) { single = single && t.visit_count == 1; }
  for (const runtime_visit& v : tasks.visits) { zero = zero && v.time.lower == 0 && v.work.lower == 0; }
  return single || zero;
}

}  // namespace takt::inline TAKT_ABI
