// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/allocation/analyze.hpp>
#include <takt/allocation/search.hpp>
#include <takt/analysis/judge_known.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/needed_header.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/planned_table.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <>
inline constexpr bool is_included<needed_header::chain_plans> = true;

/// Returns the least shares that the GPUs can be cut into.
[[nodiscard]] constexpr auto sm_units(const platform_record& platform) noexcept -> std::int64_t {
  std::int64_t units = 0;
  for (const gpu_record& gpu : platform.gpus) { units += gpu.budget() / gpu.granularity; }
  return units;
}

template <class M, class P, class T, class... Options>
[[nodiscard]] constexpr auto allocate_chains(const P& platform, const T& tasks, search_method method,
                                             std::uint64_t limit, model_error& error, const Options&... options) {
  const auto table =
      planned_table(platform, tasks, plan<std::remove_cvref_t<decltype(tasks.template table<ticks>())>::max_tasks>{});
  auto a = analysis::detail::make_analysis<M>(platform, table, options...);
  error = is_known(method) ? platform.validate() : model_error{.fault = model_fault::choice_out_of_range};
  if (!error) { error = located(a.fits(table, platform.record()), table.tasks); }
  using result = decltype(search_plan(a, method, limit));
  if (error) { return result{}; }
  if (a.uses_shares && sm_units(platform.record()) < static_cast<std::int64_t>(table.gpu_tasks())) {
    error = {.fault = model_fault::more_gpu_tasks_than_sms};
  }
  return search_plan(a, method, limit);
}

/// Returns a verdict under the plan of the search that has a method of chains as its test. Where bounds from the pools
/// stand beside that method, the plan is otherwise one that `share_search` finds.
template <class Methods, class P, class T>
[[nodiscard]] constexpr auto analyze_planned_chains(const P& platform, const T& tasks, model_error& error) {
  using method = analysis::method_of<P, Methods>;
  model_error found;
  const auto first = allocate_chains<method>(platform, tasks, default_search, default_evaluations, found);
  if constexpr (analysis::detail::ProvenEitherWay<P, T, method>) {
    auto out = analysis::detail::judge_either_way<method>(platform, tasks, first, error);
    if (error || out.schedulable() || out.status == verdict_status::unschedulable) { return out; }
    std::uint64_t asked = 0;
    const auto other = share_search{}.find(platform, tasks, plan_test<P, T, Methods>{platform, tasks, asked});
    return other.schedulable() ? other : out;
  } else {
    return analysis::detail::judge_by<method>(platform, tasks, first, error);
  }
}

template <class Methods>
struct chain_planner<Methods, void> {
  template <class P, class T>
  [[nodiscard]] static constexpr auto analyze(const P& platform, const T& tasks, model_error& error) {
    return analyze_planned_chains<Methods>(platform, tasks, error);
  }
  template <class P, class T>
  [[nodiscard]] static constexpr auto allocate(const P& platform, const T& tasks, refusal& refused) {
    using method = analysis::method_of<P, Methods>;
    if constexpr (!analysis::detail::ProvenEitherWay<P, T, method>) {
      return allocate_chains<method>(platform, tasks, default_search, default_evaluations, refused.error);
    } else {
      model_error found;
      const auto first = allocate_chains<method>(platform, tasks, default_search, default_evaluations, found);
      if (found) {
        refused.error = found;
        return first;
      }
      return takt::analyze(platform, tasks, Methods{}, std::move(refused)).plan;
    }
  }
};

}  // namespace detail

/// Returns a plan for chains that a search of takt's own finds. Its test is the method of chains in the list that
/// counts, in one of its readings if it has several. Fewer SMs than tasks with kernels count as a model that does not
/// fit. `effort.complete` says whether the search was decided within `limit` task analyses.
template <class Methods, class P, class T, class... Options>
  requires analysis::detail::HasChainMethod<P, Methods>
[[nodiscard]] constexpr auto allocate_by(const P& platform, const T& tasks, search_method method = default_search,
                                         std::uint64_t limit = default_evaluations, const Options&... options) {
  detail::refusal refused{detail::check_chains<T>::passed};
  if constexpr (!AcceleratorTaskSet<T>) {
    return detail::allocate_chains<analysis::method_of<P, Methods>>(platform, tasks, method, limit, refused.error,
                                                                    options...);
  }
}

namespace analysis {

/// Says what one method alone proves: the first of a list that is about the board. The plan is the one that its search
/// finds, or tasks say themselves what a plan would. Error: as `analyze`.
template <class Methods, class P, class T>
  requires takt::detail::KnownAsAWhole<P, T, Methods>
[[nodiscard]] constexpr auto analyze_by(const P& platform, const T& tasks) {
  if constexpr (SetMethod<method_of<P, Methods>, T>) {
    return analyze_by<Methods>(platform, tasks, plan<1, 1>{});
  } else {
    return analyze_by<Methods>(platform, tasks, allocate_by<Methods>(platform, tasks));
  }
}

}  // namespace analysis

}  // namespace takt::inline TAKT_ABI
