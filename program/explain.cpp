// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <takt/report/explanation.hpp>
#include <takt/report/explanation_json.hpp>

#include "command.hpp"
#include "fields.hpp"
#include "terminal.hpp"

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
  task_set_file file{o.file, o.wishes};
  const auto& found = file.judge(o.ask);
  if (!o.task.empty()) {
    const std::size_t at = position_of(found, o.task);
    if (o.json) {
      report::write_explanation_json(std::cout, found, at);
    } else {
      show(report::explain_task(found, at));
    }
    return found.tasks[at].meets ? exit_code::ok : exit_code_of(found.status);
  }
  if (o.json) {
    report::write_explanation_json(std::cout, found);
    return exit_code_of(found.status);
  }
  std::ostringstream text;
  report::explain(text, found);
  if (!found.notes.empty()) { text << '\n'; }
  for (const std::string& note : found.notes) { text << "note: " << note << '\n'; }
  show(text.str());
  return exit_code_of(found.status);
}

}  // namespace takt::program
