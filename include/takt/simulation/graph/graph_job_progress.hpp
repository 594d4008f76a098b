// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/priority_point.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/late_job.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Names a job, by task and number.
struct job_name {
  std::uint32_t task = 0;
  std::size_t number = 0;
};
/// Holds how far a job has come.
struct graph_job_progress {
  enum class stage_of_job : std::uint8_t { waits, is_due, runs };
  ticks nominal = 0;
  ticks invoked = 0;  ///< by the clock
  std::size_t step = 0;
  stage_of_job at = stage_of_job::waits;
  bool is_woken = false;
  bool in_turn = false;  ///< it has waited for a job of its own task only
  bool is_late = false;

  void start(const graph_task<ticks>& t, ticks now) noexcept {
    at = stage_of_job::runs;
    is_late = t.clock != no_clock && comes_late({now, invoked, in_turn}, nominal, t.period);
  }
};
/// A step that has a place.
struct step_under_way {
  job_name who{};
  ticks length = 0;
  ticks since = 0;      ///< by the clock
  ticks unboosted = 0;  ///< point
  bool taken = false;
  bool boosted = false;
  bool works = false;

  /// Widens the most urgent point of those that wait, and the least urgent of boosted ones that work.
  void range(std::int64_t tie, priority_point& most_urgent, priority_point& least_urgent) const {
    if (!taken) { return; }
    const priority_point p{unboosted, tie};
    if (works && boosted) { least_urgent = std::max(least_urgent, p); }
    if (!works && !boosted) { most_urgent = std::min(most_urgent, p); }
  }
};
/// A job reaches its nominal release, or the guard of its task may open.
struct appointment {
  ticks time = 0;  ///< worked
  job_name who{};
  bool of_guard = false;
};

/// Gives the earliest appointment first.
class job_agenda {
 public:
  void reserve(std::size_t most) { heap_.reserve(most); }
  [[nodiscard]] auto next() const -> ticks { return heap_.empty() ? no_event : heap_.front().time; }
  void add(const appointment& a) {
    heap_.push_back(a);
    std::ranges::push_heap(heap_, later);
  }
  /// Pre: there is one.
  auto take() -> appointment {
    TAKT_EXPECTS(!heap_.empty());
    std::ranges::pop_heap(heap_, later);
    const appointment out = heap_.back();
    heap_.pop_back();
    return out;
  }

 private:
  [[nodiscard]] static auto later(const appointment& a, const appointment& b) -> bool { return b.time < a.time; }

  std::vector<appointment> heap_;
};

template <TraceRecorder Recorder>
void mark_deadline(Recorder& recorder, const job_name& who, ticks due, ticks end) {
  recorder.record(mark{mark_kind::deadline, who.task, who.number, due});
  if (due < end) { recorder.record(mark{mark_kind::miss, who.task, who.number, due}); }
}

}  // namespace takt::inline TAKT_ABI::simulation::detail
