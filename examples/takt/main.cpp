// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <takt/core/version.hpp>
#include <takt/report/json.hpp>

#include "command.hpp"
#include "command_line.hpp"
#include "failure.hpp"
#include "generate.hpp"
#include "json_value.hpp"
#include "policies/judged.hpp"
#include "sweep/sweep.hpp"
#include "terminal.hpp"

namespace {

using namespace takt::program;

/// Of what is wrong with a call, which lists all that could stand there.
constexpr std::size_t longest_complaint = 1000;
const std::string version = fmt::format("{}.{}.{}", takt::version_major, takt::version_minor, takt::version_patch);

/// Which command is to run, and what a failure of it needs to know.
struct choice {
  std::function<exit_code()> run;
  const std::string* file = nullptr;
  std::string_view json_format;
  const bool* json = nullptr;
};

void write_error_json(std::string_view format, std::string_view status, const std::string& line) {
  takt::report::json_writer json{std::cout};
  json.begin_object().member("format", format).member("status", status);
  json.key("notes").begin_array().value(line).end_array().end_object().finish();
}

[[nodiscard]] auto run_guarded(const choice& c) -> exit_code {
  try {
    const exit_code code = c.run();
    if (!std::cout.flush() || std::fflush(stdout) != 0) {
      throw environment_error{"standard output cannot be written"};
    }
    return code;
  } catch (const input_error& e) {
    const std::string file = c.file == nullptr ? "takt" : *c.file;
    const std::string line = fmt::format("{}: {}", one_line(file, longest_message), line_of(e));
    if (c.json != nullptr && *c.json) {
      write_error_json(c.json_format, e.overflow ? "overflow" : "invalid-model", line);
    }
    fmt::print(stderr, "{}\n", line);
    return exit_code::invalid_input;
  } catch (const nothing_to_run& e) {
    const std::string line = fmt::format("{}: there is nothing to run: {}", one_line(*c.file, longest_message),
                                         one_line(e.why, longest_message));
    if (c.json != nullptr && *c.json) { write_error_json(c.json_format, "not-run", line); }
    fmt::print(stderr, "{}\n", line);
    return exit_code::not_proven;
  } catch (const environment_error& e) {
    fmt::print(stderr, "takt: {}\n", one_line(e.what, longest_message));
  } catch (const std::exception& e) { fmt::print(stderr, "takt: {}\n", one_line(e.what(), longest_message)); }
  return exit_code::environment;
}

void add_file(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "a task-set file in the format takt/1")->required();
}

void add_question(CLI::App& command, question& ask) {
  std::vector<std::pair<std::string, std::string>> analyses;
  for (const std::string_view name : analysis_names()) { analyses.emplace_back(name, name); }
  add_choice(command, "--analysis", ask.given_method, analyses,
             "the test, the best of all, as published or sharper, or a baseline");
  add_choice<takt::search_method>(command, "--search", ask.given_search,
                                  {{"branch-and-bound", takt::search_method::branch_and_bound},
                                   {"exact", takt::search_method::exact},
                                   {"exhaustive", takt::search_method::exhaustive},
                                   {"greedy", takt::search_method::greedy},
                                   {"spread", takt::search_method::spread}},
                                  "how SMs are given to tasks: at once (the default), or as long as it takes");
}

void add_wishes(CLI::App& command, rule_wishes& wishes) {
  command.add_option("--policy", wishes.policy, "a way of sharing the GPU in place of the file's, such as gang")
      ->type_name("NAME")
      ->check(such_as(policy_names()));
  command.add_option("--cpus", wishes.cpus, "a rule of the processors in place of the file's, such as edf")
      ->type_name("RULE")
      ->check(such_as(cpu_rule_names()));
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON object and nothing else");
}

void add_pictures(CLI::App& command, pictures& to) {
  command.add_option("--trace", to.trace_file, "write a trace that ui.perfetto.dev opens")->type_name("FILE");
  add_picture(command, to.svg_file, "draw a Gantt chart, at most two of the longest periods");
}

void add_plan(CLI::App& command, plan_options& o) {
  add_file(command, o.file);
  command.add_option("--policies", o.policies, "ways of sharing the GPU to choose from: A,B,.. (default: all)")
      ->type_name("NAMES")
      ->delimiter(',');
  command.add_option("--cpus", o.cpus, "rules of the processors to choose from (default: the file's)")
      ->type_name("RULES")
      ->delimiter(',');
  add_choice<takt::mapping_objective>(
      command, "--objective", o.objective,
      {{"factor", takt::mapping_objective::factor}, {"chain", takt::mapping_objective::chain}},
      "the largest factor on all execution times (the default), or the least longest latency of a chain");
  add_choice<plan_search>(
      command, "--search", o.search,
      {{"auto", plan_search::automatic}, {"exact", plan_search::exact}, {"local", plan_search::local}},
      "all choices, or from neighbour to neighbour, or both where that can end (the default)");
  command.add_flag("--offsets", o.offsets,
                   "choose first releases of the tasks of chains, too, so that these are short");
  add_number(command, "--seed", o.seed, "of the local search (default 1)");
  command.add_option("--for", o.time, "ends the search (default 60s)")->type_name("TIME");
  add_number(command, "--evaluations", o.evaluations, "ends the search after so many mappings (default 0: by time)");
  command.add_option("--resume", o.state_file, "goes on from this file if it is there, and keeps the search in it")
      ->type_name("FILE");
  add_picture(command, o.svg_file, "draw the plan: cores, GPU, slack, and how the search came to it");
  command.add_option("--write", o.written_file, "write the tasks under the plan")->type_name("FILE");
  add_json(command, o.json);
}

/// Lists A,B,.. of policies and rules: their words, and that what follows a list is no part of it.
void offer_lists(CLI::App& command) {
  command.get_option("--policies")->allow_extra_args(false)->check(such_as(policy_names()));
  command.get_option("--cpus")->allow_extra_args(false)->check(such_as(cpu_rule_names()));
}

struct help_options {
  std::string command;
  bool manual = false;
};
[[nodiscard]] auto help_command(CLI::App& app, const help_options& o) -> exit_code {
  if (o.manual) {
    std::cout << manual_page(app, version);
  } else {
    std::cout << help_of(app, o.command) << '\n';
  }
  return exit_code::ok;
}

[[nodiscard]] auto completion_command(CLI::App& app, const std::string& shell) -> exit_code {
  std::cout << (shell == "bash" ? bash_completion(app) : shell == "zsh" ? zsh_completion(app) : fish_completion(app));
  return exit_code::ok;
}

constexpr const char* exit_codes =
    "Exit code: 0 schedulable or no miss, 1 a miss is proven or was seen, 2 not proven or nothing to run,\n"
    "3 invalid input, 4 the surroundings refuse something.";

/// Chooses and runs the command that the arguments name.
[[nodiscard]] auto serve(int argc, char** argv) -> int {
  CLI::App app{"takt: describe a GPU workload once, then prove it, simulate it and run it.", "takt"};
  app.footer(exit_codes);
  app.set_version_flag("--version", "takt " + version, "print the version");
  app.require_subcommand(0, 1);
  app.fallthrough();
  colours coloured = colours::automatic;
  add_choice<colours>(app, "--color", coloured,
                      {{"auto", colours::automatic}, {"always", colours::always}, {"never", colours::never}},
                      "verdicts in colours: on a terminal unless NO_COLOR is set (the default), or");
  choice c;

  new_options begin;
  auto* command = app.add_subcommand("new", "a task-set file with comments, to start from");
  command->add_option("NAME", begin.name, "the name of the task set");
  command->add_option("--write", begin.written_file, "write there (default: standard output)")->type_name("FILE");
  command->callback([&] { c = {[&] { return new_command(begin); }, nullptr, "", nullptr}; });

  analyze_options analyze;
  command = app.add_subcommand("analyze", "verdict, response-time bounds and reasons");
  add_file(*command, analyze.file);
  add_wishes(*command, analyze.wishes);
  add_question(*command, analyze.ask);
  add_json(*command, analyze.json);
  command->callback(
      [&] { c = {[&] { return analyze_command(analyze); }, &analyze.file, "takt-verdict/1", &analyze.json}; });

  explain_options explain;
  command = app.add_subcommand("explain", "why a task meets or misses its deadline, in words");
  add_file(*command, explain.file);
  command->add_option("--task", explain.task, "only this task")->type_name("NAME");
  add_wishes(*command, explain.wishes);
  add_question(*command, explain.ask);
  add_json(*command, explain.json);
  command->callback(
      [&] { c = {[&] { return explain_command(explain); }, &explain.file, "takt-explanation/1", &explain.json}; });

  compare_options compare;
  command = app.add_subcommand("compare", "one workload under every way of sharing the GPU");
  add_file(*command, compare.file);
  command->add_option("--policies", compare.policies, "only these: A,B,..")->type_name("NAMES")->delimiter(',');
  command->add_option("--cpus", compare.cpus, "rules of the processors (default: the file's)")
      ->type_name("RULES")
      ->delimiter(',');
  add_choice<takt::report::comparison_rank>(
      *command, "--sort", compare.by,
      {{"slack", takt::report::comparison_rank::slack}, {"factor", takt::report::comparison_rank::factor}},
      "what comes first");
  add_picture(*command, compare.svg_file, "draw the slack of each task under each policy");
  command->add_option("--write", compare.written_file, "write the tasks under the best policy")->type_name("FILE");
  add_json(*command, compare.json);
  offer_lists(*command);
  command->callback(
      [&] { c = {[&] { return compare_command(compare); }, &compare.file, "takt-compare/1", &compare.json}; });

  simulate_options simulate;
  command = app.add_subcommand("simulate", "the same rules in virtual time");
  add_file(*command, simulate.file);
  command->add_option("--horizon,--for", simulate.horizon, "releases are before it (default 10s)")->type_name("TIME");
  add_number(*command, "--seed", simulate.seed, "of everything random (default 1)");
  add_choice<takt::release_pattern>(*command, "--releases", simulate.releases,
                                    {{"periodic", takt::release_pattern::periodic},
                                     {"sporadic", takt::release_pattern::sporadic},
                                     {"worst", takt::release_pattern::adversarial}},
                                    "when jobs are released");
  add_choice<takt::execution_times>(*command, "--execution", simulate.execution,
                                    {{"upper", takt::execution_times::upper},
                                     {"lower", takt::execution_times::lower},
                                     {"random", takt::execution_times::random}},
                                    "how long segments take within their bounds");
  add_pictures(*command, simulate.keep);
  add_wishes(*command, simulate.wishes);
  add_question(*command, simulate.ask);
  add_json(*command, simulate.json);
  command->callback(
      [&] { c = {[&] { return simulate_command(simulate); }, &simulate.file, "takt-run/1", &simulate.json}; });

  run_command_options run;
  command =
      app.add_subcommand("run", "on threads of this machine and a device; observed, simulated and proven side by side");
  add_file(*command, run.file);
  command->add_option("--device", run.device, "emulated (default) or cuda")
      ->type_name("NAME")
      ->check(one_of({"emulated", "cuda"}));
  command->add_option("--for", run.length, "how long to run (default 5s)")->type_name("TIME");
  add_number(*command, "--seed", run.seed, "of the execution times (default 1)");
  add_choice<takt::runtime::violation_handling>(*command, "--on-violation", run.at_violation,
                                                {{"report", takt::runtime::violation_handling::report},
                                                 {"drop", takt::runtime::violation_handling::drop},
                                                 {"stop", takt::runtime::violation_handling::stop}},
                                                "what to do about a job above its bound");
  add_pictures(*command, run.keep);
  add_wishes(*command, run.wishes);
  add_question(*command, run.ask);
  add_json(*command, run.json);
  command->callback([&] { c = {[&] { return run_command(run); }, &run.file, "takt-run/1", &run.json}; });

  chains_options chains;
  command = app.add_subcommand("chains", "reaction time and data age of the file's cause-effect chains");
  add_file(*command, chains.file);
  add_choice<bool>(*command, "--clocks", chains.own_clocks, {{"common", false}, {"own", true}},
                   "all tasks are released by one clock, at first at their offsets (the default), or each by its own");
  command->add_option("--horizon,--for", chains.horizon, "of the simulation beside the bounds (default 10s)")
      ->type_name("TIME");
  add_number(*command, "--seed", chains.seed, "of its execution times (default 1)");
  add_picture(*command, chains.svg_file, "draw the slowest reaction that the simulation shows");
  add_wishes(*command, chains.wishes);
  add_question(*command, chains.ask);
  add_json(*command, chains.json);
  command->callback([&] { c = {[&] { return chains_command(chains); }, &chains.file, "takt-chains/1", &chains.json}; });

  plan_options plan;
  command =
      app.add_subcommand("plan", "chooses cores, variants, priorities and a way of sharing the GPU, with the proof");
  add_plan(*command, plan);
  offer_lists(*command);
  command->callback([&] { c = {[&] { return plan_command(plan); }, &plan.file, "takt-plan/1", &plan.json}; });

  import_options import;
  command = app.add_subcommand("import", "a model of another tool as a task-set file");
  command->add_option("FORMAT", import.format, "amalthea: a model of APP4MC, 0.7 to 3.x")
      ->required()
      ->check(one_of({"amalthea"}));
  command->add_option("FILE", import.file, "the model")->required();
  command->add_option("--write", import.written_file, "write there (default: standard output)")->type_name("FILE");
  command->add_flag("--report", import.report, "list what of the model is not used, on standard error");
  command->callback([&] { c = {[&] { return import_command(import); }, &import.file, "", nullptr}; });

  export_options out;
  command = app.add_subcommand("export", "a task set as a C++ program, or a plan into a model of another tool");
  command
      ->add_option("FORMAT", out.format,
                   "cpp: a program that says what analyze says; amalthea: a model of APP4MC, 0.7 to 3.x")
      ->required()
      ->check(one_of({"cpp", "amalthea"}));
  add_file(*command, out.file);
  add_wishes(*command, out.wishes);
  command->add_option("--into", out.model_file, "amalthea: the model that the tasks are from")->type_name("MODEL");
  command->add_option("--write", out.written_file, "write there (default: standard output)")->type_name("FILE");
  command->callback([&] { c = {[&] { return export_command(out); }, &out.file, "", nullptr}; });

  generate_options generate;
  command = app.add_subcommand("generate", "task sets of a published experiment, one per line");
  add_generate(*command, generate);
  command->callback([&] { c = {[&] { return generate_command(generate); }, nullptr, "", nullptr}; });

  sweep_options sweep;
  command = app.add_subcommand("sweep", "how many task sets of a published experiment each analysis accepts");
  add_sweep(*command, sweep);
  command->callback([&] { c = {[&] { return sweep_command(sweep); }, nullptr, "takt-sweep/1", &sweep.json}; });

  sensitivity_options sensitivity;
  command = app.add_subcommand("sensitivity", "by how much execution times may grow; slack per task");
  add_file(*command, sensitivity.file);
  add_wishes(*command, sensitivity.wishes);
  add_question(*command, sensitivity.ask);
  add_json(*command, sensitivity.json);
  command->callback([&] {
    c = {[&] { return sensitivity_command(sensitivity); }, &sensitivity.file, "takt-sensitivity/1", &sensitivity.json};
  });

  command = app.add_subcommand("schema", "the JSON Schema of task-set files, for editors and other tools");
  command->callback([&] { c = {[] { return schema_command(); }, nullptr, "", nullptr}; });

  std::string shell;
  command = app.add_subcommand("completion", "a script that completes commands, options and their words in a shell");
  command->add_option("SHELL", shell, "bash, zsh or fish")->required()->check(one_of({"bash", "zsh", "fish"}));
  command->callback([&] { c = {[&] { return completion_command(app, shell); }, nullptr, "", nullptr}; });

  help_options help;
  command = app.add_subcommand("help", "how to use takt, or one of its commands");
  command->add_flag("--man", help.manual, "all of it as a page for man");
  auto* const about = command->add_option("COMMAND", help.command, "one of the commands");
  about->check(one_of(command_names(app)));
  command->callback([&] { c = {[&] { return help_command(app, help); }, nullptr, "", nullptr}; });

  const auto refuse = [](const std::string& why) {
    fmt::print(stderr, "takt: {}\n", one_line(why, longest_complaint));
    return static_cast<int>(exit_code::invalid_input);
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) { return app.exit(e); } catch (const CLI::ParseError& e) {
    return refuse(complaint_of(app, e));
  } catch (const environment_error& e) {
    fmt::print(stderr, "takt: {}\n", one_line(e.what, longest_message));
    return static_cast<int>(exit_code::environment);
  }
  if (!c.run) { return refuse(fmt::format("no command is given: expected {}", fmt::join(command_names(app), ", "))); }
  choose_colours(coloured);
  return static_cast<int>(run_guarded(c));
}

}  // namespace

auto main(int argc, char** argv) -> int {
  try {
    return serve(argc, argv);
  } catch (...) { return static_cast<int>(exit_code::environment); }
}
