// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

namespace takt::program::sweep {

inline constexpr std::size_t ranked_configurations = 57;
inline constexpr std::size_t no_configuration = ranked_configurations;

/// What of a series of the study decides its counts: 75,816 of them are the published study.
struct scenario {
  std::size_t group = 0;
  std::size_t overheads = 0;
  std::size_t plain = 0;               ///< position in `studied_configurations`
  std::size_t p2p = no_configuration;  ///< the same with the other path
};

/// Columns of a scenario: sets drawn, and how many of them are accepted with migration through system memory or none,
/// and from GPU to GPU where there is such a path. In thousandths.
enum study_column : std::uint8_t { drawn, accepted, accepted_p2p, study_columns };

/// For each kind of overheads, from the groups for which all configurations were tried: a table of the ranking beside
/// the published one, and in how many of the cases that the paper's observations name they hold in both. Points have at
/// most so many sets, and one series per scenario.
[[nodiscard]] auto describe_rankings(const std::vector<scenario>& all, std::size_t levels, std::int64_t most,
                                     const tally& found) -> std::vector<std::string>;

}  // namespace takt::program::sweep
