// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/report/explanation.hpp>

#include "command.hpp"
#include "fields.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto position_of(const report::verdict_summary& found, const std::string& name) -> std::size_t {
  std::vector<std::string_view> names;
  for (const auto& t : found.tasks) { names.emplace_back(t.name); }
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) {
    throw input_error{"--task",
                      fmt::format("\"{}\" is no task of this file, the nearest is \"{}\"", name, nearest(name, names)),
                      fmt::format("{}", fmt::join(names, ", "))};
  }
  return static_cast<std::size_t>(at - names.begin());
}

}  // namespace

auto explain_command(const explain_options& o) -> exit_code {
  described_file file{o.file, o.wishes};
  const auto& found = file.judge(o.ask);
  if (!o.task.empty()) {
    const std::size_t at = position_of(found, o.task);
    std::cout << report::explain_task(found, at);
    return found.tasks[at].meets ? exit_code::ok : exit_code_of(found.status);
  }
  report::explain(std::cout, found);
  if (!found.notes.empty()) { std::cout << '\n'; }
  for (const std::string& note : found.notes) { std::cout << "note: " << note << '\n'; }
  return exit_code_of(found.status);
}

}  // namespace takt::program
