// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/fixed_string.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/model_error.hpp>
#include <takt/runtime/bind.hpp>
#include <takt/runtime/graph/graph_options.hpp>

namespace takt::inline TAKT_ABI {

/// Holds code in place of a segment of a node of a graph, by their names.
template <fixed_string Graph, fixed_string Node, fixed_string Segment, class Code>
struct bound_node_code {
  Code code;
};

/// Holds code before all sources of a graph, or after all its sinks.
template <fixed_string Graph, bool Before, class Code>
struct bound_end_code {
  Code code;
};

/// Binds code to a segment of a node with several: `bind<"vision", "resize", "copy">(send)`. Segments are called by
/// their kind, "cpu", "copy" or "kernel", the second of a kind in its node "cpu 2". What a CPU does around a kernel is
/// "launch" and "await". The one segment of a node needs no name: `bind<"vision", "resize">(resize)`. Code is called
/// with a `const runtime::graph_job&`, that of a kernel for each of its blocks, with the block's number besides. It
/// must not throw.
template <fixed_string Graph, fixed_string Node, fixed_string Segment, class Code>
[[nodiscard]] constexpr auto bind(Code code) -> bound_node_code<Graph, Node, Segment, Code> {
  return {code};
}

/// Binds code that is called at each invocation of a graph before all of its sources.
template <fixed_string Graph, class Code>
[[nodiscard]] constexpr auto bind_input(Code code) -> bound_end_code<Graph, true, Code> {
  return {code};
}
/// Binds code that is called after all sinks of a graph, in the order of invocations.
template <fixed_string Graph, class Code>
[[nodiscard]] constexpr auto bind_output(Code code) -> bound_end_code<Graph, false, Code> {
  return {code};
}

namespace detail {

/// Says where code of graphs goes. `is_end`: to `input_node` or `output_node` of the graph that `owner` is.
struct place_in_graph {
  std::uint32_t found = 0;  ///< how many have these names
  std::uint32_t owner = 0;
  std::uint32_t segment = 0;
  node_part part = node_part::whole;
  node_kind kind = node_kind::processor;
  bool is_end = false;

  [[nodiscard]] constexpr auto is_kernel() const -> bool {
    return kind == node_kind::kernel && part == node_part::whole;
  }
  [[nodiscard]] friend constexpr auto operator==(const place_in_graph&, const place_in_graph&) noexcept
      -> bool = default;
};

/// An empty name is that of the one segment of a node.
template <const auto& Graphs>
[[nodiscard]] consteval auto find_in_graphs(std::string_view graph, std::string_view node, std::string_view called)
    -> place_in_graph {
  const auto& table = Graphs.template flat<ticks>();
  place_in_graph out;
  constexpr std::array<std::string_view, 3> kinds{"cpu", "kernel", "copy"};
  std::array<std::uint32_t, 3> counts{};
  std::uint32_t launched = 0;
  std::uint32_t of = no_index;
  for (const auto& n : table.nodes) {
    if (table.graphs[n.graph].name != graph || n.name != node || n.kind == node_kind::junction) { continue; }
    if (of != n.owner) {
      counts = {};
      launched = 0;
    }
    of = n.owner;
    const auto kind = static_cast<std::size_t>(n.kind);
    ++counts[kind];
    launched += n.split ? 1 : 0;
    const auto take = [&](bool is_meant, node_part part) {
      if (is_meant) { out = {out.found + 1, n.owner, n.segment, part, n.kind}; }
    };
    take(called.empty() || is_numbered(called, kinds[kind], counts[kind]), node_part::whole);
    take(n.split && is_numbered(called, "launch", launched), node_part::launch);
    take(n.split && is_numbered(called, "await", launched), node_part::await);
  }
  return out;
}

template <const auto& Graphs>
[[nodiscard]] consteval auto find_end(std::string_view graph, bool before) -> place_in_graph {
  const auto& table = Graphs.template flat<ticks>();
  place_in_graph out{.segment = before ? 0U : 1U, .is_end = true};
  for (std::uint32_t g = 0; g < table.graphs.size(); ++g) {
    if (table.graphs[g].name != graph) { continue; }
    ++out.found;
    out.owner = g;
  }
  return out;
}

/// These stop compilation with a sentence; the first template arguments are the names.
template <fixed_string Graph, fixed_string Node, fixed_string Segment, bool Found>
struct names_a_node {
  static constexpr bool passed = Found;
  static_assert(
      Found,
      "takt: code is bound to a graph, a node or a segment that the set does not have, or to a node of several "
      "segments without the name of one; names_a_node shows the names. See docs/errors.md#E118");
};
template <fixed_string Graph, fixed_string Node, fixed_string Segment, bool IsKernel, bool Fits>
struct code_fits_node {
  static constexpr bool passed = Fits;
  static_assert(Fits || IsKernel,
                "takt: code of a graph is called with a const takt::runtime::graph_job&, and this code is not. See "
                "docs/errors.md#E119");
  static_assert(Fits || !IsKernel,
                "takt: code of a kernel of a graph is called for each block, with a const takt::runtime::graph_job& "
                "and a std::int64_t; this code is not. See docs/errors.md#E119");
};

template <class Bound>
struct names_in_graph;
template <fixed_string Graph, fixed_string Node, class Code>
struct names_in_graph<bound_code<Graph, Node, Code>> : names_in_graph<bound_node_code<Graph, Node, "", Code>> {};
template <fixed_string Graph, fixed_string Node, fixed_string Segment, class Code>
struct names_in_graph<bound_node_code<Graph, Node, Segment, Code>> {
  template <const auto& Graphs>
  static constexpr place_in_graph at = find_in_graphs<Graphs>(Graph.view(), Node.view(), Segment.view());
  template <bool Found>
  using is_found = names_a_node<Graph, Node, Segment, Found>;
  template <bool IsKernel, bool Fits>
  using is_fit = code_fits_node<Graph, Node, Segment, IsKernel, Fits>;
};
template <fixed_string Graph, bool Before, class Code>
struct names_in_graph<bound_end_code<Graph, Before, Code>> {
  template <const auto& Graphs>
  static constexpr place_in_graph at = find_end<Graphs>(Graph.view(), Before);
  template <bool Found>
  using is_found = names_a_node<Graph, "", "", Found>;
  template <bool IsKernel, bool Fits>
  using is_fit = code_fits_node<Graph, "", "", IsKernel, Fits>;
};

template <const auto& Graphs, class Bound>
struct binding_in_graph {
  using names = names_in_graph<Bound>;
  static constexpr place_in_graph at = names::template at<Graphs>;
  using code = decltype(Bound::code);
  static constexpr bool fits = at.is_kernel() ? std::invocable<code&, const runtime::graph_job&, std::int64_t>
                                              : std::invocable<code&, const runtime::graph_job&>;
  static constexpr bool passed = names::template is_found<(at.found == 1)>::passed &&
                                 names::template is_fit<at.is_kernel(), (fits || at.found != 1)>::passed;
};

template <const auto& Graphs, class... Bound>
[[nodiscard]] consteval auto nodes_bound_once() -> bool {
  const std::array<place_in_graph, sizeof...(Bound) + 1> places{binding_in_graph<Graphs, Bound>::at...};
  for (std::size_t i = 0; i < sizeof...(Bound); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (places[i] == places[k]) { return false; }
    }
  }
  return true;
}

}  // namespace detail

/// Holds code for a run of graphs, by the names of graphs and nodes of a constexpr set. A name that the set does not
/// have, code that does not fit its segment, and two pieces of code for one segment do not compile.
template <const auto& Graphs, class... Bound>
  requires GraphSet<std::remove_cvref_t<decltype(Graphs)>>
[[nodiscard]] auto codes(const Bound&... bound) -> runtime::graph_code {
  runtime::graph_code out;
  constexpr bool named = (detail::binding_in_graph<Graphs, Bound>::passed && ... && true);
  constexpr bool once = !named || detail::nodes_bound_once<Graphs, Bound...>();
  if constexpr (detail::segments_bound_once<once>::passed && named) {
    const auto add = [&out]<class B>(const B& one) {
      constexpr auto at = detail::binding_in_graph<Graphs, B>::at;
      if constexpr (at.is_end && at.segment == 0) {
        out.input(at.owner, one.code);
      } else if constexpr (at.is_end) {
        out.output(at.owner, one.code);
      } else if constexpr (at.is_kernel()) {
        out.kernel(at.owner, one.code, at.segment);
      } else if constexpr (at.kind == node_kind::copy) {
        out.copy(at.owner, one.code, at.segment);
      } else {
        out.cpu(at.owner, one.code, at.segment, at.part);
      }
    };
    (add(bound), ...);
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI
