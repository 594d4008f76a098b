// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/inline_vector.hpp>
#include <takt/core/random.hpp>

namespace takt::inline TAKT_ABI {

/// Values of the first decisions, one by one.
template <std::size_t N>
using decisions = inline_vector<std::uint32_t, N>;

/// A score, or that what was asked for is not reached.
struct reached_score {
  bool reached = false;
  std::int64_t value = 0;
};

/// `size()` decisions, of which the i-th has `values(i)` values, at least one.
///
/// - `promising(some, least)`: false only if everything that begins with these decisions scores less than `least`, or
///   as much as something that comes earlier in the order of the values.
/// - `reach(all, least)`: the score of all decisions, if it is at least so. The same decisions have one score.
/// - `least_valid()`: what scores less is no solution.
/// - Optional, `earliest(all)`: the first decisions, in the order of the values, that mean the same as these.
template <class P>
concept DecisionProblem = requires(P& p, const decisions<P::max_decisions>& some, std::size_t i, std::int64_t least) {
  { P::max_decisions } -> std::convertible_to<std::size_t>;
  { p.size() } -> std::convertible_to<std::size_t>;
  { p.values(i) } -> std::same_as<std::uint32_t>;
  { p.promising(some, least) } -> std::same_as<bool>;
  { p.reach(some, least) } -> std::same_as<reached_score>;
  { p.least_valid() } -> std::same_as<std::int64_t>;
};

/// Says where a search is, and what it has found: all that it takes to go on later, as plain values.
template <std::size_t N>
struct search_progress {
  std::uint64_t evaluations = 0;  ///< calls of `reach`
  bool found = false;
  decisions<N> best{};  ///< the first of those with the best score
  std::int64_t score = 0;
  std::int64_t nearest = 0;  ///< the largest score that `climb` has met, a solution's or not; 0: none
  decisions<N> closest{};    ///< the first with that score

  bool complete = false;  ///< nothing is better than `best`; where nothing was found, there is no solution
  decisions<N> at{};      ///< what `search_all` looks at next

  std::uint64_t steps = 0;  ///< of `climb`
  std::uint64_t stale = 0;  ///< those since `current` became better
  bool climbing = false;
  decisions<N> current{};
  std::int64_t height = 0;  ///< the score of `current`

  [[nodiscard]] friend constexpr auto operator==(const search_progress&, const search_progress&) noexcept
      -> bool = default;
};

namespace detail {

template <DecisionProblem P>
[[nodiscard]] constexpr auto score_to_beat(P& p, const search_progress<P::max_decisions>& s) -> std::int64_t {
  return s.found ? s.score + 1 : p.least_valid();
}

template <DecisionProblem P>
[[nodiscard]] constexpr auto earliest_of(P& p, const decisions<P::max_decisions>& all) -> decisions<P::max_decisions> {
  if constexpr (requires { p.earliest(all); }) { return p.earliest(all); }
  return all;
}

/// Moves to the next decisions that do not begin with those of `at`.
template <DecisionProblem P>
constexpr void leave(P& p, search_progress<P::max_decisions>& s) {
  while (!s.at.empty()) {
    const std::uint32_t next = s.at.back() + 1;
    s.at.pop_back();
    if (next >= p.values(s.at.size())) { continue; }
    // Bound: in place of the one that was taken back.
    s.at.unchecked_push_back(next);
    return;
  }
  s.complete = true;
}

template <DecisionProblem P>
constexpr void keep_if_better(P& p, const decisions<P::max_decisions>& all, std::int64_t score,
                              search_progress<P::max_decisions>& s) {
  if (score < score_to_beat(p, s)) { return; }
  s.found = true;
  s.best = all;
  s.score = score;
}

/// Numbers of one step, which need no state of their own.
[[nodiscard]] constexpr auto draws_of(std::uint64_t seed, std::uint64_t step) noexcept -> random_stream {
  random_stream mixed{seed};
  return random_stream{mixed.next() ^ (step * 0x9E37'79B9'7F4A'7C15U)};
}

template <DecisionProblem P>
[[nodiscard]] constexpr auto drawn_value(P& p, std::size_t i, random_stream& draws) -> std::uint32_t {
  return static_cast<std::uint32_t>(draws.below(static_cast<ticks>(p.values(i))));
}

/// Returns the decisions with one or two changed, or two exchanged; unchanged where there is nothing to change.
template <DecisionProblem P>
[[nodiscard]] constexpr auto neighbour(P& p, const decisions<P::max_decisions>& of, random_stream& draws)
    -> decisions<P::max_decisions> {
  auto out = of;
  const auto n = static_cast<ticks>(of.size());
  if (n == 0) { return out; }
  const auto first = static_cast<std::size_t>(draws.below(n));
  const auto second = static_cast<std::size_t>(draws.below(n));
  if (draws.chance(1, 3) && out[first] < p.values(second) && out[second] < p.values(first)) {
    out[first] = of[second];
    out[second] = of[first];
    return out;
  }
  out[first] = drawn_value(p, first, draws);
  if (draws.chance(1, 4)) { out[second] = drawn_value(p, second, draws); }
  return out;
}

}  // namespace detail

/// Searches all decisions by branch and bound, in the order of their values. It finds the optimum, or that there is
/// none, unless `stop(progress)`, asked before each step, ends it first. Goes on where `s` stands; a solution in it is
/// one to beat. Cost: at most the product of the numbers of values.
template <DecisionProblem P, class Stop>
constexpr void search_all(P& p, search_progress<P::max_decisions>& s, const Stop& stop) {
  TAKT_EXPECTS(p.size() <= P::max_decisions);
  while (!s.complete && !stop(s)) {
    const std::int64_t least = detail::score_to_beat(p, s);
    bool deeper = false;
    if (p.promising(s.at, least)) {
      if (s.at.size() < p.size()) {
        s.at.unchecked_push_back(0);  // Bound: size() is at most `max_decisions`.
        deeper = true;
      } else {
        ++s.evaluations;
        const reached_score got = p.reach(s.at, least);
        if (got.reached) { detail::keep_if_better(p, s.at, got.value, s); }
      }
    }
    if (!deeper) { detail::leave(p, s); }
  }
}

/// Searches locally: from the first values of all decisions, later from random ones, to neighbours that score as much
/// or more, and anew after a while without a better one. A neighbour that means the same is not asked about. Ends when
/// `stop(progress)` says so. A seed fixes the result, also in parts. It proves nothing of what it has not found.
template <DecisionProblem P, class Stop>
constexpr void climb(P& p, search_progress<P::max_decisions>& s, std::uint64_t seed, const Stop& stop) {
  TAKT_EXPECTS(p.size() <= P::max_decisions);
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
  std::uint64_t patience = 30;
  for (std::size_t i = 0; i < p.size(); ++i) { patience += std::uint64_t{10} * p.values(i); }
  while (!s.complete && !stop(s)) {
    random_stream draws = detail::draws_of(seed, s.steps);
    const bool begins = !s.climbing || s.stale >= patience;
    decisions<P::max_decisions> next = s.current;
    if (begins) {
      next.clear();
      for (std::size_t i = 0; i < p.size(); ++i) {
        // Bound: size() is at most `max_decisions`.
        next.unchecked_push_back(s.climbing ? detail::drawn_value(p, i, draws) : 0);
      }
    } else {
      next = detail::neighbour(p, s.current, draws);
    }
    next = detail::earliest_of(p, next);
    ++s.steps;
    ++s.stale;
    if (!begins && next == s.current) { continue; }
    ++s.evaluations;
    const reached_score got = p.reach(next, begins ? any : s.height);
    if (!got.reached) { continue; }
    if (got.value > s.nearest) {
      s.nearest = got.value;
      s.closest = next;
    }
    if (begins || got.value > s.height) { s.stale = 0; }
    s.climbing = true;
    s.current = next;
    s.height = got.value;
    detail::keep_if_better(p, next, got.value, s);
  }
}

}  // namespace takt::inline TAKT_ABI
