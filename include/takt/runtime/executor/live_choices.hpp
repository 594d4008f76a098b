// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/kept_trace.hpp>
#include <takt/runtime/length_source.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime {

/// Longer than any visit: of those whose end a thread tells.
inline constexpr ticks until_told = ticks{1} << 59;

/// What is open in a run in real time: lengths are drawn, releases come once per period from the start on, and what
/// happens is compared with what was expected.
class live_choices {
 public:
  /// `told(visit)`: whether a thread tells the end of a visit. Pre: all outlive it.
  /// `deadlines`: as the tasks state them, `no_event` for none.
  live_choices(const run_options& options, std::span<const flow_record> tasks, std::vector<ticks> deadlines,
               std::vector<bool> told, std::vector<bool> has_code, kept_trace& trace)
      : options_{&options},
        tasks_{tasks},
        deadlines_{std::move(deadlines)},
        trace_{&trace},
        told_{std::move(told)},
        has_code_{std::move(has_code)},
        is_here_(told_.size()),
        lengths_(told_.size()),
        jobs_(told_.size()),
        nominal_(tasks.size()),
        skipped_(tasks.size()),
        violated_(tasks.size()),
        misses_(tasks.size()),
        first_misses_(tasks.size(), no_instant) {
    for (std::uint32_t i = 0; i < tasks.size(); ++i) { sources_.emplace_back(options.lengths, options.seed, i); }
  }

  /// The instant that counts from now on, since the start.
  void be_at(ticks time) noexcept { now_ = time; }

  auto gap(std::uint32_t task, std::uint64_t job, ticks period) -> ticks {
    if (job == 0) { return 0; }
    ticks out = period;
    const bool skips = drops_release(options_->overrun);
    for (; skips && nominal_[task] + out < now_; out += period) { ++skipped_[task]; }
    nominal_[task] += out;
    return out;
  }
  auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  auto length(const visit_record& v, std::uint64_t job) -> ticks {
    const std::uint32_t at = tasks_[v.task].first_visit + v.position;
    jobs_[at] = job;
    lengths_[at] = sources_[v.task].draw({v.lower, v.upper});
    return has_code_[at] || (told_[at] && lengths_[at] > 0) ? until_told : lengths_[at];
  }
  void arrived(std::uint32_t visit) { is_here_[visit] = true; }
  void left(std::uint32_t visit) { is_here_[visit] = false; }
  void visited(std::uint32_t visit, const visit_record& v, std::uint64_t job, ticks response, ticks now) {
    if (v.task >= options_->expected.size()) { return; }
    const auto& bounds = options_->expected[v.task].visits;
    const std::uint32_t p = visit - tasks_[v.task].first_visit;
    if (p < bounds.size()) { hold(bounds[p], {v.task, p, job, true, now, response, 0}); }
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    expect(task, job, tasks_[task].visit_count - 1, now);
    trace_->add(mark{mark_kind::release, task, job, nominal_[task]});
    trace_->add(mark{mark_kind::completion, task, job, now});
    pass_deadline(task, job, nominal_[task], now, now);
  }
  /// A job that is under way at the end, and so many that wait behind it.
  void leave(std::uint32_t task, std::uint64_t job, std::uint64_t waiting, ticks end) {
    expect(task, job, 0, end);
    ticks release = nominal_[task];
    for (std::uint64_t k = 0; k <= waiting; ++k) {
      trace_->add(mark{mark_kind::release, task, job + k, release});
      pass_deadline(task, job + k, release, no_event, end);
      release += tasks_[task].period;
    }
  }

  /// Whether it has asked its station, and has not been told to have left.
  [[nodiscard]] auto is_here(std::uint32_t visit) const -> bool { return is_here_[visit]; }
  [[nodiscard]] auto length_of(std::uint32_t visit) const -> ticks { return lengths_[visit]; }
  [[nodiscard]] auto job_of(std::uint32_t visit) const -> std::uint64_t { return jobs_[visit]; }
  [[nodiscard]] auto skipped(std::size_t task) const -> std::uint64_t { return skipped_[task]; }
  [[nodiscard]] auto violated(std::size_t task) const -> bool { return violated_[task]; }
  [[nodiscard]] auto misses(std::size_t task) const -> std::uint64_t { return misses_[task]; }
  [[nodiscard]] auto first_miss(std::size_t task) const -> ticks { return first_misses_[task]; }
  [[nodiscard]] auto nominal(std::size_t task) const -> ticks { return nominal_[task]; }
  [[nodiscard]] auto first_violation() const noexcept -> const std::optional<violation>& { return first_; }

 private:
  /// Of a job that was released and ends at these instants, as far as it has come by `now`.
  void pass_deadline(std::uint32_t task, std::uint64_t job, ticks release, ticks end, ticks now) {
    if (deadlines_[task] == no_event || release > no_event - 1 - deadlines_[task]) { return; }
    const ticks due = release + deadlines_[task];
    if (due > now && end == no_event) { return; }
    trace_->add(mark{mark_kind::deadline, task, job, due});
    if (end <= due) { return; }
    trace_->add(mark{mark_kind::miss, task, job, due});
    ++misses_[task];
    if (first_misses_[task] == no_instant) { first_misses_[task] = due; }
  }
  void expect(std::uint32_t task, std::uint64_t job, std::uint32_t position, ticks now) {
    if (task >= options_->expected.size()) { return; }
    hold(options_->expected[task].response, {task, position, job, false, now, now - nominal_[task], 0});
  }
  void hold(const response_bound<ticks>& bound, violation seen) {
    if (!bound.exists || seen.observed <= bound.value || violated_[seen.task]) { return; }
    seen.bound = bound.value;
    violated_[seen.task] = true;
    if (!first_) { first_ = seen; }
    if (options_->on_violation) { options_->on_violation(seen); }
  }

  const run_options* options_;
  std::span<const flow_record> tasks_;
  std::vector<ticks> deadlines_;
  kept_trace* trace_;
  std::vector<bool> told_;
  std::vector<bool> has_code_;
  std::vector<bool> is_here_;
  std::vector<ticks> lengths_;
  std::vector<std::uint64_t> jobs_;
  std::vector<ticks> nominal_;  ///< of the job under way, or of the last
  std::vector<std::uint64_t> skipped_;
  std::vector<bool> violated_;
  std::vector<std::uint64_t> misses_;
  std::vector<ticks> first_misses_;
  std::vector<length_source> sources_;
  std::optional<violation> first_;
  ticks now_ = 0;
};

}  // namespace takt::runtime
