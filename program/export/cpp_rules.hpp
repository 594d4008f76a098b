// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../policies/policy_input.hpp"

namespace takt::program {

/// `constexpr auto board = ...`, the hardware of a file.
[[nodiscard]] auto cpp_board(const workload_file& file) -> std::string;

/// `constexpr auto policy = ...`, by which the GPUs are shared.
[[nodiscard]] auto cpp_policy(const workload_file& file, const policy_input& input) -> std::string;

/// The rule of the processors by its word: "takt::nonpreemptive(takt::edf)".
[[nodiscard]] auto cpp_cpu_rule(const policy_input& input) -> std::string;

/// Assignments of what the operating system takes, each to a member of `to`; what is 0 is left out.
[[nodiscard]] auto cpp_overheads(const workload_file& file, const std::string& to) -> std::string;

/// Assignments of how much tasks slow one another down, each by a call of `to`.
[[nodiscard]] auto cpp_contention(const workload_file& file, const std::string& to) -> std::string;

}  // namespace takt::program
