// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <takt/model/hardware.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/simulation/trace.hpp>

#include "../policies/judged.hpp"

namespace takt::program {

/// Tasks on threads as a published method sees them, which knows runs that boards of pools do not have; nothing where
/// the question is about another one. `kept` may be null. Pre: the method judged the tasks.
using method_run = auto (*)(const policy_query& q, const judged_policy& found, const file_tasks& tasks,
                            const hardware& board, const runtime::run_options& options, trace* kept)
    -> std::optional<report::observation_summary>;

/// Token sections on GPUs with locked engines.
[[nodiscard]] auto run_locked_gpus(const policy_query& q, const judged_policy& found, const file_tasks& tasks,
                                   const hardware& board, const runtime::run_options& options, trace* kept)
    -> std::optional<report::observation_summary>;
/// Graphs whose jobs overlap.
[[nodiscard]] auto run_graphs(const policy_query& q, const judged_policy& found, const file_tasks& tasks,
                              const hardware& board, const runtime::run_options& options, trace* kept)
    -> std::optional<report::observation_summary>;

}  // namespace takt::program
