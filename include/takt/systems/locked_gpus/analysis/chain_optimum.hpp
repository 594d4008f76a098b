// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/core/exact.hpp>
#include <takt/systems/locked_gpus/analysis/blocking_chains.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

namespace detail {

/// Holds a number for each kind of copy.
template <class T>
struct per_copy {
  T out{};
  T in{};
  T peer{};
};

}  // namespace detail

template <class Number>
struct chain_blocking {
  Number time{};
  /// It is false where the program is too large to be solved in place: `time` is above the optimum then, and so still a
  /// bound.
  bool exact = true;
  bool overflow = false;
};

namespace detail {

/// Bounds the states of the exact solution that are kept: (peer copies + 1) * (copies out + 1).
inline constexpr std::size_t chain_states = 8192;

/// Finds chains that no other one of the same number of peer copies contains.
constexpr auto largest_chains(const chain_set& set, const per_copy<std::int64_t>& limits,
                              inline_vector<blocking_chain, 512>& out) noexcept -> bool {
  out.clear();
  const auto limit = [](std::int32_t most, std::int64_t given) {
    return given < most ? static_cast<std::int32_t>(given) : most;
  };
  const std::int32_t peers = limit(set.most_peer(), limits.peer);
  const std::int32_t outs = limit(set.most_out(), limits.out);
  for (std::int32_t m = 0; m <= peers; ++m) {
    for (std::int32_t o = 0; o <= outs; ++o) {
      const std::int32_t in = limit(set.most_in(m, o), limits.in);
      const bool contained = o < outs && limit(set.most_in(m, o + 1), limits.in) >= in;
      if (in >= 0 && !contained && !out.try_push_back({o, in, m})) { return false; }
    }
  }
  return true;
}

/// Holds the most copies in, for each number of peer copies and of copies out up to the limits, row by row; -1 where
/// there is none.
constexpr void combine_chains(const inline_vector<blocking_chain, 512> (&largest)[3], const std::int64_t (&steps)[3],
                              const per_copy<std::int64_t>& limits, std::array<std::int32_t, chain_states>& most_in) {
  const auto at = [&](std::int64_t m, std::int64_t o) { return static_cast<std::size_t>(m * (limits.out + 1) + o); };
  const auto in_limit = static_cast<std::int32_t>(limits.in < INT32_MAX ? limits.in : INT32_MAX);
  for (std::size_t state = 0; state <= at(limits.peer, limits.out); ++state) { most_in[state] = state == 0 ? 0 : -1; }
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::int64_t step = 0; step < steps[r]; ++step) {
      bool grown = false;
      for (std::int64_t m = limits.peer; m >= 0; --m) {
        for (std::int64_t o = limits.out; o >= 0; --o) {
          std::int32_t best = most_in[at(m, o)];
          for (std::size_t i = 0; i < largest[r].size() && largest[r][i].peer <= m; ++i) {
            const blocking_chain& c = largest[r][i];
            const std::int32_t before = most_in[at(m - c.peer, o > c.out ? o - c.out : 0)];
            if (before >= 0 && best < before + c.in) { best = before + c.in; }
          }
          best = best < in_limit ? best : in_limit;
          grown = grown || best != most_in[at(m, o)];
          most_in[at(m, o)] = best;
        }
      }
      if (!grown) { break; }
    }
  }
}

template <ExactNumber Number>
[[nodiscard]] constexpr auto time_of(const per_copy<Number>& lengths, const per_copy<std::int64_t>& counts, Number& out)
    -> bool {
  analysis::detail::blocking_sum<Number> sum;
  sum.add(counts.out, lengths.out);
  sum.add(counts.in, lengths.in);
  sum.add(counts.peer, lengths.peer);
  out = sum.total().time;
  return sum.bounded();
}

/// Returns the most that chains before the copies of a job can take: `own` chains of each root (a job's copies out, in,
/// and migrations), which together have at most `limits` copies of each kind. It is the integer program of Elliott
/// 2015, equations 4.20 to 4.29, with the right sides of 4.27 and 4.28 exchanged. The totals alone solve it, since all
/// that is asked of (copies out, copies in) is closed downwards. Taking the longest chain first is no bound. Cost: none
/// but the chains where the limits do not bind; else own copies * chains * (peer copies * copies out).
template <ExactNumber Number>
[[nodiscard]] constexpr auto chain_optimum(const blocking_chain_table& chains, const per_copy<std::int64_t>& own,
                                           const per_copy<std::int64_t>& limits, const per_copy<Number>& lengths)
    -> chain_blocking<Number> {
  using counts = per_copy<std::int64_t>;
  constexpr chain_root roots[3] = {chain_root::out, chain_root::in, chain_root::migration};
  const std::int64_t steps[3] = {own.out, own.in, own.peer};
  inline_vector<blocking_chain, 512> largest[3];
  counts total{};
  counts reach{};
  bool listed = true;
  for (std::size_t r = 0; r < 3; ++r) {
    if (steps[r] == 0) { continue; }
    listed = listed && detail::largest_chains(chains.of(roots[r]), limits, largest[r]);
    blocking_chain best{};
    blocking_chain most{};
    Number dearest(0);
    for (const blocking_chain& c : largest[r]) {
      Number time{};
      if (!detail::time_of(lengths, counts{c.out, c.in, c.peer}, time)) { return {Number(0), false, true}; }
      if (dearest < time) {
        dearest = time;
        best = c;
      }
      most.out = most.out < c.out ? c.out : most.out;
      most.peer = most.peer < c.peer ? c.peer : most.peer;
    }
    total = {total.out + steps[r] * best.out, total.in + steps[r] * best.in, total.peer + steps[r] * best.peer};
    reach.out += steps[r] * most.out;
    reach.peer += steps[r] * most.peer;
  }
  chain_blocking<Number> answer{};
  if (!detail::time_of(lengths, total, answer.time)) { return {Number(0), false, true}; }
  if (total.out <= limits.out && total.in <= limits.in && total.peer <= limits.peer) { return answer; }

  const std::int64_t peers = reach.peer < limits.peer ? reach.peer : limits.peer;
  const std::int64_t outs = reach.out < limits.out ? reach.out : limits.out;
  const auto states = static_cast<std::int64_t>(detail::chain_states);
  if (!listed || peers >= states || outs >= states || (peers + 1) * (outs + 1) > states) {
    Number all{};
    if (detail::time_of(lengths, limits, all) && all < answer.time) { answer.time = all; }
    answer.exact = false;
    return answer;
  }

  std::array<std::int32_t, detail::chain_states> most_in{};
  detail::combine_chains(largest, steps, {outs, limits.in, peers}, most_in);
  answer.time = Number(0);
  for (std::int64_t m = 0; m <= peers; ++m) {
    for (std::int64_t o = 0; o <= outs; ++o) {
      const std::int32_t in = most_in[static_cast<std::size_t>(m * (outs + 1) + o)];
      Number time{};
      if (in < 0) { continue; }
      if (!detail::time_of(lengths, counts{o, in, m}, time)) { return {Number(0), false, true}; }
      if (answer.time < time) { answer.time = time; }
    }
  }
  return answer;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
