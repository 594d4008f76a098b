// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/report/json.hpp>
#include <takt/report/run_json.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>

#include "json_value.hpp"
#include "question.hpp"
#include "text_table.hpp"

namespace takt::program {

/// A factor in parts per thousand.
using permille = std::int64_t;

struct judged_task {
  std::string name;
  ticks deadline = 0;
  response_bound<ticks> bound{};
  bool meets = false;
  bool limited = true;  ///< false: no deadline, any bound will do
};

/// Of tasks or graphs.
template <class Rows>
[[nodiscard]] auto longest_period_of(const Rows& rows) -> ticks {
  ticks longest = 0;
  for (const auto& r : rows) { longest = r.period > longest ? r.period : longest; }
  return longest;
}

/// A deadline for a table; "-" where there is none.
[[nodiscard]] auto deadline_text(const judged_task& t) -> std::string;

/// What the analysis of a file found out, in the terms that every command prints.
struct judgement {
  std::string analysis;
  verdict_status status = verdict_status::not_proven;
  std::vector<judged_task> tasks{};     ///< in the order of the file
  std::vector<std::uint32_t> rows{};    ///< positions in `tasks` in the order of tables
  std::vector<std::string> findings{};  ///< sentences about the whole
  std::vector<std::string> notes{};
};

/// What happens in a run until some horizon, and how much of it one waits for, or keeps in a trace.
struct run_size {
  double events = 0;
  std::string_view words;
  double most = 0;
  double most_traced = 0;
};

/// A run on threads beside the same in virtual time.
struct observation {
  report::run_summary run;
  std::vector<bool> within;                     ///< the bound, of each task that has one
  std::vector<std::optional<ticks>> simulated;  ///< worst response
};

enum class factor_answer : std::uint8_t { proven, not_proven, undecided, must_miss };

/// A part of the program that not every kind of file has.
enum class ability : std::uint8_t { run, sensitivity };

/// Where a file says of what kind it is, and by which word.
struct kind_mark {
  std::string where;
  std::string word;
};

/// A file as its kind understood it, and what the commands need to know of it. One class per kind; the commands are the
/// same for all. Members throw `input_error` where the file does not allow what is asked.
class described_file {
 public:
  described_file() = default;
  described_file(const described_file&) = delete;
  auto operator=(const described_file&) -> described_file& = delete;
  described_file(described_file&&) = delete;
  auto operator=(described_file&&) -> described_file& = delete;
  virtual ~described_file() = default;

  [[nodiscard]] virtual auto title() const -> std::string_view = 0;
  [[nodiscard]] virtual auto mark() const -> kind_mark = 0;
  [[nodiscard]] virtual auto offers(ability a) const -> bool = 0;
  /// What the file is about where its rule alone decides the test; empty where a question has an answer.
  [[nodiscard]] virtual auto decides_alone() const -> std::string_view = 0;

  /// To be called once, before everything below.
  auto judge(const question& q) -> const judgement&;

  [[nodiscard]] virtual auto platform_text() const -> std::string = 0;
  /// Who has which part of the GPU; empty where nothing is chosen.
  [[nodiscard]] virtual auto plan_text() const -> std::string { return {}; }
  [[nodiscard]] virtual auto verdict_table() const -> text_table = 0;
  [[nodiscard]] virtual auto reasons() const -> std::vector<std::string> { return judged_.findings; }
  /// One `takt-verdict/1` object.
  virtual void write_verdict(std::ostream& out) const;
  [[nodiscard]] virtual auto explain_task(std::size_t i) const -> std::string;
  virtual void explain(std::ostream& out) const;

  [[nodiscard]] virtual auto run_size_until(duration horizon) const -> run_size = 0;
  [[nodiscard]] virtual auto longest_period() const -> ticks = 0;
  /// Of what a trace numbers as tasks.
  [[nodiscard]] virtual auto trace_names() const -> std::vector<std::string_view>;
  /// Nothing when the horizon does not fit. `kept` may be null.
  [[nodiscard]] virtual auto simulate(const simulation_options& options, trace* kept) const
      -> std::optional<report::run_summary> = 0;

  /// On threads. Pre: `offers` it, as for the two below.
  [[nodiscard]] virtual auto observe(duration length, std::uint64_t seed, trace* kept) const -> observation;
  /// Whether all execution times may grow by a factor.
  [[nodiscard]] virtual auto at_factor(permille factor, const question& q) const -> factor_answer;
  /// Whether a factor that passes implies that every smaller one does, and why not.
  [[nodiscard]] virtual auto is_monotone(const question& q) const -> bool;
  [[nodiscard]] virtual auto why_not_monotone() const -> std::string_view { return {}; }

 protected:
  [[nodiscard]] virtual auto assess(const question& q) -> judgement = 0;
  [[nodiscard]] auto judged() const noexcept -> const judgement& { return judged_; }
  /// The bound of a task that is proven to meet its deadline. Any other bound presumes that no job is late.
  [[nodiscard]] auto proven_bound(std::size_t task) const -> response_bound<ticks>;
  /// Members of the verdict that the kind adds: platform and allocation before the tasks; for each task what is known
  /// beyond its bound; and tests after them.
  virtual void write_platform(report::json_writer& /*json*/) const {}
  virtual void write_task_parts(report::json_writer& /*json*/, std::size_t /*task*/) const {}
  virtual void write_tests(report::json_writer& /*json*/) const {}

 private:
  judgement judged_;
};

/// All execution times by a factor: `up` for upper bounds. False on overflow.
[[nodiscard]] auto scale_time(ticks time, permille factor, bool up, ticks& out) -> bool;

/// Reads a file of whatever kind. Throws `input_error` when something is wrong with it, its model included.
[[nodiscard]] auto open_file(const std::string& path) -> std::unique_ptr<described_file>;

}  // namespace takt::program
