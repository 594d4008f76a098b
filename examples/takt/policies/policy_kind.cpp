// SPDX-License-Identifier: Apache-2.0
#include "policy_kind.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <takt/model/scaled.hpp>
#include <takt/simulation/simulate_composed.hpp>

#include "../sightings.hpp"
#include "recorded.hpp"

namespace takt::program {

namespace {

constexpr double most_steps = 20e6;
constexpr double most_traced_steps = 1e6;

class policy_description final : public described_file {
 public:
  policy_description(std::unique_ptr<workload_file> file, rule_wishes wishes)
      : file_{std::move(file)}, wishes_{std::move(wishes)}, input_{input_of(*file_, wishes_)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override {
    return {wishes_.policy.empty() ? "/platform/gpus/0/sharing" : "--policy", input_.question.policy};
  }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a == ability::sensitivity; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "a policy"; }

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override {
    double steps = 0;
    for (const described_task& t : file_->tasks.tasks) {
      steps +=
          static_cast<double>(t.visit_count) * static_cast<double>(horizon.count()) / static_cast<double>(t.period);
    }
    return {steps, "steps", most_steps, most_traced_steps};
  }
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->tasks.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> sighting override;
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error override {
    return explain_fault(*file_, error);
  }
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return "a plan is looked for at each factor";
  }

 protected:
  [[nodiscard]] auto assess(const question& q) -> report::verdict_summary override;

 private:
  std::unique_ptr<workload_file> file_;
  rule_wishes wishes_;
  policy_input input_;
  std::unique_ptr<judged_policy> found_;
};

auto policy_description::assess(const question& /*q*/) -> report::verdict_summary {
  found_ = judge_input(*file_, input_, *input_.tasks);
  if (!found_->missing.empty()) {
    const auto missing = missing_of(*file_, *found_);
    const std::string others =
        missing.size() == 1 ? "" : fmt::format(", nor do {} other places say what it needs", missing.size() - 1);
    throw input_error{missing[0].at,
                      fmt::format("does not say {}, which {} needs{}", missing[0].fact, input_.question.policy, others),
                      "the fact, or another policy"};
  }
  if (!found_->judged) { throw refuse(found_->verdict.error); }
  require_rules(*file_, wishes_, *found_);
  return summary_of(*file_, input_, *found_);
}

auto policy_description::simulate(const simulation_options& options, trace* kept) const -> sighting {
  const auto seen = takt::simulate(found_->board, *input_.tasks, found_->verdict.plan, options);
  if (seen.error.fault == model_fault::plan_does_not_fit) {
    throw nothing_to_run{fmt::format("no plan is known under {}. See the reasons of analyze.", found_->policy)};
  }
  if (seen.error) { return sighting_of(seen); }
  if (kept != nullptr) { record_run(*found_, *input_.tasks, options, *kept); }
  sighting out = sighting_of(seen);
  for (std::size_t i = 0; i < out.seen.tasks.size(); ++i) {
    // The engine counts misses of the lesser of deadline and period.
    const described_task& t = file_->tasks.tasks[i];
    auto& row = out.seen.tasks[i];
    if (!t.limited || row.worst_response <= t.deadline) { row.misses = 0; }
  }
  return out;
}

auto policy_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto longer = std::make_unique<description<file_tasks>>(scaled(*input_.tasks, factor));
  if (longer->error) { return factor_answer::not_proven; }
  const auto found = judge_input(*file_, input_, longer->tasks);
  return found->judged ? answer_of(found->verdict.status) : factor_answer::not_proven;
}

}  // namespace

auto under_policy(std::unique_ptr<workload_file> file, const rule_wishes& wishes) -> std::unique_ptr<described_file> {
  return std::make_unique<policy_description>(std::move(file), wishes);
}

}  // namespace takt::program
