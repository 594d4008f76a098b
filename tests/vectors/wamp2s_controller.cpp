// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <stdexcept>

#include <takt/rules/shares/launch_tokens.hpp>

#include "suite.hpp"

namespace takt_vectors {
namespace {

[[nodiscard]] auto controller(const field& input) -> answer {
  const takt::token_capacity capacity{.sms = input.at("sm").get<std::int64_t>(),
                                      .threads_per_sm = input.at("threads_per_sm").get<std::int64_t>(),
                                      .factor = input.value("factor", std::int64_t{32})};
  const auto start = input.value("share", std::int64_t{0});
  if (!capacity.valid() || start < 0 || start > capacity.total()) { throw std::invalid_argument("capacity"); }
  takt::share_feedback feedback{capacity, start};
  const auto limit = input.at("limit").get<std::int64_t>();
  json refills = json::array();
  for (const field used : input.at("utilisation")) {
    feedback.observe(limit, used.get<std::int64_t>());
    refills.push_back(feedback.refill());
  }
  return {.value = {{"share", refills}}, .complaint = {}};
}

}  // namespace

void add_wamp2s_controller(suite& kinds) { kinds["controller"] = controller; }

}  // namespace takt_vectors
