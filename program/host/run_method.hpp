// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/model/hardware.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/simulation/trace.hpp>

#include "../policies/judged.hpp"

namespace takt::program {

/// Tasks on threads as their published method sees them, which knows runs that boards of pools do not have: graphs
/// whose jobs overlap. `kept` may be null. Pre: the method judged the tasks.
[[nodiscard]] auto run_graphs(const policy_query& q, const file_tasks& tasks, const hardware& board,
                              const runtime::run_options& options, trace* kept) -> report::observation_summary;
/// Token sections on GPUs with locked engines.
[[nodiscard]] auto run_locked_gpus(const policy_query& q, const judged_policy& found, const file_tasks& tasks,
                                   const hardware& board, const runtime::run_options& options, trace* kept)
    -> report::observation_summary;

}  // namespace takt::program
