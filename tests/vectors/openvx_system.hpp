// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/rules/gel.hpp>
#include <takt/systems/graphs/analysis/fine.hpp>

#include "case_input.hpp"

namespace takt_vectors {

inline constexpr std::size_t max_graph_nodes = 256;
inline constexpr std::size_t max_graph_edges = 512;
inline constexpr std::size_t max_graphs = 32;
using graphs = takt::graph_table<exact, max_graph_nodes, max_graph_edges, max_graphs>;
using refined_graphs = takt::refined_table<graphs>;

/// How a case writes its nodes: as one segment each, or as lists of segments.
enum class node_form : std::uint8_t { whole, segments };

/// The member `dags`. The table keeps views of the names in the input.
[[nodiscard]] auto graphs_in(const field& input, node_form form) -> std::unique_ptr<graphs>;
/// The members `clusters` and `gpu`.
[[nodiscard]] auto graph_platform_in(const field& input) -> takt::graph_platform;
/// How the fine analysis is to be done.
[[nodiscard]] auto fine_options_in(const field& input) -> takt::analysis::fine_options;
/// What the kind `fine` expects.
[[nodiscard]] auto fine_result(const field& input) -> json;

/// Stops a case of which the analysis says neither that it is bounded nor, in the words of the format, why not.
void check_status(takt::obstacle status);

/// Length of a kernel's blocks, which it has as L, or as C of all threads of a block together.
[[nodiscard]] auto block_length_in(const field& kernel, std::int64_t threads) -> exact;

}  // namespace takt_vectors
