// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/model/graph/pgm_table.hpp>
#include <takt/rules/graph/rate_based.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Returns a bound per node of a processing graph. It is on the time from the arrival of the latest source job that a
/// job needs, over however many edges, to the job's completion. `response[v]` bounds the time from the release of a job
/// of v, as `release_rule` has it, to its completion. A source adds (chi - 1) p for a burst that is shaped. An edge
/// from v adds (1 - gcd(produce, consume) / produce) p_v, since releases p_k = (consume / produce) p_v apart lag the
/// producer by no more. An overflowed number marks a bound that does not fit. Pre: `rates.error` is none. Cost: nodes x
/// edges. Source: this project; held against simulation in the tests.
template <class Number, std::size_t N, std::size_t E, class Fraction>
[[nodiscard]] constexpr auto end_to_end_latencies(const pgm_table<Number, N, E>& graph,
                                                  const graph_rates<Fraction, N>& rates,
                                                  const std::array<Fraction, N>& response) -> std::array<Fraction, N> {
  TAKT_EXPECTS(!rates.error);
  std::array<Fraction, N> latency{};
  for (std::size_t k = 0; k < rates.order.size(); ++k) {
    const std::uint32_t v = rates.order[k];
    const auto& own = rates.nodes[v];
    if (graph.is_source(v)) { latency[v] = (own.arrivals - Fraction(1)) * own.period(); }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const token_edge& edge = graph.edges[e];
      if (edge.to != v) { continue; }
      const Fraction produce(edge.produce);
      const Fraction shared = takt::detail::whole_divisor(produce, Fraction(edge.consume));
      const Fraction lag = (produce - shared) / produce * rates.nodes[edge.from].period();
      const Fraction through = latency[edge.from] + lag;
      if (latency[v] < through) { latency[v] = through; }
    }
    latency[v] = latency[v] + response[v];
  }
  return latency;
}

}  // namespace takt::inline TAKT_ABI::analysis
