// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>

#include <takt/analysis/analyze.hpp>
#include <takt/report/summarize_accelerator.hpp>
#include <takt/runtime/accelerator/emulated_accelerator.hpp>
#include <takt/runtime/accelerator/run_accelerator.hpp>
#include <takt/simulation/simulate_accelerator.hpp>

#include "../kinds.hpp"
#include "../sightings.hpp"
#include "accelerator_file.hpp"

namespace takt::program {

namespace {

constexpr double most_events = 20e6;
constexpr double most_traced_events = 1e6;

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

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> sighting override;
  [[nodiscard]] auto observe(duration length, std::uint64_t seed, trace* kept) const -> sighting override;
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error override {
    return explain_fault(*file_, error);
  }
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  /// Demand and blocking only grow with times, and supply only shrinks.
  [[nodiscard]] auto is_monotone(const question& /*q*/) const -> bool override { return true; }

 protected:
  [[nodiscard]] auto assess(const question& q) -> report::verdict_summary override;

 private:
  std::unique_ptr<accelerator_file> file_;
  verdict<ticks, max_tasks> found_;
};

auto accelerator_description::assess(const question& /*q*/) -> report::verdict_summary {
  report::verdict_summary out;
  with_accelerator(*file_, [&](const auto& p) {
    found_ = analyze(p, file_->table);
    if (found_.error) { throw refuse(found_.error); }
    out = report::summarize(p, file_->table, found_);
  });
  out.notes.insert(out.notes.end(), file_->notes.begin(), file_->notes.end());
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

auto accelerator_description::simulate(const simulation_options& options, trace* kept) const -> sighting {
  sighting out;
  with_accelerator(*file_, [&](const auto& p) {
    out = heard_by(kept, [&](auto& recorder) {
      return sighting_of(takt::simulate(p, file_->table, found_.plan, options, recorder));
    });
  });
  return out;
}

auto accelerator_description::observe(duration length, std::uint64_t seed, trace* kept) const -> sighting {
  runtime::run_options options;
  options.length = length;
  options.seed = seed;
  options.expected = runtime::expect(found_);
  runtime::emulated_accelerator device{file_->accelerator};
  sighting out;
  with_accelerator(*file_, [&](const auto& p) {
    out = heard_by(kept, [&](auto& recorder) {
      return sighting_of(runtime::run(p, file_->table, found_.plan, device, options, recorder));
    });
  });
  out.notes.insert(out.notes.end(), file_->notes.begin(), file_->notes.end());
  return out;
}

auto accelerator_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<accelerator_tasks>(file_->table);
  for (auto& t : scaled->tasks) {
    const bool fits =
        scale_time(t.wcet, factor, true, t.wcet) && scale_time(t.preemption_cost, factor, true, t.preemption_cost);
    if (!fits) { return factor_answer::must_miss; }
  }
  auto status = verdict_status::not_proven;
  with_accelerator(*file_, [&](const auto& p) { status = analyze(p, *scaled).status; });
  return answer_of(status);
}

}  // namespace

auto known_whole_kernels(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file> {
  return std::make_unique<accelerator_description>(whole_kernels_of(std::move(file)));
}

}  // namespace takt::program
