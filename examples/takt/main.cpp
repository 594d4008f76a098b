// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <takt/core/version.hpp>
#include <takt/report/json.hpp>

#include "command.hpp"
#include "failure.hpp"
#include "json_value.hpp"
#include "policies/judged.hpp"
#include "sweep/sweep.hpp"

namespace {

using namespace takt::program;

constexpr std::size_t longest_message = 400;

/// FILE: place: what is wrong: what is allowed. A fault of the whole file has no place.
[[nodiscard]] auto error_line(const std::string& file, const input_error& e) -> std::string {
  const std::string where = e.where.empty() ? "" : one_line(e.where, longest_message) + ": ";
  return fmt::format("{}: {}{}: {}", one_line(file, longest_message), where, one_line(e.problem, longest_message),
                     one_line(e.allowed, longest_message));
}

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
    const std::string line = error_line(c.file == nullptr ? "takt" : *c.file, e);
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

/// An option whose words stand for values. The library's own transformers would print enumerators as characters.
template <class E, class V>
void add_choice(CLI::App& command, const std::string& name, V& value,
                const std::vector<std::pair<std::string, E>>& words, const std::string& about) {
  std::vector<std::string> names;
  for (const auto& [word, meaning] : words) { names.push_back(word); }
  command
      .add_option_function<std::string>(
          name,
          [&value, words](const std::string& given) {
            for (const auto& [word, meaning] : words) {
              if (word == given) { value = meaning; }
            }
          },
          fmt::format("{}: {}", about, fmt::join(names, ", ")))
      ->type_name("NAME")
      ->check([names](const std::string& given) -> std::string {
        const bool known = std::ranges::find(names, given) != names.end();
        return known ? "" : fmt::format("\"{}\" is none of {}", given, fmt::join(names, ", "));
      });
}

/// The library's own conversion would wrap what is below 0 and cut what is too large.
void add_number(CLI::App& command, const std::string& name, std::uint64_t& value, const std::string& about) {
  command.add_option(name, value, about)->type_name("N")->check([](const std::string& given) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    if (error == std::errc{} && end == given.data() + given.size()) { return {}; }
    return fmt::format("\"{}\" is no integer from 0 to {}", given, std::numeric_limits<std::uint64_t>::max());
  });
}

void add_file(CLI::App& command, std::string& file) {
  command.add_option("FILE", file, "task-set file in the format takt/1")->required();
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
                                   {"greedy", takt::search_method::greedy}},
                                  "how SMs are given to tasks: at once (the default), or as long as it takes");
}

void add_wishes(CLI::App& command, rule_wishes& wishes) {
  command.add_option("--policy", wishes.policy, "a way of sharing the GPU in place of the file's, such as gang")
      ->type_name("NAME");
  command.add_option("--cpus", wishes.cpus, "a rule of the processors in place of the file's, such as edf")
      ->type_name("RULE");
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON object and nothing else");
}

void add_pictures(CLI::App& command, pictures& to) {
  command.add_option("--trace", to.trace_file, "write a trace that ui.perfetto.dev opens")->type_name("FILE");
  command.add_option("--svg", to.svg_file, "draw a Gantt chart, at most two of the longest periods")->type_name("FILE");
}

void add_generation(CLI::App& command, generate_options& o) {
  command.add_option("NAME", o.name, "rtgpu: Zou et al. 2021, Table 1")->required();
  command.add_option("--utilization", o.utilization, "sum over all tasks and resources (default 1)")->type_name("U");
  command.add_option("--tasks", o.set.tasks, "tasks per set (default 5)")->type_name("N");
  command.add_option("--subtasks", o.set.subtasks, "CPU segments per task (default 5)")->type_name("N");
  add_number(command, "--seed", o.seed, "(default 1)");
  add_number(command, "--count", o.count, "number of sets (default 1)");
  command.add_option("--cpu", o.cpu, "range of CPU segments (default 1ms..20ms)")->type_name("RANGE");
  command.add_option("--gpu", o.kernel, "range of kernels on one SM (default 1ms..20ms)")->type_name("RANGE");
  command.add_option("--copy", o.copy, "range of copies (default 1ms..5ms)")->type_name("RANGE");
  add_choice<takt::generation::copies_per_kernel>(command, "--copies", o.set.copies,
                                                  {{"two", takt::generation::copies_per_kernel::two},
                                                   {"one", takt::generation::copies_per_kernel::one},
                                                   {"none", takt::generation::copies_per_kernel::none}},
                                                  "copies around each kernel");
  command.add_option("--sms", o.set.sms, "physical SMs (default 10)")->type_name("N");
  command.add_option("--virtual-per-sm", o.set.virtual_per_sm, "virtual SMs per SM (default 2)")->type_name("N");
  command.add_option("--overhead", o.set.overhead_percent, "percent of a kernel that SMs do not shorten (default 10)")
      ->type_name("N");
  command.add_option("--lower", o.set.lower_percent, "percent of shortest in longest times (default 100)")
      ->type_name("N");
  command.add_option("--interleave", o.interleave, "interleave ratio of every kernel (default 17/10)")
      ->type_name("RATIO");
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
  command.add_option("--svg", o.svg_file, "draw the plan: cores, GPU, slack, and how the search came to it")
      ->type_name("FILE");
  command.add_option("--write", o.written_file, "write the tasks under the plan")->type_name("FILE");
  add_json(command, o.json);
}

[[nodiscard]] auto offers(const CLI::App& app, std::string_view command) -> bool {
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  return std::ranges::any_of(all, [command](const CLI::App* a) { return a->get_name() == command; });
}

constexpr const char* exit_codes =
    "Exit code: 0 schedulable or no miss, 1 a miss is proven or was seen, 2 not proven or nothing to run,\n"
    "3 invalid input, 4 the surroundings refuse something.";

/// Chooses and runs the command that the arguments name.
[[nodiscard]] auto serve(int argc, char** argv) -> int {
  CLI::App app{"takt: describe a GPU workload once, then prove it, simulate it and run it."};
  app.footer(exit_codes);
  app.set_version_flag("--version",
                       fmt::format("takt {}.{}.{}", takt::version_major, takt::version_minor, takt::version_patch));
  app.require_subcommand(0, 1);
  choice c;

  analyze_options analyze;
  auto* command = app.add_subcommand("analyze", "verdict, response-time bounds and reasons");
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
  command->callback([&] { c = {[&] { return explain_command(explain); }, &explain.file, "", nullptr}; });

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
  command->add_option("--svg", compare.svg_file, "draw the slack of each task under each policy")->type_name("FILE");
  command->add_option("--write", compare.written_file, "write the tasks under the best policy")->type_name("FILE");
  add_json(*command, compare.json);
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
      ->check(CLI::IsMember({"emulated", "cuda"}).description(""));
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
  command->add_option("--svg", chains.svg_file, "draw the slowest reaction that the simulation shows")
      ->type_name("FILE");
  add_wishes(*command, chains.wishes);
  add_question(*command, chains.ask);
  add_json(*command, chains.json);
  command->callback([&] { c = {[&] { return chains_command(chains); }, &chains.file, "takt-chains/1", &chains.json}; });

  plan_options plan;
  command =
      app.add_subcommand("plan", "chooses cores, variants, priorities and a way of sharing the GPU, with the proof");
  add_plan(*command, plan);
  command->callback([&] { c = {[&] { return plan_command(plan); }, &plan.file, "takt-plan/1", &plan.json}; });

  import_options import;
  command = app.add_subcommand("import", "a model of another tool as a task-set file");
  command->add_option("FORMAT", import.format, "amalthea: a model of APP4MC, 0.7 to 3.x")
      ->required()
      ->check(CLI::IsMember({"amalthea"}).description(""));
  command->add_option("FILE", import.file, "the model")->required();
  command->add_option("--write", import.written_file, "write there (default: standard output)")->type_name("FILE");
  command->add_flag("--report", import.report, "list what of the model is not used, on standard error");
  command->callback([&] { c = {[&] { return import_command(import); }, &import.file, "", nullptr}; });

  export_options out;
  command = app.add_subcommand("export", "a plan into a model of another tool");
  command->add_option("FORMAT", out.format, "amalthea: a model of APP4MC, 0.7 to 3.x")
      ->required()
      ->check(CLI::IsMember({"amalthea"}).description(""));
  add_file(*command, out.file);
  command->add_option("--into", out.model_file, "the model that the tasks are from")->type_name("MODEL")->required();
  command->add_option("--write", out.written_file, "write there (default: standard output)")->type_name("FILE");
  command->callback([&] { c = {[&] { return export_command(out); }, &out.file, "", nullptr}; });

  generate_options generate;
  command = app.add_subcommand("generate", "task sets of a published experiment, one per line");
  add_generation(*command, generate);
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
  command->callback([&] { c = {[&] { return sensitivity_command(sensitivity); }, &sensitivity.file, "", nullptr}; });

  if (argc > 1 && argv[1][0] != '-' && !offers(app, argv[1])) {
    fmt::print(stderr, "takt: there is no command \"{}\": see takt --help\n", one_line(argv[1], longest_message));
    return static_cast<int>(exit_code::invalid_input);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) { return app.exit(e); } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "takt: {}: see takt --help\n", one_line(e.what(), longest_message));
    return static_cast<int>(exit_code::invalid_input);
  }
  if (!c.run) {
    fmt::print(stderr, "takt: no command is given: see takt --help\n");
    return static_cast<int>(exit_code::invalid_input);
  }
  return static_cast<int>(run_guarded(c));
}

}  // namespace

auto main(int argc, char** argv) -> int {
  try {
    return serve(argc, argv);
  } catch (...) { return static_cast<int>(exit_code::environment); }
}
