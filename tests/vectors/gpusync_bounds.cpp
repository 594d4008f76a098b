// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/analysis/methods/locking/ck_omlp_blocking.hpp>
#include <takt/analysis/methods/locking/k_exclusion.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

using bound = takt::analysis::blocking_bound<exact>;

[[nodiscard]] auto time_of(const bound& b) -> json { return b.bounded() ? to_json(b.time) : json{}; }

[[nodiscard]] auto bounds(const field& input) -> answer {
  const auto users = input.at("n").get<std::int64_t>();
  const auto replicas = input.at("k").get<std::int64_t>();
  const auto processors = input.at("m").get<std::int64_t>();
  const exact longest = input.at("Lmax").get<exact>();
  json out{{"kfmlp_oblivious", time_of(takt::analysis::k_fmlp_by_count(users, replicas, longest))},
           {"r2dglp", time_of(takt::analysis::r2dglp_wait(processors, replicas, longest))},
           {"ckomlp_direct", time_of(takt::analysis::ck_omlp_direct(processors, replicas, longest))},
           {"ckomlp_indirect", time_of(takt::analysis::ck_omlp_indirect(processors, replicas, longest))}};
  if (input.contains("Ls")) {
    const auto lengths = input.at("Ls").get<std::vector<exact>>();
    json& aware = out["kfmlp_aware"] = json::array();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      aware.push_back(time_of(takt::analysis::k_fmlp_mean(std::span<const exact>(lengths), i, replicas)));
    }
  }
  return {out, {}};
}

[[nodiscard]] auto ck_total(const field& input) -> answer {
  std::set<std::string> accessed;
  for (const field name : input.at("accessed")) {
    if (!input.at("res").contains(name.text())) { name.refuse("is no resource"); }
    if (!accessed.insert(name.text()).second) { name.refuse("is requested twice"); }
  }
  std::vector<takt::analysis::omlp_resource<exact>> used;
  for (const auto& [name, resource] : input.at("res").members()) {
    used.push_back({input.at("m").get<std::int64_t>(), resource.at("k").get<std::int64_t>(),
                    resource.at("Lmax").get<exact>(), accessed.contains(name) ? 1 : 0});
  }
  using resources = std::span<const takt::analysis::omlp_resource<exact>>;
  return {json{{"b", time_of(takt::analysis::ck_omlp_job(resources(used)))}}, {}};
}

}  // namespace

void add_gpusync_bounds(suite& kinds) {
  kinds["bounds"] = bounds;
  kinds["ck_total"] = ck_total;
}

}  // namespace takt_vectors
