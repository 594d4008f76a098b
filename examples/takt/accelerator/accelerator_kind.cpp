// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <takt/runtime/accelerator/emulated_accelerator.hpp>
#include <takt/runtime/accelerator/run_accelerator.hpp>
#include <takt/simulation/simulate_accelerator.hpp>

#include "../failure.hpp"
#include "../kinds.hpp"
#include "../response_recorder.hpp"
#include "../timed_run.hpp"
#include "accelerator_file.hpp"
#include "accelerator_words.hpp"

namespace takt::program {

namespace {

using accelerator_run = simulation::accelerator_result<ticks, max_tasks>;

constexpr double most_events = 20e6;
constexpr double most_traced_events = 1e6;

[[nodiscard]] auto core_text(const accelerator_task<ticks>& t) -> std::string {
  return t.width == kernel_width::all_cores ? "all" : t.core == any_core ? "any" : fmt::format("{}", t.core);
}

/// Kernels that are scheduled whole on the SMs of one GPU.
class accelerator_description final : public described_file {
 public:
  explicit accelerator_description(std::unique_ptr<accelerator_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override {
    return {"/platform/gpus/0/sharing", std::string{file_->rule.sharing}};
  }
  [[nodiscard]] auto offers(ability /*a*/) const -> bool override { return true; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "an accelerator"; }

  [[nodiscard]] auto platform_text() const -> std::string override { return program::platform_text(*file_); }
  [[nodiscard]] auto verdict_table() const -> text_table override;
  [[nodiscard]] auto reasons() const -> std::vector<std::string> override;

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const
      -> std::optional<report::run_summary> override;
  [[nodiscard]] auto observe(duration length, std::uint64_t seed, trace* kept) const -> observation override;
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  /// Demand and blocking only grow with times, and supply only shrinks.
  [[nodiscard]] auto is_monotone(const question& /*q*/) const -> bool override { return true; }

 protected:
  [[nodiscard]] auto assess(const question& q) -> judgement override;
  void write_platform(report::json_writer& json) const override { program::write_platform(json, *file_); }
  void write_tests(report::json_writer& json) const override { program::write_tests(json, found_); }

 private:
  std::unique_ptr<accelerator_file> file_;
  accelerator_judgement found_;
};

auto accelerator_description::assess(const question& /*q*/) -> judgement {
  with_accelerator(*file_, [&](const auto& p) { found_ = analyze(p, file_->table); });
  if (found_.error) { throw explain_fault(*file_, found_.error); }
  judgement out{.analysis = std::string{found_.analysis}, .status = found_.status};
  for (std::uint32_t i = 0; i < found_.tasks.size(); ++i) {
    const auto& t = found_.tasks[i];
    out.tasks.push_back({std::string{t.name}, t.deadline, t.bound, t.meets});
    out.rows.push_back(i);
  }
  out.findings = findings_of(found_);
  out.notes = file_->notes;
  return out;
}

auto accelerator_description::verdict_table() const -> text_table {
  text_table table{{"task", "SM", "kernel ms", "wave ms", "deadline ms", "bound ms", "meets"}};
  for (std::size_t i = 0; i < found_.tasks.size(); ++i) {
    const auto& t = file_->table.tasks[i];
    const auto& v = found_.tasks[i];
    table.add({std::string{t.name}, core_text(t), in_milliseconds(t.wcet), in_milliseconds(t.preemption_cost),
               in_milliseconds(t.deadline), v.bound.exists ? in_milliseconds(v.bound.value) : "-",
               v.meets ? "yes" : "not proven"});
  }
  return table;
}

auto accelerator_description::reasons() const -> std::vector<std::string> {
  std::vector<std::string> out = judged().findings;
  for (std::size_t i = 0; i < found_.tasks.size(); ++i) {
    if (found_.tasks[i].meets || !found_.tasks[i].bound.exists) { continue; }
    out.push_back(explain_task(i));
    out.back().pop_back();
  }
  if (found_.status == verdict_status::unschedulable) { out.emplace_back("Some legal run misses a deadline."); }
  return out;
}

auto accelerator_description::run_size_until(duration horizon) const -> run_size {
  const auto until = static_cast<double>(horizon.count());
  double events = 0;
  for (const auto& t : file_->table.tasks) {
    const ticks waves = t.preemption_cost > 0 ? t.wcet / t.preemption_cost : 0;
    events += until / static_cast<double>(t.period) * static_cast<double>(1 + waves);
  }
  if (file_->rule.sharing == "slots") { events += until / static_cast<double>(file_->rule.slot_period.count()) * 4; }
  return {events, "jobs, waves and slots", most_events, most_traced_events};
}

auto accelerator_description::simulate(const simulation_options& options, trace* kept) const
    -> std::optional<report::run_summary> {
  response_recorder heard{file_->table.size(), kept};
  accelerator_run seen;
  with_accelerator(*file_, [&](const auto& p) { seen = takt::simulate(p, file_->table, options, heard); });
  if (seen.error.fault == model_fault::time_overflow) { return std::nullopt; }
  if (seen.error) { throw explain_fault(*file_, seen.error); }
  report::run_summary out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.tasks.push_back({std::string{t.name}, static_cast<std::uint64_t>(t.completed),
                         static_cast<std::uint64_t>(t.misses), t.worst_response, heard.mean_response(i, t.completed),
                         proven_bound(i)});
  }
  return out;
}

auto accelerator_description::observe(duration length, std::uint64_t seed, trace* kept) const -> observation {
  runtime::run_options options;
  options.length = length;
  options.seed = seed;
  options.expected = runtime::expect(found_);
  runtime::emulated_accelerator device{file_->accelerator};
  runtime::run_result seen;
  accelerator_run beside;
  const duration horizon{20 * longest_period()};
  with_accelerator(*file_, [&](const auto& p) {
    seen = kept != nullptr ? runtime::run(p, file_->table, device, options, *kept)
                           : runtime::run(p, file_->table, device, options);
    beside = takt::simulate(p, file_->table, simulation_options{.horizon = horizon});
  });
  if (seen.status == runtime::run_status::invalid_model) { throw explain_fault(*file_, seen.error); }
  require_surroundings(seen);
  if (beside.error) { throw explain_fault(*file_, beside.error); }
  observation out;
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const auto& t = seen.tasks[i];
    out.run.tasks.push_back({t.name, t.jobs, t.misses, t.worst_response, t.mean_response, proven_bound(i)});
    out.within.push_back(t.within_bound);
    out.simulated.push_back(beside.tasks[i].completed > 0 ? std::optional{beside.tasks[i].worst_response}
                                                          : std::nullopt);
  }
  out.run.notes = seen.notes;
  out.run.notes.insert(out.run.notes.end(), file_->notes.begin(), file_->notes.end());
  return out;
}

auto accelerator_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<accelerator_tasks>(file_->table);
  for (auto& t : scaled->tasks) {
    const bool fits =
        scale_time(t.wcet, factor, true, t.wcet) && scale_time(t.preemption_cost, factor, true, t.preemption_cost);
    if (!fits) { return factor_answer::must_miss; }
  }
  accelerator_judgement v;
  with_accelerator(*file_, [&](const auto& p) { v = analyze(p, *scaled); });
  return v.status == verdict_status::schedulable     ? factor_answer::proven
         : v.status == verdict_status::unschedulable ? factor_answer::must_miss
                                                     : factor_answer::not_proven;
}

[[nodiscard]] auto read(const json_value& document) -> std::unique_ptr<described_file> {
  return std::make_unique<accelerator_description>(read_accelerator(document));
}

}  // namespace

const file_kind accelerator_kind{is_accelerator, read};

}  // namespace takt::program
