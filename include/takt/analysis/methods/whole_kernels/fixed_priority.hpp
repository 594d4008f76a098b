// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/whole_kernels/fixed_order.hpp>
#include <takt/analysis/methods/whole_kernels/parts.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/fixed_point.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Says how a computation of one response ended.
enum class response_state : std::uint8_t { found, above_limit, endless, overflow, given_up };

template <class Number>
struct response {
  response_state state = response_state::given_up;
  Number value{};
};

/// Holds what a higher task asks for.
template <class Number>
struct sporadic_task_load {
  Number wcet{};
  Number period{};
  std::uint32_t task = no_index;
};

/// Adds jobs x wcet to a sum. False when it does not fit.
template <class Number>
[[nodiscard]] constexpr auto add_jobs(Number& sum, const Number& jobs, const Number& wcet) -> bool {
  Number work{};
  return takt::detail::multiply_exactly(jobs, wcet, work) && add_exactly(sum, work, sum);
}

/// Opens a verdict with a line for every task in the order of the table, nothing evaluated yet. False on a wrong model
/// and where an order of an unknown kind has ranked no task.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto open_verdict(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                          const rank_order<MaxTasks>& order, std::string_view name,
                                          verdict<Number, MaxTasks>& out) -> bool {
  out.method = name;
  for (const auto& t : table.tasks) {
    // Bound: one per task, as in the table.
    out.tasks.unchecked_push_back({.name = t.name, .deadline = t.deadline});
  }
  out.error = entry_fault(table);
  if (order.size() != table.size()) { out.error = {.fault = model_fault::choice_out_of_range}; }
  out.status = out.error ? takt::detail::status_of(out.error) : verdict_status::schedulable;
  return !out.error;
}

/// Enters the response of one task.
template <class Number, std::size_t MaxTasks>
constexpr void enter(verdict<Number, MaxTasks>& out, std::size_t i, const response<Number>& r) {
  task_verdict<Number>& t = out.tasks[i];
  t.evaluated = r.state != response_state::overflow && r.state != response_state::given_up;
  t.bound = {r.value, r.state == response_state::found};
  t.meets = t.bound.exists && !(t.deadline < t.bound.value);
  if (r.state == response_state::overflow) {
    out.status = verdict_status::overflow;
  } else if (!t.meets && out.status == verdict_status::schedulable) {
    out.status = verdict_status::not_proven;
  }
}

/// Returns the least R with R = supply time for `own` and the jobs of higher tasks released before R.
template <class Number, SupplyBound Supply, std::size_t MaxTasks>
[[nodiscard]] constexpr auto served_response(const inline_vector<sporadic_task_load<Number>, MaxTasks>& higher,
                                             const Supply& supply, const Number& own, const Number& limit)
    -> response<Number> {
  Number window{};
  if (!supply.time_for(own, window)) { return {response_state::overflow}; }
  for (std::int64_t step = 0; step < default_iteration_limit; ++step) {
    if (limit < window) { return {response_state::above_limit}; }
    Number work = own;
    for (std::size_t j = 0; j < higher.size(); ++j) {
      if (!add_jobs(work, takt::detail::ceil_quotient(window, higher[j].period), higher[j].wcet)) {
        return {response_state::overflow};
      }
    }
    Number next{};
    if (!supply.time_for(work, next)) { return {response_state::overflow}; }
    if (next == window) { return {response_state::found, window}; }
    window = next;
  }
  return {};
}

/// Says what a response that `served_response` found consists of, beside the own work and blocking that `out` has.
template <class Number, SupplyBound Supply, std::size_t MaxTasks>
constexpr void say_served(const inline_vector<sporadic_task_load<Number>, MaxTasks>& higher, const Supply& supply,
                          task_verdict<Number>& out) {
  if (!out.bound.exists) { return out.parts.clear(); }
  for (std::size_t j = 0; j < higher.size(); ++j) {
    const auto& h = higher[j];
    out.parts.add(term_kind::gpu_interference, h.task,
                  Number(takt::detail::ceil_quotient(out.bound.value, h.period) * h.wcet));
  }
  out.parts.add(term_kind::slot_wait, no_index, supply.gaps_in(out.parts.sum()));
}

/// The longest of what lower tasks may have under way, and whose it is.
template <class Number>
struct lower_blocker {
  Number time{};
  std::uint32_t by = no_index;
};

}  // namespace detail

/// Bounds every response under fixed priorities on a stack of nested kernels, for sporadic or periodic releases.
///
/// Blockers and charges are those of `level_stack_edf` with "lower priority" for "later deadline". A task counts as
/// preemptable to its end, so its first job in a busy period is its worst, and with one level
/// `single_stream_fixed_priority` is tighter. Pre: `order` names no task twice.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto level_stack_fixed_priority(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                        const rank_order<MaxTasks>& order, std::int32_t levels,
                                                        preemption_cost_model model = preemption_cost_model::race)
    -> verdict<Number, MaxTasks> {
  TAKT_EXPECTS(detail::names_each_once(order));
  verdict<Number, MaxTasks> out;
  if (!detail::open_verdict(table, order, "level-stack-fixed-priority", out)) { return out; }
  if (const auto error = detail::stack_fault(table, levels, model)) {
    out.error = error;
    out.status = verdict_status::invalid_model;
    return out;
  }
  const std::size_t size = order.size();
  Number cost[MaxTasks]{};  // by rank: the longest preemption cost below
  for (std::size_t i = size; levels > 1 && i-- > 1;) {
    const Number& below = table.tasks[order[i]].preemption_cost;
    cost[i - 1] = cost[i] < below ? below : cost[i];
  }
  detail::lower_blocker<Number> blocking[MaxTasks]{};  // by rank: the longest below
  for (std::size_t l = size; l-- > 1;) {
    const auto& t = table.tasks[order[l]];
    const bool whole = size - 1 - l >= static_cast<std::size_t>(levels - 1);
    const auto charge = detail::charges_of(model, cost[l], levels > 1 ? t.preemption_cost : Number(0));
    const Number amount = whole ? Number(t.wcet + cost[l]) : charge.blocking;
    blocking[l - 1] = blocking[l].time < amount
                          ? detail::lower_blocker<Number>{amount, static_cast<std::uint32_t>(order[l])}
                          : blocking[l];
  }
  inline_vector<detail::sporadic_task_load<Number>, MaxTasks> higher;
  for (std::size_t i = 0; i < size; ++i) {
    const auto& t = table.tasks[order[i]];
    const Number charge = detail::charges_of(model, cost[i], Number(0)).job;
    const Number charged = t.wcet + charge;
    const auto id = static_cast<std::uint32_t>(order[i]);
    constexpr detail::dedicated_processor<Number> supply{};
    detail::enter(out, id, detail::served_response(higher, supply, Number(blocking[i].time + charged), t.deadline));
    auto& parts = out.tasks[id].parts;
    parts.add(term_kind::gpu, id, t.wcet);
    parts.add(term_kind::overheads, id, charge);
    parts.add(term_kind::gpu_blocking, blocking[i].by, blocking[i].time);
    detail::say_served(higher, supply, out.tasks[id]);
    // Bound: one per task, at most MaxTasks.
    higher.unchecked_push_back({charged, t.period, id});
  }
  return out;
}

/// Bounds responses under fixed priorities with free preemption inside a slot, for any releases: the slot's inverse
/// supply of own work and of what higher tasks release meanwhile. Pre: `order` names no task twice.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_fixed_priority(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                                 const rank_order<MaxTasks>& order,
                                                 const slot_reservation<Number>& slot) -> verdict<Number, MaxTasks> {
  TAKT_EXPECTS(detail::names_each_once(order));
  verdict<Number, MaxTasks> out;
  if (!detail::open_verdict(part, order, "slot-fixed-priority", out)) { return out; }
  if (const auto error = takt::detail::slot_fault(slot)) {
    out.error = error;
    out.status = verdict_status::invalid_model;
    return out;
  }
  inline_vector<detail::sporadic_task_load<Number>, MaxTasks> higher;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& t = part.tasks[order[i]];
    const bool supplied = Number(0) < slot.budget;
    const auto id = static_cast<std::uint32_t>(order[i]);
    if (supplied) {
      const static_slot<Number> supply(slot);
      detail::enter(out, id, detail::served_response(higher, supply, t.wcet, t.deadline));
      out.tasks[id].parts.add(term_kind::gpu, id, t.wcet);
      detail::say_served(higher, supply, out.tasks[id]);
    } else {
      detail::enter(out, id, detail::response<Number>{detail::response_state::endless});
    }
    // Bound: one per task, at most MaxTasks.
    higher.unchecked_push_back({t.wcet, t.period, id});
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
