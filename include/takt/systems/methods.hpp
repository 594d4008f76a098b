// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <takt/analysis/method_list.hpp>
#include <takt/systems/accelerators/analysis/methods.hpp>
#include <takt/systems/graphs/analysis/methods.hpp>
#include <takt/systems/locked_gpus/analysis/methods.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>
#include <takt/systems/shares/analysis/methods.hpp>

namespace takt::inline TAKT_ABI {

/// Lists the methods of all published systems.
inline constexpr auto published_methods =  // a line for each system
    rtgpu_methods +                        // rtgpu
    accelerator_methods +                  // accelerators
    graph_methods +                        // graphs
    share_methods +                        // shares
    locked_gpu_methods +                   // locked_gpus
    combiners;

/// Names that list as a type.
using published = std::remove_const_t<decltype(published_methods)>;

}  // namespace takt::inline TAKT_ABI
