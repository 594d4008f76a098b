// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>

#include <takt/analysis/known/locked_gpus/analyze.hpp>
#include <takt/report/summarize_gpusync.hpp>
#include <takt/simulation/gpusync/simulate.hpp>

#include "../kinds.hpp"
#include "../sightings.hpp"
#include "gpusync_file.hpp"

namespace takt::program {

namespace {

using sections_verdict = verdict<ticks, max_tasks>;

constexpr double most_requests = 300e3;
constexpr double most_traced_requests = 100e3;

/// Tasks that lock GPUs by tokens and share their engines.
class gpusync_description final : public described_file {
 public:
  explicit gpusync_description(std::unique_ptr<gpusync_file> file) : file_{std::move(file)} {}

  [[nodiscard]] auto title() const -> std::string_view override { return file_->name; }
  [[nodiscard]] auto mark() const -> kind_mark override { return {"/platform/gpus/0/sharing", "tokens"}; }
  [[nodiscard]] auto offers(ability a) const -> bool override { return a == ability::sensitivity; }
  [[nodiscard]] auto decides_alone() const -> std::string_view override { return "locked GPUs"; }

  [[nodiscard]] auto run_size_until(duration horizon) const -> run_size override;
  [[nodiscard]] auto longest_period() const -> ticks override { return longest_period_of(file_->table.tasks); }
  [[nodiscard]] auto simulate(const simulation_options& options, trace* kept) const -> sighting override;
  [[nodiscard]] auto refuse(const model_error& error) const -> input_error override { return explain_fault(error); }
  [[nodiscard]] auto at_factor(permille factor, const question& q) const -> factor_answer override;
  [[nodiscard]] auto why_not_monotone() const -> std::string_view override {
    return "priority points follow execution times";
  }

 protected:
  [[nodiscard]] auto assess(const question& /*q*/) -> report::verdict_summary override {
    const auto found = judge_table(file_->table);
    if (found->error) { throw refuse(found->error); }
    auto out = report::summarize(file_->board, file_->table, *found);
    out.notes.insert(out.notes.end(), file_->notes.begin(), file_->notes.end());
    return out;
  }

 private:
  /// The verdict with the deadlines that the file states, and no others.
  [[nodiscard]] auto judge_table(const file_sections& table) const -> std::unique_ptr<sections_verdict> {
    auto out = std::make_unique<sections_verdict>(analyze(file_->board, table));
    for (std::size_t i = 0; i < out->tasks.size(); ++i) {
      if (file_->limited[i]) {
        out->limit(i, table.tasks[i].deadline);
      } else {
        out->tasks[i].limited = false;
        out->tasks[i].meets = out->tasks[i].bound.exists;
      }
    }
    return out;
  }

  std::unique_ptr<gpusync_file> file_;
};

auto gpusync_description::run_size_until(duration horizon) const -> run_size {
  double requests = 0;
  for (const auto& t : file_->table.tasks) {
    const auto bytes =
        static_cast<double>(t.bytes_in) + static_cast<double>(t.bytes_out) + 2.0 * static_cast<double>(t.bytes_state);
    const double each =
        4.0 + static_cast<double>(t.kernels.size()) + bytes / static_cast<double>(file_->board.shape.dma_chunk);
    requests += each * static_cast<double>(horizon.count()) / static_cast<double>(t.period);
  }
  return {requests, "requests", most_requests, most_traced_requests};
}

auto gpusync_description::simulate(const simulation_options& options, trace* kept) const -> sighting {
  gpusync_simulation_options how;
  how.horizon = options.horizon;
  how.releases = options.releases;
  how.execution = options.execution;
  how.seed = options.seed;
  return sighting_of(kept != nullptr ? takt::simulate(file_->board, file_->table, how, *kept)
                                     : takt::simulate(file_->board, file_->table, how));
}

auto gpusync_description::at_factor(permille factor, const question& /*q*/) const -> factor_answer {
  const auto scaled = std::make_unique<file_sections>(file_->table);
  for (auto& t : scaled->tasks) {
    bool fits = scale_time(t.wcet, factor, true, t.wcet) &&
                scale_time(t.cpu_in_gpu_section, factor, true, t.cpu_in_gpu_section);
    for (ticks& kernel : t.kernels) { fits = fits && scale_time(kernel, factor, true, kernel); }
    if (!fits) { return factor_answer::not_proven; }
  }
  return answer_of(judge_table(*scaled)->status);
}

}  // namespace

auto known_sections(std::unique_ptr<workload_file> file) -> std::unique_ptr<described_file> {
  return std::make_unique<gpusync_description>(sections_of(std::move(file)));
}

}  // namespace takt::program
