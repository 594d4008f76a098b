// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <takt/analysis/verdict.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>

namespace takt::runtime {

/// How long an emulated segment takes within its bounds.
enum class length_choice : std::uint8_t { uniform, upper, lower };
[[nodiscard]] constexpr auto is_known(length_choice e) noexcept -> bool {
  switch (e) {
    case length_choice::uniform:
    case length_choice::upper:
    case length_choice::lower: return true;
  }
  return false;
}

/// What becomes of a release that finds the task's previous job unfinished. The late job always goes on.
enum class overrun_policy : std::uint8_t {
  queue,  ///< it starts as soon as the previous job has ended, and its response counts from its release
  skip,   ///< it is dropped and counted
};
[[nodiscard]] constexpr auto is_known(overrun_policy e) noexcept -> bool {
  switch (e) {
    case overrun_policy::queue:
    case overrun_policy::skip: return true;
  }
  return false;
}

/// What to expect of a task, in the order in which the tasks were given. Missing entries expect nothing.
struct expectation {
  response_bound<ticks> response{};             ///< from release to completion
  std::vector<response_bound<ticks>> segments;  ///< from the end of the previous segment to the end of this one
};

/// A response that is longer than expected, when it became so.
struct violation {
  std::uint32_t task = 0;     ///< position in the given order
  std::uint32_t segment = 0;  ///< position in the chain: the one at whose end it was noticed
  std::uint64_t job = 0;
  bool of_segment = false;  ///< the segment's own bound, not the task's
  ticks time = 0;           ///< since the start of the run
  ticks observed = 0;
  ticks bound = 0;
};

[[nodiscard]] constexpr auto drops_release(overrun_policy p) noexcept -> bool {
  switch (p) {
    case overrun_policy::queue: return false;
    case overrun_policy::skip: return true;
  }
  return false;
}

struct run_options {
  duration length{1'000'000'000};
  length_choice lengths = length_choice::uniform;
  std::uint64_t seed = 1;
  overrun_policy overrun = overrun_policy::queue;
  /// Asked of the operating system; the result's `granted` says what came of it.
  bool real_time = true;
  bool pin_to_cores = true;
  bool lock_memory = true;
  /// Before the run, look for what disturbs timed runs: the device's own findings where it has some, else those about
  /// the CPUs. Costs up to seconds, for the driver's tool.
  bool check_machine = false;
  std::vector<expectation> expected;
  /// Called at most once per task, at the first violation, on the thread that noticed it: keep it short.
  std::function<void(const violation&)> on_violation;
};

/// Expects of every task the bound that an analysis has proven for it.
template <std::size_t MaxTasks>
[[nodiscard]] auto expect(const verdict<ticks, MaxTasks>& proven) -> std::vector<expectation> {
  std::vector<expectation> out;
  for (const auto& task : proven.tasks) { out.push_back({.response = task.bound, .segments = {}}); }
  return out;
}

}  // namespace takt::runtime
