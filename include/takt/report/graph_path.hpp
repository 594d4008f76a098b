// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <takt/model/graph/graph_table.hpp>

namespace takt::inline TAKT_ABI::report {

/// Returns "camera.detect launch" or "log.log[2]": a visit by its graph, the node that was described, its place in a
/// chain of several segments, and its part.
template <class Visits>
[[nodiscard]] auto visit_name(const Visits& visits, std::size_t v, std::string_view graph) -> std::string {
  const auto& visit = visits[v];
  const bool chain = std::any_of(visits.begin(), visits.end(), [&visit](const auto& other) {
    return other.task == visit.task && other.name == visit.name && other.segment != visit.segment;
  });
  const std::string of{graph};
  const auto described = [&](std::string_view suffix) {
    const std::string place = chain ? "[" + std::to_string(visit.segment) + "]" : "";
    return (of + ".").append(visit.name).append(place).append(suffix);
  };
  switch (static_cast<node_part>(visit.part)) {
    case node_part::whole:
    case node_part::kernel: return described("");
    case node_part::launch: return described(" launch");
    case node_part::await: return described(" await");
    case node_part::source: return of + " source";
    case node_part::sink: return of + " sink";
  }
  return std::string{graph};
}

}  // namespace takt::inline TAKT_ABI::report
