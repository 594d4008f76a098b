// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <takt/analysis/board_bounds.hpp>
#include <takt/analysis/board_misses.hpp>
#include <takt/analysis/combiners/asked_stations.hpp>
#include <takt/analysis/combiners/closed_part.hpp>
#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/hyperperiod.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/analysis/combiners/spinning.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/assigned_stations.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/bound_parts.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/compositions.hpp>
#include <takt/rules/flatten.hpp>
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
/// its deadline: they count only if all tasks have one that is not above it. `explains(table, bounds, task, parts)`, if
/// there is one, adds what the bound of a task consists of.
template <class M>
concept BoardMethod =
    requires(const M& m, const visit_table<1, 1>& table, const detail::probe_stations& stations, std::span<ticks> b) {
      { M::name } -> std::convertible_to<std::string_view>;
      m.responds(table, stations, b);
    };

namespace detail {

/// Takes the lesser bound of each task, under its name, of two verdicts on one system that are both proofs.
template <class Verdict, class Other>
constexpr void take_lesser_bounds(Verdict& out, const Other& other, std::string_view both) {
  const std::string_view first = out.method;
  bool some_stay = false;
  bool some_go = false;
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    auto& t = out.tasks[i];
    const bool goes = !t.bound.exists || other.tasks[i].bound.value < t.bound.value;
    if (goes) {
      t.bound = other.tasks[i].bound;
      t.parts = other.tasks[i].parts;
    }
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
    auto& t = out.tasks[i];
    t.bound = {bounds[i], true};
    t.meets = true;
    if constexpr (requires { method.explains(table, std::span<const ticks>{}, i, t.parts); }) {
      method.explains(table, std::span<const ticks>{bounds, table.size()}, i, t.parts);
    }
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

/// Returns the best of all that apply: where the method of the board and the holistic combiner both prove the set, the
/// lesser bounds, else the first proof. Without one, what the holistic combiner says, with bounds where they do not
/// rest on what it does not prove. Strictly periodic tasks that a run decides need no other test. Guards make another
/// system, so they come where nothing else is a proof and `may_guard` says so, and their bounds stand alone.
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

/// Judges jobs that keep their processors.
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

/// Returns a verdict about guards that a plan brings.
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

/// Says in which pool the visits are that bounds consist of.
template <std::size_t N, std::size_t V, class Stations, class Verdict>
constexpr void name_pools(const visit_table<N, V>& table, const Stations& stations, Verdict& out) {
  for (std::size_t i = 0; i < out.tasks.size(); ++i) {
    for (auto& part : out.tasks[i].parts) {
      if (part.position >= table.tasks[i].visit_count) { continue; }
      const std::uint32_t pool = stations[table.visit(i, part.position).station].pool;
      part.pool = pool < takt::detail::unknown_pool ? static_cast<std::uint8_t>(pool) : takt::detail::unknown_pool;
    }
  }
}

/// Judges tasks from the rules of the pools, with a method of the board beside the combiners if it is a `BoardMethod`.
template <class Method, class P, class T, std::size_t N, std::size_t W>
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
    out = own.offsets.empty() ? best_of(Method{}, flat.table, stations, p.may_guard)
                              : judge_guards(flat.table, stations, own);
  }
  name_pools(flat.table, stations, out);
  own.offsets = out.plan.offsets;
  own.local_deadlines = out.plan.local_deadlines;
  out.plan = own;
  out.plan.feasible = out.schedulable();
  return out;
}

}  // namespace detail
}  // namespace analysis

}  // namespace takt::inline TAKT_ABI
