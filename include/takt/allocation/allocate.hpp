// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <takt/allocation/search.hpp>
#include <takt/analysis/analyze.hpp>
#include <takt/core/choice.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/task_set.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/planned_table.hpp>

namespace takt {

namespace detail {

/// The least shares that the GPUs can be cut into.
[[nodiscard]] constexpr auto sm_units(const platform_record& platform) noexcept -> std::int64_t {
  std::int64_t units = 0;
  for (const gpu_record& gpu : platform.gpus) { units += gpu.budget() / gpu.granularity; }
  return units;
}

}  // namespace detail

/// A plan for a task set on a platform, found with the platform's own analysis as the test. In a constant expression a
/// model that does not fit stops compilation; at run time it yields an infeasible plan without shares, and `analyze`
/// says why. Fewer SMs than tasks with kernels count as a model that does not fit. The search ends after `limit` task
/// analyses; `effort.complete` says whether it was decided by then.
template <Platform P, TaskSet T>
  requires(!ComposedBoard<P, T>)
[[nodiscard]] constexpr auto allocate(const P& platform, const T& tasks, search_method method = default_search,
                                      analysis::rtgpu_variant variant = analysis::rtgpu_best,
                                      std::uint64_t limit = default_evaluations,
                                      detail::refusal&& refused = detail::refusal{
                                          detail::check_composition<P>::passed && detail::check_chains<T>::passed}) {
  if constexpr (KnownComposition<P> && !AcceleratorTaskSet<T>) {
    const auto table =
        planned_table(platform, tasks, plan<std::remove_cvref_t<decltype(tasks.template table<ticks>())>::max_tasks>{});
    auto a = analysis::make_analysis(platform, table, variant);
    refused.error = is_known(method) ? platform.validate() : model_error{.fault = model_fault::choice_out_of_range};
    if (!refused.error) { refused.error = located(a.fits(table, platform.record()), table.tasks); }
    using result = decltype(search_plan(a, method, limit));
    if (refused.error) { return result{}; }
    if (a.uses_shares && detail::sm_units(platform.record()) < static_cast<std::int64_t>(table.gpu_tasks())) {
      refused.error = {.fault = model_fault::more_gpu_tasks_than_sms};
    }
    return search_plan(a, method, limit);
  }
}

/// Chosen only where <takt/compose.hpp> is not included: says so.
template <class P, class T>
  requires ComposedBoard<P, T>
constexpr auto allocate(
    const P& /*board*/, const T& /*tasks*/,
    detail::refusal&& /*refused*/ = detail::refusal{detail::bounds_of_pools<!ComposedBoard<P, T>>::included})
    -> plan<tasks_of<T>, visits_of<T>> {
  return {};
}

}  // namespace takt
