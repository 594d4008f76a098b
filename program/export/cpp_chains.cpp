// SPDX-License-Identifier: Apache-2.0
#include "cpp_chains.hpp"

#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "cpp_text.hpp"

namespace takt::program {

namespace {

using std::string_view;

/// What all chains need once.
constexpr string_view helpers = R"(/// A task on a chain. Only a deadline that is proven bounds its response.
auto stage(const auto& verdict, std::size_t task, takt::ticks period, takt::communication how, takt::ticks offset) {
  const auto& t = verdict.tasks[task];
  return takt::chain_stage{.period = period, .response = t.meets ? t.bound.value : 0, .how = how, .offset = offset};
}

void print_chain(std::string_view name, const takt::chain_latency& latency) {
  using takt::report::format_duration;
  std::cout << '\n' << name << ": ";
  if (!latency.bounded()) {
    std::cout << "no bound (" << name_of(latency.fault.status) << ")\n";
    return;
  }
  std::cout << "a reaction takes at most " << format_duration(latency.reaction) << ", and data are at most "
            << format_duration(latency.age) << " old\n";
}
)";

[[nodiscard]] auto communication_word(string_view semantics) -> string_view {
  return semantics == "explicit" ? "direct" : semantics;
}

[[nodiscard]] auto chain_lines(const workload_file& file, const chain_facts& chain, const std::string& tasks)
    -> std::string {
  std::string proven;
  std::string stages;
  std::string waits;
  for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
    const std::uint32_t t = chain.tasks[i];
    const bool let = chain.semantics[i] == "let";
    stages += fmt::format("        stage(verdict, {}, {}, takt::communication::{}, {}),\n", t,
                          cpp_ticks(file.tasks.tasks[t].period), communication_word(chain.semantics[i]),
                          cpp_ticks(file.tasks.tasks[t].offset));
    if (!let) { proven += fmt::format("{}verdict.tasks[{}].meets", proven.empty() ? "" : " && ", t); }
    const bool meet = i > 0 && !let && chain.semantics[i - 1] != "let" && chain.tasks[i - 1] != t;
    if (meet && !tasks.empty()) {
      waits += fmt::format("      stages[{}].waits_for_producer = waits({}, {});\n", i, chain.tasks[i - 1], t);
    }
  }
  stages.erase(stages.size() - 2, 1);
  std::string out =
      fmt::format("  if ({}) {{\n    std::array stages{{\n{}    }};\n", proven.empty() ? "true" : proven, stages);
  out += waits;
  out += fmt::format("    print_chain({}, takt::bound_chain(stages));\n", cpp_quoted(chain.name));
  out +=
      fmt::format("  }} else {{\n    std::cout << '\\n' << {} << \": no bound, for a task of it has none\\n\";\n  }}\n",
                  cpp_quoted(chain.name));
  return out;
}

}  // namespace

auto cpp_chains(const workload_file& file, const std::string& tasks) -> std::string {
  std::string out{helpers};
  out += "\n/// Reactions and ages of data along chains of tasks, which are released exactly a period apart.\n";
  out += "void print_chains(const auto& found) {\n  const auto& verdict = found.verdict;\n";
  std::string lines;
  for (const chain_facts& chain : file.chains) {
    if (chain.reaction || chain.age) {
      lines += "  " + cpp_comment(fmt::format("Limits in the file:{}{}.",
                                              chain.reaction ? " reaction " + cpp_duration(*chain.reaction) : "",
                                              chain.age ? " age " + cpp_duration(*chain.age) : ""));
    }
    lines += chain_lines(file, chain, tasks);
  }
  if (lines.find(" = waits(") != std::string::npos) {
    out += "  const auto pools = takt::any_board_of<described.max_visits>(policy, board, rule);\n";
    out += "  const auto waits = [&](std::size_t producer, std::size_t consumer) {\n";
    out += fmt::format(
        "    const auto obstacle = takt::obstacle_to_waiting(rule, pools, {}, verdict.plan, producer, consumer);\n",
        tasks);
    out += "    return obstacle == takt::wait_obstacle::none;\n  };\n";
  }
  return out + lines + "}\n";
}

}  // namespace takt::program
