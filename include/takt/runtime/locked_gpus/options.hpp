// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <takt/host/locked_gpus/gpu_jobs.hpp>
#include <takt/host/locked_gpus/system.hpp>
#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

/// How tasks run on locked GPUs. What is below has the meaning that it has in a simulation of them. Every piece of a
/// job takes a time between 1 tick and its longest by `lengths`; what comes after the token section takes its longest.
/// Expectations are of tasks alone.
struct locked_gpu_run_options : run_options {
  host::gpu_choice choice = host::gpu_choice::predicted;
  token_layout layout = token_layout::block;
  bool token_until_end = false;
  token_queue_length queues = token_queue_length::for_users;
  cost_predictor_settings predictor{};
  std::span<const std::int32_t> distances{};
  std::array<std::int32_t, host::distance_limit> peer_percent{100, 100, 100, 100};
  static constexpr bool overheads = false;  ///< the machine's own are there
};

/// Times count from the start. Visits are those of `host::gpu_visit`.
struct locked_gpu_run_result : run_result {
  host::gpu_run run{};  ///< every job, request of a token or an engine, and token section
};

}  // namespace takt::runtime
