// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/described_tasks.hpp>
#include <takt/simulation/trace.hpp>

/// What any legal run keeps to, whatever the rules: read from its trace alone.
namespace trace_checker {

/// Whether two pieces are on other cores.
[[nodiscard]] inline auto apart(const takt::track& a, const takt::track& b) -> bool {
  return a.index + a.count <= b.index || b.index + b.count <= a.index;
}

/// "" if no core of a GPU has two kernels at a time.
[[nodiscard]] inline auto core_complaint(const takt::trace& seen) -> std::string {
  const auto all = seen.slices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const takt::slice& a = all[i];
      const takt::slice& b = all[k];
      const bool kernels = a.where.where == takt::stage::kernel && b.where.where == takt::stage::kernel;
      const bool here = kernels && a.where.gpu == b.where.gpu && !apart(a.where, b.where);
      if (here && a.start < b.end && b.start < a.end) {
        return "tasks " + std::to_string(a.task) + " and " + std::to_string(b.task) + " at once on a core";
      }
    }
  }
  return "";
}

/// "" if nothing is wrong. `one_kernel`: at most one job is on a GPU at a time, on some of its cores or all.
template <class Tasks>
[[nodiscard]] auto complaint(const takt::trace& seen, const Tasks& tasks, bool one_kernel) -> std::string {
  std::vector<takt::slice> all = seen.slices();
  std::ranges::sort(all, {}, [](const takt::slice& s) { return std::tuple{s.start, s.end}; });
  const auto word = [](const takt::slice& s) {
    return "task " + std::to_string(s.task) + " visit " + std::to_string(s.segment) + " job " + std::to_string(s.job);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const takt::slice& a = all[i];
    if (a.end < a.start) { return word(a) + " ends before it starts"; }
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const takt::slice& b = all[k];
      const bool overlap = b.start < a.end;
      const bool kernels = a.where.where == takt::stage::kernel;
      const bool alike = a.where.where == b.where.where && a.where.gpu == b.where.gpu;
      const bool same_job = a.task == b.task && a.segment == b.segment && a.job == b.job;
      const bool shared = kernels && (!one_kernel || (same_job && apart(a.where, b.where)));
      const bool exclusive = alike && !shared && (kernels || a.where.index == b.where.index);
      if (overlap && exclusive) { return word(a) + " and " + word(b) + " at once on one unit"; }
      if (a.task != b.task) { continue; }
      if (overlap && a.job != b.job) { return word(a) + " and " + word(b) + ": two jobs of a task at once"; }
    }
  }
  // What a visit waits for has ended in the same job.
  for (const takt::slice& b : all) {
    const auto& t = tasks.tasks[b.task];
    const auto before = tasks.visits[t.first_visit + b.segment].predecessors;
    for (const takt::slice& a : all) {
      const bool waits_for =
          a.task == b.task && a.job == b.job && a.segment != b.segment && (before >> a.segment & 1U) != 0;
      if (waits_for && b.start < a.end) { return word(b) + " before " + word(a) + " has ended"; }
    }
  }
  return "";
}

}  // namespace trace_checker
