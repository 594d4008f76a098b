// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns "camera.detect step 1", or the step of a chain, of all visits.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
[[nodiscard]] auto step_names(const runtime_task_set<N, V, R, S>& tasks) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const runtime_task& t = tasks.tasks[i];
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      std::string name{t.name};
      if (const std::string_view node = tasks.visit(i, p).name; !node.empty()) { name.append(".").append(node); }
      out.push_back(name + " step " + std::to_string(p));
    }
  }
  return out;
}

/// Where the bound of a task is what the visits along one of its paths take, with their waits: one term for each of
/// them, in rows without terms. A verdict without rows has none. `names`: of all visits. Pre: rows are about these
/// tasks.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S, std::size_t M, std::size_t W>
void add_path_terms(const runtime_task_set<N, V, R, S>& all, const verdict<ticks, M, W>& v,
                    std::vector<std::string> names, verdict_summary& out) {
  if (v.visits.size() != all.visits.size() || v.tasks.size() != all.size()) { return; }
  TAKT_EXPECTS(out.tasks.size() == all.size());
  bool any = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const runtime_task& t = all.tasks[i];
    task_summary& row = out.tasks[i];
    if (!row.bound.exists || !row.terms.empty()) { continue; }
    std::vector<ticks> done(t.visit_count, 0);
    std::vector<std::uint32_t> before(t.visit_count, no_index);
    std::uint32_t last = 0;
    for (std::uint32_t pass = 0; pass < t.visit_count; ++pass) {
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        before[p] = no_index;
        for (std::uint32_t q = 0; q < t.visit_count; ++q) {
          const bool is_before = (all.visit(i, p).predecessors >> q & 1U) != 0;
          if (is_before && (before[p] == no_index || done[q] > done[before[p]])) { before[p] = q; }
        }
        done[p] = v.visits[t.first_visit + p].response + (before[p] == no_index ? 0 : done[before[p]]);
        last = done[p] > done[last] ? p : last;
      }
    }
    if (t.visit_count == 0 || done[last] != row.bound.value) { continue; }
    for (std::uint32_t p = last; p != no_index; p = before[p]) {
      const std::uint32_t visit = t.first_visit + p;
      row.terms.insert(row.terms.begin(), {.what = term_kind::node, .time = v.visits[visit].response, .visit = visit});
    }
    any = true;
  }
  if (any) { out.visits = std::move(names); }
}

}  // namespace takt::inline TAKT_ABI::report
