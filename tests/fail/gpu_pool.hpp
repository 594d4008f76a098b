// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <takt/runtime/locking/gpu_pool.hpp>

using pool = takt::runtime::gpu_pool<takt::r2dglp<2, 4>, takt::fifo_engine_locks<1, 4>>;
