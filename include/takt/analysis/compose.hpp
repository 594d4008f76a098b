// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/analysis/pools/bounds.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/flatten.hpp>

namespace takt {

namespace analysis {

/// Stations with the bounds of their rules.
template <class Stations>
struct bounded_stations : Stations {
  constexpr explicit bounded_stations(const Stations& given) : Stations{given} {}

  [[nodiscard]] constexpr auto responds(std::size_t s, std::span<visit_demand> visits) const -> bool {
    bool known = false;
    this->with_rule(s, [&](const auto& rule) {
      using rule_type = std::remove_cvref_t<decltype(rule)>;
      if constexpr (KnowsResponses<rule_type>) {
        known = true;
        pool_bounds<rule_type>::responds(rule, visits, (*this)[s].units);
      }
    });
    return known;
  }
  [[nodiscard]] constexpr auto has_decision(std::size_t s) const -> bool {
    bool known = false;
    this->with_rule(s, [&](const auto& rule) { known = KnowsDeadlines<std::remove_cvref_t<decltype(rule)>>; });
    return known;
  }
  [[nodiscard]] constexpr auto decides(std::size_t s, std::span<const visit_demand> visits) const -> bool {
    bool meets = false;
    this->with_rule(s, [&](const auto& rule) {
      using rule_type = std::remove_cvref_t<decltype(rule)>;
      if constexpr (KnowsDeadlines<rule_type>) {
        meets = pool_bounds<rule_type>::decides(rule, visits, (*this)[s].units);
      }
    });
    return meets;
  }
  [[nodiscard]] constexpr auto takes_suspensions(std::size_t s) const -> bool {
    bool takes = false;
    this->with_rule(s, [&](const auto& rule) {
      takes = (*this)[s].units == 1 && InflatesSuspensions<std::remove_cvref_t<decltype(rule)>>;
    });
    return takes;
  }
};

namespace detail {

template <class Rule>
inline constexpr bool has_bound = KnowsResponses<Rule> || KnowsDeadlines<Rule>;

/// Stops compilation where a rule, which the template argument shows, has no bound.
template <class Rule>
struct pool_has_bound {
  static constexpr bool passed = has_bound<Rule>;
  static_assert(passed,
                "takt: the rule of a pool, which is the template argument, has no bound; give it responds(visits, "
                "units) or decides(visits, units). Simulations need none. See docs/errors.md#E83");
};
template <class P>
struct bounds_fault {};
template <class... Pools>
struct bounds_fault<platform<Pools...>>
    : takt::detail::first_sentence<takt::detail::fault_unless<has_bound<typename Pools::rule_type>,
                                                              pool_has_bound<typename Pools::rule_type>>...> {};
template <class P>
using check_bounds = typename bounds_fault<P>::type;

/// The first proof of all that apply; without one, what the first of them says.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto best_of_combiners(const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  const auto first = holistic(table, stations);
  if (first.schedulable() || first.error) { return first; }
  const auto second = guarded(table, stations);
  if (second.schedulable()) { return second; }
  const auto third = inflated(table, stations);
  return third.schedulable() ? third : first;
}

/// A verdict about guards that a plan brings.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto judge_guards(const visit_table<N, V>& table, const Stations& stations, const plan<N, V>& p)
    -> verdict<ticks, N, V> {
  visit_guards<V> guards;
  for (std::size_t v = 0; v < p.offsets.size(); ++v) {
    guards.offsets[v] = p.offsets[v];
    guards.local_deadlines[v] = p.local_deadlines[v];
  }
  auto out = open_verdict(table, stations, "guarded");
  std::size_t failed = 0;
  const bool holds = table.sections.empty() && guards_hold(table, stations, guards, failed);
  if (holds) { return guarded_verdict(table, guards); }
  out.why = obstacle::deadline;
  return out;
}

}  // namespace detail
}  // namespace analysis

namespace detail {

/// Which tasks have kernels.
template <std::size_t MaxTasks>
struct kernel_users {
  inline_vector<bool, MaxTasks> asks;
  std::int32_t count = 0;

  constexpr void open(const flow_attributes& /*task*/) { static_cast<void>(asks.push_back(false)); }
  template <class S>
  constexpr auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    if constexpr (std::same_as<typename resource_of_segment<S>::type, gpu>) {
      count += asks.empty() || asks.back() ? 0 : 1;
      if (!asks.empty()) { asks.back() = true; }
    }
    return 0;
  }
  constexpr void refuse(const model_error& /*told by the flattening*/) {}
};

/// Each task with kernels an equal part of the first GPU that hands its SMs out.
template <class P, class T>
[[nodiscard]] constexpr auto even_shares(const P& board, const T& tasks) {
  plan<tasks_of<T>, visits_of<T>> out;
  std::int32_t at = 0;
  std::int32_t gpu_number = -1;
  std::int32_t budget = 0;
  std::int32_t step = 1;
  board.each([&](const auto& p) {
    using pool_type = std::remove_cvref_t<decltype(p)>;
    if constexpr (is_gpu<typename pool_type::resource_type>) {
      if constexpr (hands_out_sms<typename pool_type::rule_type>()) {
        if (gpu_number < 0) {
          gpu_number = at;
          step = p.resource.granularity;
          budget = p.resource.sms * (shares_physical_sms<typename pool_type::rule_type>() ? p.resource.per_sm : 1);
        }
      }
      ++at;
    }
  });
  if (gpu_number < 0 || step < 1) { return out; }
  kernel_users<tasks_of<T>> users;
  visit_source<T>::each(tasks, users);
  for (const bool asks : users.asks) {
    static_cast<void>(out.shares.push_back({gpu_number, asks ? budget / users.count / step * step : 0}));
  }
  return out;
}

}  // namespace detail

/// What the overloads below are for, more narrowly than those that only say what to include.
template <class P, class T>
concept ProvenFromPools = ComposedBoard<P, T> && std::is_class_v<P>;

/// Proves, or fails to prove, that every task meets its deadline, from the rules of the pools one by one: by the
/// holistic combiner, else by guards that it looks for, else with suspensions as execution; `method` says which. A plan
/// with offsets and local deadlines is judged as it is. `schedulable` is a proof, `not_proven` is none.
///
/// The verdict's plan holds all that the proof rests on; simulate and run with it. Error: `invalid_model`; in a
/// constant expression it stops compilation. Cost: see the combiners.
template <class P, class T, std::size_t N, std::size_t W>
  requires ProvenFromPools<P, T>
[[nodiscard]] constexpr auto analyze(
    const P& board, const T& tasks, const plan<N, W>& p,
    detail::refusal&& refused = detail::refusal{detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  plan<tasks_of<T>, visits_of<T>> own;
  detail::copy_decisions(p, own);
  const auto flat = flatten(board, tasks, own);
  verdict<ticks, tasks_of<T>, visits_of<T>> out;
  refused.error = flat.error;
  if (!refused.error) { refused.error = detail::composed_plan_fault(board, flat.table, own); }
  if (refused.error) {
    out.refuse(refused.error);
    return out;
  }
  const analysis::bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
  out = own.offsets.empty() ? analysis::detail::best_of_combiners(flat.table, stations)
                            : analysis::detail::judge_guards(flat.table, stations, own);
  own.offsets = out.plan.offsets;
  own.local_deadlines = out.plan.local_deadlines;
  out.plan = own;
  out.plan.feasible = out.schedulable();
  return out;
}

/// The same under a plan that gives each task with kernels an equal part of the SMs, where a rule hands them out.
template <class P, class T>
  requires ProvenFromPools<P, T>
[[nodiscard]] constexpr auto analyze(
    const P& board, const T& tasks,
    detail::refusal&& refused = detail::refusal{detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  return analyze(board, tasks, detail::even_shares(board, tasks), std::move(refused));
}

/// The plan on which that verdict rests; `feasible` says whether it is a proof. Error and cost: as `analyze`.
template <class P, class T>
  requires ProvenFromPools<P, T>
[[nodiscard]] constexpr auto allocate(
    const P& board, const T& tasks,
    detail::refusal&& refused = detail::refusal{detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> plan<tasks_of<T>, visits_of<T>> {
  return analyze(board, tasks, std::move(refused)).plan;
}

}  // namespace takt
