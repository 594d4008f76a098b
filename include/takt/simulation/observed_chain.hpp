// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/chain_stage.hpp>
#include <takt/model/trace_record.hpp>

namespace takt::inline TAKT_ABI {

/// Records when jobs were released, began and ended, from what a simulation or a run tells.
class job_log {
 public:
  struct job {
    ticks release = no_time;
    ticks start = no_time;
    ticks end = no_time;
  };
  static constexpr ticks no_time = INT64_MAX;

  explicit job_log(std::size_t tasks) : jobs_(tasks) {}

  void record(const slice& s) {
    job& j = of(s.task, s.job);
    if (s.start < s.end) { j.start = std::min(j.start, s.start); }
  }
  void record(const mark& m) {
    job& j = of(m.task, m.job);
    switch (m.what) {
      case mark_kind::release: j.release = m.time; break;
      case mark_kind::completion: j.end = m.time; break;
      case mark_kind::deadline:
      case mark_kind::miss: break;
    }
  }

  [[nodiscard]] auto of_task(std::size_t task) const -> const std::vector<job>& { return jobs_[task]; }

 private:
  [[nodiscard]] auto of(std::uint32_t task, std::uint64_t number) -> job& {
    auto& jobs = jobs_[task];
    const auto at = static_cast<std::size_t>(number);
    if (jobs.size() <= at) { jobs.resize(at + 1); }
    return jobs[at];
  }

  std::vector<std::vector<job>> jobs_;
};
static_assert(TraceRecorder<job_log>);

/// The longest latencies of a chain that were seen; each as its namesake in `chain_latency`, so never above it where
/// the bound holds.
struct observed_latency {
  ticks first_read_to_output = 0;
  ticks reaction = 0;
  ticks age_at_output = 0;
  ticks age = 0;
  std::size_t outputs = 0;  ///< of the last task, with data of the first
};

/// An output of a chain's last task and where its data came from: the job of each stage, first to last.
struct data_path {
  ticks change = 0;  ///< just after it the world changed, and no output before this one knows of that
  ticks output = 0;
  std::vector<std::size_t> jobs;
};

/// Says when a job takes its inputs and gives its outputs.
struct data_step {
  ticks read = 0;
  ticks given = 0;
  std::size_t job = 0;
  std::size_t from = 0;  ///< place of the step that it reads of, in the stage before
  bool has_data = true;
};

namespace detail {

/// The jobs of one task that have ended, in the order of their outputs.
[[nodiscard]] inline auto steps_of(const std::vector<job_log::job>& jobs, const chain_stage& s)
    -> std::vector<data_step> {
  std::vector<data_step> out;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const job_log::job& j = jobs[k];
    if (j.end == job_log::no_time) { continue; }
    const ticks nominal = s.clock == own_clock ? j.release : s.offset + static_cast<ticks>(k) * s.period;
    const bool fixed = has_fixed_times(s.how);
    const ticks start = j.start == job_log::no_time ? j.end : j.start;  // jobs without length
    out.push_back({.read = fixed ? nominal : start,
                   .given = fixed ? std::max(nominal + s.output_delay(), j.end) : j.end,
                   .job = k});
  }
  std::ranges::stable_sort(out, {}, &data_step::given);
  return out;
}

/// Each step of `to` reads the last output that is there by then, also one that is given at that very instant.
inline void read_from(const std::vector<data_step>& from, std::vector<data_step>& to) {
  for (data_step& s : to) {
    const auto after = std::ranges::upper_bound(from, s.read, {}, &data_step::given);
    s.has_data = after != from.begin() && std::prev(after)->has_data;
    if (s.has_data) { s.from = static_cast<std::size_t>(std::prev(after) - from.begin()); }
  }
}

}  // namespace detail

/// Records how data went through a chain. `tasks`: the positions of its stages' tasks in the trace.
class observed_chain {
 public:
  /// Jobs released before `begin` are not looked at as first ones: until all tasks of a chain have been released once
  /// nothing bounds its latencies. LET stages read and give at their nominal instants, or give when they end if that is
  /// later; others read when they start and give when they end. Pre: as many tasks as stages, at least one.
  observed_chain(const job_log& times, std::span<const std::uint32_t> tasks, std::span<const chain_stage> stages,
                 ticks begin = 0) {
    TAKT_EXPECTS(tasks.size() == stages.size() && !stages.empty());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      steps_.push_back(detail::steps_of(times.of_task(tasks[i]), stages[i]));
      if (i > 0) { detail::read_from(steps_[i - 1], steps_[i]); }
    }
    measure(times.of_task(tasks.front()), stages.front(), begin);
  }

  [[nodiscard]] auto latency() const noexcept -> const observed_latency& { return latency_; }
  /// Returns the output that was last to depend on a change. Pre: a reaction was seen.
  [[nodiscard]] auto slowest() const -> data_path {
    TAKT_EXPECTS(slowest_ < steps_.back().size());
    data_path out{.output = steps_.back()[slowest_].given, .jobs = std::vector<std::size_t>(steps_.size())};
    out.change = out.output - latency_.reaction;
    std::size_t p = slowest_;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      out.jobs[i] = steps_[i][p].job;
      p = steps_[i][p].from;
    }
    return out;
  }
  /// Returns the steps of each stage, in the order of outputs.
  [[nodiscard]] auto steps() const noexcept -> const std::vector<std::vector<data_step>>& { return steps_; }

 private:
  void measure(const std::vector<job_log::job>& first_jobs, const chain_stage& first, ticks begin) {
    std::vector<ticks> reads(first_jobs.size(), job_log::no_time);
    for (const data_step& s : steps_.front()) { reads[s.job] = s.read; }
    const auto counts = [&](std::size_t k) {
      const ticks nominal = has_fixed_times(first.how) ? reads[k] : first_jobs[k].release;
      return reads[k] != job_log::no_time && nominal >= begin;
    };
    std::size_t known = 0;  ///< the first job whose data no output has had
    const auto& last = steps_.back();
    for (std::size_t p = 0; p < last.size(); ++p) {
      if (!last[p].has_data) { continue; }
      const std::size_t k = source_of(p);
      ++latency_.outputs;
      latency_.age_at_output = std::max(latency_.age_at_output, last[p].given - reads[k]);
      if (p + 1 < last.size()) { latency_.age = std::max(latency_.age, last[p + 1].given - reads[k]); }
      // All changes after the read of the last known job are first told of by this output.
      for (std::size_t j = known; j <= k; ++j) {
        if (!counts(j)) { continue; }
        latency_.first_read_to_output = std::max(latency_.first_read_to_output, last[p].given - reads[j]);
        if (j > 0 && counts(j - 1) && last[p].given - reads[j - 1] > latency_.reaction) {
          latency_.reaction = last[p].given - reads[j - 1];
          slowest_ = p;
        }
      }
      known = std::max(known, k + 1);
    }
  }
  /// Returns the first job whose data the last task's step p has.
  [[nodiscard]] auto source_of(std::size_t p) const -> std::size_t {
    for (std::size_t i = steps_.size() - 1; i > 0; --i) { p = steps_[i][p].from; }
    return steps_.front()[p].job;
  }

  std::vector<std::vector<data_step>> steps_;
  observed_latency latency_;
  std::size_t slowest_ = 0;
};

}  // namespace takt::inline TAKT_ABI
