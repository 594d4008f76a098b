// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/core/each_once.hpp>
#include <takt/core/value.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/sm_power.hpp>

namespace takt::inline TAKT_ABI {

/// CPU cores. A task runs on the core that it names by `on_core`, or on any of those that its rule schedules together.
struct processors_resource {
  std::int32_t count = 1;
};
struct copy_engines_resource {
  std::int32_t count = 1;
};
/// The SMs of one GPU, each of which counts as `per_sm` slower virtual ones.
struct virtual_sms_resource {
  using runs_kernels = void;
  std::int32_t sms = 1;
  std::int32_t per_sm = 1;
  std::int32_t granularity = 1;
  gpu_speed speed{};
  std::int32_t preemption_levels = 2;
  sm_residency residency{};

  /// Returns the same SMs on hardware that nests at most so many started kernels by stream priorities.
  [[nodiscard]] constexpr auto with_levels(std::int32_t levels) const noexcept -> virtual_sms_resource {
    virtual_sms_resource out = *this;
    out.preemption_levels = levels;
    return out;
  }
  /// Returns the same SMs on a GPU that is so many times as fast as the one that the kernels' times are about:
  /// `at_speed(3, 2)`.
  [[nodiscard]] constexpr auto at_speed(std::int32_t numerator, std::int32_t denominator = 1) const noexcept
      -> virtual_sms_resource {
    virtual_sms_resource out = *this;
    out.speed = {numerator, denominator};
    return out;
  }
  /// Returns the same SMs with the limits of what can be resident on each of them.
  [[nodiscard]] constexpr auto with_residency(const sm_residency& of_each) const noexcept -> virtual_sms_resource {
    virtual_sms_resource out = *this;
    out.residency = of_each;
    return out;
  }
};

/// The cores of a GPU-like device that runs whole kernels, on one core or on all of them.
struct accelerator_resource {
  using runs_kernels = void;
  accelerator_record record;
};

[[nodiscard]] constexpr auto processors(std::int32_t count) noexcept -> processors_resource { return {count}; }
[[nodiscard]] constexpr auto copy_engines(std::int32_t count) noexcept -> copy_engines_resource { return {count}; }
[[nodiscard]] constexpr auto virtual_sms(std::int32_t sms, std::int32_t per_sm, std::int32_t granularity = 1) noexcept
    -> virtual_sms_resource {
  return {.sms = sms, .per_sm = per_sm, .granularity = granularity};
}

/// States so many cores (SMs), whose hardware nests at most so many started kernels by stream priorities.
[[nodiscard]] constexpr auto accelerator(std::int32_t cores, std::int32_t preemption_levels = 2) noexcept
    -> accelerator_resource {
  return {{cores, preemption_levels}};
}

/// Holds for a type that arbitrates a resource and names its discipline.
template <class R>
concept RuleTag = Copyable<R> && requires { typename R::is_takt_rule; };

template <class Resource, RuleTag Rule>
struct resource_pool {
  using resource_type = Resource;
  using rule_type = Rule;

  Resource resource;
  Rule rule;
};

namespace detail {

template <class Resource, RuleTag Rule>
[[nodiscard]] constexpr auto rule_on(const Resource& resource, const Rule& rule) {
  if constexpr (requires { rule.on(resource); }) {
    return rule.on(resource);
  } else {
    return rule;
  }
}
template <class Resource, class Rule>
using rule_there = decltype(rule_on(std::declval<const Resource&>(), std::declval<const Rule&>()));

}  // namespace detail

/// A rule that reads more of its resource than the number of its units has `on(resource)`, which is the rule there.
template <class Resource, RuleTag Rule>
[[nodiscard]] constexpr auto pool(const Resource& resource, const Rule& rule)
    -> resource_pool<Resource, detail::rule_there<Resource, Rule>> {
  return {resource, detail::rule_on(resource, rule)};
}

template <class P>
concept Pool = requires {
  typename P::resource_type;
  typename P::rule_type;
};

namespace detail {

/// Stands for the rule of a pool that a platform does not have.
struct absent_rule {
  using is_takt_rule = void;
};

template <class Resource, class... Pools>
struct find_rule {
  using type = absent_rule;
};
template <class Resource, class First, class... Rest>
struct find_rule<Resource, First, Rest...> : find_rule<Resource, Rest...> {};
template <class Resource, class Rule, class... Rest>
struct find_rule<Resource, resource_pool<Resource, Rule>, Rest...> {
  using type = Rule;
};

/// Stands for the rule of a resource kind whose pools have different ones.
struct mixed_rules {
  using is_takt_rule = void;
};

template <class Resource, class P>
inline constexpr bool is_pool_of = false;
template <class Resource, class Rule>
inline constexpr bool is_pool_of<Resource, resource_pool<Resource, Rule>> = true;

template <class Resource, class Rule, class P>
inline constexpr bool agrees = !is_pool_of<Resource, P>;
template <class Resource, class Rule>
inline constexpr bool agrees<Resource, Rule, resource_pool<Resource, Rule>> = true;

template <class Rule>
[[nodiscard]] constexpr auto shares_physical_sms() noexcept -> bool {
  if constexpr (requires { Rule::shares_physical_sms; }) { return Rule::shares_physical_sms; }
  return false;
}

/// Returns how many tokens a rule makes of a GPU.
template <class Rule>
[[nodiscard]] constexpr auto tokens_of(const Rule& rule) noexcept -> std::int32_t {
  if constexpr (requires { rule.tokens; }) { return rule.tokens; }
  return 1;
}

constexpr auto append(platform_record& r, const processors_resource& p, auto /*rule*/) -> bool {
  r.cores = p.count;
  return p.count > 0 && p.count <= max_units;
}
constexpr auto append(platform_record& r, const copy_engines_resource& e, auto /*rule*/) -> bool {
  r.copy_engines = e.count;
  return e.count > 0 && e.count <= max_copy_engines;
}
template <class Rule>
constexpr auto append(platform_record& r, const virtual_sms_resource& g, Rule rule) -> bool {
  const std::int32_t tokens = tokens_of(rule);
  // Bound: max_gpus, by pool_count.
  r.gpus.unchecked_push_back(
      {g.sms, g.per_sm, g.granularity, shares_physical_sms<Rule>(), g.speed, tokens, g.residency});
  return g.sms > 0 && g.speed.valid() && g.per_sm > 0 && g.sms <= max_units / g.per_sm && g.granularity > 0 &&
         g.preemption_levels > 0 && g.preemption_levels <= max_units && (tokens == 1 || r.gpus.back().slot() > 0);
}

constexpr auto append(platform_record& /*r*/, const accelerator_resource& a, auto /*rule*/) -> bool {
  const accelerator_record& r = a.record;
  return r.cores > 0 && r.cores <= max_units && r.preemption_levels > 0 && r.preemption_levels <= max_units;
}

/// A resource that has no place in the record of a board says itself whether its size is in range.
template <class Resource>
  requires requires(const Resource& r) {
    { r.valid() } -> std::same_as<bool>;
  }
constexpr auto append(platform_record& /*r*/, const Resource& resource, auto /*rule*/) -> bool {
  return resource.valid();
}

/// Any other resource, such as a user's own, has no size to check.
template <class Resource>
  requires(!requires(const Resource& r) { r.valid(); })
constexpr auto append(platform_record& /*r*/, const Resource& /*resource*/, auto /*rule*/) -> bool {
  return true;
}

/// Returns what is wrong with the values of a rule, for the rules that have any.
template <class Rule>
[[nodiscard]] constexpr auto rule_fault(const Rule& rule) -> model_error {
  if constexpr (requires { rule.fault(); }) { return rule.fault(); }
  return {};
}

template <std::size_t Processors, std::size_t CopyEngines, std::size_t Gpus>
struct pool_count {
  static constexpr bool fits = Processors <= 1 && CopyEngines <= 1 && Gpus <= max_gpus;
  static_assert(fits,
                "takt: too many pools; at most eight GPUs, one processor pool and one copy engine pool. "
                "See docs/errors.md#E25");
};

/// Stops compilation where two pools hold one resource, unless it is a GPU: tasks name GPUs by their numbers.
template <class... Resources>
struct resources_once {
  static constexpr bool passed =
      ((requires { typename Resources::runs_kernels; } || times_among<Resources, Resources...> == 1) && ...);
  static_assert(passed,
                "takt: two pools of the platform hold one resource, and no task would use the second; give one pool "
                "more units, or resources of two types. See docs/errors.md#E122");
};

}  // namespace detail

template <Pool... Pools>
struct platform;

namespace detail {

/// The resource of the first pool that is none of the `Known` ones; void if there is none.
template <class P, class... Known>
struct first_foreign {
  using type = void;
};
template <class First, class... Rest, class... Known>
struct first_foreign<platform<First, Rest...>, Known...>
    : std::conditional_t<(is_pool_of<Known, First> || ...), first_foreign<platform<Rest...>, Known...>,
                         std::type_identity<typename First::resource_type>> {};

/// Stops compilation where a pool of a platform would be ignored. `Resource` is what it holds, or void.
template <class Resource>
struct unused_pool {
  static constexpr bool absent = std::is_void_v<Resource>;
  static constexpr bool passed = absent;
  static_assert(absent,
                "takt: this workload does not use a pool of the platform, whose resource is the template argument; "
                "leave the pool out, or give it the workload that it is for. See docs/errors.md#E78");
};

}  // namespace detail

template <class P>
concept Platform = requires(const P& p) {
  { p.record() } -> std::same_as<platform_record>;
  typename P::cpu_rule;
  typename P::copy_rule;
  typename P::gpu_rule;
};

}  // namespace takt::inline TAKT_ABI
