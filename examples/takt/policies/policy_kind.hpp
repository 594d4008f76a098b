// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../described_file.hpp"
#include "policy_input.hpp"

namespace takt::program {

/// A workload under a policy, for the commands.
[[nodiscard]] auto under_policy(std::unique_ptr<workload_file> file, const rule_wishes& wishes)
    -> std::unique_ptr<described_file>;

}  // namespace takt::program
