// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/gel/compliant_vector.hpp>

namespace takt::inline TAKT_ABI::analysis {
namespace detail {

/// More processors than this need a larger table of partial knapsacks.
inline constexpr std::size_t most_slot_processors = 128;

/// Sum of S_i, plus the best filling of `jobs` processors. Of a task, q < P_i jobs gain q C_i; all P_i of them gain
/// max(1, u_i) C_i + u_i x_i - S_i. Gains are not negative.
template <class Fraction, std::size_t MaxTasks>
struct slot_demand {
  const task_rows<gel_task<Fraction>, MaxTasks>* table = nullptr;
  std::array<Fraction, MaxTasks> early{};
  std::array<load_sum<Fraction>, MaxTasks> load{};
  std::int32_t processors = 1;
  std::int64_t jobs = 0;

  struct filling {
    Fraction gain{0};
    load_sum<Fraction> slope{};

    [[nodiscard]] constexpr auto better_than(const filling& other) const -> bool {
      return other.gain < gain || (other.gain == gain && slope.above(other.slope));
    }
  };

  [[nodiscard]] constexpr auto operator()(const Fraction& s) const -> compliant_value<Fraction> {
    const auto& tasks = table->tasks;
    const auto most = static_cast<std::size_t>(jobs);
    std::array<filling, most_slot_processors> best{};
    best.fill(filling{});
    Fraction sum(0);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      sum = sum + early[i];
      const std::int64_t limit = tasks[i].parallelism;
      const bool limited = limit != unrestricted_parallelism;
      const std::int64_t free = limited && limit <= jobs ? limit - 1 : jobs;
      const filling all = limited && limit <= jobs ? all_slots(i, s) : filling{};
      for (std::size_t room = most; room > 0; --room) {
        filling chosen = best[room];
        for (std::int64_t q = 1; q <= free && static_cast<std::size_t>(q) <= room; ++q) {
          filling next = best[room - static_cast<std::size_t>(q)];
          next.gain = next.gain + Fraction(q) * tasks[i].wcet;
          if (next.better_than(chosen)) { chosen = next; }
        }
        if (limited && static_cast<std::size_t>(limit) <= room) {
          filling next = best[room - static_cast<std::size_t>(limit)];
          next.gain = next.gain + all.gain;
          next.slope.add(all.slope);
          if (next.better_than(chosen)) { chosen = next; }
        }
        best[room] = chosen;
      }
    }
    return {Fraction(sum + best[most].gain), best[most].slope};
  }

 private:
  [[nodiscard]] constexpr auto all_slots(std::size_t i, const Fraction& s) const -> filling {
    const auto& t = table->tasks[i];
    const auto delay = compliant_delay(s, t.wcet, processors, delay_sign::not_negative);
    const Fraction own = t.period < t.wcet ? share_of(t.wcet, t.wcet, t.period) : t.wcet;
    filling out{Fraction(own + share_of(delay.x, t.wcet, t.period) - early[i]), {}};
    if (delay.grows) { out.slope = load[i]; }
    return out;
  }
};

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_slots(const task_rows<gel_task<Fraction>, MaxTasks>& table, std::int32_t processors)
    -> gel_bounds<Fraction, MaxTasks> {
  using bounds = gel_bounds<Fraction, MaxTasks>;
  load_sum<Fraction> load;
  if (const auto status = long_run(table, processors, job_overlap::as_given, load); status != gel_status::bounded) {
    return bounds::failed(status);
  }
  slot_demand<Fraction, MaxTasks> demand{
      .table = &table, .processors = processors, .jobs = carried_in(load, processors).most};
  if (static_cast<std::size_t>(demand.jobs) >= most_slot_processors) {
    return {.status = gel_status::invalid_model, .error = {model_fault::too_many_processors, 0}};
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    demand.early[i] = early_work(table.tasks[i]);
    demand.load[i].add(table.tasks[i].wcet, table.tasks[i].period);
  }
  bounds out{.status = gel_status::bounded};
  if (!least_compliant(processors, demand, out.s)) { return bounds::failed(gel_status::overflow); }
  for (const auto& t : table.tasks) {
    const auto delay = compliant_delay(out.s, t.wcet, processors, delay_sign::not_negative);
    if (!add_row(out, t, delay.x)) { return bounds::failed(gel_status::overflow); }
  }
  return out;
}

template <class Fraction, std::size_t MaxTasks>
[[nodiscard]] constexpr auto solve_distance(task_rows<gel_task<Fraction>, MaxTasks> table, std::int32_t processors)
    -> gel_bounds<Fraction, MaxTasks> {
  using bounds = gel_bounds<Fraction, MaxTasks>;
  load_sum<Fraction> load;
  if (const auto status = long_run(table, processors, job_overlap::as_given, load); status != gel_status::bounded) {
    return bounds::failed(status);
  }
  std::array<std::int64_t, MaxTasks> copies{};
  copies.fill(1);
  for (std::size_t i = 0; i < table.size(); ++i) {
    copies[i] = table.tasks[i].parallelism;
    table.tasks[i].period = table.tasks[i].period * Fraction(copies[i]);
    if (!is_number(table.tasks[i].period)) { return bounds::failed(gel_status::overflow); }
  }
  return solve_sequential(table, copies, load, processors, delay_sign::not_negative);
}

/// Returns the response bounds of tasks of which the P_i oldest unfinished jobs may run (`gel_task::parallelism`, or
/// any number of them) under preemptive GEL scheduling. It is the compliant-vector argument with the P_i jobs of a task
/// as the processors that it may occupy. P = 1 everywhere gives `sequential_response`. Bounded exactly if U <= m and
/// u_i <= P_i. With early completions such a job need not find job j - P finished: use `distance_response` for data
/// dependences. takt's own. Cost: a few steps, each tasks * processors^2.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_response(const task_rows<gel_task<Number>, MaxTasks>& table, std::int32_t processors,
                                           gel_policy policy, point_shift shift = point_shift::to_zero)
    -> gel_bounds<Number, MaxTasks> {
  return detail::on_points(table, processors, policy, shift,
                           [&](const auto& t) { return detail::solve_slots(t, processors); });
}

}  // namespace detail

/// Returns the response bounds of tasks whose job j waits for job j - P_i: P_i sequential tasks of period P_i T_i each.
/// Bounded exactly if U <= m and u_i <= P_i. Error: `parallelism_not_given` where a task has no limit.
/// takt's own, from the bound of Erickson 2014.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto distance_response(const task_rows<gel_task<Number>, MaxTasks>& table,
                                               std::int32_t processors, gel_policy policy,
                                               point_shift shift = point_shift::to_zero)
    -> gel_bounds<Number, MaxTasks> {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.tasks[i].parallelism == unrestricted_parallelism) {
      return {.status = gel_status::invalid_model, .error = fault_at(model_fault::parallelism_not_given, i)};
    }
  }
  return detail::on_points(table, processors, policy, shift,
                           [&](const auto& t) { return detail::solve_distance(t, processors); });
}

}  // namespace takt::inline TAKT_ABI::analysis
