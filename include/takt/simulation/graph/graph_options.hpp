// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/simulation/options.hpp>

namespace takt::inline TAKT_ABI::simulation {

struct graph_options {
  gpu_shape gpu{};
  std::int32_t copy_engines = 1;  ///< serve one FIFO queue
  /// Jobs start as soon as what they wait for is there; their priorities remain those of the nominal releases.
  bool early_release = false;
  bool preemptive = true;
  /// Kernels of one step of one task share a stream, so that a job waits for the one before.
  bool per_task_streams = false;
  /// A job that hands on its results is not preempted.
  bool boost_signals = false;
  std::vector<stall> stalls{};  ///< ascending and apart
  late_handling on_late = late_handling::catch_up;
  /// Says for each graph how many invocations can be under way at once; jobs of others wait for the room. 0, or no
  /// entry, means any number. What is limited or dropped has no tasks without a clock.
  std::vector<std::int64_t> invocation_limits{};
  std::vector<ticks> deadlines{};  ///< by graph, from an invocation to each end of a sink, for traces; 0: none
};

/// Holds for a function that says how long steps take. It is called with task, step in its chain, number of the job and
/// the length in the workload, once for each; CPU time from 0, kernels and copies from above 0, up to that length.
template <class L, class Number>
concept StepLengths = requires(const L& l, std::size_t task, std::size_t step, std::size_t job, const Number& most) {
  { l(task, step, job, most) } -> std::convertible_to<Number>;
};

struct full_lengths {
  template <ExactNumber Number>
  [[nodiscard]] auto operator()(std::size_t /*task*/, std::size_t /*step*/, std::size_t /*job*/,
                                const Number& most) const -> Number {
    return most;
  }
};

/// Lengths from `least_percent` of the longest on, and the longest itself in one of three. The same seed gives the
/// same.
class random_lengths {
 public:
  constexpr explicit random_lengths(std::uint64_t seed, std::int64_t least_percent = 0) noexcept
      : seed_{seed}, least_percent_{least_percent} {}

  [[nodiscard]] constexpr auto operator()(std::size_t task, std::size_t step, std::size_t job,
                                          ticks most) const noexcept -> ticks {
    random_stream mixed{seed_ ^
                        random_stream{(std::uint64_t{task} << 40U) ^ (std::uint64_t{step} << 28U) ^ job}.next()};
    if (most <= 1 || mixed.chance(1, 3)) { return most; }
    const ticks least = most / 100 * least_percent_ + most % 100 * least_percent_ / 100;
    return mixed.between(least < 1 ? 1 : least, most);
  }

 private:
  std::uint64_t seed_;
  std::int64_t least_percent_;
};

static_assert(StepLengths<full_lengths, ticks>);
static_assert(StepLengths<random_lengths, ticks>);

/// The worst response of a task's jobs that have ended; 0 without any, as ends before the release count as 0.
template <ExactNumber Number>
struct graph_task_outcome {
  std::int64_t jobs = 0;
  Number response{};          ///< from the nominal release
  Number kernel_response{};   ///< of one of its kernels, from its entry into the queue or its stream
  Number enqueue_lateness{};  ///< of its kernels and copies, after the nominal release
};

template <ExactNumber Number>
struct graph_result {
  model_fault fault = model_fault::none;
  Number end{};
  /// By graph and invocation that was made: the time until the last end of a sink.
  std::vector<std::vector<Number>> responses;
  std::vector<std::vector<Number>> invoked;       ///< by clock, when those that were made had been released
  std::vector<std::int64_t> dropped;              ///< by clock, invocations that were not made
  std::vector<graph_task_outcome<Number>> tasks;  ///< by position in the workload
  /// Jobs of clocked tasks, without those of limited parallelism, that became ready after their nominal release.
  std::int64_t late = 0;
  std::vector<host::time_span> void_bounds;  ///< hold outside, if proven; empty with exact times
  std::vector<Number> inversion;             ///< by cluster: time in which a boosted job kept a more urgent one waiting

  [[nodiscard]] auto ok() const noexcept -> bool { return fault == model_fault::none; }
  [[nodiscard]] auto worst_response(std::size_t graph) const -> Number {
    Number worst(0);
    for (const Number& r : responses[graph]) { worst = worst < r ? r : worst; }
    return worst;
  }
};

}  // namespace takt::inline TAKT_ABI::simulation
