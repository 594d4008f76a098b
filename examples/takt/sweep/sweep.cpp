// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "../failure.hpp"
#include "../fields.hpp"
#include "../text_file.hpp"
#include "journal.hpp"
#include "results.hpp"

namespace takt::program {

namespace {

using namespace sweep;
using namespace std::chrono_literals;

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void interrupt(int /*signal*/) { interrupted = true; }

/// How far a sweep is, on standard error: a bar in one line of a terminal; elsewhere a plain line every ten seconds,
/// and a last one.
class progress_bar {
 public:
  /// Units that are known before anything is done say nothing about the speed.
  progress_bar(std::string_view name, const tally& counts)
      : name_{name}, counts_{&counts}, at_start_{counts.known_units()} {}

  void show() {
    const auto now = clock::now();
    if (now < next_) { return; }
    next_ = now + (terminal_ ? 100ms : 10s);
    const std::size_t known = counts_->known_units();
    const std::size_t units = counts_->units();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::string line = fmt::format("{:3} %, {} of {} units", known * 100 / units, known, units);
    if (known > at_start_ && seconds > 0) {
      const double rate = static_cast<double>(known - at_start_) / seconds;
      line += fmt::format(", {:.3g}/s, {} left", rate, text_of(static_cast<double>(units - known) / rate));
    }
    const std::size_t filled = known * bar_width / units;
    const std::string bar = fmt::format(" [{:#<{}}{:.<{}}] ", "", filled, "", bar_width - filled);
    print(terminal_ ? bar : ": ", line);
  }
  /// The last line: how many units are there, whether or not that is all of them.
  void finish() const {
    const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
    print(": ", fmt::format("{} of {} units in {}", counts_->known_units(), counts_->units(), text_of(seconds)));
    if (terminal_) { fmt::print(stderr, "\n"); }
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t bar_width = 30;

  void print(std::string_view between, std::string_view line) const {
    fmt::print(stderr, "{}{}{}{}{}", terminal_ ? "\r" : "", name_, between, line, terminal_ ? "\x1b[K" : "\n");
    (void)std::fflush(stderr);
  }
  [[nodiscard]] static auto text_of(double seconds) -> std::string {
    const auto whole = static_cast<std::int64_t>(seconds + 0.5);
    const std::string rest = fmt::format(":{:02}", whole % 60);
    return whole < 3600 ? fmt::format("{}{}", whole / 60, rest)
                        : fmt::format("{}:{:02}{}", whole / 3600, whole / 60 % 60, rest);
  }

  std::string_view name_;
  const tally* counts_;
  std::size_t at_start_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  clock::time_point start_ = clock::now();
  clock::time_point next_ = start_ + (terminal_ ? 200ms : 10s);
};

/// Every study of this program, in the order in which it is listed.
[[nodiscard]] auto studies() -> const std::vector<study>& {
  static const std::vector<study> all = [] {
    std::vector<study> out;
    for (auto family : {rtgpu_studies, accelerator_studies, openvx_studies, wamp2s_studies, wamp2s_network_studies,
                        gpusync_studies, gpusync_runtime_studies, gpusync_video_studies}) {
      std::ranges::move(family(), std::back_inserter(out));
    }
    return out;
  }();
  return all;
}

[[nodiscard]] auto find_study(const std::string& name) -> const study& {
  const auto found = std::ranges::find(studies(), name, &study::name);
  if (found != studies().end()) { return *found; }
  std::vector<std::string_view> names;
  for (const study& s : studies()) { names.push_back(s.name); }
  throw input_error{
      "", fmt::format("\"{}\" is no study of this program, the nearest is \"{}\"", name, nearest(name, names)),
      fmt::format("{}", fmt::join(names, ", "))};
}

/// Levels and sets are those of the parameters of these names.
[[nodiscard]] auto design(const study& what, const settings& s) -> experiment {
  experiment e;
  static_cast<layout&>(e) = what.shown;
  if (s.has("levels")) { e.levels = s.levels("levels"); }
  if (s.has("sets")) { e.sets = s.number("sets"); }
  if (e.measured == measure::thousandths) { e.sets_per_unit = e.sets; }
  what.fill(s, e);
  return e;
}

[[nodiscard]] auto shard_of(const std::string& text) -> shard {
  shard out;
  const char* const end = text.data() + text.size();
  const auto [slash, first_error] = std::from_chars(text.data(), end, out.index);
  const bool split = first_error == std::errc{} && slash != end && *slash == '/';
  const auto [last, second_error] = std::from_chars(split ? slash + 1 : end, end, out.count);
  if (!split || second_error != std::errc{} || last != end || out.index < 1 || out.index > out.count) {
    throw input_error{"--shard", fmt::format("\"{}\" is no part of a sweep", text),
                      "I/N with 1 <= I <= N, such as 2/8"};
  }
  return out;
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
  for (const study& s : studies()) { fmt::print("{:<20} {}\n", s.name, s.about); }
  fmt::print("\ntakt sweep NAME --list shows the parameters of a study.\n");
}

void list_parameters(const study& s) {
  fmt::print("{}: {}\n\n", s.name, s.about);
  for (const parameter& p : s.parameters) { fmt::print("  {:<16} {:<16} {}\n", p.name, p.value, p.about); }
  fmt::print("\nChange one with --set NAME=VALUE.\n");
}

/// This shard's stretch of the units, without those that are known.
[[nodiscard]] auto units_to_do(const tally& known, const shard& part) -> std::vector<std::size_t> {
  const auto bound = [&](std::size_t i) {
    return known.units() / part.count * i + known.units() % part.count * i / part.count;
  };
  std::vector<std::size_t> out;
  for (std::size_t u = bound(part.index - 1); u < bound(part.index); ++u) {
    if (!known.knows(u)) { out.push_back(u); }
  }
  return out;
}

void run(const study& what, const settings& with, const sweep_options& o, const experiment& e, tally& counts) {
  const shard part = o.shard.empty() ? shard{} : shard_of(o.shard);
  if (part.count > 1 && o.resume.empty()) {
    throw input_error{"--shard", "a part of a sweep needs a folder for what it finds", "--resume DIR too"};
  }
  std::optional<journal> kept;
  if (!o.resume.empty()) {
    kept.emplace(o.resume, what.name, part, with.fingerprint(), e.columns.size(),
                 [&counts](std::size_t index, std::span<const std::int64_t> found) {
                   if (index < counts.units()) { counts.add(index, found); }
                 });
  }
  progress_bar bar{what.name, counts};
  (void)std::signal(SIGINT, interrupt);
  (void)std::signal(SIGTERM, interrupt);
  count_units(counts, units_to_do(counts, part),
              o.jobs > 0 ? o.jobs : std::max(1U, std::thread::hardware_concurrency()), interrupted, e.count,
              [&](std::size_t index, std::span<const std::int64_t> found) {
                if (kept) { kept->append(index, found); }
                counts.add(index, found);
                bar.show();
              });
  bar.finish();
  if (interrupted && !counts.complete()) {
    throw environment_error{kept
                                ? fmt::format("interrupted; the same command goes on from what is kept in {}", o.resume)
                                : "interrupted; nothing is kept without --resume DIR"};
  }
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
  const settings with = settings_of(what, o);
  const experiment e = design(what, with);
  tally counts{{e.series.size(), e.levels, e.sets, e.columns.size(), e.sets_per_unit}};
  run(what, with, o, e, counts);
  if (counts.complete()) {
    write_results({.what = &what, .with = &with, .designed = &e, .counts = &counts}, o);
  } else {
    fmt::print(stderr, "takt: this part is done; {} units are left to the others, so nothing is written yet\n",
               counts.units() - counts.known_units());
  }
  return exit_code::ok;
}

}  // namespace takt::program
