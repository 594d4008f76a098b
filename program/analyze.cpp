// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <string_view>

#include <takt/report/explanation.hpp>
#include <takt/report/verdict_json.hpp>
#include <takt/report/verdict_table.hpp>

#include "command.hpp"
#include "json_value.hpp"
#include "terminal.hpp"

namespace takt::program {

void print_verdict(std::string_view title, const report::verdict_summary& found) {
  if (!title.empty()) { say("{}\n", one_line(title, 200)); }
  say("platform: {}\n", report::joined(found.platform_words));
  if (!found.plan_words.empty()) { say("plan: {}\n", found.plan_words); }
  say("\n{}\n", report::text_of(report::verdict_table(found)));
  say("verdict: {} ({})\n", name_of(found.status), found.method);
  for (const std::string& reason : report::reasons_of(found)) { say("  {}\n", reason); }
  for (const std::string& note : found.notes) { say("  note: {}\n", note); }
}

auto exit_code_of(verdict_status status) noexcept -> exit_code {
  switch (status) {
    case verdict_status::schedulable: return exit_code::ok;
    case verdict_status::unschedulable: return exit_code::missed;
    case verdict_status::not_proven: return exit_code::not_proven;
    case verdict_status::invalid_model:
    case verdict_status::overflow: return exit_code::invalid_input;
  }
  return exit_code::environment;
}

auto analyze_command(const analyze_options& o) -> exit_code {
  task_set_file file{o.file, o.wishes};
  const auto& found = file.judge(o.ask);
  if (o.json) {
    report::write_verdict_json(std::cout, found);
  } else {
    print_verdict(file.title(), found);
  }
  return exit_code_of(found.status);
}

}  // namespace takt::program
