// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/runtime/run_result.hpp>

#include "command.hpp"

namespace takt::program {

/// What every `takt run` begins with: how long, on a device that this program has. Throws.
[[nodiscard]] auto run_length(const run_command_options& o) -> duration;

/// What about this machine can disturb a run on the emulated device, which uses its CPUs only.
[[nodiscard]] auto machine_notes() -> std::vector<std::string>;

/// Throws where the system did not give what a run needs, or the device failed.
void require_surroundings(const runtime::run_result& seen);

}  // namespace takt::program
