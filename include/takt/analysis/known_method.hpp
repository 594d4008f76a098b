// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Stands where nothing is known of a board as a whole.
struct no_known_method {};

/// Holds what is known of a board as a whole, beyond what the rules of its pools know one by one. The methods of takt
/// are registered here, each beside its analysis; specialise it for a board of one's own, or by a constraint for many:
///
///     template <>
///     inline constexpr my_method takt::analysis::known_method<decltype(board)>{};
///
/// A method has a static `name` and is one of three things.
/// - Of chains in priority order (`ChainMethod`): `analysis<Table>` names a `PriorityAnalysis`, made of a flat table
///   and a platform record, which also serves searches of shares as their test. Optional: `options`, its third argument
///   where `analyze` is given none; `follows_pools`, true where the board is what the rules of its pools make of it, so
///   that bounds of combiners may stand beside its own; `finds_misses`, true where `find_proven_misses` is about it.
/// - Of sets in a spelling of their own (`SetMethod`): `judge(platform, tasks, plan)` returns the verdict, and
///   `judges<T>` says of which tasks. Optional: `options`, a fourth argument; `follows_pools`, with
///   `placed(tasks, plan)`, the tasks as visits where a judged plan has moved them.
/// - Of any board of pools (`BoardMethod`): `responds(table, stations, bounds)`; see there.
///
/// Pre: specialised before the board is analysed for the first time, and the same in all files.
template <class Platform>
inline constexpr no_known_method known_method{};

namespace detail {

/// A board that is declared constexpr has a const type, and one may be specialised for that.
template <class P>
inline constexpr const auto& method_for = known_method<P>;
template <class P>
  requires(!std::is_const_v<P> && !std::same_as<std::remove_cvref_t<decltype(known_method<const P>)>, no_known_method>)
inline constexpr const auto& method_for<P> = known_method<const P>;

using probe_table = task_table<ticks, 1, 1>;

}  // namespace detail

template <class P>
using method_of = std::remove_cvref_t<decltype(detail::method_for<std::remove_cv_t<P>>)>;

/// A method of chains in priority order.
template <class M>
concept ChainMethod = requires {
  { M::name } -> std::convertible_to<std::string_view>;
  typename M::template analysis<detail::probe_table>;
};
template <class P>
concept HasChainMethod = ChainMethod<method_of<P>>;

/// A method of sets in a spelling of their own, whichever.
template <class M>
concept JudgesSets = requires {
  { M::name } -> std::convertible_to<std::string_view>;
  { M::template judges<int> } -> std::convertible_to<bool>;
};
/// One that judges these tasks.
template <class M, class T>
concept SetMethod = JudgesSets<M> && M::template judges<T>;

/// Readings of an analysis that `analyze` may be asked for, such as the variants of RTGPU.
template <class P>
concept HasMethodOptions = requires { method_of<P>::options; };
template <HasMethodOptions P>
using method_options = std::remove_cvref_t<decltype(method_of<P>::options)>;

namespace detail {

/// Says whether no other method can add to what a method proves.
template <class M>
inline constexpr bool is_exact = false;
template <class M>
  requires requires { M::is_exact; }
inline constexpr bool is_exact<M> = M::is_exact;

template <class M>
inline constexpr bool follows_pools = false;
template <class M>
  requires requires { M::follows_pools; }
inline constexpr bool follows_pools<M> = M::follows_pools;

template <class M>
inline constexpr bool finds_misses = false;
template <class M>
  requires requires { M::finds_misses; }
inline constexpr bool finds_misses<M> = M::finds_misses;

/// Stops compilation where a method, which the template argument shows, is of no kind that `analyze` can ask.
template <class Method, bool Usable>
struct method_is_usable {
  static constexpr bool passed = Usable;
  static_assert(Usable,
                "takt: known_method of this board, which is the template argument, cannot judge it; give it a static "
                "name, and analysis<Table>, judge(board, tasks, plan) or responds(table, stations, bounds). "
                "See docs/errors.md#E87");
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
