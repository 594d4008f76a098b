// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/analysis/judge_pools.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/rules/planned_table.hpp>

namespace takt::inline TAKT_ABI::detail {

template <>
inline constexpr bool is_included<needed_header::known_methods> = true;

}  // namespace takt::inline TAKT_ABI::detail

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Makes the analysis of a method of chains, on a table in priority order, in one of its readings.
template <ChainMethod M, class P, class Table>
  requires HasMethodOptions<M>
[[nodiscard]] constexpr auto make_analysis(const P& platform, const Table& table, const method_options<M>& options) {
  return typename M::template analysis<Table>(table, platform.record(), options);
}
template <ChainMethod M, class P, class Table>
[[nodiscard]] constexpr auto make_analysis(const P& platform, const Table& table) {
  if constexpr (HasMethodOptions<M>) {
    return make_analysis<M>(platform, table, M::options);
  } else {
    return typename M::template analysis<Table>(table, platform.record());
  }
}

template <class A>
[[nodiscard]] constexpr auto invalid(const A& a, const model_error& error) {
  using number = typename std::remove_cvref_t<decltype(a.table())>::number;
  verdict<number, A::max_tasks> out;
  out.method = a.name();
  out.refuse(error);
  return out;
}

/// Returns what a method of chains says of them on a platform.
template <class M, class P, class T, std::size_t N, class... Options>
[[nodiscard]] constexpr auto judge_chains(const P& platform, const T& tasks, const plan<N>& p, model_error& error,
                                          const Options&... options) {
  const auto table = planned_table(platform, tasks, p);
  const platform_record record = platform.record();
  auto a = make_analysis<M>(platform, table, options...);
  error = platform.validate();
  if (!error) { error = located(a.fits(table, record), table.tasks); }
  if (!error) { error = plan_fault(platform, table, p); }
  if (error) { return invalid(a, error); }
  auto out = verdict_of(a, evaluate_all(a, p));
  complete_plan(platform, table, p, out.plan);
  if constexpr (finds_misses<M>) {
    const bool hopeless = !out.schedulable() && !find_proven_misses(table, record).empty();
    out.status = hopeless ? verdict_status::unschedulable : out.status;
  }
  out.plan.feasible = out.schedulable();
  return out;
}

/// Returns what a method says of a set in a spelling of its own.
template <class M, class P, class T, std::size_t N, std::size_t V, class... Options>
[[nodiscard]] constexpr auto judge_set(const P& platform, const T& tasks, const plan<N, V>& p, model_error& error,
                                       const Options&... options) {
  auto out = M{}.judge(platform, tasks, p, options...);
  error = out.error;
  out.plan.feasible = out.schedulable();
  return out;
}

/// Asks a method, be it one of chains or of sets.
template <class M, class P, class T, std::size_t N, std::size_t V, class... Options>
[[nodiscard]] constexpr auto judge_by(const P& platform, const T& tasks, const plan<N, V>& p, model_error& error,
                                      const Options&... options) {
  if constexpr (SetMethod<M, T>) {
    return judge_set<M>(platform, tasks, p, error, options...);
  } else {
    return judge_chains<M>(platform, tasks, p, error, options...);
  }
}

/// Writes what combiners say where the method of a board knows no deadlines after the period, under the plan and
/// without guards.
template <class P, class T, std::size_t N, std::size_t V, class Verdict>
constexpr void judge_late_deadlines(const P& platform, const T& tasks, const plan<N, V>& p, model_error& error,
                                    Verdict& out) {
  plan<tasks_of<T>, visits_of<T>> own;
  takt::detail::copy_decisions(p, own);
  const auto pools = takt::detail::outlines_of(platform);
  takt::detail::place_tasks({pools.data(), pools.size()}, tasks, own.cores);
  const auto flat = flatten(platform, tasks, own);
  error = flat.error;
  out = {};
  if (error) { return out.refuse(error); }
  const bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
  const asked<std::remove_const_t<decltype(stations)>> all{stations};
  const asked_stations& questions = all;
  auto found = holistic(flat.table, questions);
  if (!found.schedulable()) {
    const auto other = inflated(flat.table, questions);
    if (other.schedulable()) { found = other; }
  }
  if (!found.schedulable()) { add_closed_part(flat.table, questions, found); }
  out.status = found.status;
  out.why = found.why;
  out.where = found.where;
  out.method = found.method;
  out.tasks = found.tasks;
  takt::detail::copy_decisions(own, out.plan);
  out.plan.feasible = out.schedulable();
}

/// Asks the known method first, then combiners under the very plan that it judged. They may add guards nowhere: what a
/// method knows is simulated and run without.
template <class M, class P, class T, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto judge_either_way(const P& platform, const T& tasks, const plan<N, V>& p,
                                              model_error& error) {
  auto out = judge_by<M>(platform, tasks, p, error);
  if (error.fault == model_fault::deadline_exceeds_period) {
    judge_late_deadlines(platform, tasks, p, error, out);
    return out;
  }
  if constexpr (is_exact<M>) { return out; }
  if (error) { return out; }
  plan<tasks_of<T>, visits_of<T>> own;
  takt::detail::copy_decisions(out.plan, own);
  const auto flat = flatten(platform, tasks, own);
  if (flat.error) { return out; }
  const bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
  const asked<std::remove_const_t<decltype(stations)>> all{stations};
  const asked_stations& questions = all;
  auto other = holistic(flat.table, questions);
  const bool misses = out.status == verdict_status::unschedulable;
  if (!out.schedulable() && !other.schedulable() && !misses) { other = inflated(flat.table, questions); }
  if (misses || !other.schedulable()) {
    add_closed_part(flat.table, questions, out);
    return out;
  }
  if (!out.schedulable()) {
    out.status = verdict_status::schedulable;
    out.why = obstacle::none;
    out.where = no_index;
    out.method = other.method;
    out.tasks = other.tasks;
    out.plan.feasible = true;
  }
  take_lesser_bounds(out, other, name_beside_holistic<M>::value);
  return out;
}

/// Asks a method of chains or of sets, be it alone or beside the combiners.
template <class M>
struct known_judge<M, void> {
  template <class P, class T, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto judge(const P& platform, const T& tasks, const plan<N, V>& p,
                                            model_error& error) {
    return judge_by<M>(platform, tasks, p, error);
  }
  template <class P, class T, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto either_way(const P& platform, const T& tasks, const plan<N, V>& p,
                                                 model_error& error) {
    return judge_either_way<M>(platform, tasks, p, error);
  }
};

}  // namespace detail

/// Returns what a verdict of a method that is known for a board follows from, where the method tells.
template <class Methods, class P, class T, std::size_t N, std::size_t V, class... Options>
  requires SetMethod<method_of<P, Methods>, T>
[[nodiscard]] constexpr auto evidence_of(const P& platform, const T& tasks, const plan<N, V>& p,
                                         const Options&... options) {
  return method_of<P, Methods>{}.evidence(platform, tasks, p, options...);
}

/// Says what one method alone proves under a plan: the first of a list that is about the board. It is asked in one of
/// its readings if it has several, such as a variant of RTGPU. Error: as `analyze`.
template <class Methods, class P, class T, std::size_t N, std::size_t V, class... Options>
  requires takt::detail::KnownAsAWhole<P, T, Methods>
[[nodiscard]] constexpr auto analyze_by(const P& platform, const T& tasks, const plan<N, V>& p,
                                        const Options&... options) {
  takt::detail::refusal refused{detail::check_question<P, T, Methods>::passed};
  return detail::judge_by<method_of<P, Methods>>(platform, tasks, p, refused.error, options...);
}

}  // namespace takt::inline TAKT_ABI::analysis
