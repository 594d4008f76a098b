// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/core/choice.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/segment.hpp>
#include <takt/rules/early_start.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/servers/forward.hpp>
#include <takt/rules/time_slices.hpp>
#include <takt/rules/token_rule.hpp>
#include <takt/rules/units.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI {

/// The order of the jobs under a rule.
template <class Rule>
using order_of = decltype(std::declval<const Rule&>().job_order(std::int32_t{1}));

namespace detail {

/// "non-preemptive " and the name of the rule.
template <class Rule>
struct nonpreemptive_name {
  static constexpr std::string_view prefix = "non-preemptive ";
  static constexpr auto letters = [] {
    std::array<char, prefix.size() + std::string_view{Rule::name}.size()> out{};
    std::size_t n = 0;
    for (const char c : prefix) { out[n++] = c; }
    for (const char c : std::string_view{Rule::name}) { out[n++] = c; }
    return out;
  }();
};

/// The policy of a rule that has one.
template <class Rule>
struct same_policy {};
template <class Rule>
  requires requires { Rule::policy; }
struct same_policy<Rule> {
  static constexpr auto policy = Rule::policy;
};

template <bool TaskLevel>
struct fixed_order_check {
  static constexpr bool passed = TaskLevel;
  static_assert(TaskLevel,
                "takt: fixed_priority_rule takes a task-level order: a type without state whose point depends on "
                "nothing but period, deadline and, if it takes_priorities, the given priority. "
                "See docs/errors.md#E99");
};
template <bool Preemptive>
struct preemptive_check {
  static constexpr bool passed = Preemptive;
  static_assert(Preemptive,
                "takt: nonpreemptive(...) takes a preemptive rule of one order for each job, as edf and fixed_priority "
                "are; this one has nothing to leave out. See docs/errors.md#E98");
};

}  // namespace detail

/// A job may lose the resource to one that comes before it in the order of the rule.
template <class Rule>
concept Preemptive = requires { requires Rule::preemptive; };

/// Preemptive fixed priority in any task-level order, `by_relative_deadline` or one's own.
template <class Order = by_given_priority>
struct fixed_priority_rule {
  static_assert(detail::fixed_order_check<TaskLevelPriority<Order>>::passed);
  using is_takt_rule = void;
  using honours_regions = fixed_priority_rule;
  static constexpr std::string_view name = "fixed priority";
  static constexpr bool preemptive = true;
  static constexpr bool partitioned = true;
  static constexpr bool takes_suspensions = true;
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> Order { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<true, Capacity> {
    return unit_server<true, Capacity>{units};
  }
};

/// The earliest absolute deadline first.
struct edf_rule {
  using is_takt_rule = void;
  static constexpr std::string_view name = "EDF";
  static constexpr bool preemptive = true;
  static constexpr bool partitioned = true;
  static constexpr bool takes_suspensions = true;
  using starts_early = edf_rule;
  using honours_regions = edf_rule;
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_absolute_deadline { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<true, Capacity> {
    return unit_server<true, Capacity>{units};
  }
};

/// The order of another rule, without taking the resource away from its holder.
template <class Rule>
struct nonpreemptive_rule : detail::same_policy<Rule> {
  static_assert(detail::preemptive_check < Preemptive<Rule> && !detail::has_clusters < Rule >> ::passed);
  using is_takt_rule = void;
  static constexpr std::string_view name{detail::nonpreemptive_name<Rule>::letters.data(),
                                         detail::nonpreemptive_name<Rule>::letters.size()};
  static constexpr bool preemptive = false;
  static constexpr bool partitioned = detail::is_partitioned<Rule>();
  using starts_early = std::conditional_t<detail::StartsEarly<Rule>, nonpreemptive_rule, void>;
  [[no_unique_address]] Rule inner{};

  [[nodiscard]] constexpr auto job_order(std::int32_t units) const noexcept
    requires requires(const Rule& r) { r.job_order(1); }
  {
    return inner.job_order(units);
  }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<false, Capacity> {
    return unit_server<false, Capacity>{units};
  }
  template <class Segment>
    requires requires(const Rule& r, const Segment& s) { r.view(s); }
  [[nodiscard]] constexpr auto view(const Segment& s) const {
    return inner.view(s);
  }
  template <class Segment, class Placement>
    requires requires(const Rule& r, const Segment& s, const Placement& at) { r.view(s, at); }
  [[nodiscard]] constexpr auto view(const Segment& s, const Placement& at) const {
    return inner.view(s, at);
  }
  [[nodiscard]] constexpr auto fault() const
    requires requires(const Rule& r) { r.fault(); }
  {
    return inner.fault();
  }
};

/// A job keeps its claim on the core while it copies and while its kernels run: it spins instead of suspending.
template <class Rule>
struct busy_waiting_rule {
  using is_takt_rule = void;
  using inner_rule = Rule;
  static constexpr bool keeps_core_while_suspended = true;

  [[no_unique_address]] Rule inner{};
  [[nodiscard]] constexpr auto job_order(std::int32_t units) const noexcept { return inner.job_order(units); }
};

/// SMs dedicated to tasks, as whole physical SMs or as virtual ones.
template <bool Shared>
struct federated_rule {
  using is_takt_rule = void;
  static constexpr bool shares_physical_sms = Shared;
  static constexpr std::string_view name = "SMs of one's own";
  static constexpr bool hands_out_sms = true;
  using view_needs = wcet_work_grid_or_wcet_by_share;
  template <TimedOnSms K>
  [[nodiscard]] static constexpr auto view(const K& kernel, const visit_placement& at) -> visit_view {
    return time_on_share(kernel, at);
  }
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> dedicated_server<Capacity> {
    return dedicated_server<Capacity>{units};
  }
};

namespace detail {

/// Each kernel runs on all SMs.
struct whole_gpu_rule {
  using is_takt_rule = void;
  static constexpr bool runs_on_all_sms = true;
};

}  // namespace detail

/// The part of a job from its copy to the device until its copy back is one critical section of a single lock, granted
/// in priority order. The rule inside says which SMs its kernel gets.
template <class Rule>
struct serialized_rule {
  using is_takt_rule = void;
  using inner_rule = Rule;
  static constexpr bool serializes_device_use = true;
  static constexpr bool shares_physical_sms = detail::shares_physical_sms<Rule>();
};

/// First come, first served, without taking the resource away from its holder.
struct fifo_rule {
  using is_takt_rule = void;
  static constexpr std::string_view name = "first come, first served";
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> unit_server<false, Capacity> {
    return unit_server<false, Capacity>{units};
  }
};

/// The GPU as a pool of tokens, each with an equal part of its SMs. A job holds one for each part between two of its
/// CPU segments and has these SMs to itself; copy engines it shares with all others. `Order` is a `TokenRule`.
template <class Order>
struct locked_rule {
  using is_takt_rule = void;
  using token_rule = Order;
  std::int32_t tokens = 1;
  Order order{};

  static constexpr std::string_view name = "SMs behind a token";
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> dedicated_server<Capacity> {
    return dedicated_server<Capacity>{units};
  }
  using view_needs = wcet_work_grid_or_wcet_by_share;
  template <TimedOnSms K>
  [[nodiscard]] constexpr auto view(const K& kernel, const visit_placement& at) const -> visit_view {
    gpu_record gpu = at.gpu;
    gpu.tokens = tokens;
    return gpu.slot() < 1 ? visit_view{.fault = model_fault::platform_size_out_of_range}
                          : time_on_sms(kernel, gpu, gpu.virtual_sms(gpu.slot()));
  }
  /// Returns a fault unless a lock of the rule has a replica for each token.
  [[nodiscard]] constexpr auto fault() const noexcept -> model_error {
    const bool good = tokens > 0 && detail::locks_all(order, tokens);
    return {.fault = good ? model_fault::none : model_fault::platform_size_out_of_range};
  }
};

inline constexpr fixed_priority_rule<by_given_priority> fixed_priority{};
inline constexpr fixed_priority_rule<by_relative_deadline> deadline_monotonic{};
inline constexpr fixed_priority_rule<by_period> rate_monotonic{};
inline constexpr edf_rule edf{};
inline constexpr federated_rule<false> federated{};
inline constexpr federated_rule<true> federated_virtual{};
inline constexpr detail::whole_gpu_rule whole_gpu{};
inline constexpr fifo_rule fifo{};
template <class Rule>
[[nodiscard]] constexpr auto nonpreemptive(const Rule& rule) noexcept -> nonpreemptive_rule<Rule> {
  return {{}, rule};
}
template <class Rule>
[[nodiscard]] constexpr auto busy_waiting(const Rule& rule) noexcept -> busy_waiting_rule<Rule> {
  return {rule};
}
template <class Rule>
[[nodiscard]] constexpr auto serialized(const Rule& /*rule*/) noexcept -> serialized_rule<Rule> {
  return {};
}
namespace detail {

/// Stops compilation where tokens are asked of something else, which the template argument shows.
template <class Order>
struct order_grants_tokens {
  static constexpr bool passed = TokenRule<Order>;
  static_assert(passed,
                "takt: this is no rule of tokens; give it a name and make_lock<Clients>(setting), which returns a "
                "LockingProtocol. See docs/errors.md#E90");
};

}  // namespace detail

/// Allows `tokens` critical sections at a time on each GPU of the pool, granted by a `TokenRule`.
template <class Order>
[[nodiscard]] constexpr auto locked(const Order& order, std::int32_t tokens = 1) noexcept
    -> locked_rule<std::enable_if_t<detail::order_grants_tokens<Order>::passed, Order>> {
  return {.tokens = tokens, .order = order};
}

namespace detail {
template <class R>
using server_of = decltype(std::declval<const R&>().template make_server<1>(std::int32_t{1}));

/// Tells whether segments take the times that they are given and units are not scheduled together, as published methods
/// suppose, whatever the resource.
template <class R>
inline constexpr bool is_plain = !Views<R, cpu_segment> && !Views<R, copy_segment> && !has_clusters<R> &&
                                 !requires(const R& r, const processors_resource& p) { r.on(p); } &&
                                 !requires(const R& r, const copy_engines_resource& p) { r.on(p); };

/// Returns whether a few kernels take as long as on the SMs of a share.
template <class R, class Kernel = kernel_segment<divisible_work>>
[[nodiscard]] consteval auto takes_times_of_shares() -> bool {
  if constexpr (std::default_initializable<R> && Views<R, Kernel>) {
    const Kernel kernels[]{{{.work = {duration{70}, duration{90}}, .overhead = duration{3}}},
                           {{.work = {duration{10}, duration{400}},
                             .overhead = duration{0},
                             .interleave_numerator = 7,
                             .interleave_denominator = 4}}};
    for (const auto& k : kernels) {
      for (const std::int32_t sms : {1, 3}) {
        const visit_placement at{
            .gpu = {.sms = 4, .virtual_per_sm = 2, .shared = shares_physical_sms<R>()}, .units = 1, .sms = sms};
        const visit_view seen = view_by(R{}, k, at);
        const visit_view given = time_on_share(k, at);
        if (seen.time.lower != given.time.lower || seen.time.upper != given.time.upper || seen.fault != given.fault) {
          return false;
        }
      }
    }
    return true;
  }
  return false;
}

}  // namespace detail

// What published methods and their hosts ask of a rule. Its order and its server say what it does, so a rule of one's
// own with the order and the server of another stands for it.

namespace detail {

/// On each unit by itself the ready job of the least point runs at every instant.
template <class R>
concept RunsInOrder =
    std::same_as<detail::server_of<R>, unit_server<true, 1>> && detail::is_partitioned<R>() && detail::is_plain<R>;
/// On each unit by itself the ready job of the least point starts when the unit is free, and keeps it to its end.
template <class R>
concept StartsInOrder =
    std::same_as<detail::server_of<R>, unit_server<false, 1>> && detail::is_partitioned<R>() && detail::is_plain<R>;

}  // namespace detail

template <class R>
concept FixedPriority = detail::RunsInOrder<R> && TaskLevelPriority<order_of<R>>;
template <class R>
concept EarliestDeadlineFirst = detail::RunsInOrder<R> && std::same_as<order_of<R>, by_absolute_deadline>;
namespace detail {

template <class R>
concept NonpreemptiveFixedPriority = StartsInOrder<R> && TaskLevelPriority<order_of<R>>;
template <class R>
concept NonpreemptiveEdf = StartsInOrder<R> && std::same_as<order_of<R>, by_absolute_deadline>;

}  // namespace detail
/// All units have one queue, which keeps the order of arrival.
template <class R>
concept FirstComeFirstServed =
    std::same_as<detail::server_of<R>, unit_server<false, 1>> && std::same_as<order_of<R>, by_arrival> &&
    !detail::is_partitioned<R>() && detail::is_plain<R>;
/// `keeps_core_while_suspended` says that a job keeps its claim on its core until it completes; `inner_rule` says who
/// goes first there.
template <class R>
concept BusyWaiting = requires { requires R::keeps_core_while_suspended; } && FixedPriority<typename R::inner_rule>;
namespace detail {

/// `hands_out_sms` says that each task has as many SMs of its own as its share in the plan.
template <class R>
concept Federated = requires { requires R::hands_out_sms; } && !detail::has_clusters<R> &&
                    std::same_as<detail::server_of<R>, dedicated_server<1>> && detail::takes_times_of_shares<R>();
/// `serializes_device_use` says that what stands between two CPU segments is a critical section of one lock that is
/// granted in the order of the processors; `inner_rule` says which SMs a kernel gets, `runs_on_all_sms` that all.
template <class R>
concept Serialized = requires {
  typename R::inner_rule;
  requires R::serializes_device_use;
};
template <class R>
concept SerializedFederated = Serialized<R> && Federated<typename R::inner_rule>;
template <class R>
concept SerializedWholeGpu = Serialized<R> && requires { requires R::inner_rule::runs_on_all_sms; };

}  // namespace detail
/// Tokens under any rule.
template <class R>
concept Locked = requires(const R& r) {
  typename R::token_rule;
  { r.tokens } -> std::convertible_to<std::int32_t>;
  { r.order } -> std::convertible_to<typename R::token_rule>;
};
/// Tokens under a rule with a published analysis of GPUs.
template <class R>
concept TokenLocked = Locked<R> && requires {
  { R::token_rule::method } -> std::convertible_to<std::string_view>;
};
template <class R>
concept Absent = std::same_as<R, detail::absent_rule>;

}  // namespace takt::inline TAKT_ABI
