// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_fault.hpp>
#include <takt/model/mutex_key.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/board_check.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/kernel_views.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/tags.hpp>
#include <takt/rules/units.hpp>
#include <takt/rules/visit_view.hpp>

namespace takt::inline TAKT_ABI::detail {

/// Tells whether an order may look at the priorities of tasks: one that does not say whether it `takes_priorities` may,
/// unless it is a task-level one.
template <class Order>
inline constexpr bool order_reads_priorities =
    !requires { requires !Order::takes_priorities; } && (GivenPriority<Order> || !TaskLevelPriority<Order>);

template <class Rule>
[[nodiscard]] constexpr auto serves_one_unit() noexcept -> bool {
  if constexpr (requires { Rule::serves_one_unit; }) { return Rule::serves_one_unit; }
  return false;
}

/// Returns how many units a resource has: its count, or one.
template <class Resource>
[[nodiscard]] constexpr auto units_of(const Resource& r) noexcept -> std::int32_t {
  if constexpr (requires {
                  { r.count } -> std::convertible_to<std::int32_t>;
                }) {
    return r.count;
  }
  return 1;
}

/// Returns how long a segment takes under a rule: what its view says, or what the segment says where the rule has none.
/// `OnSms`: the resource has SMs.
template <bool OnSms, class Rule, class S>
[[nodiscard]] constexpr auto time_under(const Rule& rule, const S& asked, const visit_placement& at) -> visit_view {
  if constexpr (Views<Rule, S>) {
    return view_by(rule, asked, at);
  } else if constexpr (LeavesTime<Rule, S> && (OnSms || !NeedsSms<S>)) {
    if constexpr (std::same_as<typename resource_of_segment<S>::type, gpu>) {
      const bool has_time = states<execution_time>(asked) || states<kernel_wcet>(asked);
      if (at.gpu.sms < 1 && !has_time) { return unknown_time(lacks(visit_fact::wcet, visit_fact::time)); }
    }
    return time_by_itself(asked, at);
  } else {
    return {.fault = model_fault::visit_time_unknown};
  }
}

/// Tells whether visits that name their resource by its position may be of the pool.
template <class Pool>
inline constexpr bool is_own = !is_gpu<typename Pool::resource_type> && !is_mutex<Pool> &&
                               !std::same_as<typename Pool::resource_type, processors_resource> &&
                               !std::same_as<typename Pool::resource_type, copy_engines_resource>;

/// Answers what flattening, plans and searches ask of a pool. Of a typed pool the compiler knows the answers as far as
/// its types say them; of an erased one only run time does.
template <class Pool>
struct pool_facts;

template <class Resource, class Rule>
struct pool_facts<resource_pool<Resource, Rule>> {
  using pool_type = resource_pool<Resource, Rule>;

  /// Tells whether there are pools of this type that serve visits by such segments. Of others nothing else is asked
  /// about them.
  template <class S>
  static constexpr bool may_serve =
      serves<pool_type, typename resource_of_segment<S>::type> || (std::same_as<S, runtime_own> && is_own<pool_type>);
  template <class S>
    requires may_serve<S>
  [[nodiscard]] static constexpr auto serves_visits(const pool_type& /*p*/) noexcept -> bool {
    return true;
  }
  /// Returns the mutex of the pool; null: it is none.
  [[nodiscard]] static constexpr auto mutex(const pool_type& /*p*/) noexcept -> mutex_key {
    if constexpr (is_mutex<pool_type>) { return mutex_key::of<Resource>(); }
    return {};
  }
  [[nodiscard]] static constexpr auto is_processors(const pool_type& /*p*/) noexcept -> bool {
    return std::same_as<Resource, processors_resource>;
  }
  [[nodiscard]] static constexpr auto runs_kernels(const pool_type& /*p*/) noexcept -> bool { return is_gpu<Resource>; }
  [[nodiscard]] static constexpr auto has_tokens(const pool_type& /*p*/) noexcept -> bool { return Locked<Rule>; }
  [[nodiscard]] static constexpr auto units(const pool_type& p) noexcept -> std::int32_t {
    return units_of(p.resource);
  }
  [[nodiscard]] static constexpr auto one_unit(const pool_type& /*p*/) noexcept -> bool {
    return serves_one_unit<Rule>();
  }
  /// Returns whether tasks name the processors of which they use one.
  [[nodiscard]] static constexpr auto names_cores(const pool_type& /*p*/) noexcept -> bool { return reads_cores<Rule>; }
  /// Returns how many processors are scheduled together.
  [[nodiscard]] static constexpr auto cluster(const pool_type& p) noexcept -> std::int32_t {
    return cluster_of(p.rule, units_of(p.resource));
  }
  /// Returns the GPU as a plan sees it; without SMs where a plan hands none out, or where no GPU has such sizes.
  [[nodiscard]] static constexpr auto gpu(const pool_type& p) noexcept -> gpu_record {
    gpu_record out;
    if constexpr (has_sms<Resource>) { out = gpu_of(p.resource, shares_physical_sms<Rule>()); }
    return out.valid() ? out : gpu_record{};
  }
  /// Returns whether it hands out SMs by the plan's shares.
  [[nodiscard]] static constexpr auto hands_sms(const pool_type& /*p*/) noexcept -> bool {
    return hands_out_sms<Rule>();
  }
  [[nodiscard]] static constexpr auto hands_percents(const pool_type& /*p*/) noexcept -> bool {
    return hands_out_percents<Rule>();
  }
  [[nodiscard]] static constexpr auto reads_priorities(const pool_type& /*p*/) noexcept -> bool {
    return order_reads_priorities<order_of<Rule>>;
  }
  /// Returns whether CPU segments may have regions there.
  [[nodiscard]] static constexpr auto honours_regions(const pool_type& /*p*/) noexcept -> bool {
    return takt::detail::honours_regions<Rule>();
  }
  template <class S>
    requires may_serve<S>
  [[nodiscard]] static constexpr auto view(const pool_type& p, const S& asked, const visit_placement& at)
      -> visit_view {
    return time_under<has_sms<Resource>>(p.rule, asked, at);
  }
};

/// A pool without its type. What reads it is compiled once for all boards.
struct pool_outline {
  mutex_key mutex{};
  std::int32_t units = 1;
  std::int32_t cluster = 1;
  bool is_processors = false;
  bool names_cores = false;
  bool runs_kernels = false;
  bool has_tokens = false;
  bool hands_sms = false;
  bool hands_percents = false;
  bool reads_priorities = false;
  gpu_record gpu{};
};
template <class P>
[[nodiscard]] constexpr auto outlines_of(const P& board) {
  inline_vector<pool_outline, P::pool_count> out;  // Bound: one per pool.
  board.each([&out](const auto& p) {
    using facts = pool_facts<std::remove_cvref_t<decltype(p)>>;
    out.unchecked_push_back({.mutex = facts::mutex(p),
                             .units = facts::units(p),
                             .cluster = facts::cluster(p),
                             .is_processors = facts::is_processors(p),
                             .names_cores = facts::names_cores(p),
                             .runs_kernels = facts::runs_kernels(p),
                             .has_tokens = facts::has_tokens(p),
                             .hands_sms = facts::hands_sms(p),
                             .hands_percents = facts::hands_percents(p),
                             .reads_priorities = facts::reads_priorities(p),
                             .gpu = facts::gpu(p)});
  });
  return out;
}
using pool_outlines = std::span<const pool_outline>;

/// Returns the processors whose tasks have cores; null where tasks have none.
[[nodiscard]] constexpr auto placed_processors(pool_outlines pools) -> const pool_outline* {
  const pool_outline* found = nullptr;
  for (const pool_outline& p : pools) { found = p.is_processors && p.names_cores ? &p : found; }
  return found;
}

/// The pool of a visit, and how long the visit takes there.
struct routed_visit {
  bool served = false;
  std::int32_t alike = 0;  ///< pools that serve such visits
  std::uint32_t pool = 0;  ///< its position
  std::int32_t units = 1;
  bool names_cores = false;
  std::int32_t cluster_size = 1;  ///< processors that are scheduled together, where tasks name cores
  bool one_unit = false;
  visit_view seen{};
  ticks region = 0;  ///< on a processor
};

/// Finds the region of a visit under a rule that sees it as so long, or what is wrong with it.
constexpr void see_region(const limited_cpu_segment& asked, bool is_honoured, routed_visit& out) noexcept {
  const ticks region = asked.region.count();
  if (out.seen.fault != model_fault::none) { return; }
  if (region < 0) { out.seen.fault = model_fault::negative_time; }
  if (region > asked.time.upper.count()) { out.seen.fault = model_fault::region_exceeds_time; }
  if (region > 0 && !is_honoured) { out.seen.fault = model_fault::region_not_honoured; }
  if (out.seen.fault == model_fault::none) {
    out.region = region_in(region, asked.time.upper.count(), out.seen.time.upper);
  }
}
/// Finds the pool of a visit. `gpu` is the number of the task's GPU, and `at` what the plan gives the task.
template <class P, class S>
[[nodiscard]] constexpr auto route(const P& board, const S& asked, std::int32_t gpu, visit_placement at)
    -> routed_visit {
  routed_visit out;
  std::uint32_t pool = 0;
  std::int32_t wanted = 0;
  if constexpr (std::same_as<typename resource_of_segment<S>::type, takt::gpu>) { wanted = gpu; }
  if constexpr (std::same_as<S, runtime_own>) { wanted = static_cast<std::int32_t>(asked.position); }
  board.each([&](const auto& p) {
    using facts = pool_facts<std::remove_cvref_t<decltype(p)>>;
    if constexpr (facts::template may_serve<S>) {
      if (facts::template serves_visits<S>(p) && out.alike++ == wanted) {
        out.served = true;
        out.pool = pool;
        out.units = facts::units(p);
        out.one_unit = facts::one_unit(p);
        if constexpr (is_cpu_segment<S>) {
          out.names_cores = facts::names_cores(p);
          out.cluster_size = facts::cluster(p);
        }
        at.gpu = facts::gpu(p);
        at.units = out.units;
        if constexpr (std::same_as<S, limited_cpu_segment>) {
          out.seen = facts::view(p, cpu_segment{asked.time}, at);
          see_region(asked, facts::honours_regions(p) && !keeps_processors(board), out);
        } else {
          out.seen = facts::view(p, asked, at);
        }
      }
    }
    ++pool;
  });
  return out;
}

}  // namespace takt::inline TAKT_ABI::detail
