// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <takt/study.hpp>

#include "../failure.hpp"
#include "../fields.hpp"
#include "../text_file.hpp"
#include "study.hpp"

namespace takt::program {

namespace {

using namespace sweep;

/// Every study of this program, in the order in which it is listed.
[[nodiscard]] auto all_studies() -> const std::vector<study>& {
  static const std::vector<study> all = [] {
    std::vector<study> out;
    for (auto family : {rtgpu_studies, accelerator_studies, openvx_studies, wamp2s_studies, wamp2s_network_studies,
                        gpusync_studies, gpusync_fairness_studies, gpusync_runtime_studies, gpusync_video_studies}) {
      std::ranges::move(family(), std::back_inserter(out));
    }
    return out;
  }();
  return all;
}

[[nodiscard]] auto find_study(const std::string& name) -> const study& {
  const auto found = std::ranges::find(all_studies(), name, &study::name);
  if (found != all_studies().end()) { return *found; }
  std::vector<std::string_view> names;
  for (const study& s : all_studies()) { names.push_back(s.name); }
  throw input_error{
      "", fmt::format("\"{}\" is no study of this program, the nearest is \"{}\"", name, nearest(name, names)),
      fmt::format("{}", fmt::join(names, ", "))};
}

[[nodiscard]] auto settings_of(const study& what, const sweep_options& o) -> settings {
  settings out{what.parameters};
  for (const std::string& given : o.parameters) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) {
      throw input_error{"--set", fmt::format("\"{}\" gives no value", given), "NAME=VALUE"};
    }
    out.set(std::string_view{given}.substr(0, equals), std::string_view{given}.substr(equals + 1));
  }
  return out;
}

void list_studies() {
  for (const study& s : all_studies()) { fmt::print("{:<20} {}\n", s.name, s.about); }
  fmt::print("\ntakt sweep NAME --list shows the parameters of a study.\n");
}

void list_parameters(const study& s) {
  fmt::print("{}: {}\n\n", s.name, s.about);
  for (const parameter& p : s.parameters) { fmt::print("  {:<16} {:<16} {}\n", p.name, p.value, p.about); }
  fmt::print("\nChange one with --set NAME=VALUE.\n");
}

[[nodiscard]] auto run(const study& what, const settings& with, const sweep_options& o) -> result {
  const interruption signals;
  run_options how{.jobs = o.jobs, .part = {}, .folder = o.resume, .shows_progress = true, .stop = &signals.asked()};
  if (!o.shard.empty()) { how.part = read_shard(o.shard); }
  if (how.part.count > 1 && o.resume.empty()) {
    throw input_error{"--shard", "a part of a sweep needs a folder for what it finds", "--resume DIR too"};
  }
  result out = studies::run(what, with, how);
  if (signals.asked() && !out.counts.complete()) {
    throw environment_error{
        o.resume.empty() ? "interrupted; nothing is kept without --resume DIR"
                         : fmt::format("interrupted; the same command goes on from what is kept in {}", o.resume)};
  }
  return out;
}

void write_results(const result& r, const sweep_options& o) {
  if (o.json) {
    write_json(std::cout, r);
  } else if (o.csv.empty() && o.svg.empty()) {
    write_csv(std::cout, r);
  }
  if (!o.csv.empty()) {
    write_file(o.csv, [&r](std::ostream& out) { write_csv(out, r); });
  }
  if (!o.svg.empty()) { draw_picture(r, o.svg); }
}

}  // namespace

void sweep::require(bool well, std::string_view otherwise) {
  if (!well) { throw environment_error{fmt::format("{}: this is a fault of takt, please report it", otherwise)}; }
}

void add_sweep(CLI::App& command, sweep_options& o) {
  command.add_option("NAME", o.name, "the study; --list shows all of them");
  command.add_flag("--list", o.list, "list the studies, or the parameters of the one that is named");
  command.add_option("--jobs", o.jobs, "threads (default: all of this machine)")->type_name("N");
  command.add_option("--shard", o.shard, "only part I of N; put the folders of all parts together, and run without")
      ->type_name("I/N");
  command.add_option("--resume", o.resume, "keep what is found in a folder, and go on from what is there")
      ->type_name("DIR");
  command.add_option("--csv", o.csv, "write the counts (default: standard output, unless there is a picture)")
      ->type_name("FILE");
  command.add_option("--svg", o.svg, "draw the curves; a name that ends in .png gives that")->type_name("FILE");
  command.add_flag("--json", o.json, "print one JSON object and nothing else");
  const auto add_parameter = [&](const std::string& option, const std::string& name, const std::string& about) {
    return command.add_option_function<std::vector<std::string>>(
        option,
        [&o, name](const std::vector<std::string>& values) {
          for (const std::string& value : values) { o.parameters.push_back(name + value); }
        },
        about);
  };
  add_parameter("--seed", "seed=", "as --set seed=N")->type_name("N")->expected(1);
  add_parameter("--sets", "sets=", "as --set sets=N")->type_name("N")->expected(1);
  add_parameter("--levels", "levels=", "as --set levels=..., such as 0.2..3.0/0.2 or 0.5,1")
      ->type_name("LEVELS")
      ->expected(1);
  add_parameter("--set", "", "another parameter of the study")->type_name("NAME=VALUE")->allow_extra_args(false);
}

auto sweep_command(const sweep_options& o) -> exit_code {
  if (o.name.empty()) {
    if (!o.list) { throw input_error{"", "no study is named", "a name that takt sweep --list shows"}; }
    list_studies();
    return exit_code::ok;
  }
  const study& what = find_study(o.name);
  if (o.list) {
    list_parameters(what);
    return exit_code::ok;
  }
  try {
    const result r = run(what, settings_of(what, o), o);
    if (r.counts.complete()) {
      write_results(r, o);
    } else {
      fmt::print(stderr, "takt: this part is done; {} units are left to the others, so nothing is written yet\n",
                 r.counts.units() - r.counts.known_units());
    }
    return exit_code::ok;
  } catch (const refusal& e) {
    // What the library names as it does is an option here.
    throw input_error{e.name == "part" ? "--shard" : e.name == "folder" ? "--resume" : e.name, e.problem, e.allowed};
  }
}

}  // namespace takt::program
