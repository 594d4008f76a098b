// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/runtime/bind.hpp>
#include <takt/runtime/run.hpp>
#ifndef __CUDACC__
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/systems/locked_gpus/run/run.hpp>
#endif

namespace takt::inline TAKT_ABI {

/// `takt::run(board, tasks, plan, ...)` with the boards of all systems.
using runtime::run;

}  // namespace takt::inline TAKT_ABI
