// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/graph/pgm_table.hpp>

namespace takt::inline TAKT_ABI {

/// The tokens of a processing graph. A job may start when every edge into its node holds its threshold; starting takes
/// tokens, completing brings them.
template <std::size_t MaxEdges>
class token_counter {
 public:
  /// Edges beyond the capacity are left out: see `edges`.
  constexpr explicit token_counter(std::span<const token_edge> edges) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges_.try_push_back(edges[e])) { tokens_[e] = edges[e].initial; }
    }
  }

  [[nodiscard]] constexpr auto edges() const noexcept -> std::size_t { return edges_.size(); }
  /// Pre: edge < edges().
  [[nodiscard]] constexpr auto tokens(std::size_t edge) const noexcept -> std::int64_t {
    TAKT_EXPECTS(edge < edges_.size());
    return tokens_[edge];
  }

  [[nodiscard]] constexpr auto enabled(std::uint32_t node) const noexcept -> bool {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].to == node && tokens_[e] < edges_[e].threshold) { return false; }
    }
    return true;
  }
  /// Takes the tokens of a job that starts. False, and no change, if it may not.
  constexpr auto start(std::uint32_t node) noexcept -> bool {
    if (!enabled(node)) { return false; }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].to == node) { tokens_[e] -= edges_[e].consume; }
    }
    return true;
  }
  /// Brings the tokens of a job that is complete. False, and no change, if a count does not fit.
  constexpr auto complete(std::uint32_t node) noexcept -> bool {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      std::int64_t sum = 0;
      if (edges_[e].from == node && !checked_add(tokens_[e], edges_[e].produce, sum)) { return false; }
    }
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].from == node) { tokens_[e] += edges_[e].produce; }
    }
    return true;
  }

 private:
  inline_vector<token_edge, MaxEdges> edges_;
  std::array<std::int64_t, MaxEdges> tokens_{};
};

/// Returns how many jobs of an edge's producer must be complete before job `job` of its consumer may start. Jobs count
/// from 1: ceil(((job - 1) consume + threshold - initial) / produce). Pre: job >= 1, a valid edge. The largest integer
/// if the product does not fit.
[[nodiscard]] constexpr auto jobs_needed(const token_edge& edge, std::int64_t job) noexcept -> std::int64_t {
  TAKT_EXPECTS(job >= 1 && edge.produce >= 1 && edge.consume >= 1);
  std::int64_t tokens = 0;
  if (!checked_multiply<std::int64_t>(job - 1, edge.consume, tokens) || !checked_add(tokens, edge.threshold, tokens)) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return tokens <= edge.initial ? 0 : ceil_divide(tokens - edge.initial, edge.produce);
}

}  // namespace takt::inline TAKT_ABI
