// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <takt/rules/host/board_tracks.hpp>
#include <takt/rules/host/engine.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/simulation/trace.hpp>

#include "judged.hpp"

namespace takt::program {

/// Hears releases, and which job of a visit is under way, while the engine asks for them.
class recording_choices {
 public:
  recording_choices(const simulation_options& options, std::span<const flow_record> tasks, std::size_t visits)
      : inner_{options, tasks}, tasks_{tasks}, nominal_(tasks.size()), releases_(tasks.size()), current_(visits) {}

  auto gap(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    const ticks out = inner_.gap(task, job, period);
    nominal_[task] += out;
    return out;
  }
  auto delay(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    const ticks out = inner_.delay(task, job, period);
    releases_[task].push_back({nominal_[task], nominal_[task] + out});
    return out;
  }
  auto length(const visit_record& v, std::uint64_t job) -> ticks {
    current_[tasks_[v.task].first_visit + v.position] = job;
    return inner_.length(v, job);
  }

  struct release {
    ticks nominal = 0;
    ticks at = 0;
  };
  [[nodiscard]] auto releases(std::size_t task) const -> const std::vector<release>& { return releases_[task]; }
  [[nodiscard]] auto job_of(std::uint32_t visit) const -> std::uint64_t { return current_[visit]; }

 private:
  simulation::optional_choices inner_;
  std::span<const flow_record> tasks_;
  std::vector<ticks> nominal_;
  std::vector<std::vector<release>> releases_;
  std::vector<std::uint64_t> current_;
};

/// Turns what visits hold into slices of jobs.
template <class Flat>
class slice_recorder {
 public:
  slice_recorder(const policy_board& board, const file_tasks& tasks, const Flat& flat, const recording_choices& choices,
                 trace& kept)
      : tasks_{&tasks}, flat_{&flat}, choices_{&choices}, kept_{&kept}, tracks_{board}, done_(flat.table.size()) {}

  [[nodiscard]] auto sink() -> slice_sink {
    return {this, [](void* self, client who, std::int32_t unit, ticks from, ticks to) {
              static_cast<slice_recorder*>(self)->tell(who, unit, from, to);
            }};
  }
  /// Adds releases before `horizon`, and what comes of these jobs until `end`.
  template <class Tasks>
  void mark_jobs(const Tasks& tasks, ticks horizon, ticks end) {
    for (std::uint32_t i = 0; i < tasks.size(); ++i) {
      const described_task& t = tasks.tasks[i];
      const auto& releases = choices_->releases(i);
      for (std::uint64_t job = 0; job < releases.size() && releases[job].at < horizon; ++job) {
        kept_->record(mark{mark_kind::release, i, job, releases[job].at});
        const bool ended = job < done_[i].size() && done_[i][job] > 0;
        if (ended) { kept_->record(mark{mark_kind::completion, i, job, done_[i][job]}); }
        const ticks due = releases[job].nominal + t.deadline;
        if (!t.limited || due > end) { continue; }
        kept_->record(mark{mark_kind::deadline, i, job, due});
        if (!ended || done_[i][job] > due) { kept_->record(mark{mark_kind::miss, i, job, due}); }
      }
    }
  }

 private:
  void tell(client who, std::int32_t unit, ticks from, ticks to) {
    const visit_record& v = flat_->table.visits[who];
    const std::uint64_t job = choices_->job_of(who);
    const described_visit& said = tasks_->visits[who];
    track where = tracks_.of(flat_->stations[v.station], unit);
    const std::int32_t sms = tracks_.sms(flat_->stations[v.station]);
    // A kernel that says how wide it is has one SM or all of them.
    if (sms > 0 && said.known.has(visit_fact::pinning)) {
      where.index = needs_all_cores(said.width) ? 0 : said.sm;
      where.count = needs_all_cores(said.width) ? sms : 1;
    }
    kept_->record(slice{v.task, v.position, job, where, from, to});
    auto& done = done_[v.task];
    if (done.size() <= job) { done.resize(job + 1); }
    done[job] = std::max(done[job], to);
  }

  const file_tasks* tasks_;
  const Flat* flat_;
  const recording_choices* choices_;
  trace* kept_;
  host::board_tracks<policy_board::pool_count> tracks_;
  std::vector<std::vector<ticks>> done_;
};

/// `takt::simulate` with all that happens kept. Pre: `simulate` finds no error.
inline void record_run(const judged_policy& found, const file_tasks& tasks, const simulation_options& options,
                       trace& kept) {
  plan<max_tasks, max_file_visits> own;
  detail::copy_decisions(found.verdict.plan, own);
  const auto flat = flatten(found.board, tasks, own);
  recording_choices choices{options, {flat.table.tasks.data(), flat.table.size()}, flat.table.visits.size()};
  using engine =
      host::engine<std::remove_cvref_t<decltype(flat.stations)>, max_tasks, max_file_visits, recording_choices>;
  const auto apart = std::make_unique<engine>(
      flat.table, flat.stations, choices, std::span<const ticks>{own.offsets.data(), own.offsets.size()},
      std::span<const ticks>{own.local_deadlines.data(), own.local_deadlines.size()});
  slice_recorder recorder{found.board, tasks, flat, choices, kept};
  const auto seen = apart->run(options.horizon.count(), recorder.sink());
  recorder.mark_jobs(tasks, options.horizon.count(), seen.end);
}

}  // namespace takt::program
