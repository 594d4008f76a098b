// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/pool.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/report/json.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/composed_board.hpp>
#include <takt/rules/composed_plan.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/pool_facts.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/share_tags.hpp>
#include <takt/rules/tags.hpp>

namespace takt::inline TAKT_ABI {

namespace report::detail {

/// Hears periods.
struct period_texts {
  std::vector<ticks> period;

  void open(const flow_attributes& t) { period.push_back(t.period); }
  template <class S>
  auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    return 1;
  }
  void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  void refuse(const model_error& /*told by the verdict*/) {}
};

/// Tells whether jobs of a pool of processors have the priorities of their tasks, by a rule that need not read any.
template <class Pool>
inline constexpr bool ranks_tasks = false;
template <class Rule>
  requires TaskLevelPriority<order_of<Rule>>
inline constexpr bool ranks_tasks<resource_pool<processors_resource, Rule>> = true;

/// Returns the priorities of tasks that a board of pools lays out. They are those of the tasks, or the ranks that the
/// rule of the processors gives them, equal for tasks of one rank. Empty where the processors do not go by tasks.
template <class P, std::size_t N, std::size_t V>
[[nodiscard]] auto priorities_on(const P& board, const visit_table<N, V>& table) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (const auto& pool : takt::detail::outlines_of(board)) {
    if (!pool.is_processors || !pool.reads_priorities) { continue; }
    for (std::size_t i = 0; i < table.size(); ++i) { out.push_back(table.tasks[i].priority); }
    return out;
  }
  board.each([&]<class Pool>(const Pool& /*p*/) {
    if constexpr (ranks_tasks<Pool>) {
      const order_of<typename Pool::rule_type> order{};
      std::vector<priority_point> points(table.size());
      for (std::size_t i = 0; i < table.size(); ++i) {
        const auto& t = table.tasks[i];
        const job_timing timing{.period = t.period, .deadline = t.deadline, .priority = t.priority};
        if (!order.point(timing, 0, points[i])) { points[i] = lowest_priority; }
      }
      for (const auto& own : points) {
        out.push_back(
            static_cast<std::int32_t>(std::ranges::count_if(points, [&own](const auto& p) { return p < own; })));
      }
    }
  });
  return out;
}

/// Returns the priority of each task, 0 the highest; nothing where a task has none of its own.
template <class P, class Tasks, std::size_t N, std::size_t V>
[[nodiscard]] auto priorities_of(const P& board, const Tasks& tasks, const plan<N, V>& judged)
    -> std::vector<std::int32_t> {
  if (!judged.priorities.empty()) { return {judged.priorities.begin(), judged.priorities.end()}; }
  if constexpr (ComposedBoard<P, Tasks> || takt::detail::IsOfPools<P, Tasks>) {
    if constexpr (!AcceleratorPlatform<P>) {
      plan<tasks_of<Tasks>, visits_of<Tasks>> own;
      takt::detail::copy_decisions(judged, own);
      const auto flat = flatten(board, tasks, own);
      if (!flat.error) { return priorities_on(board, flat.table); }
    }
  }
  return {};
}

}  // namespace report::detail

/// Writes a verdict and its plan as a C++ header of constants in a namespace of this name. The header includes nothing
/// but `<cstdint>`, so that an embedded build without takt can read it. Priorities are those of the proof, given or
/// chosen. Where nothing of a kind is decided its member is -1. Pre: the verdict is about these tasks on this board;
/// the name is an identifier.
template <class Board, VisitSource Tasks, std::size_t N, std::size_t V>
void write_constants(std::ostream& out, std::string_view name, const Board& board, const Tasks& tasks,
                     const verdict<ticks, N, V>& v) {
  report::detail::period_texts all;
  const std::vector<std::int32_t> priorities = report::detail::priorities_of(board, tasks, v.plan);
  visit_source<Tasks>::each(tasks, all);
  out << "// Made by takt from a plan: " << name_of(v.status) << " (" << v.method << ").\n"
      << "#pragma once\n\n#include <cstdint>\n\nnamespace " << name << " {\n\n"
      << "struct planned_task {\n  const char* name;\n  std::int64_t period_ns;\n  std::int64_t deadline_ns;\n"
      << "  std::int64_t bound_ns;\n  std::int32_t core;\n  std::int32_t priority;  // 0 is the highest\n"
      << "  std::int32_t gpu;\n  std::int32_t sms;\n  std::int32_t percent;\n};\n\n"
      << "inline constexpr bool is_proven = " << (v.schedulable() ? "true" : "false") << ";\n"
      << "inline constexpr planned_task tasks[] = {\n";
  const auto entry = [](const auto& part, std::size_t i, const auto& of) {
    return i < part.size() ? std::to_string(of(part[i])) : std::string{"-1"};
  };
  const auto itself = [](std::int32_t n) { return n; };
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    const auto& t = v.tasks[i];
    out << "    {" << report::json_string(t.name) << ", " << all.period[i] << ", " << (t.limited ? t.deadline : -1)
        << ", " << (t.bound.exists ? t.bound.value : -1) << ", " << entry(v.plan.cores, i, itself) << ", "
        << entry(priorities, i, itself) << ", " << entry(v.plan.shares, i, [](const sm_share& s) { return s.gpu; })
        << ", " << entry(v.plan.shares, i, [](const sm_share& s) { return s.sms; }) << ", "
        << entry(v.plan.percents, i, itself) << "},\n";
  }
  out << "};\n";
  if (!v.plan.offsets.empty()) {
    out << "inline constexpr std::int64_t visit_offsets_ns[] = {";
    for (std::size_t k = 0; k < v.plan.offsets.size(); ++k) { out << (k == 0 ? "" : ", ") << v.plan.offsets[k]; }
    out << "};\n";
  }
  out << "\n}  // namespace " << name << '\n';
}

}  // namespace takt::inline TAKT_ABI
