// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/task_set.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/report/graph_path.hpp>

namespace takt::inline TAKT_ABI::report::detail {

/// Hears what tasks are called.
struct name_list {
  std::vector<std::string> names;

  void open(const flow_attributes& t) { names.emplace_back(t.name); }
  template <class S>
  auto visit(const S& /*asked*/, visit_mask /*before*/) -> visit_mask {
    return 1;
  }
  void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  void refuse(const model_error& /*told by whoever made the trace*/) {}
};

/// Describes a node of a refined graph, as names of visits are made of it.
struct named_node {
  std::string_view name;
  std::uint32_t task = 0;
  std::uint32_t segment = 0;
  std::uint8_t part = 0;
};

/// Returns what the numbers in a trace of tasks on a board stand for: tasks, or the nodes of graphs that run as one
/// scheduler sees them.
template <class Board, class Tasks>
[[nodiscard]] auto names_in_trace(const Board& board, const Tasks& tasks) -> std::vector<std::string> {
  std::vector<std::string> out;
  if constexpr (GraphSet<Tasks> && !ComposedBoard<Board, Tasks>) {
    const auto refined = refine(tasks.template flat<ticks>(), graph_platform_of(board).placement());
    std::vector<detail::named_node> nodes;
    for (const auto& n : refined.nodes) {
      nodes.push_back({n.name, n.graph, n.segment, static_cast<std::uint8_t>(n.part)});
    }
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      out.push_back(visit_name(nodes, v, refined.graphs[nodes[v].task].name));
    }
  } else if constexpr (VisitSource<Tasks>) {
    detail::name_list list;
    visit_source<Tasks>::each(tasks, list);
    out = list.names;
  } else if constexpr (TaskSet<Tasks>) {
    const auto& table = tasks.template table<ticks>();
    for (const auto& t : table.tasks) { out.emplace_back(t.name); }
  } else {
    for (const auto& t : tasks.tasks) { out.emplace_back(t.name); }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::report::detail
