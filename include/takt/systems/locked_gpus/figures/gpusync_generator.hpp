// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/core/random.hpp>
#include <takt/generation/generated_name.hpp>
#include <takt/generation/uniform_range.hpp>
#include <takt/model/model_error.hpp>
#include <takt/systems/locked_gpus/tasks/task.hpp>

namespace takt::inline TAKT_ABI::generation {

/// Task sets of Elliott 2015, section 4.3.6.1. One kernel and one token section per job, deadlines equal periods.
struct gpusync_set_options {
  std::int64_t utilization_permille = 1000;          ///< of the set: CPU time and kernels, without copies
  uniform_range task_utilization_permille{10, 100};  ///< drawn in millionths
  uniform_range period{33'000'000, 100'000'000};     ///< in ticks
  std::int64_t gpu_percent = 66;                     ///< of the tasks
  uniform_range kernel_percent{25, 75};              ///< of a GPU task's execution time, drawn in thousandths
  std::int64_t bytes = 2 * 1024 * 1024;              ///< of a GPU task's job: half in, half out
  std::int64_t state_percent = 25;                   ///< of `bytes`
  std::int64_t section_percent = 5;                  ///< of a GPU task's CPU time lies in its token section
};

[[nodiscard]] constexpr auto validate(const gpusync_set_options& o) noexcept -> model_fault {
  constexpr ticks longest_period = 1'000'000'000'000;
  const auto within = [](const uniform_range& r, std::int64_t least, std::int64_t most) {
    return least <= r.least && r.least <= r.most && r.most <= most;
  };
  const auto percent = [](std::int64_t value) { return value >= 0 && value <= 100; };
  const bool good = o.utilization_permille > 0 && o.utilization_permille <= 1'000'000 &&
                    within(o.task_utilization_permille, 1, 1000) && within(o.period, 1'000'000, longest_period) &&
                    percent(o.gpu_percent) && within(o.kernel_percent, 0, 100) && o.bytes >= 0 &&
                    o.bytes <= (std::int64_t{1} << 40) && percent(o.state_percent) && percent(o.section_percent);
  return good ? model_fault::none : model_fault::options_out_of_range;
}

namespace detail {

inline constexpr std::int64_t millionths = 1'000'000;

/// Tasks without GPUs until the utilisation is reached; what the last one is above it is cut off. False when full.
template <std::size_t MaxTasks, std::size_t MaxKernels>
[[nodiscard]] constexpr auto fill(const gpusync_set_options& o, random_stream& random,
                                  task_rows<gpusync_task<ticks, MaxKernels>, MaxTasks>& out) -> bool {
  constexpr std::int64_t per_permille = millionths / 1000;
  std::int64_t left = o.utilization_permille * per_permille;
  while (left > 0) {
    if (out.size() == max_generated_tasks) { return false; }
    std::int64_t share = random.between(o.task_utilization_permille.least * per_permille,
                                        o.task_utilization_permille.most * per_permille);
    share = share < left ? share : left;
    left -= share;
    const ticks period = random.between(o.period.least, o.period.most);
    // period * share / millionths, in parts that cannot overflow.
    const ticks wcet = period / millionths * share + period % millionths * share / millionths;
    if (!out.add({.name = generated_name(out.size()), .wcet = wcet, .period = period, .deadline = period})) {
      return false;
    }
  }
  return true;
}

/// Moves a part of a task's execution time to a GPU. Pre: there is room for a kernel.
template <class Task>
constexpr void give_kernel(const gpusync_set_options& o, random_stream& random, Task& t) {
  TAKT_EXPECTS(!t.kernels.full());
  const std::int64_t part = random.between(o.kernel_percent.least * 10, o.kernel_percent.most * 10);
  const ticks kernel = t.wcet / 1000 * part + t.wcet % 1000 * part / 1000;
  t.kernels.unchecked_push_back(kernel);  // Bound: as said above.
  t.wcet -= kernel;
  t.cpu_in_gpu_section = t.wcet / 100 * o.section_percent + t.wcet % 100 * o.section_percent / 100;
  t.bytes_in = o.bytes / 2;
  t.bytes_out = o.bytes - t.bytes_in;
  t.bytes_state = o.bytes / 100 * o.state_percent + o.bytes % 100 * o.state_percent / 100;
  t.gpu = true;
}

}  // namespace detail

/// Draws set number `index` of a seed: each can be drawn by itself, and the same arguments give the same set
/// everywhere. Tasks are not placed. Sets that differ only in bytes, or in the part of time that kernels take, have the
/// same tasks otherwise. The source does not say how a sum of utilisations is met: the last task is cut here.
template <std::size_t MaxTasks, std::size_t MaxKernels>
[[nodiscard]] constexpr auto generate(const gpusync_set_options& o, std::uint64_t seed, std::uint64_t index,
                                      task_rows<gpusync_task<ticks, MaxKernels>, MaxTasks>& out) -> model_fault {
  static_assert(MaxKernels > 0);
  out.tasks.clear();
  if (const auto fault = validate(o); fault != model_fault::none) { return fault; }
  random_stream random{random_stream{seed}.next() ^ random_stream{~index}.next()};
  if (!detail::fill(o, random, out)) { return model_fault::set_does_not_fit; }
  // Floyd's way to draw a subset would cost its square; here each task is asked in turn.
  auto wanted = (static_cast<std::int64_t>(out.size()) * o.gpu_percent + 50) / 100;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto left = static_cast<std::int64_t>(out.size() - i);
    if (!random.chance(wanted, left)) { continue; }
    --wanted;
    detail::give_kernel(o, random, out.tasks[i]);
  }
  return model_fault::none;
}

}  // namespace takt::inline TAKT_ABI::generation
