// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <takt/model/plan.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/trace.hpp>

#include "../question.hpp"
#include "task_file.hpp"

namespace takt::program {

using file_simulation = simulation_result<max_tasks, max_segments>;

/// Simulates the file's platform under the rules that an analysis is about. Pre: `table` is in priority order.
[[nodiscard]] auto simulate_table(const task_file& file, analysis_method rules, const file_table& table,
                                  const plan<max_tasks>& p, const simulation_options& options, trace* kept = nullptr)
    -> file_simulation;

/// A horizon of `periods` longest periods, less where it would hold more jobs than a short wait allows.
[[nodiscard]] auto horizon_for(const file_table& table, std::int64_t periods) -> duration;

/// A legal run in which a deadline passes.
struct counterexample {
  std::uint32_t task = 0;  ///< in the order of the file
  ticks deadline_at = 0;   ///< the instant that passed, since the start
  simulation_options how;
};

[[nodiscard]] auto find_counterexample(const task_file& file, const file_table& table, const plan<max_tasks>& p)
    -> std::optional<counterexample>;

/// Every plan that gives each task with kernels at least one share, or none when there are more than `most`.
[[nodiscard]] auto all_plans(const file_table& table, const platform_record& platform, std::size_t most)
    -> std::vector<plan<max_tasks>>;

}  // namespace takt::program
