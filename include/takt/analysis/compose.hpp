// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/board_bounds.hpp>
#include <takt/analysis/board_misses.hpp>
#include <takt/analysis/combiners/asked_stations.hpp>
#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/hyperperiod.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/analysis/combiners/spinning.hpp>
#include <takt/analysis/known_method.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/task_homes.hpp>
#include <takt/rules/task_places.hpp>
#include <takt/rules/token_rule.hpp>

namespace takt::inline TAKT_ABI {

namespace analysis {

namespace detail {

/// Stations that a method may ask about in its declaration.
struct probe_stations {
  [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return 0; }
  [[nodiscard]] constexpr auto operator[](std::size_t /*s*/) const noexcept -> board_station { return {}; }
};

}  // namespace detail

/// A method of a whole board: `responds(table, stations, bounds)` writes the longest time from the nominal release of
/// each task to its end where it knows one, and leaves what it does not. `table` is a `visit_table`, `stations[s]` says
/// to which pool a station belongs and which of its units it has. All bounds may presume that no job of the set misses
/// its deadline: they count only if all tasks have one that is not above it.
template <class M>
concept BoardMethod =
    requires(const M& m, const visit_table<1, 1>& table, const detail::probe_stations& stations, std::span<ticks> b) {
      { M::name } -> std::convertible_to<std::string_view>;
      m.responds(table, stations, b);
    };

namespace detail {

/// A board with a method of its own needs no bounds of its pools.
template <class P>
using check_bounds =
    typename std::conditional_t<BoardMethod<method_of<P>>, std::type_identity<takt::detail::no_board_fault>,
                                bounds_fault<P>>::type;
template <class P>
using check_board_method =
    method_is_usable<method_of<P>,
                     std::same_as<method_of<P>, no_known_method> || ChainMethod<method_of<P>> ||
                         JudgesSets<method_of<P>> ||
                         (BoardMethod<method_of<P>> && takt::detail::has_pool_rules<P> && !KnownComposition<P>)>;

/// Of two verdicts on one system that are both proofs, the lesser bound of each task, under its name.
template <class Verdict, class Other>
constexpr void take_lesser_bounds(Verdict& out, const Other& other, std::string_view both) {
  const std::string_view first = out.method;
  bool some_stay = false;
  bool some_go = false;
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    const bool goes = !t.bound.exists || other.tasks[i].bound.value < t.bound.value;
    if (goes) { t.bound = other.tasks[i].bound; }
    t.blocking = goes ? other.tasks[i].blocking : t.blocking;
    t.method = goes ? other.method : first;
    some_stay = some_stay || !goes;
    some_go = some_go || goes;
  }
  if (some_go) { out.method = some_stay ? both : other.method; }
}

inline constexpr std::string_view holistic_name = "holistic";

/// "rtgpu-best, holistic".
template <class Method>
struct name_beside_holistic {
  static constexpr std::string_view first = Method::name;
  static constexpr std::string_view between = ", ";
  static constexpr std::size_t size = first.size() + between.size() + holistic_name.size();
  struct text {
    char at[size]{};
  };
  static constexpr auto join() -> text {
    text out;
    std::size_t n = 0;
    for (const auto part : {first, between, holistic_name}) {
      for (const char c : part) { out.at[n++] = c; }
    }
    return out;
  }
  static constexpr text joined = join();
  static constexpr std::string_view value{joined.at, size};
};

/// Returns what the method of a board says of its tasks, as far as it is a proof of all.
template <class Method, std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto judge_board(const Method& method, const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  auto out = open_verdict(table, stations, Method::name);
  if (out.error) { return out; }
  ticks bounds[N]{};
  for (ticks& b : bounds) { b = unbounded_response; }
  method.responds(table, stations, std::span<ticks>{bounds, table.size()});
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    if (bounds[i] > table.tasks[i].deadline) {
      out.why = obstacle::deadline;
      out.where = i;
      return out;
    }
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    out.tasks[i].bound = {bounds[i], true};
    out.tasks[i].meets = true;
  }
  out.status = verdict_status::schedulable;
  return out;
}

/// Adds to a verdict without a proof the holistic bounds of what nothing unproven can delay.
template <std::size_t N, std::size_t V, class Verdict>
constexpr void add_closed_part(const visit_table<N, V>& table, const asked_stations& stations, Verdict& out) {
  const delay_relation<N, V> reach{table, stations};
  bound_closed_part(
      table, reach, [&](const visit_table<N, V>& part) { return holistic(part, stations); }, closed_holistic, out);
}

/// The best of all that apply: where the method of the board and the holistic combiner both prove the set, the lesser
/// bounds, else the first proof. Without one, what the holistic combiner says, with bounds where they do not rest on
/// what it does not prove. Strictly periodic tasks that a run decides need no other test. Guards make another system,
/// so they come where nothing else is a proof and `may_guard` says so, and their bounds stand alone.
template <class Method, std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto best_of(const Method& method, const visit_table<N, V>& table, const Stations& stations,
                                     bool may_guard) -> verdict<ticks, N, V> {
  const asked<Stations> all{stations};
  const asked_stations& questions = all;
  verdict<ticks, N, V> exact;
  if (decide_by_hyperperiod(table, questions, exact)) { return exact; }
  auto first = holistic(table, questions);
  if (first.error) { return first; }
  if constexpr (BoardMethod<Method>) {
    auto own = judge_board(method, table, stations);
    if (own.schedulable()) {
      if (first.schedulable()) {
        take_lesser_bounds(own, first, name_beside_holistic<Method>::value);
        own.visits = first.visits;
      }
      return own;
    }
  }
  if (first.schedulable()) { return first; }
  if (may_guard) {
    const auto second = guarded(table, questions);
    if (second.schedulable()) { return second; }
  }
  const auto third = inflated(table, questions);
  if (third.schedulable()) { return third; }
  add_closed_part(table, questions, first);
  return first;
}

/// Of jobs that keep their processors.
template <std::size_t N, std::size_t V, class Stations>
[[nodiscard]] constexpr auto judge_spinning(const visit_table<N, V>& table, const Stations& stations)
    -> verdict<ticks, N, V> {
  const asked<Stations> all{stations};
  const asked_stations& questions = all;
  verdict<ticks, N, V> exact;
  if (decide_by_hyperperiod(table, questions, exact)) { return exact; }
  auto out = spinning(table, questions);
  if (out.error || out.schedulable()) { return out; }
  const delay_relation<N, V> reach{table, questions};
  bound_closed_part(
      table, reach, [&](const visit_table<N, V>& part) { return spinning(part, questions); }, closed_spinning, out);
  return out;
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
  const asked<Stations> all{stations};
  const asked_stations& questions = all;
  auto out = open_verdict(table, questions, "guarded");
  guard_shortage<V> missing;
  if (guards_hold(table, questions, guards, missing)) { return guarded_verdict(table, guards); }
  out.why = missing.why;
  return out;
}

}  // namespace detail
}  // namespace analysis

/// Holds where the overloads below apply, more narrowly than those that only say what to include.
template <class P, class T>
concept ProvenFromPools = BoardOfPools<P, T> && std::is_class_v<P>;
/// Boards whose known method is about what the rules of their pools make of them, all of which have bounds.
template <class P>
concept KnownFromPools = analysis::detail::follows_pools<analysis::method_of<P>> && detail::has_pool_rules<P> &&
                         analysis::detail::has_bounds<P>;
/// Chains on such a board.
template <class P, class T>
concept ProvenEitherWay = ChainsAsAWhole<P, T> && analysis::HasChainMethod<P> && KnownFromPools<P> && VisitSource<T>;
/// Tasks in another spelling there.
template <class P, class T>
concept SetProvenEitherWay = JudgedAsASet<P, T> && KnownFromPools<P>;

namespace analysis::detail {

template <class P, class T, std::size_t N, std::size_t W>
[[nodiscard]] constexpr auto judge_pools(const P& board, const T& tasks, const plan<N, W>& p, model_error& error)
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  plan<tasks_of<T>, visits_of<T>> own;
  takt::detail::copy_decisions(p, own);
  const auto pools = takt::detail::outlines_of(board);
  takt::detail::place_tasks({pools.data(), pools.size()}, tasks, own.cores);
  const auto flat = takt::detail::board_flattener<P, tasks_of<T>, visits_of<T>>{board, own}.run(tasks);
  verdict<ticks, tasks_of<T>, visits_of<T>> out;
  error = flat.error;
  if (!error) { error = takt::detail::composed_plan_fault(board, flat.table, own); }
  if (error) {
    out.refuse(error);
    return out;
  }
  takt::detail::state_order(board, flat.table, own);
  const bounded_stations<std::remove_cvref_t<decltype(flat.stations)>> stations{flat.stations};
  if (takt::detail::keeps_processors(board)) {
    if (!own.offsets.empty()) {
      error = {.fault = model_fault::plan_part_unused};
      out.refuse(error);
      return out;
    }
    out = judge_spinning(flat.table, stations);
  } else {
    out = own.offsets.empty() ? best_of(method_for<P>, flat.table, stations, p.may_guard)
                              : judge_guards(flat.table, stations, own);
  }
  own.offsets = out.plan.offsets;
  own.local_deadlines = out.plan.local_deadlines;
  out.plan = own;
  out.plan.feasible = out.schedulable();
  return out;
}

/// Tasks where a plan that a method judged has moved them, as far as the plan does not say it to the pools.
template <class Method, class T, class Plan>
[[nodiscard]] constexpr auto placed_by(const T& tasks, const Plan& judged) {
  if constexpr (requires { Method::placed(tasks, judged); }) {
    return Method::placed(tasks, judged);
  } else {
    return tasks;
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
  const auto flat = takt::detail::board_flattener<P, tasks_of<T>, visits_of<T>>{platform, own}.run(tasks);
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

/// The known method first; combiners under the very plan that it judged. They may add guards nowhere: what a method
/// knows is simulated and run without.
template <class P, class T, std::size_t N, std::size_t V>
[[nodiscard]] constexpr auto judge_either_way(const P& platform, const T& tasks, const plan<N, V>& p,
                                              model_error& error) {
  auto out = judge_known(platform, tasks, p, error);
  if (error.fault == model_fault::deadline_exceeds_period) {
    judge_late_deadlines(platform, tasks, p, error, out);
    return out;
  }
  if constexpr (is_exact<method_of<P>>) { return out; }
  if (error) { return out; }
  const auto placed = placed_by<method_of<P>>(tasks, out.plan);
  using source = std::remove_cvref_t<decltype(placed)>;
  plan<tasks_of<source>, visits_of<source>> own;
  takt::detail::copy_decisions(out.plan, own);
  const auto flat = takt::detail::board_flattener<P, tasks_of<source>, visits_of<source>>{platform, own}.run(placed);
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
    out.where = nowhere;
    out.method = other.method;
    out.tasks = other.tasks;
    out.plan.feasible = true;
  }
  take_lesser_bounds(out, other, name_beside_holistic<method_of<P>>::value);
  return out;
}

}  // namespace analysis::detail

/// Proves, or fails to prove, that every task meets its deadline, from the rules of the pools one by one: by the
/// method that is registered for the board, if there is one, and by the holistic combiner, else by guards that are
/// looked for where the plan's `may_guard` says so, else with suspensions as execution; `method` says which, and so
/// does the row of a task where bounds of two methods stand side by side. A plan with offsets and local deadlines is
/// judged as it is. `schedulable` is a proof, `unschedulable` is one that some legal run misses a deadline under every
/// plan, `not_proven` is none.
///
/// The verdict's plan holds all that the proof rests on; simulate and run with it. Error: `invalid_model`; in a
/// constant expression it stops compilation. Cost: see the combiners.
template <class P, class T, std::size_t N, std::size_t W>
  requires ProvenFromPools<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto analyze(
    const P& board, const T& tasks, const plan<N, W>& p,
    detail::refusal&& refused = detail::refusal{analysis::detail::check_board_method<P>::passed &&
                                                detail::check_board<P, T>::passed &&
                                                analysis::detail::check_bounds<P>::passed})
    -> verdict<ticks, tasks_of<T>, visits_of<T>> {
  return analysis::with_proven_misses(board, tasks, analysis::detail::judge_pools(board, tasks, p, refused.error));
}

/// Analyzes chains that a method is known for: it comes first, and combiners may prove what it does not, or bound a
/// task more sharply where both have proven the set.
template <class P, class T, std::size_t N>
  requires ProvenEitherWay<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N>& p,
                                                                 detail::refusal&& refused = detail::refusal{
                                                                     detail::check_chains<T>::passed}) {
  return analysis::with_proven_misses(platform, tasks,
                                      analysis::detail::judge_either_way(platform, tasks, p, refused.error));
}

/// Analyzes sets in a spelling of their own.
template <class P, class T, std::size_t N, std::size_t V>
  requires SetProvenEitherWay<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto analyze(const P& platform, const T& tasks, const plan<N, V>& p,
                                                                 detail::refusal&& refused = detail::refusal{}) {
  return analysis::with_proven_misses(platform, tasks,
                                      analysis::detail::judge_either_way(platform, tasks, p, refused.error));
}
template <class P, class T>
  requires SetProvenEitherWay<P, T>
[[nodiscard]] [[gnu::abi_tag("compose")]] constexpr auto analyze(const P& platform, const T& tasks,
                                                                 detail::refusal&& refused = detail::refusal{}) {
  return analysis::with_proven_misses(platform, tasks,
                                      analysis::detail::judge_either_way(platform, tasks, plan<1, 1>{}, refused.error));
}

}  // namespace takt::inline TAKT_ABI
