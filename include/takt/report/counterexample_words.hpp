// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <takt/allocation/every_plan.hpp>
#include <takt/analysis/must_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/visit_fact.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/simulation/find_counterexample.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds runs that miss a deadline under a plan, and under others.
struct broken_plans {
  counterexample example{};      ///< under the plan itself
  every_plan_result others{};    ///< whether every plan has one
  bool times_are_given = false;  ///< all times of the runs are ones that jobs take, so that a run is a proof

  [[nodiscard]] auto all() const noexcept -> bool { return others.is_known && others.holds && times_are_given; }
};

namespace detail {

/// Makes kernels that state their work take it on SMs of their own, whatever their time elsewhere is.
template <class Tasks>
[[nodiscard]] auto by_their_work(const Tasks& tasks) -> std::unique_ptr<Tasks> {
  auto out = std::make_unique<Tasks>(tasks);
  for (runtime_visit& v : out->visits) {
    if (v.where != resource_kind::gpu || !v.known.has(visit_fact::work)) { continue; }
    const auto said = v.known;
    v.known = {};
    for (const visit_fact f : {visit_fact::work, visit_fact::overhead, visit_fact::interleave}) {
      if (said.has(f)) { v.known.add(f); }
    }
  }
  return out;
}

}  // namespace detail

/// Looks for runs that miss where tasks have SMs of their own: under a plan, and if it has one, under at most `most`
/// others. Cost: `find_counterexample` for each of them.
template <class Board, class Tasks, std::size_t N, std::size_t V>
[[nodiscard]] auto break_plans(const Board& board, const Tasks& given, const plan<N, V>& p, std::size_t most = 64)
    -> broken_plans {
  const auto tasks = detail::by_their_work(given);
  const auto example_under = [&](const auto& tried) { return find_counterexample(board, *tasks, tried); };
  broken_plans out{.example = example_under(p), .times_are_given = analysis::times_are_given(*tasks)};
  if (out.example.exists) {
    out.others =
        holds_for_every_plan(board, *tasks, p, most, [&](const auto& other) { return example_under(other).exists; });
  }
  return out;
}

/// Says which run misses. Only when every plan has one is a miss proven.
template <class Tasks>
void add_counterexample(const broken_plans& broken, const Tasks& tasks, verdict_summary& out) {
  const counterexample& example = broken.example;
  if (!example.exists) { return; }
  std::string sentence = "A simulated run misses a deadline: ";
  sentence.append(tasks.tasks[example.task].name).append(" is not done ");
  sentence += example.deadline_at == no_instant ? "in time" : "at " + format_duration(example.deadline_at);
  if (!out.plan_words.empty()) { sentence += " with " + out.plan_words; }
  sentence.append(" (releases ").append(name_of(example.how.releases));
  sentence += ", seed " + std::to_string(example.how.seed) + ")";
  if (!broken.all()) {
    out.notes.push_back(sentence + ", but another plan may do better.");
    return;
  }
  out.status = verdict_status::unschedulable;
  out.findings.push_back(sentence + ".");
  if (broken.others.plans > 1) {
    out.findings.push_back("Each of the " + std::to_string(broken.others.plans) + " possible plans has such a run.");
  }
}

}  // namespace takt::inline TAKT_ABI::report
