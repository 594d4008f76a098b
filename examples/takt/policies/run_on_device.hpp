// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/runtime/run_options.hpp>
#include <takt/simulation/trace.hpp>

#include "policy_input.hpp"

namespace takt::program {

/// Whether threads and emulated devices have the rules of a policy.
[[nodiscard]] auto is_run_on_devices(const policy_question& q) -> bool;

/// On threads and the emulated device. Pre: it was explained. Nothing where the runtime does not take these tasks under
/// the policy.
[[nodiscard]] auto run_on_device(const policy_input& input, const hardware& board, const judged_policy& found,
                                 const runtime::run_options& options, trace* kept) -> std::optional<sighting>;

}  // namespace takt::program
