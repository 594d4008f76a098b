// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI {

/// Says how a plan is looked for. All but `spread` look for the first proof, which leaves what is not needed.
/// `exhaustive`, `exact` and `greedy` visit shares in the same order, priority order of tasks and smallest share first,
/// so they agree on which feasible plan comes first.
enum class search_method : std::uint8_t {
  exhaustive,        ///< every plan, judged as a whole
  exact,             ///< depth first in priority order, cut at the first failing task; as exact as exhaustive
  greedy,            ///< the least passing share of each task in turn, never taken back
  branch_and_bound,  ///< greedy first, then sets of plans, cut where relaxed bounds refute a set; as exact as
                     ///< exhaustive
  spread,            ///< branch and bound, and then what is left goes where it raises the least slack
};

[[nodiscard]] constexpr auto last_of(search_method) noexcept -> search_method { return search_method::spread; }

inline constexpr auto exhaustive_search = search_method::exhaustive;
inline constexpr auto exact_search = search_method::exact;
inline constexpr auto greedy_search = search_method::greedy;
inline constexpr auto branch_and_bound_search = search_method::branch_and_bound;
inline constexpr auto spread_search = search_method::spread;
inline constexpr auto default_search = branch_and_bound_search;

[[nodiscard]] constexpr auto name_of(search_method m) noexcept -> std::string_view {
  switch (m) {
    case search_method::exhaustive: return "exhaustive";
    case search_method::exact: return "exact";
    case search_method::greedy: return "greedy";
    case search_method::branch_and_bound: return "branch-and-bound";
    case search_method::spread: return "spread";
  }
  return "";
}

inline constexpr std::uint64_t unlimited_evaluations = ~std::uint64_t{0};
/// Enough for nearly every set of twenty tasks, and some hundredths of a second.
inline constexpr std::uint64_t default_evaluations = 2'000;

/// The plan that a search found, or when it found none an even split to look at, with `feasible` false.
template <std::size_t MaxTasks>
using allocation = plan<MaxTasks>;

}  // namespace takt::inline TAKT_ABI
