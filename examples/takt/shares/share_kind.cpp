// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <takt/analysis/analyze.hpp>
#include <takt/core/checked.hpp>
#include <takt/report/summarize_shares.hpp>
#include <takt/simulation/simulate_shares.hpp>

#include "../kinds.hpp"
#include "../sightings.hpp"
#include "share_file.hpp"

namespace takt::program {

namespace {

constexpr double most_jobs = 1e6;
constexpr double most_traced_jobs = 100e3;

/// Applications that are granted shares of one GPU.
class share_description final : public described_file {
 public:
  explicit share_description(std::unique_ptr<share_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override { return {"/platform/gpus/0/sharing", "shares"}; }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a == ability::sensitivity; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "shares"; }

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override {
    double jobs = 0;
    for (const share_task& t : file_->table.tasks) {
      jobs += static_cast<double>(horizon.count()) / static_cast<double>(t.period);
    }
    return {jobs, "jobs", most_jobs, most_traced_jobs};
  }
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> sighting override;
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error override {
    return explain_fault(*file_, error);
  }
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  /// Needs only grow with times.
  [[nodiscard]] auto is_monotone(const question& /*q*/) const -> bool override { return true; }

 protected:
  [[nodiscard]] auto assess(const question& /*q*/) -> report::verdict_summary override {
    const auto found = analyze(file_->platform(), file_->table);
    if (found.error) { throw refuse(found.error); }
    auto out = report::summarize(file_->platform(), file_->table, found);
    out.notes.insert(out.notes.end(), file_->notes.begin(), file_->notes.end());
    out.notes.emplace_back("priorities: as given, the greater goes first");
    return out;
  }

 private:
  std::unique_ptr<share_file> file_;
};

auto share_description::simulate(const simulation_options& options, trace* kept) const -> sighting {
  const auto seen = heard_by(
      kept, [&](auto& recorder) { return takt::simulate(file_->platform(), file_->table, options, recorder); });
  sighting out = sighting_of(seen);
  out.notes.push_back(fmt::format("decisions: {} of the whole set, {} refused a job, {} shares changed",
                                  seen.effort.operations, seen.effort.refusals, seen.effort.share_changes));
  return out;
}

auto share_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<file_shares>(file_->table);
  for (share_task& t : scaled->tasks) {
    std::array<ticks, wcet_row::shares> times{};
    for (std::size_t i = 0; i < times.size(); ++i) {
      const ticks time = t.alone.at(share::bounded(static_cast<std::int32_t>(i + 1)));
      if (!scale_time(time, factor, true, times[i])) { times[i] = unbounded_time; }
    }
    t.alone = wcet_row::measured(times);
  }
  return answer_of(analyze(file_->platform(), *scaled).status);
}

}  // namespace

auto known_applications(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file> {
  return std::make_unique<share_description>(applications_of(std::move(file)));
}

}  // namespace takt::program
