// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <takt/core/largest_factor.hpp>
#include <takt/report/comparison_json.hpp>
#include <takt/report/comparison_svg.hpp>
#include <takt/report/comparison_table.hpp>
#include <takt/report/policies/policy_summary.hpp>

#include "command.hpp"
#include "large_stack.hpp"
#include "picture_file.hpp"
#include "policies/policy_input.hpp"
#include "progress.hpp"
#include "side_files.hpp"
#include "terminal.hpp"
#include "text_file.hpp"

namespace takt::program {

namespace {

constexpr permille most_factor = 100'000;

/// A row, and what it takes to write its file.
struct compared {
  rule_wishes wishes;
  std::unique_ptr<judged_policy> found;
};

[[nodiscard]] auto refused_row(const rule_wishes& asked, const input_error& why) -> report::comparison_row {
  report::comparison_row out;
  out.policy = asked.policy;
  out.cpus = asked.cpus;
  out.because = line_of(why);
  if (why.overflow) { out.status = verdict_status::overflow; }
  return out;
}

[[nodiscard]] auto row_of(const workload_file& file, const policy_input& input, judged_policy& found)
    -> report::comparison_row {
  const auto missing = missing_of(file, found);
  if (!found.judged) {
    report::comparison_row out = refused_row({found.policy, found.cpus}, explain_fault(file, found.verdict.error));
    out.missing = missing;
    if (!missing.empty()) { out.because.clear(); }
    return out;
  }
  auto out = report::compared_row(found, summary_of(file, found));
  out.missing = missing;
  if (found.verdict.schedulable()) {
    out.factor_permille = takt::largest_factor(1000, most_factor, [&](permille factor) {
      const auto again = factor == 1000 ? nullptr : judge_its_plan(file, input, found, factor);
      return factor == 1000 || (again != nullptr && again->verdict.schedulable());
    });
  }
  out.tasks = report::compared_tasks(explained_summary(file, input, found));
  return out;
}

}  // namespace

auto compare_command(const compare_options& o) -> exit_code {
  const auto file = read_workload(parse_json(read_text_file(o.file)));
  std::vector<std::string> policies = o.policies;
  if (policies.empty()) {
    for (const std::string_view name : policy_names()) { policies.emplace_back(name); }
  }
  std::vector<std::string> cpus = o.cpus;
  if (cpus.empty()) { cpus.push_back(own_cpu_rule(*file)); }
  for (const std::string& policy : policies) { require_policy("--policies", policy); }
  for (const std::string& rule : cpus) { require_cpu_rule("--cpus", rule); }

  try_files({o.file}, {{"--svg", o.svg_file}, {"--write", o.written_file, true}});

  report::comparison_summary all;
  all.title = file->name;
  all.platform_words = report::hardware_words(file->board);
  all.notes = words_of_file(*file);
  std::vector<compared> judged;
  on_large_stack([&] {
    progress shown{"comparing: policies"};
    for (const std::string& rule : cpus) {
      for (const std::string& policy : policies) {
        shown.show(judged.size(), policies.size() * cpus.size());
        compared next{.wishes = {policy, rule}, .found = nullptr};
        const auto asked = asked_of(*file, next.wishes);
        if (const auto* const input = std::get_if<policy_input>(&asked)) {
          next.found = judge_file(*file, *input);
          all.rows.push_back(row_of(*file, *input, *next.found));
        } else {  // it may be judged under others
          all.rows.push_back(refused_row(next.wishes, std::get<input_error>(asked)));
        }
        judged.push_back(std::move(next));
      }
    }
  });
  const auto best = report::best_of(all, o.by);
  written_files written;
  if (!o.written_file.empty() && best) {
    take_over(*file, input_of(*file, judged[*best].wishes), *judged[*best].found);
    written.add(o.written_file,
                [&] { write_file(o.written_file, [&](std::ostream& out) { print_workload(out, *file); }); });
  }
  if (!o.svg_file.empty()) {
    written.add(o.svg_file, [&] {
      write_picture(o.svg_file, [&](std::ostream& out) { report::write_comparison_svg(out, all, o.by); });
    });
  }
  if (o.json) {
    for (const std::string& fault : written.faults()) { all.notes.push_back(fault); }
    report::write_comparison_json(std::cout, all);
  } else {
    show(report::comparison_text(all, {.by = o.by}));
    if (!o.written_file.empty() && !written.has_failed(o.written_file)) {
      const std::string words =
          best ? all.rows[*best].policy + " to " + o.written_file : "nothing, since no policy is proven";
      say("\nwritten: {}\n", words);
    }
  }
  written.require_all();
  const auto misses = [](const report::comparison_row& row) { return row.status == verdict_status::unschedulable; };
  const auto overflows = [](const report::comparison_row& row) { return row.status == verdict_status::overflow; };
  const auto judges = [&](const report::comparison_row& row) { return row.status && !overflows(row); };
  if (best) { return exit_code::ok; }
  if (std::ranges::any_of(all.rows, overflows) && std::ranges::none_of(all.rows, judges)) {
    return exit_code::invalid_input;
  }
  return std::ranges::all_of(all.rows, misses) ? exit_code::missed : exit_code::not_proven;
}

}  // namespace takt::program
