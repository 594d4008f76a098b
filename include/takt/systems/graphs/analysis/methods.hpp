// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/pools/block_rule_bounds.hpp>
#include <takt/systems/graphs/analysis/graph_method.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what is known of graphs whose jobs may overlap.
inline constexpr methods<analysis::overlapping_graphs> graph_methods{};

}  // namespace takt::inline TAKT_ABI
