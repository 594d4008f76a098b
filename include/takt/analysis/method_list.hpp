// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include <takt/core/number.hpp>
#include <takt/model/task_table.hpp>

namespace takt::inline TAKT_ABI {

/// Lists the methods that a question asks beside the combiners: families of published methods, such as those of
/// `rtgpu_methods`, and methods of one's own. Of several that are about a board the first one counts. `a + b` is the
/// list of both.
template <class... M>
struct methods {
  template <class... More>
  [[nodiscard]] friend constexpr auto operator+(methods /*a*/, methods<More...> /*b*/) noexcept
      -> methods<M..., More...> {
    return {};
  }
};

/// Asks the combiners and nothing else: bounds from the rules of the pools, one by one.
inline constexpr methods<> combiners{};

namespace analysis {

namespace detail {

/// Stands where no method that is asked is about a board.
struct no_known_method {};

}  // namespace detail

/// Is the base of a family of methods. A constrained member template says of which boards it knows which. An example:
///
///     struct my_family : takt::analysis::method_family {
///       template <DedicatedGpuPlatform P>
///       using on = my_method;
///     };
///
/// A method that stands in a list by itself is asked about any board. A method has a static `name` and is one of three
/// things.
/// - Of chains in priority order (`ChainMethod`): `analysis<Table>` names a `PriorityAnalysis`, made of a flat table
///   and a platform record, which also serves searches of shares as their test. Optional: `options`, its third argument
///   where `analyze` is given none. `follows_pools`: the board is what the rules of its pools make of it, so bounds of
///   combiners may stand beside its own. `finds_misses`: `find_proven_misses` is about the board.
/// - Of sets in a spelling of their own (`SetMethod`): `judge(platform, tasks, plan)` returns the verdict, and
///   `judges<T>` says of which tasks. Optional: `options`, a fourth argument; `follows_pools`.
/// - Of any board of pools (`BoardMethod`): `responds(table, stations, bounds)`; see there.
struct method_family {};

namespace detail {

template <class M, class P>
struct method_on {
  using type = no_known_method;
};
template <class M, class P>
  requires(!std::derived_from<M, method_family>)
struct method_on<M, P> {
  using type = M;
};
template <class M, class P>
  requires(std::derived_from<M, method_family> && requires { typename M::template on<P>; })
struct method_on<M, P> {
  using type = typename M::template on<P>;
};

template <class P, class Methods>
struct first_method {
  using type = no_known_method;
};
template <class P, class M, class... More>
struct first_method<P, methods<M, More...>> {
  using own = typename method_on<M, P>::type;
  using type = typename std::conditional_t<std::same_as<own, no_known_method>, first_method<P, methods<More...>>,
                                           std::type_identity<own>>::type;
};

using probe_table = task_table<ticks, 1, 1>;

}  // namespace detail

template <class L>
inline constexpr bool is_method_list = false;
template <class... M>
inline constexpr bool is_method_list<methods<M...>> = true;

/// Names the method that counts of a list, `methods<...>`, on a board.
template <class P, class Methods>
using method_of = typename detail::first_method<std::remove_cv_t<P>, Methods>::type;

/// A method of chains in priority order.
template <class M>
concept ChainMethod = requires {
  { M::name } -> std::convertible_to<std::string_view>;
  typename M::template analysis<detail::probe_table>;
};
namespace detail {

template <class P, class Methods>
concept HasChainMethod = ChainMethod<method_of<P, Methods>>;

/// A method of sets in any spelling of their own.
template <class M>
concept JudgesSets = requires {
  { M::name } -> std::convertible_to<std::string_view>;
  { M::template judges<int> } -> std::convertible_to<bool>;
};

}  // namespace detail
/// A method of sets that judges these tasks.
template <class M, class T>
concept SetMethod = detail::JudgesSets<M> && M::template judges<T>;

namespace detail {

/// Readings of an analysis that `analyze` may be asked for, such as the variants of RTGPU.
template <class M>
concept HasMethodOptions = requires { M::options; };
template <HasMethodOptions M>
using method_options = std::remove_cvref_t<decltype(M::options)>;

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
  static_assert(
      Usable,
      "takt: the method that is asked, which is the template argument, cannot judge this board; give it a static "
      "name, and analysis<Table>, judge(board, tasks, plan) or responds(table, stations, bounds). "
      "See docs/errors.md#E87");
};

}  // namespace detail

}  // namespace analysis

}  // namespace takt::inline TAKT_ABI
