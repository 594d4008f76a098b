// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/analysis/analyze.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

/// Names the type of the plans that a board takes.
template <class P, class T, class Methods>
struct plan_type_of {
  using type = plan<T::max_tasks>;
};
template <class P, class T, class Methods>
  requires BoardOfPools<P, T, Methods>
struct plan_type_of<P, T, Methods> {
  using type = plan<tasks_of<T>, visits_of<T>>;
};

/// `analyze` as the test of a search: what it says of one plan after another.
template <class P, class T, class Methods>
class plan_test {
 public:
  using plan_type = typename plan_type_of<P, T, Methods>::type;

  /// `asked` counts the plans that are asked about.
  constexpr plan_test(const P& platform, const T& tasks, std::uint64_t& asked)
      : platform_{&platform}, tasks_{&tasks}, asked_{&asked} {}

  /// Judges a plan; without guards it may get some. One that does not fit is `invalid_model` and stops no compilation.
  template <class Plan>
  constexpr auto operator()(const Plan& p) const {
    refusal ignored{};
    auto own = p;
    own.may_guard = true;
    auto out = analyze(*platform_, *tasks_, own, Methods{}, std::move(ignored));
    ignored.error = {};
    ++*asked_;
    return out;
  }

 private:
  const P* platform_;
  const T* tasks_;
  std::uint64_t* asked_;
};

template <class R>
inline constexpr bool is_plan = false;
template <std::size_t N, std::size_t V>
inline constexpr bool is_plan<plan<N, V>> = true;

/// Stops compilation where a search, which the template argument shows, returns something else than a plan.
template <class Search, bool FindsPlan>
struct search_finds_plan {
  static constexpr bool passed = FindsPlan;
  static_assert(FindsPlan,
                "takt: a search of one's own is called with the platform, the tasks and a test, and returns a plan; "
                "this one, which is the template argument, does not. See docs/errors.md#E88");
};

template <class Search, class P, class T, class Methods>
[[nodiscard]] consteval auto finds_plan() -> bool {
  if constexpr (std::invocable<const Search&, const P&, const T&, const plan_test<P, T, Methods>&>) {
    return is_plan<std::invoke_result_t<const Search&, const P&, const T&, const plan_test<P, T, Methods>&>>;
  }
  return false;
}

}  // namespace detail

/// Returns a plan that a search of one's own finds: `search(platform, tasks, test)` returns one, and `test(plan)` is
/// what `analyze` says of a plan that it tries. `feasible` is what `analyze` says of the plan that it returns. Any
/// platform and tasks that `analyze` takes with a plan.
template <class P, class T, class Search, class... M>
  requires(std::is_class_v<Search> && !std::same_as<Search, detail::refusal> && !analysis::is_method_list<Search>)
[[nodiscard]] constexpr auto allocate(
    const P& platform, const T& tasks, const Search& search, methods<M...> /*asked*/ = {},
    detail::refusal&& refused = detail::refusal{
        detail::search_finds_plan<Search, detail::finds_plan<Search, P, T, methods<M...>>()>::passed}) {
  if constexpr (detail::finds_plan<Search, P, T, methods<M...>>()) {
    std::uint64_t asked = 0;
    const detail::plan_test<P, T, methods<M...>> test{platform, tasks, asked};
    auto out = search(platform, tasks, test);
    const auto judged = test(out);
    refused.error = judged.error;
    out.feasible = judged.schedulable();
    out.effort.evaluations = asked;
    return out;
  }
}

}  // namespace takt::inline TAKT_ABI
