// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/method_list.hpp>
#include <takt/systems/accelerators/plans/judged_policies.hpp>
#include <takt/systems/graphs/plans/judged_policies.hpp>
#include <takt/systems/locked_gpus/plans/judged_policies.hpp>
#include <takt/systems/rtgpu/plans/chain_policies.hpp>
#include <takt/systems/shares/plans/judged_policies.hpp>

namespace takt::inline TAKT_ABI {

/// Lists who knows which published method judges which policy, under which rules of the processors. Of several that
/// know one the first counts.
using published_judges = decltype(   // a line for each system
    methods<rtgpu_judges>{} +        // rtgpu
    methods<accelerator_judges>{} +  // accelerators
    methods<graph_judges>{} +        // graphs
    methods<share_judges>{} +        // shares
    methods<locked_gpu_judges>{} +   // locked_gpus
    methods<>{});

}  // namespace takt::inline TAKT_ABI
