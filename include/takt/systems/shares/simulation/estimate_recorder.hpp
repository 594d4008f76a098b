// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/prediction/corun/estimate_log.hpp>
#include <takt/prediction/corun/progress_threshold.hpp>
#include <takt/rules/shares/co_run_predictor.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Hears a run under scheduled shares. For each job that completes, in their order, `judge(application, errors)` gets
/// how wrong the scheduler was about its remaining time after each operation, oldest first: what Yao et al. 2022 show
/// in Fig. 12 and 13.
template <std::size_t MaxTasks, class Predictor, class Judge>
class estimate_recorder {
 public:
  static constexpr std::size_t most_estimates = 4096;  ///< of a job

  /// The table outlives the recorder; the predictor is the scheduler's.
  estimate_recorder(const application_set<MaxTasks>& table, Predictor predictor, Judge judge)
      : table_{&table}, predictor_{std::move(predictor)}, judge_{std::move(judge)}, logs_(table.size()) {}

  void record(const slice& /*s*/) const noexcept {}
  void record(const mark& m) {
    if (m.what == mark_kind::release) { logs_[m.task].started(m.time); }
    if (m.what == mark_kind::completion) {
      const auto errors = logs_[m.task].finished(m.time);
      judge_(m.task, std::span<const progress_error>{errors.data(), errors.size()});
    }
  }
  template <class Policy>
  void record(const share_operation<Policy>& o) {
    constexpr ticks million = 1'000'000;
    const auto& scheduler = o.policy.scheduler();
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      if (!scheduler.active(i) || !scheduler.held(i)) { continue; }
      inline_vector<co_runner, MaxTasks> load;
      for (std::uint32_t k = 0; k < table_->size(); ++k) {
        if (k != i && scheduler.held(k)) {
          load.unchecked_push_back({k, scheduler.held(k)});  // Bound: the other applications.
        }
      }
      const ticks whole = predictor_.predict(i, scheduler.held(i), {load.data(), load.size()});
      const auto& progress = scheduler.progress(i);
      const double done = 1 - static_cast<double>(progress.time_left(million)) / million;
      complete_ = logs_[i].estimated(o.time, done, progress.time_left(whole)) && complete_;
    }
  }

  /// Returns whether no job had more estimates than fit.
  [[nodiscard]] auto complete() const noexcept -> bool { return complete_; }

 private:
  const application_set<MaxTasks>* table_;
  Predictor predictor_;
  Judge judge_;
  std::vector<estimate_log<most_estimates>> logs_;
  bool complete_ = true;
};

}  // namespace takt::inline TAKT_ABI::simulation
