// SPDX-License-Identifier: Apache-2.0
#include "accelerator_simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <takt/model/accelerator_fault.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/job_priority.hpp>

#include "../support/kernel_runs.hpp"

namespace takt_vectors {
namespace {

using takt::ticks;

constexpr std::size_t max_tasks = 64;
constexpr std::size_t max_cores = 64;
using table = takt::task_rows<takt::accelerator_task<ticks>, max_tasks>;
using kernel_runs::options;
using takt::preemption_cost_model;

/// Numbers from 0, the highest priority first.
void assign_priorities(table& t, task_order order) {
  std::vector<std::size_t> ranked(t.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) -> ticks {
    switch (order) {
      case task_order::as_given: return 0;
      case task_order::rate_monotonic: return t.tasks[i].period;
      case task_order::deadline_monotonic: return t.tasks[i].deadline;
    }
    return 0;
  };
  std::ranges::sort(ranked, {}, [&](std::size_t i) { return std::pair{rank(i), i}; });
  for (std::size_t r = 0; r < ranked.size(); ++r) { t.tasks[ranked[r]].priority = static_cast<std::int32_t>(r); }
}

/// `cores`: of the single tasks, by name, where the input leaves them open; else null.
[[nodiscard]] auto core_of(const field& task, const json& cores) -> std::int32_t {
  return cores.is_null() ? task.value("core", 0) : cores.value(task.at("name").text(), 0);
}

[[nodiscard]] auto read_table(const field& input, const json& cores) -> table {
  table t;
  const field tasks = input.at("tasks");
  for (const field one : tasks) {
    const auto period = one.at("T").get<ticks>();
    const auto width = read_width(one);
    tasks.must_fit(
        t.add({.name = one.at("name").text(),
               .wcet = one.at("C").get<ticks>(),
               .period = period,
               .deadline = one.value("D", period),
               .preemption_cost = one.value("PC", ticks{0}),
               .width = width,
               .core = width == takt::kernel_width::all_cores ? takt::unassigned_core : core_of(one, cores)}),
        max_tasks);
  }
  assign_priorities(t, read_order(input));
  return t;
}

[[nodiscard]] auto hyperperiod(const table& t) -> ticks {
  ticks h = 1;
  for (const auto& task : t.tasks) { h = std::lcm(h, task.period); }
  return h;
}

[[nodiscard]] auto report(const auto& r) -> json {
  json responses = json::object();
  for (const auto& task : r.tasks) {
    if (task.completed > 0) { responses[std::string{task.name}] = task.worst_response; }
  }
  return {{"R", responses}, {"misses", r.misses()}, {"jobs", r.completed()}};
}

template <class Policy, class Strategy>
[[nodiscard]] auto simulated(const table& t, const Strategy& strategy, const options& o) -> json {
  if (takt::validate(t, {.cores = strategy.cores(), .preemption_levels = strategy.levels()})) {
    throw std::runtime_error("the simulator refuses the case");
  }
  return report(kernel_runs::simulate_kernels(Policy{}, strategy, t, kernel_runs::periodic(t, hyperperiod(t)), o));
}

}  // namespace

auto read_width(const field& task) -> takt::kernel_width {
  return task.word("type", takt::kernel_width::one_core,
                   {{"single", takt::kernel_width::one_core}, {"all", takt::kernel_width::all_cores}});
}

auto read_order(const field& input) -> task_order {
  return input.word(
      "prio", task_order::deadline_monotonic,
      {{"dm", task_order::deadline_monotonic}, {"rm", task_order::rate_monotonic}, {"given", task_order::as_given}});
}

auto sim_synchronous(const field& input) -> json {
  table t = read_table(input, json::object());
  const takt::level_stack<max_tasks, takt::limited_by_started_jobs> levels{input.value("PL", 2)};
  json out;
  out["s1_edf"] = simulated<takt::by_absolute_deadline_alone>(t, takt::level_stack<max_tasks>{1}, {});
  for (const auto& [name, model] : {std::pair{"ideal", preemption_cost_model::ideal},
                                    {"race", preemption_cost_model::race},
                                    {"overhead", preemption_cost_model::overhead}}) {
    const options o{.costs = model};
    out[std::string{"s2_edf_"} + name] = simulated<takt::by_absolute_deadline_alone>(t, levels, o);
    out[std::string{"s2_fp_"} + name] = simulated<takt::by_given_priority>(t, levels, o);
  }
  return out;
}

auto sim_gang(const field& input, const json& cores) -> json {
  const table t = read_table(input, cores);
  ticks longest = 0;
  for (const auto& task : t.tasks) { longest = std::max(longest, task.deadline); }
  const options o{.free_preemption = true, .limit = 2 * hyperperiod(t) + longest};
  const auto available = input.value("m", 1);
  if (available < 1 || available > static_cast<std::int32_t>(max_cores)) { input.at("m").refuse("is out of range"); }
  json out;
  const auto add = [&]<class Order>(Order) {
    const takt::event_driven_gang<max_tasks, max_cores, Order> strategy{available};
    out[std::string{Order::name}] = simulated<takt::by_absolute_deadline_alone>(t, strategy, o);
  };
  add(takt::backfill);
  add(takt::strict);
  return out;
}

}  // namespace takt_vectors
