// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <takt/report/json.hpp>

#include "command.hpp"
#include "embedded.hpp"
#include "failure.hpp"
#include "files/defaults.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

constexpr std::string_view name_of_template = R"("my system")";

}  // namespace

auto new_command(const new_options& o) -> exit_code {
  std::string text{template_file};
  if (!o.name.empty()) {
    text.replace(text.find(name_of_template), name_of_template.size(), report::json_string(o.name));
  }
  if (o.written_file.empty()) {
    std::cout << text;
    return exit_code::ok;
  }
  if (is_there(o.written_file)) {
    throw environment_error{fmt::format("{}: is there already, and is left alone", o.written_file)};
  }
  write_file(o.written_file, [&text](std::ostream& out) { out << text; });
  fmt::print("written: {}; next: takt analyze {}\n", o.written_file, o.written_file);
  return exit_code::ok;
}

auto schema_command(bool defaults) -> exit_code {
  std::cout << (defaults ? defaults_page() : std::string{schema_file});
  return exit_code::ok;
}

}  // namespace takt::program
