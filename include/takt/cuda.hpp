// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/compiler.hpp>

#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/copies.hpp>
#include <takt/cuda/device.hpp>
#include <takt/cuda/driver.hpp>
#include <takt/cuda/job_streams.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/cuda/pinned_job.hpp>

#ifdef __CUDACC__
#include <takt/cuda/pinned_kernel.cuh>
#endif
