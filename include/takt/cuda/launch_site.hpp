// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/cuda/values.hpp>
#include <takt/rules/dedicated_sms.hpp>

namespace takt::cuda {

/// What keeps kernels of different tasks on different SMs.
enum class partition_backend : std::uint8_t {
  green_contexts,    ///< the driver: a stream's kernels see their own SMs only
  pinned_blocks,     ///< the kernels: blocks that land elsewhere leave at once
  priority_streams,  ///< nothing: the device may run anything anywhere, streams of higher priority first
};

/// Where a kernel is to be launched. With `pinned_blocks` the kernel itself has to stay on the range.
struct launch_site {
  std::int32_t device = 0;
  context_handle context{};
  stream_handle stream{};
  sm_range range{};
  partition_backend backend = partition_backend::priority_streams;
  function_handle occupy{};  ///< see `occupy_kernel`
};

}  // namespace takt::cuda
