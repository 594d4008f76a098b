// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <takt/allocation/search.hpp>
#include <takt/analysis/analyze.hpp>

namespace takt {

/// A plan for a task set on a platform, found with the platform's own analysis as the test. In a constant expression a
/// model that does not fit stops compilation; at run time it yields an infeasible plan without shares, and `analyze`
/// says why.
template <Platform P, TaskSet T>
[[nodiscard]] constexpr auto allocate(const P& platform, const T& tasks, search_method method = exact_search,
                                      analysis::rtgpu_variant variant = analysis::rtgpu_best,
                                      std::uint64_t limit = unlimited_evaluations) {
  analysis::detail::require_known_composition<P>();
  const auto table = analysis::prioritized_table(platform, tasks);
  auto a = analysis::make_analysis(platform, table, variant);
  model_error error = platform.validate();
  if (!error) { error = a.fits(table, platform.record()); }
  if (std::is_constant_evaluated()) { detail::refuse(error); }
  using result = decltype(search_plan(a, method, limit));
  return error ? result{} : search_plan(a, method, limit);
}

}  // namespace takt
