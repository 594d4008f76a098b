// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whole kernels: accelerators, and GPUs that kernels share by stream levels, slots, gangs or time slices.
#include <takt/takt.hpp>

#include <takt/analysis/pools/kernel_rule_bounds.hpp>
#include <takt/rules/accelerator/planned_kernels.hpp>
#include <takt/rules/accelerator_tags.hpp>
