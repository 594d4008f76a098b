// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods that takt knows of whole boards. Each registers itself; see `known_method`.
#include <takt/analysis/accelerator/gang_method.hpp>
#include <takt/analysis/accelerator/level_stack_method.hpp>
#include <takt/analysis/accelerator/single_stream_method.hpp>
#include <takt/analysis/accelerator/slot_method.hpp>
#include <takt/analysis/busy_waiting.hpp>
#include <takt/analysis/enhanced_mpcp.hpp>
#include <takt/analysis/fixed_priority_rta.hpp>
#include <takt/analysis/graph/graph_method.hpp>
#include <takt/analysis/locking/locked_gpu_rta.hpp>
#include <takt/analysis/rtgpu.hpp>
#include <takt/analysis/self_suspension.hpp>
#include <takt/analysis/shares/share_method.hpp>
