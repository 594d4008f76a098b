// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/core/choice.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/task_attributes.hpp>
#include <takt/model/task_rows.hpp>
#include <takt/rules/accelerator/gang_order.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/visit_view.hpp>
#include <takt/rules/why_no_method.hpp>

namespace takt::inline TAKT_ABI {

/// Holds for a rule by which kernels on an accelerator go first: by fixed priority or by earliest deadline.
template <class R>
concept KernelOrder = FixedPriority<R> || EarliestDeadlineFirst<R>;

namespace detail {

/// Cores that a server tells apart: no more than it can have visits.
template <std::size_t Capacity>
[[nodiscard]] constexpr auto lanes_for(std::int32_t cores) noexcept -> std::int32_t {
  if (cores < 1) { return 1; }
  return static_cast<std::size_t>(cores) < Capacity ? cores : static_cast<std::int32_t>(Capacity);
}

}  // namespace detail

/// Holds what the rules of whole kernels have in common. A kernel says how long it takes, what it costs to stop it, and
/// whether it is pinned to a core. One that does not say what it costs runs to its end.
template <class Policy>
struct kernel_rule {
  using is_takt_rule = void;
  static constexpr auto bounds_header = detail::needed_header::kernels;
  using policy = Policy;
  using view_needs = wcet_work_grid_or_wcet_by_share;
  static constexpr bool preemptive = true;
  static constexpr bool stops_kernels = true;
  static constexpr bool serves_one_unit = true;

  template <TimedOnGpu K>
  [[nodiscard]] static constexpr auto view(const K& kernel, const visit_placement& at,
                                           preemption_cost_model model = preemption_cost_model::ideal) -> visit_view {
    const kernel_pinning place = detail::fact_or_none<kernel_pinning>(kernel);
    const bool is_pinned = !needs_all_cores(place.width);
    visit_view out = stoppable_time(kernel, at.gpu, model);
    out.values = kernel_needs{out.values.at[0], is_pinned ? place.core : unassigned_core}.values();
    return out;
  }
  [[nodiscard]] static constexpr auto job_order(std::int32_t units) noexcept {
    if constexpr (EarliestDeadlineFirst<Policy>) {
      return by_absolute_deadline_alone{};
    } else {
      return Policy::job_order(units);
    }
  }
};

/// One kernel at a time, whatever cores it asks for; one that goes before it is started above it while a stream
/// priority is left.
template <class Policy>
struct levels_rule : kernel_rule<Policy> {
  static constexpr std::string_view name = "stream levels";
  static constexpr std::string_view sharing = "levels";

  preemption_cost_model cost = preemption_cost_model::race;
  std::int32_t nesting = 2;  ///< most started kernels, as the resource of the pool says

  template <TimedOnGpu K>
  [[nodiscard]] constexpr auto view(const K& kernel, const visit_placement& at) const -> visit_view {
    return kernel_rule<Policy>::view(kernel, at, cost);
  }
  [[nodiscard]] constexpr auto on(const accelerator_resource& r) const noexcept -> levels_rule {
    return {{}, cost, r.record.preemption_levels};
  }
  [[nodiscard]] constexpr auto on(const virtual_sms_resource& r) const noexcept -> levels_rule {
    return {{}, cost, r.preemption_levels};
  }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const
      -> kernel_server<level_stack<Capacity>, 1, Capacity> {
    return kernel_server<level_stack<Capacity>, 1, Capacity>{level_stack<Capacity>{nesting}, cost};
  }

  [[nodiscard]] constexpr auto fault() const noexcept -> model_error {
    return {.fault = is_known(cost) ? model_fault::none : model_fault::choice_out_of_range};
  }
};

struct pinned_slot_time {
  duration offset;
  duration budget;
};
struct gang_slot_time {
  duration offset;
  duration budget;
};

/// Each core by itself in one slot of a common period, kernels that need all cores in another.
template <class Policy>
struct slots_rule : kernel_rule<Policy> {
  static constexpr std::string_view name = "slots";
  static constexpr std::string_view sharing = "slots";
  static constexpr bool distinguishes_cores = true;

  slot_reservation<ticks> pinned{};
  slot_reservation<ticks> gang{};
  std::int32_t cores = std::numeric_limits<std::int32_t>::max();  ///< at most, as the resource of the pool says

  [[nodiscard]] constexpr auto on(const accelerator_resource& r) const noexcept -> slots_rule {
    return {{}, pinned, gang, r.record.cores};
  }
  [[nodiscard]] constexpr auto on(const virtual_sms_resource& r) const noexcept -> slots_rule {
    return {{}, pinned, gang, r.sms};
  }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const
      -> kernel_server<slotted_cores<Capacity, Capacity>, Capacity + 1, 1> {
    using strategy = slotted_cores<Capacity, Capacity>;
    return kernel_server<strategy, Capacity + 1, 1>{strategy{detail::lanes_for<Capacity>(cores)}, pinned, gang};
  }
  /// Kernels stop starting waves so long before the end of their slot that no wave of their core reaches beyond it.
  static constexpr void beside(view_values& own, const view_values& other) {
    kernel_needs mine = kernel_needs_of(own);
    const kernel_needs its = kernel_needs_of(other);
    if (its.core != mine.core || its.cost - mine.cost <= mine.margin) { return; }
    mine.margin = its.cost - mine.cost;
    own = mine.values();
  }

  [[nodiscard]] constexpr auto fault() const -> model_error {
    return detail::times_fit(pinned) ? detail::slots_fault(pinned, gang)
                                     : model_error{.fault = model_fault::time_overflow};
  }
};

/// Whenever a job comes or goes, the kernels that go first get the cores they ask for.
template <class Policy, GangOrder Order = backfill_order>
struct gang_rule : kernel_rule<Policy> {
  using gang_order = Order;
  static constexpr std::string_view name = "gang";
  static constexpr std::string_view sharing = "gang";
  static constexpr bool distinguishes_cores = true;

  std::int32_t cores = std::numeric_limits<std::int32_t>::max();  ///< at most, as the resource of the pool says

  [[nodiscard]] constexpr auto on(const accelerator_resource& r) const noexcept -> gang_rule {
    return {{}, r.record.cores};
  }
  [[nodiscard]] constexpr auto on(const virtual_sms_resource& r) const noexcept -> gang_rule { return {{}, r.sms}; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const
      -> kernel_server<event_driven_gang<Capacity, Capacity, Order>, Capacity + 1, 1> {
    using strategy = event_driven_gang<Capacity, Capacity, Order>;
    return kernel_server<strategy, Capacity + 1, 1>{strategy{detail::lanes_for<Capacity>(cores)}};
  }
};

namespace detail {

template <bool Known>
struct accelerator_policy_check {
  static constexpr bool passed = Known;
  static_assert(Known,
                "takt: this is no order for the kernels of an accelerator; edf, fixed_priority, rate_monotonic and "
                "deadline_monotonic are. See docs/errors.md#E46");
};

}  // namespace detail

/// Returns the rule of nested kernels by stream priorities (Zahaf and Lipari 2020, section 5.2). `cost` says what the
/// hardware does when it preempts.
template <class Policy>
[[nodiscard]] constexpr auto levels(const Policy& /*policy*/,
                                    preemption_cost_model cost = preemption_cost_model::race) noexcept
    -> levels_rule<Policy> {
  static_assert(detail::accelerator_policy_check<KernelOrder<Policy>>::passed);
  return {{}, cost};
}

[[nodiscard]] constexpr auto pinned_slot(duration offset, duration budget) noexcept -> pinned_slot_time {
  return {offset, budget};
}
[[nodiscard]] constexpr auto gang_slot(duration offset, duration budget) noexcept -> gang_slot_time {
  return {offset, budget};
}

/// Two slots that recur together (section 6.3). Slots that overlap stop compilation when the platform is made.
template <class Policy>
[[nodiscard]] constexpr auto slots(const Policy& /*policy*/, pinned_slot_time pinned, gang_slot_time gang,
                                   period_attribute every) noexcept -> slots_rule<Policy> {
  static_assert(detail::accelerator_policy_check<KernelOrder<Policy>>::passed);
  const ticks period = every.value.count();
  return {
      {}, {pinned.offset.count(), pinned.budget.count(), period}, {gang.offset.count(), gang.budget.count(), period}};
}

/// Cores as processors, without slots (section 5.3).
template <class Policy, GangOrder Order = backfill_order>
[[nodiscard]] constexpr auto gang(const Policy& /*policy*/, const Order& /*order*/ = {}) noexcept
    -> gang_rule<Policy, Order> {
  static_assert(detail::accelerator_policy_check<KernelOrder<Policy>>::passed);
  return {};
}

namespace detail {

template <class Rule>
struct kernel_order_of {};
template <class Rule>
  requires(!StartsInOrder<Rule> && requires { typename Rule::policy; })
struct kernel_order_of<Rule> {
  using type = typename Rule::policy;
};
template <NonpreemptiveEdf Rule>
struct kernel_order_of<Rule> {
  using type = edf_rule;
};
template <NonpreemptiveFixedPriority Rule>
struct kernel_order_of<Rule> {
  using type = fixed_priority_rule<order_of<Rule>>;
};

template <class Server>
struct strategy_of_server {};
template <class Strategy, std::size_t MaxLanes, std::size_t MaxResidents>
struct strategy_of_server<kernel_server<Strategy, MaxLanes, MaxResidents>> {
  using type = Strategy;
};
template <class Rule>
using strategy_of_rule =
    typename strategy_of_server<decltype(std::declval<const Rule&>().template make_server<1>(std::int32_t{}))>::type;

/// A rule whose server drives a state machine for whole kernels, and that has a word in files.
template <class R>
concept MakesStrategy = requires {
  R::sharing;
  typename detail::strategy_of_rule<R>;
};
/// Names the strategy of a rule, for one task on one core.
template <MakesStrategy R>
using strategy_type = detail::strategy_of_rule<R>;
/// One kernel at a time, whatever cores it asks for, and to its end.
template <class R>
concept SingleStream = StartsInOrder<R> && !MakesStrategy<R>;

}  // namespace detail

/// Holds for a rule by which an accelerator can be scheduled: one kernel at a time, or by a state machine of its own.
/// `sharing` is its word in files; `distinguishes_cores` says that every kernel for one core needs that core chosen,
/// `cost` what the hardware does when it preempts, `pinned` and `gang` which slots there are. Tasks know nothing of it.
template <class R>
concept AcceleratorRule = (detail::SingleStream<R> || detail::MakesStrategy<R>) &&
                          requires { requires KernelOrder<typename detail::kernel_order_of<R>::type>; };

/// Names the order in which kernels go under a rule.
template <AcceleratorRule R>
using kernel_order = typename detail::kernel_order_of<R>::type;

/// Kernels of one core have a slot, those of all cores another.
template <class R>
concept ReservesSlots = requires(const R& r) {
  { r.pinned } -> std::convertible_to<slot_reservation<ticks>>;
  { r.gang } -> std::convertible_to<slot_reservation<ticks>>;
};
/// Holds for a rule that states by `cost` what the hardware does when the rule preempts.
template <class R>
concept ChoosesCosts = requires(const R& r) {
  { r.cost } -> std::convertible_to<preemption_cost_model>;
};
template <class R>
concept DistinguishesCores = requires { requires R::distinguishes_cores; };

namespace detail {

/// Gives each task its rank as its priority where the order is one of fixed priorities. Pre: the table is in the given
/// order.
template <KernelOrder Order, class Number, std::size_t MaxTasks>
constexpr void rank_kernels(task_rows<accelerator_task<Number>, MaxTasks>& table) {
  for (std::size_t i = 0; i < table.size(); ++i) { TAKT_EXPECTS(table.tasks[i].id == i); }
  if constexpr (FixedPriority<Order>) {
    auto sorted = table;
    prioritize(sorted, order_of<Order>{});
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      table.tasks[sorted.tasks[k].id].priority = static_cast<std::int32_t>(k);
    }
  }
}

/// Returns what is wrong with a set for a rule on an accelerator: rules that tell cores apart need every core chosen.
template <AcceleratorRule Rule, std::size_t MaxTasks>
[[nodiscard]] constexpr auto fits_accelerator(const task_rows<accelerator_task<ticks>, MaxTasks>& table,
                                              const accelerator_record& accelerator) -> model_error {
  if (const auto error = validate(table, accelerator)) { return error; }
  for (const auto& t : table.tasks) {
    if (!times_fit(t)) { return {.fault = model_fault::time_overflow, .task = t.id}; }
    const bool placed = needs_all_cores(t.width) || t.core != unassigned_core;
    if (!placed && DistinguishesCores<Rule>) { return {.fault = model_fault::core_not_chosen, .task = t.id}; }
  }
  return {};
}

}  // namespace detail

/// A platform that has an accelerator, whatever its rule.
template <class P>
concept HasAccelerator = requires(const P& p) {
  { p.accelerator() } -> std::convertible_to<accelerator_record>;
  p.strategy();
  typename P::accelerator_rule;
};

/// A platform with an accelerator that takt can analyse and simulate.
template <class P>
concept AcceleratorPlatform = HasAccelerator<P> && AcceleratorRule<typename P::accelerator_rule>;

namespace detail {

template <class P, class T>
using check_accelerator = accelerator_check<AcceleratorPlatform<P>, AcceleratorTaskSet<T>>;

/// Kernels are judged under every rule that a method is known for.
template <HasAccelerator P, TaskSet T>
struct why_no_method<P, T> {
  using type = accelerator_check<AcceleratorPlatform<P> && !AcceleratorTaskSet<T>, AcceleratorTaskSet<T>>;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
