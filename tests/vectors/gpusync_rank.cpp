// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/allocation/ranking.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

/// What is printed of a mean and a deviation, rounded.
constexpr std::int64_t decimals = 1'000'000;
constexpr std::size_t most_curves = 256;

[[nodiscard]] auto rank(const field& input) -> answer {
  const field curves = input.at("rank").at("curves");
  std::vector<std::string> names;
  std::set<std::string> groups;
  for (const auto& [name, areas] : curves.members()) {
    names.push_back(name);
    for (const auto& [group, area] : areas.members()) { groups.insert(group); }
  }
  if (names.empty()) { curves.refuse("is empty"); }
  curves.must_fit(names.size() <= most_curves, most_curves);
  takt::area_ranking<most_curves> ranking(names.size());
  for (const std::string& group : groups) {
    std::vector<exact> areas;
    for (const std::string& name : names) {
      const field area = curves.at(name).at(group);
      areas.push_back(area.leaf().is_number_float() ? exact{area.get<double>()} : area.get<exact>());
    }
    if (!ranking.add(std::span<const exact>(areas))) { throw std::runtime_error("a group has no room"); }
  }
  json out = json::array();
  for (const takt::rank_statistics& s : ranking.ranked()) {
    const auto mean = (s.mean * takt::rational{decimals} + takt::rational{1, 2}).floor();
    out.push_back({{"rank", out.size() + 1},
                   {"config", names[s.candidate]},
                   {"median", static_cast<double>(s.twice_median) / 2},
                   {"avg", static_cast<double>(mean) / decimals},
                   {"sigma", static_cast<double>(s.deviation(decimals)) / decimals}});
  }
  return {out, {}};
}

}  // namespace

void add_gpusync_rank(suite& kinds) { kinds["rank"] = rank; }

}  // namespace takt_vectors
