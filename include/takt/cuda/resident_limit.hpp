// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/model/occupancy.hpp>
#include <takt/model/warps.hpp>

namespace takt::cuda {

/// A shape of blocks of which an SM holds exactly `per_sm` at a time. Nothing is possible where `per_sm` is 0.
struct resident_shape {
  std::int32_t threads = 0;
  std::int32_t shared_memory = 0;  ///< dynamic, bytes per block
  std::int32_t per_sm = 0;
};

/// The largest blocks that an SM holds `per_sm` of and no more, as virtual SMs are cut by block size. `needs.threads`
/// is ignored. Source: Zou et al. 2021, section 4.2.
[[nodiscard]] constexpr auto residents_by_size(const sm_limits& sm, std::int32_t per_sm,
                                               block_needs needs = {}) noexcept -> resident_shape {
  if (per_sm < 1 || sm.warp_size < 1) { return {}; }
  const std::int32_t most =
      sm.threads / per_sm < most_block_threads ? sm.threads / per_sm : std::int32_t{most_block_threads};
  needs.threads = most / sm.warp_size * sm.warp_size;
  if (resident_blocks(sm, needs) != per_sm) { return {}; }
  return {needs.threads, 0, per_sm};
}

/// Blocks of `needs.threads` threads, so much dynamic shared memory added to each that an SM holds `per_sm` of them and
/// no more. `reserved`: bytes that the system takes per block, 1024 since compute capability 8.0. `most_per_block`:
/// what a block may ask for.
[[nodiscard]] constexpr auto residents_by_memory(const sm_limits& sm, std::int32_t per_sm, block_needs needs,
                                                 std::int32_t reserved, std::int32_t most_per_block) noexcept
    -> resident_shape {
  if (per_sm < 1 || reserved < 0 || sm.shared_memory_unit < 1) { return {}; }
  const std::int32_t share = sm.shared_memory / per_sm / sm.shared_memory_unit * sm.shared_memory_unit;
  const std::int32_t own = needs.shared_memory;
  const std::int32_t most = share - reserved < most_per_block ? share - reserved : most_per_block;
  if (own < 0 || most < own) { return {}; }
  needs.shared_memory = most + reserved;
  if (resident_blocks(sm, needs) != per_sm) { return {}; }
  return {needs.threads, most - own, per_sm};
}

}  // namespace takt::cuda
