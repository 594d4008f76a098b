// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what a pool of tokens is told of the board.
struct token_setting {
  std::int32_t tokens = 1;
  std::int32_t processors = 1;  ///< units of all stations where jobs have one priority each and are preempted
};

/// A section as the bound of its tokens sees it. Jobs of one task do not overlap.
struct section_demand {
  std::uint32_t task = 0;
  visit_mask visits = 0;
  visit_mask before = 0;               ///< visits of the task that precede the section
  std::uint32_t assigned_station = 0;  ///< the station that the job's priority is of
  priority_point point{};              ///< of a job whose nominal release is 0
  bool fixed = false;                  ///< all jobs of the task have this point
  ticks length = 0;                    ///< from the grant to the release of the token
  ticks period = 0;
  ticks earliest = 0;  ///< least time from the nominal release to the request
  ticks end = 0;       ///< longest time from the nominal release to the release of the token
  ticks limit = 0;     ///< a longer wait proves nothing
  ticks wait = 0;      ///< in: a lower bound of the answer; out: longest wait for a token, or unbounded
};

/// Returns whether a path joins two sections of one task, so that no job asks for both at a time, or they are the same.
[[nodiscard]] constexpr auto ordered(const section_demand& a, const section_demand& b) noexcept -> bool {
  return a.task == b.task &&
         (a.visits == b.visits || (a.before & b.visits) == b.visits || (b.before & a.visits) == a.visits);
}

/// Holds for a rule that says which sections get the tokens of a pool: a lock for so many of them, whose clients are
/// sections.
/// A user's own type is one. Optional:
/// - `inherits`: a holder is served at least at the priority of all clients whose `inheritor` it is, where jobs have
/// one
///   priority each.
/// - `donates`: the processors run `priority_donation`, and a job asks only while it may.
/// - `local`: sections are time on one processor, and a job asks when it would run there. With it `raises_to_ceiling`:
///   a holder is served at least at the best priority of all who use the tokens. See rules/local_sections.hpp.
/// - Bounds, see `BoundsDelays` and `BoundsBlocking`.
template <class R>
concept TokenRule = requires(const R rule, const token_setting& at) {
  { R::name } -> std::convertible_to<std::string_view>;
  { rule.template make_lock<8>(at) } -> LockingProtocol;
};

/// Contract: longest wait of each request in wall-clock time, from the lengths of all sections in wall-clock time.
template <class Rule>
concept BoundsDelays = requires(const Rule& rule, std::span<section_demand> sections, const token_setting& at) {
  { rule.delays(sections, at) } -> std::same_as<void>;
};

namespace detail {

/// Contract: longest wait of each request in suspension-oblivious terms: while the job is among the best pending ones
/// of its assigned station, as many as that has processors. In lengths, visits at the assigned station count their own
/// time only. The answer is what every job pays besides, also one that never asks, or `unbounded_response`.
/// `processors` is the number of processors at the assigned stations of all sections.
template <class Rule>
concept BoundsBlocking =
    requires(const Rule& rule, std::span<section_demand> sections, const token_setting& at, std::int32_t processors) {
      { rule.blocks(sections, at, processors) } -> std::same_as<ticks>;
    };

/// Makes a lock for as many tokens as its clients can ask for.
template <std::size_t Clients, class Rule>
[[nodiscard]] constexpr auto make_token_lock(const Rule& rule, token_setting at) {
  constexpr auto most = static_cast<std::int32_t>(Clients);
  if (at.tokens > most) { at.tokens = most; }
  if (at.processors < 1) { at.processors = 1; }
  return rule.template make_lock<Clients>(at);
}
/// Returns whether locks of a rule have a replica for each of so many tokens. Pre: tokens >= 1.
template <std::size_t Clients = 8, class Rule>
[[nodiscard]] constexpr auto locks_all(const Rule& rule, std::int32_t tokens) -> bool {
  TAKT_EXPECTS(tokens >= 1);
  constexpr auto most = static_cast<std::int32_t>(Clients);
  return make_token_lock<Clients>(rule, {.tokens = tokens}).replicas() == (tokens < most ? tokens : most);
}

template <class Rule>
[[nodiscard]] constexpr auto token_inherits() noexcept -> bool {
  if constexpr (requires { Rule::inherits; }) { return Rule::inherits; }
  return false;
}
template <class Rule>
[[nodiscard]] constexpr auto token_donates() noexcept -> bool {
  if constexpr (requires { Rule::donates; }) { return Rule::donates; }
  return false;
}
template <class Rule>
[[nodiscard]] constexpr auto token_is_local() noexcept -> bool {
  if constexpr (requires { Rule::local; }) { return Rule::local; }
  return false;
}
template <class Rule>
[[nodiscard]] constexpr auto token_has_ceiling() noexcept -> bool {
  if constexpr (requires { Rule::raises_to_ceiling; }) { return Rule::raises_to_ceiling; }
  return false;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI
