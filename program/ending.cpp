// SPDX-License-Identifier: Apache-2.0
#include "ending.hpp"

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/report/json.hpp>

#include "command_line.hpp"
#include "json_value.hpp"
#include "standard_error.hpp"

namespace takt::program {

namespace {

/// Of what is wrong with a call, which lists all that could stand there.
constexpr std::size_t longest_complaint = 1000;

/// Says why a command has no answer about its file.
void say_failure(std::string_view status, const std::string& line) {
  const choice& c = this_call().chosen;
  if (c.json != nullptr && *c.json) {
    report::json_writer json{std::cout};
    json.begin_object().member("format", c.json_format).member("status", status);
    if (std::string_view{c.json_format} == "takt-verdict/1") {
      json.key("analysis").value(nullptr).key("plan").value(nullptr).key("tasks").begin_array().end_array();
    }
    json.key("notes").begin_array().value(line).end_array().end_object().finish();
  }
  say_aside("{}\n", line);
}

[[nodiscard]] auto name_of_file() -> std::string {
  const std::string* const file = this_call().chosen.file;
  return file == nullptr ? "takt" : one_line(*file, longest_message);
}

}  // namespace

auto this_call() -> call& {
  static call it{CLI::App{"takt: describe a GPU workload once, then prove it, simulate it and run it.", "takt"}, {}};
  return it;
}

void require_written_answer() {
  if (!std::cout.flush() || std::fflush(stdout) != 0) { throw environment_error{"standard output cannot be written"}; }
}

auto ended_by(const input_error& e) -> exit_code {
  say_failure(e.overflow ? "overflow" : "invalid-model", fmt::format("{}: {}", name_of_file(), line_of(e)));
  return exit_code::invalid_input;
}

auto ended_by(const nothing_to_run& e) -> exit_code {
  say_failure("not-run",
              fmt::format("{}: there is nothing to run: {}", name_of_file(), one_line(e.why, longest_message)));
  return exit_code::not_proven;
}

auto ended_by(const environment_error& e) -> exit_code {
  say_aside("takt: {}\n", one_line(e.what, longest_message));
  return exit_code::environment;
}

auto ended_by(const CLI::Success& e) -> exit_code {
  (void)this_call().app.exit(e);
  try {
    require_written_answer();
  } catch (const environment_error& unwritten) { return ended_by(unwritten); }
  return exit_code::ok;
}

auto ended_by(const CLI::ParseError& e) -> exit_code { return refused_call(complaint_of(this_call().app, e)); }

auto ended_by(const std::exception& e) -> exit_code { return ended_by(environment_error{e.what()}); }

auto refused_call(const std::string& why) -> exit_code {
  say_aside("takt: {}\n", one_line(why, longest_complaint));
  return exit_code::invalid_input;
}

}  // namespace takt::program
