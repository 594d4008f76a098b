// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <takt/systems/accelerators/analysis/methods.hpp>
#include <takt/systems/graphs/analysis/methods.hpp>
#include <takt/systems/locked_gpus/analysis/methods.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>
#include <takt/systems/shares/analysis/methods.hpp>

namespace takt::inline TAKT_ABI {

/// Lists the methods of all published systems.
inline constexpr auto published_methods =
    rtgpu_methods + accelerator_methods + graph_methods + share_methods + locked_gpu_methods;

/// Names that list as a type.
using published = std::remove_const_t<decltype(published_methods)>;

}  // namespace takt::inline TAKT_ABI
