// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

#include <array>
#include <iostream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "command_line.hpp"
#include "failure.hpp"
#include "generators/generators.hpp"
#include "progress.hpp"

namespace takt::program {

namespace {

/// Parameters of many generators that are options of their own.
constexpr std::array<std::pair<const char*, const char*>, 11> shorthands{
    {{"tasks", "per set"},
     {"subtasks", "CPU segments per task of rtgpu"},
     {"cpu", "range of CPU segments of rtgpu"},
     {"gpu", "range of kernels on one SM of rtgpu"},
     {"copy", "range of copies of rtgpu"},
     {"copies", "around each kernel of rtgpu: two, one, none"},
     {"sms", "of the GPU"},
     {"virtual-per-sm", "virtual SMs per SM of rtgpu"},
     {"overhead", "percent of a kernel of rtgpu that SMs do not shorten"},
     {"lower", "percent of shortest in longest times of rtgpu"},
     {"interleave", "ratio of every kernel of rtgpu"}}};

void list_generators() {
  for (const file_generator& g : generators()) { fmt::print("{:<14} {}\n", g.name, g.about); }
  fmt::print("\ntakt generate NAME --list shows the parameters of a generator.\n");
}

void list_parameters(const file_generator& g) {
  fmt::print("{}: {}\n\n", g.name, g.about);
  if (!g.level_name.empty()) { fmt::print("  {:<16} {:<16} {}, as --utilization U\n", "", "1", g.level_name); }
  for (const studies::parameter& p : g.parameters) { fmt::print("  {:<16} {:<16} {}\n", p.name, p.value, p.about); }
  fmt::print("\nChange one with --set NAME=VALUE.\n");
}

[[nodiscard]] auto settings_of(const file_generator& g, const generate_options& o) -> studies::settings {
  studies::settings out{studies::with({{"seed", std::to_string(o.seed), "of everything that is drawn"}}, g.parameters)};
  for (const std::string& given : o.parameters) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) {
      throw input_error{"--set", fmt::format("\"{}\" gives no value", given), "NAME=VALUE"};
    }
    out.set(std::string_view{given}.substr(0, equals), std::string_view{given}.substr(equals + 1));
  }
  return out;
}

/// In thousandths.
[[nodiscard]] auto level_of(const file_generator& g, const generate_options& o) -> std::int64_t {
  if (g.level_name.empty() && !o.level.empty()) {
    throw input_error{"--utilization", fmt::format("{} has one workload, at its own", g.name), "nothing"};
  }
  if (o.level.empty()) { return 1000; }
  const auto [numerator, denominator] = option_ratio("--utilization", o.level);
  if (numerator < 1 || 1000 % denominator != 0 || numerator > 100 * denominator) {
    throw input_error{"--utilization", fmt::format("{} is out of range", o.level), "0.001 to 100 in steps of 0.001"};
  }
  return numerator * (1000 / denominator);
}

void print_sets(const file_generator& g, const generate_options& o) {
  const std::int64_t level = level_of(g, o);
  const file_drawer draw = g.prepare(settings_of(g, o));
  progress shown{"generating: sets"};
  for (std::uint64_t i = 0; i < o.count; ++i) {
    shown.show(i, o.count);
    const auto file = draw(level, o.number + i);
    const std::string at =
        g.level_name.empty() ? "" : fmt::format(", {} {}", g.level_name, o.level.empty() ? "1" : o.level);
    file->name = fmt::format("{}{}, seed {}, set {}", g.name, at, o.seed, o.number + i);
    print_in_one_line(std::cout, *file);
    if (!std::cout) { throw environment_error{"standard output cannot be written"}; }
  }
}

}  // namespace

void add_generate(CLI::App& command, generate_options& o) {
  command.add_option("NAME", o.name, "the generator; --list shows all of them");
  command.add_flag("--list", o.list, "list the generators, or the parameters of the one that is named");
  command.add_option("--utilization", o.level, "sum over all tasks, or the load (default 1)")->type_name("U");
  add_number(command, "--seed", o.seed, "(default 1)");
  add_number(command, "--count", o.count, "number of sets (default 1)");
  add_number(command, "--number", o.number, "of the first set (default 0); set I of level U in a study is I + 10^9 U");
  for (const auto& [name, about] : shorthands) {
    command
        .add_option_function<std::string>(
            fmt::format("--{}", name),
            [&o, key = name](const std::string& value) { o.parameters.push_back(fmt::format("{}={}", key, value)); },
            about)
        ->type_name("VALUE");
  }
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&o](const std::vector<std::string>& all) {
            o.parameters.insert(o.parameters.end(), all.begin(), all.end());
          },
          "a parameter of the generator")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

auto generate_command(const generate_options& o) -> exit_code {
  if (o.name.empty()) {
    if (!o.list) { throw input_error{"", "no generator is named", "a name that takt generate --list shows"}; }
    list_generators();
    return exit_code::ok;
  }
  const file_generator& g = find_generator("", o.name);
  try {
    if (o.list) {
      list_parameters(g);
    } else {
      print_sets(g, o);
    }
  } catch (const studies::refusal& e) { throw input_error{"--" + e.name, e.problem, e.allowed}; }
  return exit_code::ok;
}

}  // namespace takt::program
