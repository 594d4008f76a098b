// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/simulation/options.hpp>

namespace takt_tests {

using takt::ticks;
using random_graphs = takt::graph_table<ticks, 16, 60, 2>;

inline constexpr std::array<std::string_view, 8> names{"a", "b", "c", "d", "e", "f", "g", "h"};

[[nodiscard]] inline auto draw_node(takt::random_stream& random) -> takt::graph_node<ticks> {
  takt::graph_node<ticks> n;
  n.wcet = random.chance(1, 6) ? 0 : random.between(1, 900'000);
  if (random.chance(1, 6)) { n.kind = takt::node_kind::copy; }
  if (random.chance(1, 4)) {
    n.kind = takt::node_kind::kernel;
    n.split = random.chance(1, 2);
    n.launch = n.await = n.split ? random.between(1, 300'000) : 0;
    n.block_length = random.between(1, 150'000);
    n.blocks = random.between(1, 6);
    n.block_threads = static_cast<std::int32_t>(random.between(1, 6)) * 64;
  }
  return n;
}
[[nodiscard]] inline auto draw_graphs(takt::random_stream& random) -> random_graphs {
  random_graphs out;
  for (std::int64_t g = random.between(1, 2); g > 0; --g) {
    static_cast<void>(out.add_graph(names[out.graphs.size()], random.between(2'000'000, 20'000'000),
                                    static_cast<std::int32_t>(random.between(0, 1))));
    const auto first = static_cast<std::uint32_t>(out.nodes.size());
    const auto count = static_cast<std::uint32_t>(random.between(1, 8));
    for (std::uint32_t v = first; v < first + count; ++v) {
      auto n = draw_node(random);
      n.name = names[v - first];
      static_cast<void>(out.add_node(n));
      for (std::uint32_t from = first; from < v; ++from) {
        if (random.chance(1, 3)) { static_cast<void>(out.add_edge(from, v)); }
      }
    }
    static_cast<void>(out.add_edge(first, first + count - 1, static_cast<std::int32_t>(random.between(1, 3))));
  }
  return out;
}

using stalls_of_run = std::vector<takt::stall>;

/// Up to three, some periods apart.
[[nodiscard]] inline auto draw_stalls(takt::random_stream& random, ticks period) -> stalls_of_run {
  stalls_of_run out;
  ticks from = 0;
  for (std::int64_t i = random.between(1, 3); i > 0; --i) {
    out.push_back({from + random.below(5 * period), random.between(1, 4 * period)});
    from = out.back().begin + out.back().length + 1;
  }
  return out;
}

}  // namespace takt_tests
