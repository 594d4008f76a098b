// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/report/explanation.hpp>

#include "accelerator_commands.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "fields.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto position_of(const report::verdict_summary& v, const std::string& name) -> std::size_t {
  std::vector<std::string_view> names;
  for (const auto& t : v.tasks) { names.emplace_back(t.name); }
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw input_error{"--task",
                      fmt::format("\"{}\" is no task of this file, the nearest is \"{}\"", name, nearest(name, names)),
                      fmt::format("{}", fmt::join(names, ", "))};
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

auto explain_command(const explain_options& o) -> exit_code {
  const std::string text = read_text_file(o.file);
  if (const auto accelerator = read_accelerator_text(text)) { return explain_accelerator(*accelerator, o); }
  const auto file = read_task_text(o.file, text);
  const auto a = assess(*file, o.ask);
  if (!o.task.empty()) {
    const std::size_t at = position_of(a->summary, o.task);
    std::cout << report::explain_task(a->summary, at);
    return a->summary.tasks[at].meets ? exit_code::ok : exit_code_of(a->summary.status);
  }
  report::explain(std::cout, a->summary);
  std::cout << '\n';
  if (a->summary.misses.empty()) {
    for (const std::string& reason : a->reasons) { std::cout << reason << '\n'; }
  }
  for (const std::string& note : a->summary.notes) { std::cout << "note: " << note << '\n'; }
  return exit_code_of(a->summary.status);
}

}  // namespace takt::program
