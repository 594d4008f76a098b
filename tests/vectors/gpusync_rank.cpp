// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <optional>
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

[[nodiscard]] auto rank(const json& input) -> answer {
  const json& curves = input.at("rank").at("curves");
  std::vector<std::string> names;
  std::set<std::string> groups;
  for (const auto& [name, areas] : curves.items()) {
    names.push_back(name);
    for (const auto& [group, area] : areas.items()) { groups.insert(group); }
  }
  if (names.empty() || names.size() > 64) { throw std::runtime_error("1 to 64 curves are expected"); }
  takt::area_ranking<64> ranking(names.size());
  for (const std::string& group : groups) {
    std::vector<exact> areas;
    for (const std::string& name : names) {
      const json& area = curves.at(name).at(group);
      const auto value = area.is_number_float() ? std::optional<exact>{exact{area.get<double>()}} : exact_value(area);
      if (!value) { throw std::runtime_error("an area is no number"); }
      areas.push_back(*value);
    }
    if (!ranking.add(std::span<const exact>(areas))) { throw std::runtime_error("a group has no room"); }
  }
  json out = json::array();
  for (const takt::place_statistics& s : ranking.ranked()) {
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
