// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/locking/workload.hpp>

namespace takt::simulation {

/// The next job of a task of those that events release.
struct event_release {
  request_id task = 0;
  lock_job job{};
};

/// The jobs of a workload, with the releases that events have set so far, and the one of each task that comes next.
class job_lists {
 public:
  explicit job_lists(const lock_workload& w) : jobs_(w.jobs().begin(), w.jobs().end()) {
    for (const lock_task& t : w.tasks()) {
      line l{.next = t.first_job, .released = t.first_job, .end = t.first_job + t.job_count};
      while (l.released < l.end && jobs_[l.released].release != on_event) { ++l.released; }
      lines_.push_back(l);
    }
  }

  [[nodiscard]] auto operator[](std::size_t job) const -> const lock_job& { return jobs_[job]; }
  [[nodiscard]] auto has_next(request_id t) const -> bool { return at(t).next != at(t).released; }
  /// Pre, here and in `take`: `has_next(t)`.
  [[nodiscard]] auto next(request_id t) const -> const lock_job& { return jobs_[at(t).next]; }
  /// The position among all jobs of the one that was next.
  auto take(request_id t) -> std::size_t { return lines_[static_cast<std::size_t>(t)].next++; }
  /// False, and no change, when there is no such job or its release is no instant.
  [[nodiscard]] auto release(const event_release& e) -> bool {
    if (e.task < 0 || static_cast<std::size_t>(e.task) >= lines_.size()) { return false; }
    line& l = lines_[static_cast<std::size_t>(e.task)];
    if (l.released == l.end || e.job.release < 0 || e.job.release >= never) { return false; }
    jobs_[l.released++] = e.job;
    return true;
  }

 private:
  struct line {
    std::size_t next = 0;
    std::size_t released = 0;  ///< the first job whose release nobody has set
    std::size_t end = 0;
  };
  [[nodiscard]] auto at(request_id t) const -> const line& { return lines_[static_cast<std::size_t>(t)]; }

  std::vector<lock_job> jobs_;
  std::vector<line> lines_;
};

}  // namespace takt::simulation
