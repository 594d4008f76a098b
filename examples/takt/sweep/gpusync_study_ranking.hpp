// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <takt/allocation/ranking.hpp>

#include "engine.hpp"
#include "old_study.hpp"

namespace takt::program::old_sweep {

inline constexpr std::size_t ranked_configurations = 57;
using study_ranking = area_ranking<ranked_configurations>;

inline constexpr std::size_t no_configuration = ranked_configurations;

/// What of a series of the study decides its counts: 75,816 of them are the published study.
struct scenario {
  std::size_t group = 0;
  std::size_t overheads = 0;
  std::size_t plain = 0;               ///< position in `studied_configurations`
  std::size_t p2p = no_configuration;  ///< the same with the other path
  std::int64_t copy_percent = 100;
};

/// Columns of a scenario: sets drawn, and how many of them are accepted with migration through system memory or none,
/// and from GPU to GPU where there is such a path. In thousandths.
enum study_column : std::uint8_t { drawn, accepted, accepted_p2p, study_columns };

/// Places from 1, by position in `studied_configurations`.
using study_places = std::array<std::int64_t, ranked_configurations>;

/// Tables 4.5 to 4.8, by the position of the overheads in `overhead_names`.
[[nodiscard]] auto published_places(std::size_t overheads) -> study_places;
[[nodiscard]] auto places_in(const study_ranking& ranking) -> study_places;

/// One of the paper's observations: in how many of the cases that it names it holds, and in how many of them it should.
struct claim {
  std::string_view text;
  std::int64_t holds = 0;
  std::int64_t cases = 0;
};
[[nodiscard]] auto check_claims(const study_places& places) -> std::vector<claim>;

/// Spearman's coefficient of two rankings without ties, in thousandths, rounded down.
[[nodiscard]] auto rank_correlation(const study_places& a, const study_places& b) -> std::int64_t;

/// A table of the ranking beside the published one, and the claims with both.
[[nodiscard]] auto describe(const study_ranking& ranking, std::size_t overheads) -> std::vector<std::string>;

/// That for each kind of overheads, from the groups for which all configurations were tried. Points have at most so
/// many sets, and one series per scenario.
[[nodiscard]] auto describe_rankings(const std::vector<scenario>& all, std::size_t levels, std::int64_t most_sets,
                                     const tally& found) -> std::vector<std::string>;

}  // namespace takt::program::old_sweep
