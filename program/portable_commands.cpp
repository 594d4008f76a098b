// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "arguments.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "version.hpp"

namespace takt::program {

namespace {

struct help_options {
  std::string command;
  bool manual = false;
};
[[nodiscard]] auto help_command(CLI::App& app, const help_options& o) -> exit_code {
  if (o.manual) {
    std::cout << manual_page(app, version_words());
  } else {
    std::cout << help_of(app, o.command) << '\n';
  }
  return exit_code::ok;
}

}  // namespace

void describe_new(CLI::App& app, choice& c) {
  const auto o = std::make_shared<new_options>();
  auto& command = *app.add_subcommand("new", "a task-set file with comments, to start from");
  command.add_option("NAME", o->name, "the name of the task set");
  command.add_option("--write", o->written_file, "write there (default: standard output)")->type_name("FILE");
  command.callback([&c, o] { c = {[o] { return new_command(*o); }, nullptr, "", nullptr}; });
}

void describe_analyze(CLI::App& app, choice& c) {
  const auto o = std::make_shared<analyze_options>();
  auto& command = *app.add_subcommand("analyze", "verdict, response-time bounds and reasons");
  add_file(command, o->file);
  add_wishes(command, o->wishes);
  add_question(command, o->ask);
  add_json(command, o->json);
  command.callback([&c, o] { c = {[o] { return analyze_command(*o); }, &o->file, "takt-verdict/1", &o->json}; });
}

void describe_explain(CLI::App& app, choice& c) {
  const auto o = std::make_shared<explain_options>();
  auto& command = *app.add_subcommand("explain", "why a task meets or misses its deadline, in words");
  add_file(command, o->file);
  command.add_option("--task", o->task, "only this task")->type_name("NAME");
  add_wishes(command, o->wishes);
  add_question(command, o->ask);
  add_json(command, o->json);
  command.callback([&c, o] { c = {[o] { return explain_command(*o); }, &o->file, "takt-explanation/1", &o->json}; });
}

void describe_compare(CLI::App& app, choice& c) {
  const auto o = std::make_shared<compare_options>();
  auto& command = *app.add_subcommand("compare", "one workload under every way of sharing the GPU");
  add_file(command, o->file);
  command.add_option("--policies", o->policies, "only these: A,B,..")->type_name("NAMES")->delimiter(',');
  command.add_option("--cpus", o->cpus, "rules of the processors (default: the file's)")
      ->type_name("RULES")
      ->delimiter(',');
  add_choice<takt::report::comparison_rank>(
      command, "--sort", o->by,
      {{"slack", takt::report::comparison_rank::slack}, {"factor", takt::report::comparison_rank::factor}},
      "what comes first");
  add_picture(command, o->svg_file, "draw the slack of each task under each policy");
  command.add_option("--write", o->written_file, "write the tasks under the best policy")->type_name("FILE");
  add_json(command, o->json);
  offer_lists(command);
  command.callback([&c, o] { c = {[o] { return compare_command(*o); }, &o->file, "takt-compare/1", &o->json}; });
}

void describe_simulate(CLI::App& app, choice& c) {
  const auto o = std::make_shared<simulate_options>();
  auto& command = *app.add_subcommand("simulate", "the same rules in virtual time");
  add_file(command, o->file);
  command.add_option("--horizon,--for", o->horizon, "releases are before it (default 10s)")->type_name("TIME");
  add_number(command, "--seed", o->seed, "of everything random (default 1)");
  add_choice<takt::release_pattern>(command, "--releases", o->releases,
                                    {{"periodic", takt::release_pattern::periodic},
                                     {"sporadic", takt::release_pattern::sporadic},
                                     {"worst", takt::release_pattern::adversarial}},
                                    "when jobs are released");
  add_choice<takt::execution_times>(command, "--execution", o->execution,
                                    {{"upper", takt::execution_times::upper},
                                     {"lower", takt::execution_times::lower},
                                     {"random", takt::execution_times::random}},
                                    "how long segments take within their bounds");
  command.add_option("--stopped", o->stopped, "the process stands still meanwhile; can be given several times")
      ->type_name("FROM..TO");
  add_pictures(command, o->keep);
  add_wishes(command, o->wishes);
  add_question(command, o->ask);
  add_json(command, o->json);
  command.callback([&c, o] { c = {[o] { return simulate_command(*o); }, &o->file, "takt-run/1", &o->json}; });
}

void describe_chains(CLI::App& app, choice& c) {
  const auto o = std::make_shared<chains_options>();
  auto& command = *app.add_subcommand("chains", "reaction time and data age of the file's cause-effect chains");
  add_file(command, o->file);
  add_choice<bool>(command, "--clocks", o->own_clocks, {{"common", false}, {"own", true}},
                   "all tasks are released by one clock, at first at their offsets (the default), or each by its own");
  command.add_option("--horizon,--for", o->horizon, "of the simulation beside the bounds (default 10s)")
      ->type_name("TIME");
  add_number(command, "--seed", o->seed, "of its execution times (default 1)");
  add_picture(command, o->svg_file, "draw the slowest reaction that the simulation shows");
  add_wishes(command, o->wishes);
  add_question(command, o->ask);
  add_json(command, o->json);
  command.callback([&c, o] { c = {[o] { return chains_command(*o); }, &o->file, "takt-chains/1", &o->json}; });
}

void describe_sensitivity(CLI::App& app, choice& c) {
  const auto o = std::make_shared<sensitivity_options>();
  auto& command = *app.add_subcommand("sensitivity", "by how much execution times may grow; slack per task");
  add_file(command, o->file);
  add_wishes(command, o->wishes);
  add_question(command, o->ask);
  command.add_flag("--replan", o->replan, "look for a plan at each factor, too, and say how far these get");
  add_json(command, o->json);
  command.callback(
      [&c, o] { c = {[o] { return sensitivity_command(*o); }, &o->file, "takt-sensitivity/1", &o->json}; });
}

void describe_export(CLI::App& app, choice& c) {
  const auto o = std::make_shared<export_options>();
  const auto models = model_formats();
  std::string words = "cpp: a program that says what analyze says";
  std::vector<std::string> formats{"cpp"};
  for (const model_format& m : models) {
    words += fmt::format("; {}: {}", m.word, m.words);
    formats.emplace_back(m.word);
  }
  auto& command = *app.add_subcommand(
      "export", models.empty() ? "a task set as a C++ program"
                               : "a task set as a C++ program, or a plan into a model of another tool");
  command.add_option("FORMAT", o->format, words)->required()->check(one_of(formats));
  add_file(command, o->file);
  add_wishes(command, o->wishes);
  if (!models.empty()) {
    command.add_option("--into", o->model_file, fmt::format("{}: the model that the tasks are from", formats.back()))
        ->type_name("MODEL");
  }
  command.add_option("--write", o->written_file, "write there (default: standard output)")->type_name("FILE");
  command.callback([&c, o] { c = {[o] { return export_command(*o); }, &o->file, "", nullptr}; });
}

void describe_schema(CLI::App& app, choice& c) {
  const auto defaults = std::make_shared<bool>(false);
  auto& command = *app.add_subcommand("schema", "the JSON Schema of task-set files, for editors and other tools");
  command.add_flag("--defaults", *defaults, "instead: what each key that is left out is taken for");
  command.callback([&c, defaults] { c = {[defaults] { return schema_command(*defaults); }, nullptr, "", nullptr}; });
}

void describe_help(CLI::App& app, choice& c) {
  const auto o = std::make_shared<help_options>();
  auto& command = *app.add_subcommand("help", "how to use takt, or one of its commands");
  command.add_flag("--man", o->manual, "all of it as a page for man");
  auto* const about = command.add_option("COMMAND", o->command, "one of the commands");
  about->check(one_of(command_names(app)));
  command.callback([&app, &c, o] { c = {[&app, o] { return help_command(app, *o); }, nullptr, "", nullptr}; });
}

}  // namespace takt::program
