// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line.hpp"

namespace takt::program {

namespace {

/// Text of one line for troff.
[[nodiscard]] auto plain(std::string_view text) -> std::string {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) { out += "\\&"; }
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\n') {
      out += "\n.br\n";
    } else {
      out += c;
    }
  }
  return out;
}

void add_options(CLI::App& command, bool positional, std::string& out) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_positional() != positional) { continue; }
    const bool valued = !positional && option->get_items_expected_max() > 0;
    out += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(option->get_name(false, true)),
                       valued ? fmt::format(" \\fI{}\\fR", plain(option->get_type_name())) : "",
                       plain(option->get_description()));
  }
}

}  // namespace

auto manual_page(CLI::App& app, std::string_view version) -> std::string {
  const std::string description = app.get_description();
  std::string out = fmt::format(
      ".TH TAKT 1 \"\" \"takt {}\" \"User Commands\"\n.SH NAME\ntakt \\- {}\n.SH SYNOPSIS\n\\fBtakt\\fR "
      "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n{}\n.br\n\\fBtakt new\\fR prints a file to start from.\n"
      ".SH OPTIONS\n",
      version, plain(description.substr(description.find(' ') + 1)), plain(description));
  add_options(app, false, out);
  out += ".SH COMMANDS\n";
  for (CLI::App* command : all_commands(app)) {
    std::vector<std::string> arguments;
    for (const CLI::Option* option : command->get_options()) {
      if (!option->get_positional()) { continue; }
      const std::string name = fmt::format("\\fI{}\\fR", plain(option->get_name()));
      arguments.push_back(option->get_required() ? name : "[" + name + "]");
    }
    out += fmt::format(".SS takt {} {}\n{}\n", command->get_name(), fmt::join(arguments, " "),
                       plain(command->get_description()));
    add_options(*command, true, out);
    add_options(*command, false, out);
  }
  std::string footer = app.get_footer();
  out += fmt::format(".SH EXIT STATUS\n{}\n", plain(footer.substr(footer.find(": ") + 2)));
  return out;
}

}  // namespace takt::program
