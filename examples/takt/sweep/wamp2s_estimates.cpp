// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/random.hpp>
#include <takt/prediction/corun/estimate_log.hpp>

#include "../failure.hpp"
#include "wamp2s_errors.hpp"
#include "wamp2s_levels.hpp"
#include "wamp2s_sets.hpp"
#include "wamp2s_studies.hpp"

namespace takt::program::old_sweep {

namespace {

constexpr std::size_t most_estimates = 4096;
using job_log = estimate_log<most_estimates>;

/// Hears a run and hands over the errors of what the scheduler thought after its operations, for each job that
/// completes, in their order.
template <class Judge>
class estimate_recorder {
 public:
  estimate_recorder(const application_table& table, Judge judge)
      : table_{&table}, predictor_{table}, judge_{std::move(judge)}, logs_(table.size()) {}

  void record(const slice& /*s*/) const noexcept {}
  void record(const mark& m) {
    if (m.what == mark_kind::release) { logs_[m.task].started(m.time); }
    if (m.what == mark_kind::completion) {
      const auto errors = logs_[m.task].finished(m.time);
      judge_(m.task, std::span<const progress_error>{errors.data(), errors.size()});
    }
  }
  void record(const simulation::share_operation<scheduled_applications>& o) {
    const auto& scheduler = o.policy.scheduler();
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      if (!scheduler.active(i) || !scheduler.held(i)) { continue; }
      inline_vector<co_runner, most_applications> load;
      for (std::uint32_t k = 0; k < table_->size(); ++k) {
        if (k != i && scheduler.held(k)) { static_cast<void>(load.push_back({k, scheduler.held(k)})); }
      }
      const ticks whole = predictor_.predict(i, scheduler.held(i), {load.data(), load.size()});
      const auto& progress = scheduler.progress(i);
      constexpr ticks million = 1'000'000;
      const double done = 1 - static_cast<double>(progress.time_left(million)) / million;
      if (!logs_[i].estimated(o.time, done, progress.time_left(whole))) {
        throw environment_error{"a job of this study has too many estimates; simulate fewer seconds"};
      }
    }
  }

 private:
  const application_table* table_;
  share_predictor predictor_;
  Judge judge_;
  std::vector<job_log> logs_;
};

struct question {
  std::uint64_t seed = 1;
  std::int64_t sets = 0;
  std::int64_t periods = 0;
  std::int64_t seconds = 0;
};

/// Lets random sets run that are neither light nor overloaded.
template <class Judge>
void judge_estimates(const question& q, Judge judge) {
  constexpr std::int64_t least_load = 600;
  constexpr std::int64_t most_load = 1150;
  application_table table;
  for (std::int64_t i = 0; i < q.sets; ++i) {
    random_stream random{q.seed ^ random_stream{static_cast<std::uint64_t>(i)}.next()};
    draw({.utilization_permille = static_cast<std::int32_t>(random.between(least_load, most_load))}, q.seed,
         static_cast<std::uint64_t>(i), table);
    estimate_recorder recorder{table, judge};
    const application_releases releases{table, {}, random.next()};
    static_cast<void>(
        run_rules(table, wamp2s_text, every_change, releases, horizon_of(table, q.periods, q.seconds), recorder));
  }
}

constexpr std::size_t last_estimates = 4;
constexpr std::size_t observed = 7;  // MC in Table 3

[[nodiscard]] auto question_of(const settings& s) -> question {
  return {.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX)),
          .sets = s.number("sets", 1, 100'000),
          .periods = s.number("periods", 1, 1000),
          .seconds = s.number("seconds", 1, 86'400)};
}
void lay_out(const settings& s, experiment& e) {
  e.measured = measure::thousandths;
  e.share_title = "error of the estimate / response (%)";
  e.levels = s.levels("levels");
  e.sets = e.sets_per_unit = s.number("sets", 1, 100'000);
  e.keys = {"platform"};
  e.all_series = {{{"invented"}}};
  e.columns = {"error_percent", "estimates"};
  e.panels = {{"random sets, WAMP2S as described", {{.column = 0, .title = "mean error", .colour = 0}}}};
}

[[nodiscard]] auto fig12(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 12: estimates of the remaining time of MC, invented platform";
  e.level_title = "estimate: 1 the first, 2 to 5 the last four";
  e.level_name = "estimate";
  lay_out(s, e);
  e.levels = whole_levels(s, 1, last_estimates + 1);
  e.make_counter = [q = question_of(s)]() -> counter {
    using means = std::array<mean_error, last_estimates + 1>;
    const auto find = [q](std::size_t /*series*/) {
      means out{};
      judge_estimates(q, [&out](std::uint32_t task, std::span<const progress_error> errors) {
        if (task != observed || errors.size() < out.size()) { return; }
        out[0].add(errors.front().error);
        const auto last = errors.last(last_estimates);
        for (std::size_t i = 0; i < last.size(); ++i) { out[1 + i].add(last[i].error); }
      });
      return out;
    };
    return once_per_series(find, [](const means& m, std::int64_t level, std::span<std::int64_t> counts) {
      m[static_cast<std::size_t>(level / 1000 - 1)].write(counts);
    });
  };
  return e;
}

[[nodiscard]] auto fig13(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 13: error of estimates by how much of the job is done, invented platform";
  e.level_title = "part of the job that is done, up to";
  e.level_name = "done";
  lay_out(s, e);
  for (const std::int64_t l : e.levels) {
    if (l % errors_by_progress::bin != 0 || l < errors_by_progress::bin || l > 1000) {
      throw input_error{"levels", "one of them is not the end of a bin", "0.05 to 1 in steps of 0.05"};
    }
  }
  e.make_counter = [q = question_of(s)]() -> counter {
    const auto find = [q](std::size_t /*series*/) {
      errors_by_progress out;
      judge_estimates(q, [&out](std::uint32_t /*task*/, std::span<const progress_error> errors) {
        for (const progress_error& one : errors) { out.add(one); }
      });
      return out;
    };
    return once_per_series(find, [](const errors_by_progress& m, std::int64_t level, std::span<std::int64_t> counts) {
      m.up_to(level).write(counts);
    });
  };
  return e;
}

[[nodiscard]] auto parameters(parameter levels) -> std::vector<parameter> {
  return {{"seed", "1", "of everything that is drawn"},
          {"sets", "60", "task sets with utilizations from 0.6 to 1.15"},
          std::move(levels),
          {"periods", "3", "longest periods that are simulated"},
          {"seconds", "60", "that are simulated at most"}};
}

}  // namespace

auto wamp2s_estimate_studies() -> std::vector<study> {
  return {{"wamp2s-fig12", "error of MC's estimated remaining time over workload changes, on an invented platform",
           parameters({"levels", "1..5/1", "estimates: the first, and the last four"}), fig12},
          {"wamp2s-fig13", "error of estimates by progress, on an invented platform",
           parameters({"levels", "0.05..1/0.05", "ends of the bins of progress"}), fig13}};
}

}  // namespace takt::program::old_sweep
