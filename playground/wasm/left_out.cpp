// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <vector>

#include "command.hpp"

// Commands that are not there without a system: a call that names one is refused as one of an unknown command.

namespace takt::program {

void describe_run(CLI::App& /*app*/, choice& /*c*/) {}
void describe_plan(CLI::App& /*app*/, choice& /*c*/) {}
void describe_import(CLI::App& /*app*/, choice& /*c*/) {}
void describe_generate(CLI::App& /*app*/, choice& /*c*/) {}
void describe_sweep(CLI::App& /*app*/, choice& /*c*/) {}
void describe_completion(CLI::App& /*app*/, choice& /*c*/) {}

auto model_formats() -> std::vector<model_format> { return {}; }

}  // namespace takt::program
