// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "exit_code.hpp"

namespace takt::program {

/// Which command is to run, and what a failure of it needs to know.
struct choice {
  std::function<exit_code()> run;
  const std::string* file = nullptr;
  std::string_view json_format;
  const bool* json = nullptr;
};

// Each describes a command with its arguments. Where the arguments of a call name it, it becomes the choice.

// They need files, and nothing else of a system: portable_commands.cpp.
void describe_new(CLI::App& app, choice& c);
void describe_analyze(CLI::App& app, choice& c);
void describe_explain(CLI::App& app, choice& c);
void describe_compare(CLI::App& app, choice& c);
void describe_simulate(CLI::App& app, choice& c);
void describe_chains(CLI::App& app, choice& c);
void describe_sensitivity(CLI::App& app, choice& c);
void describe_export(CLI::App& app, choice& c);
void describe_schema(CLI::App& app, choice& c);
void describe_help(CLI::App& app, choice& c);

// They need threads, processes or a shell: host/commands.cpp.
void describe_run(CLI::App& app, choice& c);
void describe_plan(CLI::App& app, choice& c);
void describe_import(CLI::App& app, choice& c);
void describe_generate(CLI::App& app, choice& c);
void describe_sweep(CLI::App& app, choice& c);
void describe_completion(CLI::App& app, choice& c);

}  // namespace takt::program
