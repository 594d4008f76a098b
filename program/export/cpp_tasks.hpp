// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../policies/policy_input.hpp"

namespace takt::program {

/// The tasks of a file with what was chosen for them before they are judged: cores, SMs, costs of preemptions.
[[nodiscard]] auto chosen_tasks(const workload_file& file, const policy_input& input) -> std::unique_ptr<file_tasks>;

/// Types that stand for the resources of the board that are neither processors nor copy engines nor GPUs.
[[nodiscard]] auto cpp_own_resources(const workload_file& file) -> std::vector<std::string>;

/// `constexpr auto tasks = takt::task_set(...)`, and `described`, which holds besides what a task set has no word for.
/// `overlap`: jobs of a step may overlap, so that it counts how many of them may.
[[nodiscard]] auto cpp_tasks(const workload_file& file, const file_tasks& tasks, bool overlap) -> std::string;

}  // namespace takt::program
