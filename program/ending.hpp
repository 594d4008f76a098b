// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "failure.hpp"

namespace takt::program {

/// The call that the program answers: the arguments that it takes, and the command that was chosen by them.
struct call {
  CLI::App app;
  choice chosen;
};
[[nodiscard]] auto this_call() -> call&;

/// Throws `environment_error` where what is printed does not arrive on standard output.
void require_written_answer();

// How a call ends that fails: each says why on standard error, and as JSON where that was asked for.

[[nodiscard]] auto ended_by(const input_error& e) -> exit_code;
[[nodiscard]] auto ended_by(const nothing_to_run& e) -> exit_code;
[[nodiscard]] auto ended_by(const environment_error& e) -> exit_code;
/// No failure: --help and --version end a call in the same way.
[[nodiscard]] auto ended_by(const CLI::Success& e) -> exit_code;
[[nodiscard]] auto ended_by(const CLI::ParseError& e) -> exit_code;
[[nodiscard]] auto ended_by(const std::exception& e) -> exit_code;

/// What is wrong with the arguments.
[[nodiscard]] auto refused_call(const std::string& why) -> exit_code;

}  // namespace takt::program
