// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_fault.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/rules/gel.hpp>

#include "../failure.hpp"
#include "../json_value.hpp"

namespace takt::program {

inline constexpr std::size_t max_graphs = 32;
inline constexpr std::size_t max_graph_nodes = 192;
inline constexpr std::size_t max_graph_edges = 512;
using file_graphs = graph_table<ticks, max_graph_nodes, max_graph_edges, max_graphs>;
using refined_graphs = refined_table<file_graphs>;

/// What a file says of a graph beyond the library's model.
struct graph_wish {
  bool limited = false;  ///< has a deadline; without one, any bound will do
  ticks deadline = 0;
};

/// A file of graphs, and of tasks, each of which is a graph that is a chain. The table's names point into `texts`, so a
/// file is neither copied nor moved.
struct graph_file {
  graph_file() = default;
  graph_file(const graph_file&) = delete;
  auto operator=(const graph_file&) -> graph_file& = delete;
  graph_file(graph_file&&) = delete;
  auto operator=(graph_file&&) -> graph_file& = delete;
  ~graph_file() = default;

  std::string name;
  std::string policy;  ///< as the file says it
  std::string list;    ///< "/graphs", or "/tasks" where there are no graphs
  gel_policy rule = gel_policy::fair_lateness;
  graph_platform platform;
  file_graphs table;  ///< in the order of the file, graphs before tasks
  std::vector<graph_wish> wishes;
  std::deque<std::string> texts;
  std::vector<std::string> notes;
  std::vector<std::string> graph_at;  ///< places in the file of what stands in the table
  std::vector<std::string> node_at;
  std::vector<std::string> edge_at;

  [[nodiscard]] auto copies() const noexcept -> copy_placement {
    return platform.copy_engines > 0 ? copy_placement::engine : copy_placement::processor;
  }
};

/// Whether a document has graphs, a block queue, or a global scheduler and no GPU.
[[nodiscard]] auto is_graph_document(const json_value& document) -> bool;

/// Throws `input_error` when something is wrong with the file. Pre: `is_graph_document`.
[[nodiscard]] auto read_graphs(const json_value& document) -> std::unique_ptr<graph_file>;

}  // namespace takt::program
