// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "accelerator_file.hpp"
#include "command.hpp"

namespace takt::program {

/// The commands for files about an accelerator. They throw `input_error` and `environment_error`.
[[nodiscard]] auto analyze_accelerator(const accelerator_file& file, const analyze_options& o) -> exit_code;
[[nodiscard]] auto explain_accelerator(const accelerator_file& file, const explain_options& o) -> exit_code;
[[nodiscard]] auto simulate_accelerator(const accelerator_file& file, const simulate_options& o) -> exit_code;
[[nodiscard]] auto run_accelerator(const accelerator_file& file, const run_command_options& o) -> exit_code;

}  // namespace takt::program
