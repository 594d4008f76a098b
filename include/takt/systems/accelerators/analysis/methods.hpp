// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/analysis/judge_known.hpp>
#include <takt/analysis/method_list.hpp>
#include <takt/analysis/pools/kernel_rule_bounds.hpp>
#include <takt/systems/accelerators/analysis/gang_method.hpp>
#include <takt/systems/accelerators/analysis/level_stack_method.hpp>
#include <takt/systems/accelerators/analysis/single_stream_method.hpp>
#include <takt/systems/accelerators/analysis/slot_method.hpp>

namespace takt::inline TAKT_ABI {

/// Lists what is known of whole kernels on an accelerator.
inline constexpr methods<analysis::detail::single_stream_kernels, analysis::detail::nested_kernels,
                         analysis::detail::slotted_kernels, analysis::detail::gang_kernels>
    accelerator_methods{};

}  // namespace takt::inline TAKT_ABI
