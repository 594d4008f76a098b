// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/choice.hpp>
#include <takt/host/locked_gpus/gpu_jobs.hpp>
#include <takt/host/locked_gpus/system.hpp>
#include <takt/model/locked_gpus/configuration.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::host::detail {

/// What is wrong with choices, or is asked for in vain.
[[nodiscard]] inline auto choices_fault(const gpusync_configuration& c, const locked_gpu_choices& o) -> model_error {
  const bool known = is_known(o.choice) && is_known(o.layout) && is_known(o.queues);
  if (!known) { return {.fault = model_fault::choice_out_of_range}; }
  const locked_gpu_choices plain;
  const auto vain = [](std::string_view name) {
    return model_error{.fault = model_fault::option_unused, .name = name};
  };
  if (!predicts(o.choice) && o.predictor != plain.predictor) { return vain("predictor"); }
  const bool between_gpus = c.migrates() && copies_between_gpus(c.migration);
  if (!between_gpus && o.peer_percent != plain.peer_percent) { return vain("peer_percent"); }
  if (!c.limits_tokens() && o.queues != plain.queues) { return vain("queues"); }
  constexpr model_error far{.fault = model_fault::distances_do_not_fit};
  const auto gpus = static_cast<std::size_t>(c.gpu_cluster_size);
  if (!o.distances.empty() && o.distances.size() != gpus * gpus) { return far; }
  for (const std::int32_t d : o.distances) {
    if (d < 0 || d >= static_cast<std::int32_t>(distance_limit)) { return far; }
  }
  const bool sound = std::ranges::all_of(o.peer_percent, [](std::int32_t p) { return p >= 0 && p <= 100; });
  return {.fault = sound ? model_fault::none : model_fault::options_out_of_range};
}

/// Whether there is room for the tokens of each GPU cluster.
[[nodiscard]] inline auto pools_fit(const gpu_system& s) -> bool {
  return std::ranges::all_of(s.pools, [](const simulated_pool& p) {
    return p.tokens.valid() && p.tokens.tokens() <= static_cast<replica_id>(most_simulated_tokens);
  });
}

}  // namespace takt::host::detail
