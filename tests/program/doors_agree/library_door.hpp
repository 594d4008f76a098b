// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/workload_file.hpp"
#include "policies/policy_input.hpp"
#include "said.hpp"

namespace takt_tests {

/// What C++ says of a workload under the very policy and plan that the program has proven, and under no plan.
struct library_answers {
  bool asked = false;        ///< the rule of processors is one that this test asks in C++
  bool has_choices = false;  ///< the policy has numbers of its own, which no plan of C++ decides
  said under_plan;           ///< by `analyze` of the board of pools
  said alone;                ///< the same without a plan
  bool is_judged = false;    ///< no published method knows the policy
  said judged;               ///< then what `judge_at_run_time` says without one
  bool is_typed = false;     ///< there is a board in types, too
  said typed;                ///< what `analyze` says of it under the plan
  bool has_fewest = false;   ///< and its method looks for the fewest SMs with which it proves all
  said fewest;               ///< what it says then; its plan is the SMs of each task
};

/// Pre: it was judged.
[[nodiscard]] auto ask_library(const takt::program::workload_file& file, const takt::program::policy_input& input,
                               const takt::program::judged_policy& found) -> library_answers;

}  // namespace takt_tests
