// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "command.hpp"

namespace takt::program {

namespace {

void print_text(const described_file& file, const judgement& found) {
  if (!file.title().empty()) { fmt::print("{}\n", one_line(file.title(), 200)); }
  fmt::print("platform: {}\n", file.platform_text());
  if (const auto plan = file.plan_text(); !plan.empty()) { fmt::print("plan: {}\n", plan); }
  fmt::print("\n{}\n", file.verdict_table().text());
  fmt::print("verdict: {} ({})\n", name_of(found.status), found.analysis);
  for (const std::string& reason : file.reasons()) { fmt::print("  {}\n", reason); }
  for (const std::string& note : found.notes) { fmt::print("  note: {}\n", note); }
}

}  // namespace

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
  const auto file = open_file(o.file);
  const judgement& found = file->judge(o.ask);
  if (o.json) {
    file->write_verdict(std::cout);
  } else {
    print_text(*file, found);
  }
  return exit_code_of(found.status);
}

}  // namespace takt::program
