// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workload_file.hpp"

namespace takt::program {

/// What kind of system a file is about, as far as a published method is made for it.
enum class file_shape : std::uint8_t {
  other,          ///< anything else: the rules of pools prove it
  chains,         ///< of CPU time, copies and kernels by turns, on partitioned fixed priorities
  graphs,         ///< on clusters, with one queue of blocks
  sections,       ///< in which GPUs with engines of their own are locked
  whole_kernels,  ///< one per task, on all SMs or one
  applications,   ///< one kernel per task, on shares of a GPU
};

[[nodiscard]] auto shape_of(const workload_file& file) -> file_shape;

}  // namespace takt::program
