// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/rules/policies/whole_gpu.hpp>

namespace takt::inline TAKT_ABI {

/// Judges graphs whose jobs overlap, as the published method of graphs has them.
struct overlapping_graphs_policy : fifo_blocks_policy {
  static constexpr bool is_judged_alone = true;
};

}  // namespace takt::inline TAKT_ABI
