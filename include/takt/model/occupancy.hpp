// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/warps.hpp>

namespace takt::inline TAKT_ABI {

/// Holds what one SM can hold at a time.
struct sm_limits {
  std::int32_t threads = 2048;
  std::int32_t blocks = 32;
  std::int32_t registers = 65'536;
  std::int32_t shared_memory = 98'304;  ///< bytes
  std::int32_t warp_size = usual_warp_size;
  std::int32_t register_unit = 256;  ///< registers are handed to a warp in multiples of this
  std::int32_t register_files = 4;   ///< equal parts of the registers; a warp has all of its own in one of them
  std::int32_t shared_memory_unit = 256;
};

/// Holds what one block asks for.
struct block_needs {
  std::int32_t threads = 1024;
  std::int32_t registers_per_thread = 0;
  std::int32_t shared_memory = 0;
};

/// Blocks that one SM holds at the same time; 0 when not even one fits, or when a need is not positive where it must
/// be. Source: Zou et al. 2021, section 2.1 (occupancy) and 4.2 (virtual SMs); the allocation units are the vendor's.
[[nodiscard]] constexpr auto resident_blocks(const sm_limits& sm, const block_needs& block) noexcept -> std::int32_t {
  if (block.threads < 1 || block.registers_per_thread < 0 || block.shared_memory < 0) { return 0; }
  if (block.threads > sm.threads || block.registers_per_thread > sm.registers ||
      block.shared_memory > sm.shared_memory) {
    return 0;
  }
  const auto held = static_cast<std::int32_t>(detail::whole_warps(block.threads, sm.warp_size));
  const auto least = [](std::int32_t a, std::int32_t b) { return a < b ? a : b; };
  std::int32_t fit = least(sm.blocks, sm.threads / held);
  if (block.registers_per_thread > 0) {
    const std::int32_t per_warp =
        ceil_divide(block.registers_per_thread * sm.warp_size, sm.register_unit) * sm.register_unit;
    const std::int32_t warps = sm.registers / sm.register_files / per_warp * sm.register_files;
    fit = least(fit, warps / (held / sm.warp_size));
  }
  if (block.shared_memory > 0) {
    const std::int32_t per_block = ceil_divide(block.shared_memory, sm.shared_memory_unit) * sm.shared_memory_unit;
    fit = least(fit, sm.shared_memory / per_block);
  }
  return fit;
}

/// Returns active warps over the warps that the SM could hold, when it holds as many of these blocks as it can.
[[nodiscard]] constexpr auto occupancy(const sm_limits& sm, const block_needs& block) noexcept -> rational {
  const std::int32_t warps = ceil_divide(block.threads < 1 ? 1 : block.threads, sm.warp_size);
  return rational{resident_blocks(sm, block) * warps, sm.threads / sm.warp_size};
}

/// A block-size limit and the number of virtual SMs per SM that it yields. No tasks fit when `per_sm` is 0.
struct virtual_sm_choice {
  std::int32_t block_threads = 0;
  std::int32_t per_sm = 0;
};

/// Returns the largest block-size limit, from 1024 threads down by halves, under which the GPU has a virtual SM for
/// each task with kernels. `needs.threads` is ignored. Source: Zou et al. 2021, Algorithm 2, first loop, which forgets
/// to multiply by the number of SMs.
[[nodiscard]] constexpr auto choose_virtual_sms(const sm_limits& sm, std::int32_t sms, std::int32_t gpu_tasks,
                                                block_needs needs = {}) noexcept -> virtual_sm_choice {
  for (std::int32_t limit = 1024; limit >= sm.warp_size; limit /= 2) {
    needs.threads = limit;
    const std::int32_t per_sm = resident_blocks(sm, needs);
    if (per_sm > 0 && per_sm >= ceil_divide(gpu_tasks, sms)) { return {limit, per_sm}; }
  }
  return {};
}

/// A shape of blocks of which an SM holds exactly `per_sm` at a time. Nothing is possible where `per_sm` is 0.
struct resident_shape {
  std::int32_t threads = 0;
  std::int32_t shared_memory = 0;  ///< dynamic, bytes per block
  std::int32_t per_sm = 0;
};

/// Returns the largest blocks that an SM holds `per_sm` of and no more, as virtual SMs are cut by block size.
/// `needs.threads` is ignored. Source: Zou et al. 2021, section 4.2.
[[nodiscard]] constexpr auto residents_by_size(const sm_limits& sm, std::int32_t per_sm,
                                               block_needs needs = {}) noexcept -> resident_shape {
  if (per_sm < 1 || sm.warp_size < 1) { return {}; }
  const std::int32_t most =
      sm.threads / per_sm < most_block_threads ? sm.threads / per_sm : std::int32_t{most_block_threads};
  needs.threads = most / sm.warp_size * sm.warp_size;
  if (resident_blocks(sm, needs) != per_sm) { return {}; }
  return {needs.threads, 0, per_sm};
}

/// Returns the blocks of `needs.threads` threads, so much dynamic shared memory added to each that an SM holds `per_sm`
/// of them and no more. `reserved`: bytes that the system takes per block, 1024 since compute capability 8.0.
/// `most_per_block`: what a block may ask for.
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

}  // namespace takt::inline TAKT_ABI
