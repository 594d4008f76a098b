// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/locking/workload.hpp>

namespace takt::simulation {

enum class job_state : std::uint8_t {
  absent,     ///< not released, waiting for the job before it, or completed
  ready,      ///< could run
  scheduled,  ///< runs
  suspended,  ///< by its own operation
  waiting,    ///< for an unsatisfied request
  gated,      ///< may not issue its next request before it is among the best pending jobs
  donor,      ///< may not run because it has donated its priority at its release
};

[[nodiscard]] constexpr auto name_of(job_state s) noexcept -> std::string_view {
  switch (s) {
    case job_state::absent: return "absent";
    case job_state::ready: return "ready";
    case job_state::scheduled: return "scheduled";
    case job_state::suspended: return "suspended";
    case job_state::waiting: return "waiting";
    case job_state::gated: return "gated";
    case job_state::donor: return "donor";
  }
  return "";
}

/// An incomplete request, and where it is recorded.
struct open_request {
  resource_id resource = 0;
  std::size_t record = 0;
};

/// Operations that a grant puts in front of the rest of a program.
using inserted_operations = inline_vector<operation, 8>;

/// What a task's current job is doing. Jobs of one task never overlap, so there is one per task.
struct task_state {
  std::span<const operation> program;
  std::size_t job = 0;       ///< position among all jobs of the workload
  std::size_t position = 0;  ///< in the program, behind the inserted operations
  inserted_operations inserted{};
  std::size_t inserted_done = 0;
  ticks remaining = 0;  ///< of the execution or suspension that is next
  ticks since = 0;      ///< instant since which it has been under way without a break
  ticks used = 0;       ///< time for which the job has run or suspended itself
  ticks in_line = 0;    ///< time for which it has run since it was last put in line, where there are slices
  priority_point base{};
  inline_vector<open_request, largest_group> unsatisfied{};  ///< in the order of issue
  std::vector<open_request> held;                            ///< in the order of the grants
  std::int32_t processor = -1;                               ///< within its cluster; kept when it does not run
  bool pending = false;
  bool chosen = false;
  bool running = false;
  bool suspended = false;

  [[nodiscard]] auto waits() const noexcept -> bool { return !unsatisfied.empty(); }
  /// On a processor; suspended waiting is never chosen.
  [[nodiscard]] auto spins() const noexcept -> bool { return waits() && chosen; }
  [[nodiscard]] auto has_request() const noexcept -> bool { return waits() || !held.empty(); }

  /// Null at the end of the program.
  [[nodiscard]] auto next() const noexcept -> const operation* {
    if (inserted_done < inserted.size()) { return &inserted[inserted_done]; }
    return position < program.size() ? &program[position] : nullptr;
  }
  [[nodiscard]] auto at_lock() const noexcept -> bool {
    const operation* o = next();
    return o != nullptr && o->what == operation_kind::lock;
  }
  /// At a lock, an unlock or the end: a step that takes no time but a processor.
  [[nodiscard]] auto at_instant_step() const noexcept -> bool {
    if (waits()) { return false; }
    const operation* o = next();
    return o == nullptr || o->what == operation_kind::lock || o->what == operation_kind::unlock;
  }
  void begin(std::size_t new_job, const lock_job& j) {
    job = new_job;
    base = j.priority;
    position = 0;
    used = 0;
    in_line = 0;
    pending = true;
    arrive();
  }
  void advance() {
    if (inserted_done < inserted.size()) {
      ++inserted_done;
    } else {
      ++position;
    }
    arrive();
  }
  /// False when they do not fit. Pre: the next operation has not begun.
  [[nodiscard]] auto insert(inserted_operations front) -> bool {
    for (; inserted_done < inserted.size(); ++inserted_done) {
      if (!front.push_back(inserted[inserted_done])) { return false; }
    }
    inserted = front;
    inserted_done = 0;
    arrive();
    return true;
  }

 private:
  void arrive() noexcept {
    const operation* o = next();
    const bool takes_time = o != nullptr && (o->what == operation_kind::execute || o->what == operation_kind::suspend);
    remaining = takes_time ? o->time : 0;
  }
};

}  // namespace takt::simulation
