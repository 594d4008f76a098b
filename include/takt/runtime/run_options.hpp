// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/choice.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/model/model_error.hpp>

namespace takt::inline TAKT_ABI::runtime {

class run_watch;

/// Says how long an emulated segment takes within its bounds.
enum class length_choice : std::uint8_t { uniform, upper, lower };
[[nodiscard]] constexpr auto last_of(length_choice) noexcept -> length_choice { return length_choice::lower; }

/// Holds what to expect of a task or a graph, in the order in which they were given. Missing entries expect nothing.
struct expectation {
  response_bound<ticks> response{};           ///< from release to completion
  std::vector<response_bound<ticks>> visits;  ///< of segments from the end of the one before, of nodes of the refined
                                              ///< graph from their nominal release
};

/// A response that is longer than expected, when it became so.
struct violation {
  std::uint32_t task = 0;   ///< position in the given order
  std::uint32_t visit = 0;  ///< position in the chain or refined graph: the one at whose end it was noticed; `no_index`
                            ///< at the end of a graph
  std::uint64_t job = 0;
  bool of_visit = false;  ///< the visit's own bound, not the task's
  ticks time = 0;         ///< since the start of the run
  ticks observed = 0;
  ticks bound = 0;
};

/// Says what is done about a job whose response, or that of one of its visits, is longer than expected. It is noticed
/// when the bound of the job passes, or when the visit ends; code that was called goes on to its own end all the same.
enum class violation_handling : std::uint8_t {
  report,  ///< it is only told
  drop,    ///< the job is abandoned: no further visit of it takes time or calls code, it counts as skipped, and so do
           ///< releases that it let pass
  stop,    ///< the run ends there
};
[[nodiscard]] constexpr auto last_of(violation_handling) noexcept -> violation_handling {
  return violation_handling::stop;
}
namespace detail {

[[nodiscard]] constexpr auto abandons_job(violation_handling h) noexcept -> bool {
  switch (h) {
    case violation_handling::report:
    case violation_handling::stop: return false;
    case violation_handling::drop: return true;
  }
  return false;
}

}  // namespace detail
[[nodiscard]] constexpr auto ends_run(violation_handling h) noexcept -> bool {
  switch (h) {
    case violation_handling::report:
    case violation_handling::drop: return false;
    case violation_handling::stop: return true;
  }
  return false;
}

struct run_options {
  duration length{1'000'000'000};  ///< nothing is released from then on; nothing at all unless it is positive
  /// On a board of pools: jobs that were released before the end have so much longer to end themselves.
  duration drain{0};
  std::vector<duration> offsets{};  ///< on a board of pools: of the first releases, by task; of those that it lacks 0
  length_choice lengths = length_choice::uniform;
  std::uint64_t seed = 1;
  /// Says what becomes of releases that find the job before unfinished, or no room. The late job always goes on.
  late_handling on_late = late_handling::catch_up;
  /// Asked of the operating system; the result's `granted` says what came of it.
  bool real_time = true;
  bool pin_to_cores = true;
  bool lock_memory = true;
  /// Before the run, look for what disturbs timed runs: the device's own findings where it has some, else those about
  /// the CPUs. Costs up to seconds, for the driver's tool.
  bool check_machine = false;
  /// On a board of pools: a device that has not answered so long after the bound of a visit is silent, and ends the
  /// run. The bound is what is expected of the visit, or else its longest time.
  duration patience{1'000'000'000};
  std::vector<expectation> expected{};
  /// Called at most once per task, at the first violation, on the thread that noticed it: keep it short.
  std::function<void(const violation&)> on_violation{};
  violation_handling at_violation = violation_handling::report;
  /// Once true the run ends before its time, within some 20 ms: see `interruption`. Any thread may set it.
  const std::atomic<bool>* stop = nullptr;
  /// Once true the run ends at the first instant at which no job is under way, if there is one before its end.
  const std::atomic<bool>* stop_when_idle = nullptr;
  run_watch* watch = nullptr;  ///< told what is seen, as it is seen
};

namespace detail {

/// Gives the time after which a run looks again whether it is to stop.
inline constexpr ticks stop_poll = 20'000'000;

}  // namespace detail

/// Returns whether a flag of the options is there and set.
[[nodiscard]] inline auto is_set(const std::atomic<bool>* flag) noexcept -> bool { return flag != nullptr && *flag; }

namespace detail {

/// Longer times are refused, so that no sum of a few of them overflows.
inline constexpr ticks longest_wait = ticks{1} << 58;

}  // namespace detail

/// Returns what is wrong with options for so many tasks of a board.
[[nodiscard]] inline auto options_fault(const run_options& o, std::size_t tasks) noexcept -> model_error {
  const bool known = is_known(o.lengths) && is_known(o.on_late) && is_known(o.at_violation);
  if (!known) { return {.fault = model_fault::choice_out_of_range}; }
  const auto fault_of = [](const duration& d) {
    if (d.count() < 0) { return model_fault::negative_time; }
    return d.count() > detail::longest_wait ? model_fault::time_overflow : model_fault::none;
  };
  if (fault_of(o.drain) != model_fault::none) { return {.fault = fault_of(o.drain), .name = "drain"}; }
  if (o.offsets.size() > tasks) { return {.fault = model_fault::option_unused, .name = "offsets"}; }
  for (std::size_t i = 0; i < o.offsets.size(); ++i) {
    const model_fault fault = fault_of(o.offsets[i]);
    if (fault != model_fault::none) { return {.fault = fault, .task = static_cast<std::uint32_t>(i)}; }
  }
  return {};
}

/// Expects of every task the bound that an analysis has proven for it, or its deadline where it is proven without a
/// bound. Expects of visits their own bounds where they have them.
template <std::size_t MaxTasks, std::size_t MaxVisits>
[[nodiscard]] auto expect(const verdict<ticks, MaxTasks, MaxVisits>& proven) -> std::vector<expectation> {
  std::vector<expectation> out;
  for (const auto& t : proven.tasks) {
    const bool by_deadline = !t.bound.exists && t.evaluated && t.meets && t.limited;
    out.push_back({.response = by_deadline ? response_bound<ticks>{t.deadline, true} : t.bound, .visits = {}});
  }
  for (const auto& v : proven.visits) { out[v.task].visits.push_back({v.response, true}); }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime
