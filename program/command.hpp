// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/allocation/synthesis/mapping_problem.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/report/comparison_order.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/simulation/options.hpp>

#include "exit_code.hpp"
#include "observe.hpp"
#include "rule_wishes.hpp"
#include "task_set_file.hpp"

namespace takt::program {

/// `automatic`: local first, then exact where that can come to an end.
enum class plan_search : std::uint8_t { automatic, exact, local };

struct analyze_options {
  std::string file;
  rule_wishes wishes;
  question ask;
  bool json = false;
};
struct explain_options {
  std::string file;
  rule_wishes wishes;
  std::string task;
  question ask;
  bool json = false;
};

struct simulate_options {
  std::string file;
  rule_wishes wishes;
  question ask;
  std::string horizon = "10s";
  std::uint64_t seed = 1;
  release_pattern releases = release_pattern::periodic;
  execution_times execution = execution_times::upper;
  std::vector<std::string> stopped;  ///< ranges
  pictures keep;
  bool json = false;
};
struct run_command_options {
  std::string file;
  rule_wishes wishes;
  question ask;
  std::string device = "emulated";
  std::string length = "5s";
  std::uint64_t seed = 1;
  runtime::violation_handling at_violation = runtime::violation_handling::report;
  pictures keep;
  bool json = false;
};
struct compare_options {
  std::string file;
  std::vector<std::string> policies;  ///< empty: all
  std::vector<std::string> cpus;      ///< empty: the file's own
  report::comparison_rank by = report::comparison_rank::slack;
  bool json = false;
  std::string svg_file;
  std::string written_file;
};
struct chains_options {
  std::string file;
  rule_wishes wishes;
  question ask;
  bool own_clocks = false;
  std::string horizon = "10s";
  std::uint64_t seed = 1;
  std::string svg_file;
  bool json = false;
};
struct plan_options {
  std::string file;
  std::vector<std::string> policies;  ///< empty: all
  std::vector<std::string> cpus;      ///< empty: the file's own
  mapping_objective objective = mapping_objective::factor;
  plan_search search = plan_search::automatic;
  std::uint64_t seed = 1;
  std::string time = "60s";
  std::uint64_t evaluations = 0;  ///< 0: as many as there is time for
  std::string state_file;
  std::string written_file;
  std::string svg_file;
  bool offsets = false;  ///< first releases are chosen, too
  bool replan = false;   ///< what the file has decided is given up
  bool json = false;
};
struct import_options {
  std::string format;              ///< amalthea
  std::vector<std::string> files;  ///< of one model, or folders of them
  std::string file{};              ///< the only one of them, for messages
  std::string written_file;        ///< empty: standard output
  bool report = false;
  bool table = false;  ///< of the metamodel, and nothing else
};
struct export_options {
  std::string format;  ///< cpp, or that of a model
  std::string file;
  rule_wishes wishes;        ///< of cpp
  std::string model_file;    ///< of a model
  std::string written_file;  ///< empty: standard output
};
struct sensitivity_options {
  std::string file;
  rule_wishes wishes;
  question ask;
  bool replan = false;  ///< what other plans reach, too
  bool json = false;
};
struct new_options {
  std::string name;          ///< of the task set; empty: that of the template
  std::string written_file;  ///< empty: standard output
};

/// Each command prints on standard output and returns what scripts read. They throw `input_error` and
/// `environment_error`.
[[nodiscard]] auto analyze_command(const analyze_options& o) -> exit_code;
[[nodiscard]] auto explain_command(const explain_options& o) -> exit_code;
[[nodiscard]] auto simulate_command(const simulate_options& o) -> exit_code;
[[nodiscard]] auto run_command(const run_command_options& o) -> exit_code;
[[nodiscard]] auto compare_command(const compare_options& o) -> exit_code;
[[nodiscard]] auto chains_command(const chains_options& o) -> exit_code;
[[nodiscard]] auto plan_command(const plan_options& o) -> exit_code;
[[nodiscard]] auto export_command(const export_options& o) -> exit_code;
[[nodiscard]] auto import_command(const import_options& o) -> exit_code;
[[nodiscard]] auto sensitivity_command(const sensitivity_options& o) -> exit_code;
[[nodiscard]] auto new_command(const new_options& o) -> exit_code;
[[nodiscard]] auto schema_command(bool defaults) -> exit_code;

[[nodiscard]] auto exit_code_of(verdict_status status) noexcept -> exit_code;

/// The model of another tool, which takes a plan.
struct model_format {
  std::string_view word;
  std::string_view words;
  auto (*write)(const export_options& o) -> exit_code;
};
/// Those that this program knows.
[[nodiscard]] auto model_formats() -> std::vector<model_format>;

/// A verdict as text on standard output.
void print_verdict(std::string_view title, const report::verdict_summary& found);

/// A time, a ratio or a range [lower, upper] that was given with an option. Throws `input_error` with the option's
/// name.
[[nodiscard]] auto option_time(const std::string& option, const std::string& text) -> ticks;
[[nodiscard]] auto option_ratio(const std::string& option, const std::string& text)
    -> std::pair<std::int64_t, std::int64_t>;
[[nodiscard]] auto option_range(const std::string& option, const std::string& text) -> interval<ticks>;

}  // namespace takt::program
