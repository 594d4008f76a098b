// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/gpu_topology.hpp>

namespace takt::host {

/// A token section that has ended.
struct token_section {
  std::size_t task = 0;
  std::size_t job = 0;              ///< position among all jobs of the workload
  std::int32_t gpu = no_gpu;        ///< within its GPU cluster
  std::int32_t came_from = no_gpu;  ///< the GPU of the job before; `no_gpu` for the first
  std::int32_t distance = 0;        ///< between the two
  ticks cost = 0;                   ///< time on CPUs and engines
  ticks execution = 0;              ///< of it, on the execution engine
  rational predicted{};             ///< when the token was granted; 0 before anything was known
  bool has_prediction = false;
  bool stopped = false;  ///< its budget was used up
  bool skipped = false;  ///< nothing was done, as an earlier job had its budget

  [[nodiscard]] constexpr auto migrated() const noexcept -> bool { return came_from != no_gpu && came_from != gpu; }
};

}  // namespace takt::host
