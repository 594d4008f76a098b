// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/backend_choice.hpp>
#include <takt/cuda/capabilities.hpp>
#include <takt/cuda/device.hpp>
#include <takt/cuda/driver.hpp>
#include <takt/cuda/engine_calls.hpp>
#include <takt/cuda/gpu_list.hpp>
#include <takt/cuda/host_bench.hpp>
#include <takt/cuda/job_section.hpp>
#include <takt/cuda/job_state.hpp>
#include <takt/cuda/job_streams.hpp>
#include <takt/cuda/launch_driver.hpp>
#include <takt/cuda/machine_check.hpp>
#include <takt/cuda/peer_access.hpp>

#ifdef __CUDACC__
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/pinned_site.cuh>
#endif
