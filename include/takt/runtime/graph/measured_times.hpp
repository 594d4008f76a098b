// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/graph/refine.hpp>
#include <takt/model/trace_record.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Returns the least of some times that so many thousandths of them do not exceed; 0 without any.
[[nodiscard]] inline auto percentile(std::vector<ticks> times, std::int32_t per_mille) -> ticks {
  if (times.empty()) { return 0; }
  const auto count = static_cast<std::int64_t>(times.size());
  const std::int64_t rank = std::clamp<std::int64_t>(ceil_divide<std::int64_t>(count * per_mille, 1000), 1, count);
  const auto at = times.begin() + (rank - 1);
  std::ranges::nth_element(times, at);
  return *at;
}

/// Listens to a run of graphs and keeps how long each job of a CPU node and each single block of a kernel took, by the
/// clock of the machine. With real-time priority and cores of its own no other work is in these times.
class node_times {
 public:
  void record(const slice& s) {
    if (nodes_.size() <= s.task) { nodes_.resize(s.task + std::size_t{1}); }
    nodes_[s.task].push_back(s.end - s.start);
  }
  void record(const mark& /*m*/) const noexcept {}

  /// Returns times by position in the refined table.
  [[nodiscard]] auto of(std::size_t node) const -> std::vector<ticks> {
    return node < nodes_.size() ? nodes_[node] : std::vector<ticks>{};
  }

 private:
  std::vector<std::vector<ticks>> nodes_;
};

static_assert(TraceRecorder<node_times>);

/// Holds what a table of measured times rests on. A bound that follows from it holds as long as no node takes longer.
struct measurement {
  std::int32_t per_mille = 0;      ///< the percentile that stands for the longest time
  std::size_t fewest_samples = 0;  ///< of a node that was measured
  std::size_t unmeasured = 0;      ///< nodes that keep the times they had
};

/// Puts percentiles in the place of the times of run-time nodes: of the CPU time of nodes, launches and awaits, and of
/// the length of single blocks. Numbers and sizes of blocks stay, as they are those of the launches. `seen` is of runs
/// of this table on the platform.
template <std::size_t N, std::size_t E, std::size_t G>
[[nodiscard]] auto set_measured(graph_table<ticks, N, E, G>& table, const graph_platform& platform,
                                const node_times& seen, std::int32_t per_mille) -> measurement {
  measurement out{per_mille, std::numeric_limits<std::size_t>::max(), 0};
  const auto refined = refine(table, platform.placement());
  for (std::size_t v = 0; v < refined.nodes.size(); ++v) {
    const auto& part = refined.nodes[v];
    if (part.kind == node_kind::junction) { continue; }
    const std::vector<ticks> times = seen.of(v);
    if (times.empty()) {
      ++out.unmeasured;
      continue;
    }
    out.fewest_samples = std::min(out.fewest_samples, times.size());
    const ticks time = percentile(times, per_mille);
    for (std::size_t d = 0; d < table.nodes.size(); ++d) {
      auto& n = table.nodes[d];
      if (n.owner != part.owner || n.segment != part.segment) { continue; }
      switch (part.part) {
        case node_part::launch: n.launch = time; break;
        case node_part::await: n.await = time; break;
        case node_part::kernel: n.block_length = time; break;
        case node_part::whole: n.wcet = time; break;
        case node_part::source:
        case node_part::sink: break;
      }
    }
  }
  if (out.fewest_samples == std::numeric_limits<std::size_t>::max()) { out.fewest_samples = 0; }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime
