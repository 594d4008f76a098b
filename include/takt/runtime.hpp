// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>
#include <takt/core/hosted.hpp>

#include <takt/model/workload.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/emulated_block_device.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/emulated_shared_gpu.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>
#include <takt/runtime/locking/donation_cluster.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/inheriting_helpers.hpp>
#include <takt/runtime/locking/job_budget.hpp>
#include <takt/runtime/locking/named_locks.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>
#include <takt/runtime/run.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

// The front end of nvcc 13 fails with an internal error on the graph runtime.
#ifndef __CUDACC__
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/runtime/graph/measured_times.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#endif

#include <takt/runtime/bind.hpp>

namespace takt::inline TAKT_ABI {

/// `takt::run(board, tasks, plan, ...)` stands beside `takt::analyze` and `takt::simulate`.
using runtime::run;

}  // namespace takt::inline TAKT_ABI
