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
#include <takt/report/observation_summary.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>

#include "chain_bounds.hpp"
#include "failure.hpp"
#include "files/workload_file.hpp"
#include "policies/judged.hpp"
#include "question.hpp"
#include "rule_wishes.hpp"

namespace takt::program {

/// A factor in parts per thousand.
using permille = std::int64_t;

/// What happens in a run until some horizon, and how much of it one waits for, or keeps in a trace.
struct run_size {
  double events = 0;
  std::string_view words;
  double most = 0;
  double most_traced = 0;
};

enum class factor_answer : std::uint8_t { proven, not_proven, undecided, must_miss };

/// A file under its own rules or those in their place, and what the commands need to know of it. Members throw
/// `input_error` where the file does not allow what is asked.
class task_set_file {
 public:
  /// Throws when something is wrong with the file, its model included.
  task_set_file(const std::string& path, const rule_wishes& wishes);
  task_set_file(const task_set_file&) = delete;
  auto operator=(const task_set_file&) -> task_set_file& = delete;
  ~task_set_file();

  [[nodiscard]] auto title() const -> std::string_view;
  [[nodiscard]] auto workload() const -> const workload_file&;
  /// What policies are asked about the file.
  [[nodiscard]] auto input() const -> const policy_input&;
  /// To be called once, before everything below.
  auto judge(const question& q) -> const report::verdict_summary&;

  [[nodiscard]] auto judged() const -> const judged_policy&;
  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size;
  [[nodiscard]] auto longest_period() const -> ticks;
  /// `kept` may be null. Throws `nothing_to_run` where there is no plan.
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> report::observation_summary;
  /// On threads. What was proven is expected.
  [[nodiscard]] auto observe(runtime::run_options options, trace* kept) const -> report::observation_summary;
  /// What keeps jobs of one task from waiting for those of another.
  [[nodiscard]] auto waiting() const -> waiting_question;
  /// The line of the format for a fault that the library found.
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error;

  /// Whether all execution times may grow by a factor under the plan of the verdict, or, with `replans`, under one that
  /// is found for that factor.
  [[nodiscard]] auto at_factor(permille factor, bool replans) const -> factor_answer;
  /// Whether a factor that passes implies that every smaller one does, and why not.
  [[nodiscard]] auto is_monotone(const question& q, bool replans) const -> bool;
  [[nodiscard]] auto why_not_monotone() const -> std::string_view;

 private:
  struct parts;

  void require_facts() const;
  void require_plan() const;
  template <class Result>
  [[nodiscard]] auto as_declared(const Result& seen) const -> report::observation_summary;
  [[nodiscard]] auto assess(const question& q) -> report::verdict_summary;

  std::unique_ptr<parts> p_;
};

}  // namespace takt::program
