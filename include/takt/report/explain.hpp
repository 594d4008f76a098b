// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/plan.hpp>
#include <takt/report/explanation.hpp>
#include <takt/report/plan_words.hpp>
#include <takt/report/table.hpp>

namespace takt::inline TAKT_ABI {

namespace report::detail {

/// Returns "Plan: SMs: camera 2; cores: camera 0, lidar 1."; nothing where nothing was decided.
template <std::size_t N, std::size_t V>
[[nodiscard]] auto plan_sentence(const verdict<ticks, N, V>& v) -> std::string {
  const auto names = [&v](std::size_t i) { return v.tasks[i].name; };
  const auto elsewhere = [](const auto& part, auto place) {
    return std::ranges::any_of(part, [&](const auto& x) { return place(x) > 0; });
  };
  std::vector<std::string> parts;
  if (v.tasks.empty()) { return {}; }
  add_share_words(parts, v.plan, names, "SMs", elsewhere(v.plan.shares, [](const sm_share& s) { return s.gpu; }));
  add_place_words(parts, v.plan, names, elsewhere(v.plan.cores, [](std::int32_t core) { return core; }));
  return parts.empty() ? std::string{} : "\nPlan: " + joined(parts, "; ") + ".\n";
}

}  // namespace report::detail

/// Explains from the verdict alone, which does not know the parts of bounds. The last line says how to get them.
template <std::size_t N, std::size_t V>
void explain(std::ostream& out, const verdict<ticks, N, V>& v) {
  report::explain(out, report::detail::begin_summary(v));
  out << report::detail::plan_sentence(v) << "\nThe parts of bounds are told by explain(out, board, tasks, verdict).\n";
}

}  // namespace takt::inline TAKT_ABI
