// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workload_file.hpp"

namespace takt::program {

/// What kind of system a file is about, as far as a published method is made for it.
enum class file_shape : std::uint8_t {
  other,     ///< anything else: the rules of pools prove it
  graphs,    ///< on clusters, with one queue of blocks
  sections,  ///< in which GPUs with engines of their own are locked
};

[[nodiscard]] auto shape_of(const workload_file& file) -> file_shape;

}  // namespace takt::program
