// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods that takt knows of whole boards. Each registers itself; see `known_method`.
#include <takt/analysis/known/chains/busy_waiting.hpp>
#include <takt/analysis/known/chains/enhanced_mpcp.hpp>
#include <takt/analysis/known/chains/fixed_priority_rta.hpp>
#include <takt/analysis/known/chains/rtgpu.hpp>
#include <takt/analysis/known/chains/self_suspension.hpp>
#include <takt/analysis/known/graphs/graph_method.hpp>
#include <takt/analysis/known/shares/share_method.hpp>
#include <takt/analysis/known/whole_kernels/gang_method.hpp>
#include <takt/analysis/known/whole_kernels/level_stack_method.hpp>
#include <takt/analysis/known/whole_kernels/single_stream_method.hpp>
#include <takt/analysis/known/whole_kernels/slot_method.hpp>
#include <takt/analysis/methods/locking/locked_gpu_rta.hpp>
