// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/exact.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/pgm_table.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI {

/// At most `arrivals` jobs are released in any span of length `window`. Both may be fractions of the time unit of the
/// graph; `arrivals` is whole.
template <ExactNumber Fraction>
struct job_rate {
  Fraction arrivals{};
  Fraction window{};

  /// Period and relative deadline of the sporadic task that serves this rate (Elliott 2015, equations 2.10 and 2.11).
  [[nodiscard]] constexpr auto period() const -> Fraction { return window / arrivals; }
  /// Returns the long-run share of a processor: C chi / upsilon.
  [[nodiscard]] constexpr auto utilization(const Fraction& wcet) const -> Fraction { return wcet * arrivals / window; }
};

/// Returns whether ascending arrival times keep a rate: of any `arrivals` + 1 in a row, the last comes at least
/// `window` after the first (equation 2.7). Pre: arrivals >= 1.
template <ExactNumber Number>
[[nodiscard]] constexpr auto legal_arrivals(std::span<const Number> times, std::size_t arrivals, const Number& window)
    -> bool {
  TAKT_EXPECTS(arrivals >= 1);
  for (std::size_t i = arrivals; i < times.size(); ++i) {
    if (times[i] - times[i - arrivals] < window) { return false; }
  }
  return true;
}

/// The rate of every node of a processing graph, and the order in which they follow from one another.
template <ExactNumber Fraction, std::size_t MaxNodes>
struct graph_rates {
  model_error error{};
  inline_vector<std::uint32_t, MaxNodes> order;
  std::array<job_rate<Fraction>, MaxNodes> nodes{};
};

namespace detail {

/// Returns the greatest common divisor of whole numbers. Pre: a, b >= 0.
template <ExactNumber Fraction>
[[nodiscard]] constexpr auto whole_divisor(Fraction a, Fraction b) -> Fraction {
  TAKT_EXPECTS(Fraction(0) <= a && Fraction(0) <= b);
  while (Fraction(0) < b && is_number(a)) {
    const Fraction rest = a - number_traits<Fraction>::floor_quotient(a, b) * b;
    a = b;
    b = rest;
  }
  return a;
}

template <class Number, std::size_t MaxNodes, std::size_t MaxEdges>
[[nodiscard]] constexpr auto find_rates(const pgm_table<Number, MaxNodes, MaxEdges>& graph)
    -> graph_rates<fraction_of<Number>, MaxNodes> {
  using fraction = fraction_of<Number>;
  graph_rates<fraction, MaxNodes> out;
  out.error = validate(graph);
  if (out.error) { return out; }
  out.order = topological_order(graph);
  for (std::size_t k = 0; k < out.order.size(); ++k) {
    const std::uint32_t v = out.order[k];
    auto& own = out.nodes[v];
    if (graph.is_source(v)) {
      own = {fraction(graph.nodes[v].arrivals), fraction(graph.nodes[v].window)};
      continue;
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const token_edge& edge = graph.edges[e];
      if (edge.to != v) { continue; }
      const auto& from = out.nodes[edge.from];
      const fraction consume(edge.consume);
      const fraction shared = whole_divisor(fraction(fraction(edge.produce) * from.arrivals), consume);
      const fraction span = consume * from.window / shared;
      if (!is_number(span) || !common_multiple(own.window, span, own.window)) {
        out.error = {model_fault::time_overflow, 0, v};
        return out;
      }
    }
    bool first = true;
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
      const token_edge& edge = graph.edges[e];
      if (edge.to != v) { continue; }
      const auto& from = out.nodes[edge.from];
      const fraction arrivals =
          own.window * (fraction(edge.produce) / fraction(edge.consume)) * (from.arrivals / from.window);
      if (!is_number(arrivals)) {
        out.error = {model_fault::time_overflow, 0, v};
        return out;
      }
      if (!first && arrivals != own.arrivals) {
        out.error = {model_fault::rates_disagree, 0, v, e};
        return out;
      }
      own.arrivals = arrivals;
      first = false;
    }
  }
  return out;
}

}  // namespace detail

/// Turns all nodes of a processing graph into rate-based tasks. Windows are the least common multiple, over the
/// predecessors v, of consume window_v / gcd(produce arrivals_v, consume) (Elliott 2015, equations 2.8 and 2.9).
/// Error: what `validate` finds; `time_overflow`; `rates_disagree` if two edges bring tokens to a node at different
/// rates. The source does not ask for that, but else a queue grows for ever. In a constant expression these stop
/// compilation with a sentence. Cost: nodes x edges.
template <class Number, std::size_t MaxNodes, std::size_t MaxEdges>
[[nodiscard]] constexpr auto derive_rates(const pgm_table<Number, MaxNodes, MaxEdges>& graph,
                                          detail::refusal&& refused = detail::refusal{})
    -> graph_rates<fraction_of<Number>, MaxNodes> {
  const auto out = detail::find_rates(graph);
  refused.error = out.error;
  return out;
}

}  // namespace takt::inline TAKT_ABI
