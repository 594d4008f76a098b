// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "policies/judged.hpp"

namespace takt::program {

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

void offer_lists(CLI::App& command) {
  command.get_option("--policies")->allow_extra_args(false)->check(such_as(policy_names()));
  command.get_option("--cpus")->allow_extra_args(false)->check(such_as(cpu_rule_names()));
}

}  // namespace takt::program
