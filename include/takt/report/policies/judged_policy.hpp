// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <takt/allocation/allocation.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/allocation/policies/judge_board.hpp>
#include <takt/analysis/cause_effect/waiting_consumers.hpp>
#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/report/observation_summary.hpp>
#include <takt/report/policies/sharing_rule.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/simulation/options.hpp>
#include <takt/simulation/trace.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what a policy makes of a workload.
template <class Tasks>
struct judged_policy : board_verdict<Tasks::max_tasks, Tasks::max_visits> {
  using board_type = any_policy_board<Tasks::max_visits>;

  std::string policy;  ///< with what was chosen or given behind it
  std::string cpus;
  std::string_view copies{};   ///< rule of the copy engines
  std::string_view devices{};  ///< rule of resources of one's own
  search_method search = default_search;
  bool searched = true;  ///< SMs and shares are not those of a plan that was given
  model_error unread;    ///< why the published method cannot read the tasks, once it was asked to explain
  board_type board;
  sharing_rule rule;  ///< how a file says it

  /// Is a board of pools that keeps to the rules of a published method without a board, and what it needs besides.
  struct stand_in {
    board_type board;
    std::shared_ptr<const void> kept;
  };
  std::unique_ptr<stand_in> on_threads;  ///< if there is one, it runs without a plan

  using explanation = std::optional<verdict_summary>;
  /// Explains what the published method of these tasks says of the verdict; nothing where it cannot read them.
  std::function<explanation(judged_policy& self, const Tasks& tasks, const hardware& board)> explain;
  /// In virtual time where the engine of boards does not know the rules.
  std::function<observation_summary(const judged_policy& self, const Tasks& tasks, const hardware& board,
                                    const simulation_options& options, trace* kept)>
      simulate;
  /// Tells whether a task's jobs wait for those of another on their core: see `obstacle_to_waiting`. Empty where the
  /// engine of boards does not know the rules.
  std::function<wait_obstacle(const judged_policy& self, const Tasks& tasks, std::size_t producer,
                              std::size_t consumer)>
      waiting;
};

namespace detail {

/// Gives what a method says of tasks the deadlines and the status that were judged, and the bounds where another method
/// judged them.
template <class Own, class Judged>
void take_judged(Own& own, const Judged& judged) {
  own.status = judged.status;
  const bool is_own = own.method == judged.method;
  for (std::size_t i = 0; i < own.tasks.size() && i < judged.tasks.size(); ++i) {
    const auto& said = judged.tasks[i];
    auto& row = own.tasks[i];
    if (!is_own) { row = said; }
    row.limited = said.limited;
    row.deadline = said.deadline;
    row.meets = said.meets;
  }
  own.method = judged.method;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::report
