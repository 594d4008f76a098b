// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "../arguments.hpp"
#include "../command.hpp"
#include "../command_line.hpp"
#include "../commands.hpp"
#include "../generate.hpp"
#include "../sweep/sweep.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto completion_command(CLI::App& app, const std::string& shell) -> exit_code {
  std::cout << (shell == "bash" ? bash_completion(app) : shell == "zsh" ? zsh_completion(app) : fish_completion(app));
  return exit_code::ok;
}

}  // namespace

void describe_run(CLI::App& app, choice& c) {
  const auto o = std::make_shared<run_command_options>();
  auto& command = *app.add_subcommand(
      "run", "on threads of this machine and a device; observed, simulated and proven side by side");
  add_file(command, o->file);
  command.add_option("--device", o->device, "emulated (default) or cuda")
      ->type_name("NAME")
      ->check(one_of({"emulated", "cuda"}));
  command.add_option("--for", o->length, "how long to run (default 5s)")->type_name("TIME");
  add_number(command, "--seed", o->seed, "of the execution times (default 1)");
  add_choice<takt::runtime::violation_handling>(command, "--on-violation", o->at_violation,
                                                {{"report", takt::runtime::violation_handling::report},
                                                 {"drop", takt::runtime::violation_handling::drop},
                                                 {"stop", takt::runtime::violation_handling::stop}},
                                                "what to do about a job above its bound");
  add_pictures(command, o->keep);
  add_wishes(command, o->wishes);
  add_question(command, o->ask);
  add_json(command, o->json);
  command.callback([&c, o] { c = {[o] { return run_command(*o); }, &o->file, "takt-run/1", &o->json}; });
}

void describe_plan(CLI::App& app, choice& c) {
  const auto o = std::make_shared<plan_options>();
  auto& command =
      *app.add_subcommand("plan", "chooses cores, variants, priorities and a way of sharing the GPU, with the proof");
  add_file(command, o->file);
  command.add_option("--policies", o->policies, "ways of sharing the GPU to choose from: A,B,.. (default: all)")
      ->type_name("NAMES")
      ->delimiter(',');
  command.add_option("--cpus", o->cpus, "rules of the processors to choose from (default: the file's)")
      ->type_name("RULES")
      ->delimiter(',');
  add_choice<takt::mapping_objective>(
      command, "--objective", o->objective,
      {{"factor", takt::mapping_objective::factor}, {"chain", takt::mapping_objective::chain}},
      "the largest factor on all execution times (the default), or the least longest latency of a chain");
  add_choice<plan_search>(
      command, "--search", o->search,
      {{"auto", plan_search::automatic}, {"exact", plan_search::exact}, {"local", plan_search::local}},
      "all choices, or from neighbour to neighbour, or both where that can end (the default)");
  command.add_flag("--offsets", o->offsets,
                   "choose first releases of the tasks of chains, too, so that these are short");
  command.add_flag("--replan", o->replan, "choose anew what the file has decided: cores, priorities, its plan");
  add_number(command, "--seed", o->seed, "of the local search (default 1)");
  command.add_option("--for", o->time, "ends the search (default 60s)")->type_name("TIME");
  add_number(command, "--evaluations", o->evaluations, "ends the search after so many mappings (default 0: by time)");
  command.add_option("--resume", o->state_file, "goes on from this file if it is there, and keeps the search in it")
      ->type_name("FILE");
  add_picture(command, o->svg_file, "draw the plan: cores, GPU, slack, and how the search came to it");
  command.add_option("--write", o->written_file, "write the tasks under the plan")->type_name("FILE");
  add_json(command, o->json);
  offer_lists(command);
  command.callback([&c, o] { c = {[o] { return plan_command(*o); }, &o->file, "takt-plan/1", &o->json}; });
}

void describe_import(CLI::App& app, choice& c) {
  const auto o = std::make_shared<import_options>();
  auto& command = *app.add_subcommand("import", "a model of another tool as a task-set file");
  command.add_option("FORMAT", o->format, "amalthea: a model of APP4MC, 0.7 to 3.x")
      ->required()
      ->check(one_of({"amalthea"}));
  command.add_option("FILE", o->files, "the model: a file, several that it is split over, or a folder of these");
  command.add_option("--write", o->written_file, "write there (default: standard output)")->type_name("FILE");
  command.add_flag("--report", o->report, "list what of the model is not used, on standard error");
  command.add_flag("--table", o->table, "print what is made of each element of the metamodel, and nothing else");
  command.callback([&c, o] {
    if (o->files.size() == 1) { o->file = o->files.front(); }
    c = {[o] { return import_command(*o); }, &o->file, "", nullptr};
  });
}

void describe_generate(CLI::App& app, choice& c) {
  const auto o = std::make_shared<generate_options>();
  auto& command = *app.add_subcommand("generate", "task sets of a published experiment, one per line");
  add_generate(command, *o);
  command.callback([&c, o] { c = {[o] { return generate_command(*o); }, nullptr, "", nullptr}; });
}

void describe_sweep(CLI::App& app, choice& c) {
  const auto o = std::make_shared<sweep_options>();
  auto& command = *app.add_subcommand("sweep", "how many task sets of a published experiment each analysis accepts");
  add_sweep(command, *o);
  command.callback([&c, o] {
    c = {[o] { return sweep_command(*o); }, names_file(*o) ? &o->name : nullptr, "takt-sweep/1", &o->json};
  });
}

void describe_completion(CLI::App& app, choice& c) {
  const auto o = std::make_shared<std::string>();
  auto& command =
      *app.add_subcommand("completion", "a script that completes commands, options and their words in a shell");
  command.add_option("SHELL", *o, "bash, zsh or fish")->required()->check(one_of({"bash", "zsh", "fish"}));
  command.callback([&app, &c, o] { c = {[&app, o] { return completion_command(app, *o); }, nullptr, "", nullptr}; });
}

}  // namespace takt::program
