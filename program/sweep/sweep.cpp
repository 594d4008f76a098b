// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <takt/study.hpp>

#include "../command_line.hpp"
#include "../failure.hpp"
#include "../fields.hpp"
#include "../json_value.hpp"
#include "../picture_file.hpp"
#include "../side_files.hpp"
#include "../standard_error.hpp"
#include "../text_file.hpp"
#include "emit.hpp"
#include "policy_study.hpp"
#include "ranks.hpp"
#include "study.hpp"
#include "study_file.hpp"

namespace takt::program {

namespace {

using namespace sweep;

/// A line of a script names them all.
constexpr std::size_t max_parts = 100'000;

const std::initializer_list<auto (*)()->std::vector<study>> families{
    // a line for each system
    rtgpu_studies,           // rtgpu
    accelerator_studies,     // accelerators
    openvx_studies,          // graphs
    wamp2s_studies,          // shares
    wamp2s_network_studies,  // shares
    gpusync_studies,         // locked_gpus
    gpusync_fairness_studies,
    gpusync_runtime_studies,  // locked_gpus
    gpusync_video_studies,    // locked_gpus
    policy_studies,
};

/// Every study of this program, in the order in which it is listed.
[[nodiscard]] auto all_studies() -> const std::vector<study>& {
  static const std::vector<study> all = [] {
    std::vector<study> out;
    for (const auto family : families) { std::ranges::move(family(), std::back_inserter(out)); }
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

/// The study that is named, or that a file describes, with what the file and the options give.
[[nodiscard]] auto asked_study(const sweep_options& o) -> described_study {
  std::optional<described_study> out;
  if (names_file(o)) {
    out = read_study(parse_json(read_text_file(o.name, max_file_bytes, "study file")), find_study);
  } else {
    const study& known = find_study(o.name);
    out = described_study{known, settings{known.parameters}, {}};
  }
  for (const std::string& given : o.parameters) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) {
      throw input_error{"--set", fmt::format("\"{}\" gives no value", given), "NAME=VALUE"};
    }
    const std::string name = given.substr(0, equals);
    out->with.set(name, std::string_view{given}.substr(equals + 1));
    out->places.erase(name);
  }
  return std::move(*out);
}

void list_studies() {
  for (const study& s : all_studies()) { fmt::print("{:<20} {}\n", s.name, s.about); }
  fmt::print("\ntakt sweep NAME --list shows the parameters of a study.\n");
}

void list_parameters(const described_study& s) {
  fmt::print("{}: {}\n\n", s.what.name, s.what.about);
  for (const parameter& p : s.with.all()) { fmt::print("  {:<16} {:<16} {}\n", p.name, p.value, p.about); }
  fmt::print("\nChange one with --set NAME=VALUE.\n");
}

/// What is done goes together, and nothing that is asked for is passed over.
void check(const sweep_options& o) {
  const auto refuse_both = [](bool both, const char* first, const char* second) {
    if (both) { throw input_error{first, fmt::format("cannot be together with {}", second), "one of the two"}; }
  };
  const bool has_part = !o.shard.empty() || !o.blocks.empty();
  if (!o.shard.empty()) { (void)read_shard(o.shard); }
  refuse_both(!o.shard.empty() && !o.blocks.empty(), "--shard", "--blocks");
  refuse_both(o.mpi && has_part, "--mpi", o.shard.empty() ? "--blocks" : "--shard");
  refuse_both(o.mpi && !o.emit.empty(), "--mpi", "--emit");
  refuse_both(o.merge && has_part, "--merge", o.shard.empty() ? "--blocks" : "--shard");
  refuse_both(o.merge && o.mpi, "--merge", "--mpi");
  refuse_both(o.merge && o.rerun_missing, "--merge", "--rerun-missing");
  refuse_both(o.merge && !o.emit.empty(), "--merge", "--emit");
  refuse_both(o.rerun_missing && has_part, "--rerun-missing", o.shard.empty() ? "--blocks" : "--shard");
  refuse_both(has_part && !o.emit.empty(), o.shard.empty() ? "--blocks" : "--shard", "--emit");
  const auto need_folder = [&o](bool asked, const char* option, const char* why) {
    if (asked && o.resume.empty()) { throw input_error{option, why, "--resume DIR too"}; }
  };
  need_folder(has_part, o.shard.empty() ? "--blocks" : "--shard", "a part of a sweep needs a folder for what it finds");
  need_folder(o.merge, "--merge", "puts together what is in a folder");
  need_folder(o.rerun_missing, "--rerun-missing", "looks for what is missing in a folder");
  need_folder(!o.emit.empty(), "--emit", "the parts need a folder for what they find");
  if (!o.emit.empty() && o.emit != "slurm" && o.emit != "parallel") {
    throw input_error{"--emit", fmt::format("\"{}\" is none that takt writes for", o.emit), "slurm, parallel"};
  }
  if (!o.emit.empty() && o.parts < 1) {
    throw input_error{"--emit", "does not say into how many parts the study is divided", "--parts N too"};
  }
  if (o.parts > max_parts) {
    throw input_error{"--parts", fmt::format("{} are more than a script has room for", o.parts),
                      fmt::format("at most {}", max_parts)};
  }
  if (o.emit.empty() && o.parts > 0) {
    throw input_error{"--parts", "is about jobs that are written", "--emit slurm or --emit parallel too"};
  }
  if (o.array_limit < 1) { throw input_error{"--array-limit", "is 0", "at least 1"}; }
}

[[nodiscard]] auto options_of(const sweep_options& o, const interruption& signals) -> run_options {
  run_options how{.jobs = o.jobs, .part = {}, .folder = o.resume, .shows_progress = true, .stop = &signals.asked()};
  if (!o.shard.empty()) { how.part = read_shard(o.shard); }
  if (!o.blocks.empty()) { how.part.units = read_units(o.blocks); }
  return how;
}

/// What is in the folder.
[[nodiscard]] auto kept(const described_study& s, const sweep_options& o) -> result {
  auto found = found_in(o.resume, s.what, s.with);
  if (!found) {
    throw input_error{"--resume", fmt::format("{} holds no journal of {}", o.resume, s.what.name),
                      "the folder of an earlier call"};
  }
  return std::move(*found);
}

[[nodiscard]] auto missing_units(const tally& counts) -> std::vector<std::size_t> { return units_to_do(counts, {}); }

void say_missing(const std::vector<std::size_t>& missing, const sweep_options& o) {
  say_aside("takt: {} blocks are in no journal of {}{}{}\n", missing.size(), o.resume, missing.empty() ? "" : ": ",
            one_line(units_text(missing), 200));
}

/// The missing blocks in so many parts, or fewer. A point whose end is not known yet is in one of them.
[[nodiscard]] auto divided(const tally& counts, std::size_t parts) -> std::vector<std::string> {
  const auto missing = missing_units(counts);
  std::vector<std::vector<std::size_t>> of(std::min(parts, missing.size()));
  for (std::size_t i = 0; i < missing.size(); ++i) {
    of[counts.stop().in_use() ? missing[i] % counts.points() % of.size() : i * of.size() / missing.size()].push_back(
        missing[i]);
  }
  std::erase_if(of, [](const auto& units) { return units.empty(); });
  std::vector<std::string> out;
  for (const auto& units : of) { out.push_back(units_text(units)); }
  return out;
}

[[nodiscard]] auto own_path() -> std::string {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "takt" : path.string();
}

void emit(const described_study& s, const sweep_options& o) {
  const auto absolute = [](const std::string& path) { return std::filesystem::absolute(path).string(); };
  emitted_jobs jobs;
  jobs.study = s.what.name;
  jobs.call = {own_path(), "sweep", names_file(o) ? absolute(o.name) : o.name};
  for (const std::string& given : o.parameters) { jobs.call.insert(jobs.call.end(), {"--set", given}); }
  jobs.call.insert(jobs.call.end(), {"--resume", absolute(o.resume)});
  for (const auto& [option, path] : {std::pair{"--csv", o.csv}, {"--svg", o.svg}, {"--html", o.html}}) {
    if (!path.empty()) { jobs.merge.insert(jobs.merge.end(), {option, absolute(path)}); }
  }
  if (o.json) { jobs.merge.emplace_back("--json"); }
  if (o.rerun_missing) {
    const result found = kept(s, o);
    jobs.option = "--blocks";
    jobs.parts = divided(found.counts, o.parts);
    say_missing(missing_units(found.counts), o);
  } else {
    (void)s.what.design(s.with);  // which refuses what is wrong with it before anything is submitted
    jobs.option = "--shard";
    for (std::size_t i = 1; i <= o.parts; ++i) { jobs.parts.push_back(fmt::format("{}/{}", i, o.parts)); }
  }
  if (o.emit == "slurm") {
    write_slurm(std::cout, jobs, o.array_limit);
  } else {
    write_parallel(std::cout, jobs);
  }
}

void write_results(const result& r, const sweep_options& o) {
  if (o.json) {
    write_json(std::cout, r);
  } else if (o.csv.empty() && o.svg.empty() && o.html.empty()) {
    write_csv(std::cout, r);
  }
  written_files written;
  if (!o.csv.empty()) {
    written.add(o.csv, [&] { write_file(o.csv, [&r](std::ostream& out) { write_csv(out, r); }); });
  }
  if (!o.html.empty()) {
    written.add(o.html, [&] { write_file(o.html, [&r](std::ostream& out) { write_html(out, r); }); });
  }
  if (!o.svg.empty()) {
    written.add(o.svg, [&] { write_picture(o.svg, [&r](std::ostream& out) { write_svg(out, r); }); });
  }
  written.require_all();
}

/// Writes the results once all is there.
void conclude(const result& r, const sweep_options& o, bool stopped) {
  if (r.counts.complete()) { return write_results(r, o); }
  if (stopped) {
    throw environment_error{
        o.resume.empty() ? "interrupted; nothing is kept without --resume DIR"
                         : fmt::format("interrupted; the same command goes on from what is kept in {}", o.resume)};
  }
  say_aside("takt: this part is done; {} units are left to the others, so nothing is written yet\n",
            r.counts.units() - r.counts.known_units());
}

void merge(const described_study& s, const sweep_options& o) {
  const result r = kept(s, o);
  if (!r.counts.complete()) {
    const auto missing = missing_units(r.counts);
    throw environment_error{
        fmt::format("{} blocks are in no journal of {}; --rerun-missing in place of --merge runs these alone",
                    missing.size(), o.resume)};
  }
  write_results(r, o);
}

/// What the library and the studies name as they do is an option here, or stands in a file.
[[nodiscard]] auto place_of(const std::string& name, const std::optional<described_study>& asked) -> std::string {
  if (name == "part") { return "--shard"; }
  if (name == "folder") { return "--resume"; }
  if (name == "units") { return "--blocks"; }
  if (asked && asked->places.contains(name)) { return asked->places.at(name); }
  return name;
}

void run_here(const described_study& s, const sweep_options& o) {
  const interruption signals;
  const run_options how = options_of(o, signals);
  const result found = studies::run(s.what, s.with, how);
  conclude(found, o, signals.asked());
}

void run_on_ranks(const described_study& s, const sweep_options& o, ranks& all) {
  const interruption signals;
  const auto found = all.run(s.what, s.with, options_of(o, signals));
  if (found) { conclude(*found, o, signals.asked()); }
}

}  // namespace

void sweep::require(bool well, std::string_view otherwise) {
  if (!well) { throw environment_error{fmt::format("{}: this is a fault of takt, please report it", otherwise)}; }
}

auto names_file(const sweep_options& o) -> bool {
  return o.name.ends_with(".json") || o.name.find('/') != std::string::npos;
}

void add_sweep(CLI::App& command, sweep_options& o) {
  command.add_option("NAME", o.name, "the study, --list shows all of them; or a file in the format takt-study/1");
  command.add_flag("--list", o.list, "list the studies, or the parameters of the one that is named");
  command.add_option("--jobs", o.jobs, "threads (default: all of this machine, or 1 of each rank)")->type_name("N");
  command.add_flag("--mpi", o.mpi, "on all ranks that mpirun started");
  command.add_option("--shard", o.shard, "only part I of N; put the folders of all parts together, and run without")
      ->type_name("I/N");
  command.add_option("--blocks", o.blocks, "only these blocks of sets, such as 3,7-12")->type_name("LIST");
  command.add_option("--resume", o.resume, "keep what is found in a folder, and go on from what is there")
      ->type_name("DIR");
  command.add_flag("--rerun-missing", o.rerun_missing, "say which blocks no journal of the folder has, and run these");
  command.add_flag("--merge", o.merge, "run nothing, and put together what is in the folder");
  command.add_option("--emit", o.emit, "write a script on standard output that runs the study: slurm, parallel")
      ->type_name("NAME");
  command.add_option("--parts", o.parts, "jobs of such a script")->type_name("N");
  command.add_option("--array-limit", o.array_limit, "jobs that Slurm takes in one array (default 1000)")
      ->type_name("N");
  command.add_option("--csv", o.csv, "write the counts (default: standard output, unless there is another result)")
      ->type_name("FILE");
  add_picture(command, o.svg, "draw the curves");
  command.add_option("--html", o.html, "write curves, tables, ranking and parameters as one page")->type_name("FILE");
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
  std::unique_ptr<ranks> all;
  if (o.mpi) { all = std::make_unique<ranks>(); }
  std::optional<described_study> asked;
  try {
    check(o);
    asked = asked_study(o);
    if (!o.list && o.emit.empty()) {
      try_files(names_file(o) ? std::vector{o.name} : std::vector<std::string>{},
                {{"--csv", o.csv}, {"--html", o.html}, {"--svg", o.svg}});
    }
    if (o.list) {
      list_parameters(*asked);
    } else if (!o.emit.empty()) {
      emit(*asked, o);
    } else if (o.merge) {
      merge(*asked, o);
    } else if (all) {
      run_on_ranks(*asked, o, *all);
    } else {
      if (o.rerun_missing) { say_missing(missing_units(kept(*asked, o).counts), o); }
      run_here(*asked, o);
    }
    return exit_code::ok;
  } catch (const refusal& e) {
    if (all && !all->is_first()) { return exit_code::ok; }
    throw input_error{place_of(e.name, asked), e.problem, e.allowed};
  } catch (const input_error& e) {
    if (all && !all->is_first()) { return exit_code::ok; }
    throw input_error{place_of(e.where, asked), e.problem, e.allowed, e.overflow};
  }
}

}  // namespace takt::program
