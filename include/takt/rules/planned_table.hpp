// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/task_rows.hpp>
#include <takt/model/task_table.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/task_places.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// The order of the processors of a platform; that of a rule which names none is `by_given_priority`.
template <class Rule>
struct processor_order {
  using type = by_given_priority;
};
template <class Rule>
  requires TaskLevelPriority<order_of<Rule>>
struct processor_order<Rule> {
  using type = order_of<Rule>;
};

/// Kernels run behind tokens.
template <class P>
inline constexpr bool holds_tokens = false;
template <KnownComposition P>
inline constexpr bool holds_tokens<P> = runs_on_token(composition_of<P>.kernels);
/// The rule says how many SMs a kernel gets, and no plan does.
template <class P>
inline constexpr bool rule_hands_out_sms = false;
template <KnownComposition P>
inline constexpr bool rule_hands_out_sms<P> = !runs_on_own_share(composition_of<P>.kernels);

}  // namespace detail

/// Parts of a plan that chains on a platform of this composition use.
template <Platform P>
[[nodiscard]] constexpr auto chain_plan_parts() noexcept -> plan_parts {
  return {.shares = true, .cores = true, .priorities = true, .tokens = detail::holds_tokens<P>};
}

/// Returns the flat table of a set as a plan places and orders it. Tasks are on the plan's cores if it has some, else
/// on those that they name, and the others where the least load is. They go by the plan's priorities, else in the order
/// of the platform's processors.
template <Platform P, TaskSet T, std::size_t N, std::size_t V, ExactNumber Number = ticks>
[[nodiscard]] constexpr auto planned_table(const P& platform, const T& tasks, const plan<N, V>& p) {
  auto table = tasks.template table<Number>();
  if (p.cores.empty()) {
    auto timed = tasks.template table<ticks>();
    if (detail::place_chains(timed, platform.record().cores)) {
      for (std::size_t k = 0; k < table.size(); ++k) { table.tasks[k].core = timed.tasks[k].core; }
    }
  }
  for (std::size_t k = 0; k < table.size(); ++k) {
    auto& t = table.tasks[k];
    if (t.id < p.cores.size()) { t.core = p.cores[t.id]; }
    if (t.id < p.priorities.size()) { t.priority = p.priorities[t.id]; }
  }
  if (p.priorities.empty()) {
    prioritize(table, typename detail::processor_order<typename P::cpu_rule>::type{});
  } else {
    prioritize(table, by_given_priority{});
  }
  return table;
}

namespace detail {

/// Returns whether the shares that a rule hands out, and no plan chooses, equal those of the plan if it says any.
template <class Table, std::size_t N>
[[nodiscard]] constexpr auto repeats_rule(const Table& table, const plan<N>& p, std::int32_t sms) -> bool {
  for (std::size_t k = 0; k < table.size(); ++k) {
    const sm_share& share = p.shares[table.tasks[k].id];
    if (share.sms != 0 && (share.gpu != 0 || share.sms != (table.has_kernel(k) ? sms : 0))) { return false; }
  }
  return true;
}

}  // namespace detail

/// Returns what keeps a plan from fitting a table of `planned_table`. That is a part that the composition does not use,
/// missing or unfit shares, priorities against the order of the processors, or other tokens than the rule's.
template <Platform P, class Table, std::size_t N>
[[nodiscard]] constexpr auto plan_fault(const P& platform, const Table& table, const plan<N>& p) -> model_error {
  if (const auto error = parts_fault(p, chain_plan_parts<P>(), table.size())) { return error; }
  const platform_record record = platform.record();
  constexpr model_error mismatch{.fault = model_fault::plan_does_not_fit};
  for (const std::int32_t priority : p.priorities) {
    if (priority < 0) { return mismatch; }
  }
  using order = typename detail::processor_order<typename P::cpu_rule>::type;
  if (!p.priorities.empty() && !detail::GivenPriority<order>) {
    auto ordered = table;
    prioritize(ordered, order{});
    for (std::size_t k = 0; k < table.size(); ++k) {
      if (ordered.tasks[k].id != table.tasks[k].id) { return mismatch; }
    }
  }
  if (!p.tokens.empty()) {
    if (p.tokens.size() != record.gpus.size()) { return mismatch; }
    for (std::size_t g = 0; g < record.gpus.size(); ++g) {
      if (p.tokens[g] != record.gpus[g].tokens) { return mismatch; }
    }
  }
  if constexpr (detail::TurnsPlatform<P>) {
    for (const sm_share& s : p.shares) {
      if (s.sms != 0 || s.gpu != 0) { return {.fault = model_fault::plan_part_unused}; }
    }
    return {};
  }
  if constexpr (detail::rule_hands_out_sms<P>) {
    if (p.shares.empty() || record.gpus.empty()) { return {}; }
    const std::int32_t sms = detail::holds_tokens<P> ? record.gpus[0].slot() : record.gpus[0].budget();
    return detail::repeats_rule(table, p, sms) ? model_error{} : mismatch;
  }
  const bool shared_out = p.shares.size() == table.size() || table.gpu_tasks() == 0;
  if (!shared_out || !dedicated_sms<N>(record, p).valid()) { return mismatch; }
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto id = table.tasks[k].id;
    if (table.has_kernel(k) && p.shares[id].sms < 1) {
      return located({.fault = model_fault::plan_does_not_fit, .task = id}, table.tasks);
    }
  }
  return {};
}

/// Writes out the parts of a plan with all that the composition decides.
template <Platform P, class Table, std::size_t N, std::size_t M>
constexpr void complete_plan(const P& platform, const Table& table, const plan<N>& from, plan<M>& out) {
  static_cast<void>(out.cores.resize(table.size()));
  static_cast<void>(out.priorities.resize(table.size()));
  static_cast<void>(out.shares.resize(table.size()));
  const platform_record record = platform.record();
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto id = table.tasks[k].id;
    out.cores[id] = table.tasks[k].core;
    out.priorities[id] = static_cast<std::int32_t>(k);
    if (id < from.shares.size()) { out.shares[id] = from.shares[id]; }
    if constexpr (detail::rule_hands_out_sms<P>) {
      if (table.has_kernel(k) && !record.gpus.empty()) {
        out.shares[id] = {0, detail::holds_tokens<P> ? record.gpus[0].slot() : record.gpus[0].budget()};
      }
    }
  }
  if constexpr (detail::holds_tokens<P>) {
    out.tokens.clear();
    // Bound: max_gpus of either.
    for (const gpu_record& gpu : record.gpus) { out.tokens.unchecked_push_back(gpu.tokens); }
  }
  out.feasible = from.feasible;
  out.effort = from.effort;
}

}  // namespace takt::inline TAKT_ABI
