// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/systems/locked_gpus/analysis/analyze.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what is known of tasks that share locked GPUs.
inline constexpr methods<analysis::detail::locked_gpu_sets> locked_gpu_methods{};

}  // namespace takt::inline TAKT_ABI
