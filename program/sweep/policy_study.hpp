// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../generators/generators.hpp"
#include "study.hpp"

namespace takt::program::sweep {

/// How many sets of a generator are proven under each of several policies. A method is POLICY@RULE, or
/// POLICY@RULE/ANALYSIS where one published analysis alone is asked; the policy "all" stands for every one of them.
[[nodiscard]] auto policy_study(std::string name, std::string title, const file_generator& generator,
                                const std::string& methods, std::vector<parameter> values = {}) -> study;

/// The study of every policy.
[[nodiscard]] auto policy_studies() -> std::vector<study>;

}  // namespace takt::program::sweep
