// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods that takt knows of whole boards. Each registers itself; see `known_method`.
#include <takt/systems/accelerators/analysis/gang_method.hpp>
#include <takt/systems/accelerators/analysis/level_stack_method.hpp>
#include <takt/systems/accelerators/analysis/single_stream_method.hpp>
#include <takt/systems/accelerators/analysis/slot_method.hpp>
#include <takt/systems/graphs/analysis/graph_method.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/enhanced_mpcp.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>
#include <takt/systems/rtgpu/analysis/locked_gpu_rta.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>
#include <takt/systems/shares/analysis/share_method.hpp>
