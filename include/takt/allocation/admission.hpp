// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <takt/allocation/policies/judge.hpp>
#include <takt/model/hardware.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/task_moves.hpp>
#include <takt/rules/policies/sharing_policy.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the answer to a request to join or to leave. `found` is what was judged: its verdict with the plan, and
/// without a proof `missing` facts and `misses`. It is empty with an `error`, or where no task is left.
template <class Judged>
struct admission_result {
  bool granted = false;
  model_error error{};
  Judged found{};
};

/// Keeps a set of tasks of which it is always proven that all meet their deadlines, under the plan that it has now.
/// `Judge` says of any set what is proven, under the plan that it finds: a `board_verdict`, such as that of `judge`.
///
/// A new plan may move tasks that were there before: hosts change from one to the other where no job is under way.
/// Names are those of the caller, and outlive it. Cost of each request: that of the judge.
template <class Judge, class Tasks>
class admission {
 public:
  using tasks_type = Tasks;
  using judged = std::remove_cvref_t<std::invoke_result_t<const Judge&, const Tasks&>>;
  using answer = admission_result<judged>;

  constexpr explicit admission(Judge judge) : judge_{std::move(judge)} {}

  /// Admits all of `more`, or none. Error: a name that is there already, or no room.
  template <class More>
  [[nodiscard]] constexpr auto join(const More& more) -> answer {
    Tasks wanted = tasks_;
    answer out;
    out.error = append_tasks(more, wanted);
    return out.error ? out : change_to(wanted, std::move(out));
  }
  /// Where the rest is not proven by itself, which the search for a plan does not exclude, the task stays admitted.
  /// Error: no task has that name.
  [[nodiscard]] constexpr auto leave(std::string_view name) -> answer {
    answer out;
    const std::size_t i = position_of(tasks_, name);
    if (i == tasks_.size()) {
      out.error = {.fault = model_fault::no_task, .name = name};
      return out;
    }
    const Tasks rest = detail::without_task(tasks_, i);
    if (rest.size() > 0) { return change_to(rest, std::move(out)); }
    tasks_ = {};
    now_ = {};
    out.granted = true;
    return out;
  }

  [[nodiscard]] constexpr auto tasks() const noexcept -> const Tasks& { return tasks_; }
  /// Returns the bounds and the plan of the admitted tasks. Nothing is judged while there is none.
  [[nodiscard]] constexpr auto proven() const noexcept -> const judged& { return now_; }

 private:
  constexpr auto change_to(const Tasks& wanted, answer out) -> answer {
    out.found = judge_(wanted);
    out.granted = out.found.schedulable();
    if (!out.found.judged) { out.error = out.found.verdict.error; }
    if (out.granted) {
      tasks_ = wanted;
      now_ = out.found;
    }
    return out;
  }

  Judge judge_;
  Tasks tasks_{};
  judged now_{};
};

/// Makes an admission of sets of so many tasks and visits, on a board under a policy and a rule of processors. One GPU,
/// and no resources of one's own: a judge by `judge_at_run_time` knows all hardware. `Judges`: as `judge` has them.
template <std::size_t MaxTasks, std::size_t MaxVisits, class Judges = methods<>, SharingPolicy P, RuleTag CpuRule>
[[nodiscard]] constexpr auto admit(const P& policy, const CpuRule& rule, const hardware& board,
                                   std::int32_t rounds = default_share_rounds) {
  using tasks_type = runtime_task_set<MaxTasks, MaxVisits>;
  const auto by = [policy, rule, board, rounds](const tasks_type& all) {
    return judge<Judges>(policy, rule, all, board, rounds);
  };
  return admission<std::remove_const_t<decltype(by)>, tasks_type>{by};
}

}  // namespace takt::inline TAKT_ABI
