// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "../command.hpp"
#include "../failure.hpp"
#include "../side_files.hpp"
#include "../text_file.hpp"
#include "cpp_program.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto export_cpp(const export_options& o) -> exit_code {
  task_set_file file{o.file, o.wishes};
  try_files({o.file}, {{"--write", o.written_file}});
  if (const auto open = open_omissions(file.workload()); !open.empty()) {
    throw input_error{"/incomplete", "lists what a program would not say of itself",
                      "a file whose \"acknowledged\" names each kind"};
  }
  static_cast<void>(file.judge({}));
  const std::string text = cpp_program(file.workload(), o.wishes, file.input(), file.judged());
  if (o.written_file.empty()) {
    std::cout << text;
  } else {
    write_file(o.written_file, [&](std::ostream& to) { to << text; });
    fmt::print("{} tasks written to {}\n", file.workload().tasks.size(), o.written_file);
  }
  return exit_code::ok;
}

}  // namespace

auto export_command(const export_options& o) -> exit_code {
  const auto formats = model_formats();
  const auto model = std::ranges::find(formats, o.format, &model_format::word);
  if (model == formats.end()) {
    if (!o.model_file.empty()) {
      throw input_error{"--into", "says nothing about a C++ program, which is written anew",
                        "no such option, or the format of a model"};
    }
    return export_cpp(o);
  }
  if (o.model_file.empty()) {
    throw input_error{"--into", fmt::format("is missing, and an export to {} changes a model", o.format),
                      "the model that the tasks are from"};
  }
  if (o.wishes.any()) {
    throw input_error{o.wishes.policy.empty() ? "--cpus" : "--policy",
                      "says nothing about a model, which has no place for rules", "no such option, or cpp"};
  }
  return model->write(o);
}

}  // namespace takt::program
