// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "command_line.hpp"
#include "commands.hpp"
#include "ending.hpp"
#include "process.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace {

using namespace takt::program;

constexpr const char* exit_codes =
    "Exit code: 0 schedulable or no miss, 1 a miss is proven or was seen, 2 not proven or nothing to run,\n"
    "3 invalid input, 4 the surroundings refuse something.";

/// In the order of the help.
void describe_commands(call& c) {
  for (const auto describe :
       {describe_new, describe_analyze, describe_explain, describe_compare, describe_simulate, describe_run,
        describe_chains, describe_plan, describe_import, describe_export, describe_generate, describe_sweep,
        describe_sensitivity, describe_schema, describe_completion, describe_help}) {
    describe(c.app, c.chosen);
  }
}

/// Chooses and runs the command that the arguments name.
[[nodiscard]] auto serve(int argc, char** argv) -> exit_code {
  auto& [app, chosen] = this_call();
  app.footer(exit_codes);
  app.set_version_flag("--version", "takt " + version_words(), "print the version");
  app.require_subcommand(0, 1);
  app.fallthrough();
  colours coloured = colours::automatic;
  add_choice<colours>(app, "--color", coloured,
                      {{"auto", colours::automatic}, {"always", colours::always}, {"never", colours::never}},
                      "verdicts in colours: on a terminal unless NO_COLOR is set (the default), or");
  describe_commands(this_call());
  app.parse(argc, argv);
  if (!chosen.run) {
    return refused_call(fmt::format("no command is given: expected {}", fmt::join(command_names(app), ", ")));
  }
  choose_colours(coloured);
  const exit_code code = chosen.run();
  require_written_answer();
  return code;
}

[[nodiscard]] auto serve_guarded(int argc, char** argv) -> exit_code {
  try {
    return serve(argc, argv);
  } catch (const input_error& e) { return ended_by(e); } catch (const nothing_to_run& e) {
    return ended_by(e);
  } catch (const environment_error& e) { return ended_by(e); } catch (const CLI::Success& e) {
    return ended_by(e);
  } catch (const CLI::ParseError& e) { return ended_by(e); } catch (const std::exception& e) {
    return ended_by(e);
  }
}

}  // namespace

auto main(int argc, char** argv) -> int {
  try {
    prepare_process();
    exit_code code = exit_code::environment;
    on_stack_of_a_program([&] { code = serve_guarded(argc, argv); });
    return static_cast<int>(code);
  } catch (...) { return static_cast<int>(exit_code::environment); }
}
