// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime::detail {

/// Whether code and uses are of something that was described.
template <class Table>
[[nodiscard]] auto well_bound(const Table& table, const graph_code& code, const std::vector<graph_use>& uses) -> bool {
  const auto all = [&table](const auto& bodies, auto fits) {
    return std::ranges::all_of(bodies, [&](const auto& entry) {
      const auto& [owner, segment, part] = entry.first;
      return entry.second && std::ranges::any_of(table.nodes, [&](const graph_node<ticks>& n) {
               return n.owner == owner && n.segment == segment && fits(n, part);
             });
    });
  };
  const auto on_cpu = [](const graph_node<ticks>& n, node_part part) {
    const bool around_kernel = n.kind == node_kind::kernel && n.split;
    return (n.kind == node_kind::processor && part == node_part::whole) ||
           (around_kernel && (part == node_part::launch || part == node_part::await));
  };
  const auto is = [](node_kind kind) {
    return [kind](const graph_node<ticks>& n, node_part) { return n.kind == kind; };
  };
  const auto of_graph = [&table](const auto& entry) { return entry.first < table.graphs.size() && entry.second; };
  return all(code.jobs(), on_cpu) && all(code.copies(), is(node_kind::copy)) &&
         all(code.blocks(), is(node_kind::kernel)) && std::ranges::all_of(code.inputs(), of_graph) &&
         std::ranges::all_of(code.outputs(), of_graph) &&
         std::ranges::all_of(uses, [&table](const graph_use& u) { return u.graph < table.graphs.size(); });
}

/// Whether expectations are of graphs, and of nodes of the refined ones, that there are.
template <class Table>
[[nodiscard]] auto well_expected_graphs(const Table& refined, const std::vector<expectation>& expected) -> bool {
  if (expected.size() > refined.graphs.size()) { return false; }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].visits.size() > refined.graphs[i].nodes) { return false; }
  }
  return true;
}

[[nodiscard]] inline auto graph_options_fault(const graph_run_options& options) -> model_error {
  const auto with_value = [](model_fault fault, std::int64_t value) {
    return model_error{.fault = fault, .value = value, .has_value = true};
  };
  if (const auto error = simple_stop_fault(options)) { return error; }
  if (options.block_threads < 1) { return with_value(model_fault::threads_not_positive, options.block_threads); }
  if (options.copies < 0) { return with_value(model_fault::negative_copies, options.copies); }
  return {};
}

}  // namespace takt::runtime::detail
