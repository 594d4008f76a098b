// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// A data object whose readers get what was written so many invocations earlier.
struct delayed_object {
  std::string_view object;
  std::int32_t lag = 1;
};

/// A use of a data object by a node of the chain from `first` to `last`.
struct object_access {
  std::string_view object;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool reads = false;
  bool writes = false;
};

namespace detail {

template <class Table>
constexpr auto add_new_edge(Table& table, std::uint32_t from, std::uint32_t to, std::int32_t lag) -> bool {
  const auto& g = table.graphs.back();
  for (std::size_t e = g.first_edge; e < g.first_edge + g.edges; ++e) {
    if (table.edges[e] == graph_edge{from, to, lag}) { return true; }
  }
  return table.add_edge(from, to, lag);
}

}  // namespace detail

/// Adds to the last graph the edges that follow from who reads and writes which object (Elliott 2015, section 5.3):
/// from the writer to every reader, whatever their order. A node that reads and writes an object works in place. In the
/// order of `accesses`, it follows all uses of the value that it replaces, and later uses follow it. What is read from
/// a delayed object, also by its writer, is a history edge. Edges that exist already are not added again. Error:
/// `duplicate_name` if two nodes write an object anew, `too_large`. Cost: accesses^2, plus edges per new edge.
template <class Table>
[[nodiscard]] constexpr auto derive_edges(Table& table, std::span<const object_access> accesses,
                                          std::span<const delayed_object> delayed) -> model_error {
  const auto graph = static_cast<std::uint32_t>(table.graphs.size() - 1);
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    const std::string_view object = accesses[a].object;
    bool first = true;
    std::int32_t lag = 0;
    for (const delayed_object& d : delayed) {
      if (d.object == object) { lag = d.lag; }
    }
    const object_access* version = nullptr;
    for (std::size_t b = 0; b < accesses.size(); ++b) {
      if (accesses[b].object != object) { continue; }
      first = first && b >= a;
      if (!accesses[b].writes || (accesses[b].reads && lag == 0)) { continue; }
      if (version != nullptr) { return {model_fault::duplicate_name, graph, accesses[b].first}; }
      version = &accesses[b];
    }
    if (!first) { continue; }
    std::size_t since = 0;  // readers of the present version come after it
    for (std::size_t b = 0; b < accesses.size(); ++b) {
      const auto& use = accesses[b];
      if (use.object != object || !use.reads) { continue; }
      if (version != nullptr && !detail::add_new_edge(table, version->last, use.first, lag)) {
        return {model_fault::too_large, graph};
      }
      if (!use.writes || lag != 0) { continue; }
      for (std::size_t c = since; c < b; ++c) {
        const auto& before = accesses[c];
        if (before.object == object && before.reads && !before.writes &&
            !detail::add_new_edge(table, before.last, use.first, 0)) {
          return {model_fault::too_large, graph};
        }
      }
      version = &use;
      since = b + 1;
    }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI
