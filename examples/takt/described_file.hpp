// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/observation.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>

#include "failure.hpp"
#include "question.hpp"
#include "rule_wishes.hpp"

namespace takt::program {

/// A factor in parts per thousand.
using permille = std::int64_t;

/// Of tasks or graphs.
template <class Rows>
[[nodiscard]] auto longest_period_of(const Rows& rows) -> ticks {
  ticks longest = 0;
  for (const auto& r : rows) { longest = r.period > longest ? r.period : longest; }
  return longest;
}

/// What happens in a run until some horizon, and how much of it one waits for, or keeps in a trace.
struct run_size {
  double events = 0;
  std::string_view words;
  double most = 0;
  double most_traced = 0;
};

/// What a simulation or a run saw, whatever the capacities of its tables, and sentences on it.
struct sighting {
  observation<std::vector<observed_task<ticks, std::string>>, std::vector<ticks>> seen{};
  std::string device_fault{};
  std::vector<std::string> notes{};
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
  /// What of the file decides the test, in words; empty where a question has an answer.
  [[nodiscard]] virtual auto decides_alone() const -> std::string_view = 0;

  /// To be called once, before everything below.
  auto judge(const question& q) -> const report::verdict_summary&;

  [[nodiscard]] virtual auto run_size_until(duration horizon) const -> run_size = 0;
  [[nodiscard]] virtual auto longest_period() const -> ticks = 0;
  /// `kept` may be null. Throws `nothing_to_run` where there is no plan.
  [[nodiscard]] virtual auto simulate(const simulation_options& options, trace* kept) const -> sighting = 0;
  /// On threads. Pre: `offers` it, as for the two below.
  [[nodiscard]] virtual auto observe(duration length, std::uint64_t seed, trace* kept) const -> sighting;
  /// The line of the format for a fault that the library found.
  [[nodiscard]] virtual auto refuse(const model_error& error) const -> input_error = 0;

  /// Whether all execution times may grow by a factor.
  [[nodiscard]] virtual auto at_factor(permille factor, const question& q) const -> factor_answer;
  /// Whether a factor that passes implies that every smaller one does, and why not.
  [[nodiscard]] virtual auto is_monotone(const question& q) const -> bool;
  [[nodiscard]] virtual auto why_not_monotone() const -> std::string_view { return {}; }

 protected:
  [[nodiscard]] virtual auto assess(const question& q) -> report::verdict_summary = 0;
  [[nodiscard]] auto judged() const noexcept -> const report::verdict_summary& { return judged_; }

 private:
  report::verdict_summary judged_;
};

/// Whether a status at some factor is a proof, or a proof to the contrary.
[[nodiscard]] auto answer_of(verdict_status status) noexcept -> factor_answer;

/// All execution times by a factor: `up` for upper bounds. False on overflow.
[[nodiscard]] auto scale_time(ticks time, permille factor, bool up, ticks& out) -> bool;

/// Reads a file, under its own rules or those in their place. Throws `input_error` when something is wrong with it, its
/// model included.
[[nodiscard]] auto open_file(const std::string& path, const rule_wishes& wishes) -> std::unique_ptr<described_file>;

}  // namespace takt::program
