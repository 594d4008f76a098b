// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/interrupts/job_progress.hpp>
#include <takt/simulation/interrupts/processor_state.hpp>
#include <takt/simulation/interrupts/result.hpp>
#include <takt/simulation/interrupts/workload.hpp>

namespace takt::simulation {

/// Keeps, per task, the stretch of time in which its job needs a processor.
class need_accounting {
 public:
  explicit need_accounting(const interrupt_workload& workload) : workload_{&workload}, open_(workload.tasks().size()) {}

  /// Stretches end and begin where jobs stand now.
  void update(std::span<const job_progress> jobs, ticks now, interrupt_result& out) {
    for (std::size_t t = 0; t < jobs.size(); ++t) {
      stretch& s = open_[t];
      const bool same = s.open && jobs[t].needs_processor() && s.need.job == jobs[t].job;
      if (same) { continue; }
      if (s.open) { close(s, now, out); }
      if (!jobs[t].needs_processor()) { continue; }
      s = {.need = {.task = t, .job = jobs[t].job, .from = now}, .open = true};
    }
  }
  /// So much time has passed in which the processors did what they do now.
  void account(std::span<const processor_state> processors, ticks time) {
    for (std::size_t t = 0; t < open_.size(); ++t) {
      if (!open_[t].open) { continue; }
      bool served = false;
      bool interrupt = false;
      bool thread = false;
      for (const processor_state& p : processors) {
        if (p.activity.idle()) { continue; }
        served = served || p.activity.task == t;
        if (!is_more_important(t, p.activity.task)) { continue; }
        (p.activity.in_interrupt ? interrupt : thread) = true;
      }
      if (served) { continue; }
      open_[t].need.behind_threads += thread ? time : 0;
      open_[t].need.behind_interrupts += interrupt && !thread ? time : 0;
    }
  }

 private:
  struct stretch {
    processor_need need{};
    bool open = false;
  };

  static void close(stretch& s, ticks now, interrupt_result& out) {
    s.open = false;
    s.need.to = now;
    if (s.need.to > s.need.from) { out.needs.push_back(s.need); }
  }
  [[nodiscard]] auto is_more_important(std::size_t a, std::size_t b) const -> bool {
    const std::int64_t p = workload_->tasks()[a].point;
    const std::int64_t q = workload_->tasks()[b].point;
    return p < q || (p == q && a < b);
  }

  const interrupt_workload* workload_;
  std::vector<stretch> open_;  ///< by task
};

}  // namespace takt::simulation
