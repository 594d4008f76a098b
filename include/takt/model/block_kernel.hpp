// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/task_rows.hpp>

namespace takt::inline TAKT_ABI {

/// Work of GPU threads: threads times time. No time converts to it, nor it to a time.
template <ExactNumber Number>
struct thread_time {
  Number value{};

  constexpr thread_time() = default;
  constexpr explicit thread_time(const Number& threads_times_time) : value{threads_times_time} {}

  [[nodiscard]] friend constexpr auto operator==(const thread_time&, const thread_time&) -> bool = default;
  [[nodiscard]] friend constexpr auto operator<=>(const thread_time&, const thread_time&) = default;
};

/// Says where the kernels of a task's jobs are issued. A stream runs its kernels one after the other.
struct one_stream_per_job {};
struct one_stream_per_task {};
template <class S>
concept StreamAssignment = std::same_as<S, one_stream_per_job> || std::same_as<S, one_stream_per_task>;
inline constexpr one_stream_per_job per_job_streams{};
inline constexpr one_stream_per_task per_task_streams{};

/// A GPU: streaming multiprocessors and what each of them has. 0 blocks, bytes or registers: never the reason why a
/// block waits.
struct block_gpu {
  std::int32_t sms = 1;
  std::int64_t threads_per_sm = 2048;
  std::int64_t block_slots = 0;
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;
};

/// Returns the GPU when at most `threads` threads of every SM may be used. A bound for it says nothing about the GPU
/// itself: what holds the rest, such as a kernel that never ends, must be there at run time.
[[nodiscard]] constexpr auto restricted_to(block_gpu gpu, std::int64_t threads) noexcept -> block_gpu {
  gpu.threads_per_sm = threads;
  return gpu;
}

/// Returns how many blocks of so many threads one SM holds at once, if they need neither shared memory nor registers.
/// Pre: threads >= 1.
[[nodiscard]] constexpr auto blocks_per_sm(const block_gpu& gpu, std::int64_t threads) noexcept -> std::int64_t {
  TAKT_EXPECTS(threads >= 1);
  const std::int64_t fit = gpu.threads_per_sm / threads;
  return gpu.block_slots > 0 && gpu.block_slots < fit ? gpu.block_slots : fit;
}
/// Returns in how many rounds the blocks of a kernel run on an empty GPU. It takes at most so many times the length of
/// its longest block. Pre: a block fits.
[[nodiscard]] constexpr auto rounds_alone(const block_gpu& gpu, std::int64_t blocks, std::int64_t threads) noexcept
    -> std::int64_t {
  TAKT_EXPECTS(threads >= 1 && gpu.sms * blocks_per_sm(gpu, threads) >= 1);
  return ceil_divide(blocks, gpu.sms * blocks_per_sm(gpu, threads));
}

/// No owner: a kernel that is issued whatever the state of others.
inline constexpr std::int32_t no_owner = -1;

/// A sporadic kernel: `blocks` thread blocks per job, each of which stays on one SM until its end.
template <ExactNumber Number>
struct block_kernel {
  using number = Number;

  std::string_view name{};
  Number length{};  ///< longest time of a block beside any others
  Number period{};  ///< least time between two nominal enqueues
  std::int64_t blocks = 1;
  std::int64_t threads = 1;  ///< that a block holds of its SM: `whole_warps` of those it has
  Number jitter{};           ///< a job is enqueued at most this much after its nominal instant
  std::int64_t shared_memory = 0;
  std::int64_t registers = 0;     ///< both per block
  std::int32_t owner = no_owner;  ///< its issuer has no other kernel unfinished meanwhile
};

/// Source: Yang et al. 2018, section 4.2: C = L H.
template <ExactNumber Number>
[[nodiscard]] constexpr auto block_work(const block_kernel<Number>& k) -> thread_time<Number> {
  return thread_time<Number>{Number(k.length * Number(k.threads))};
}
/// Returns the length of a block of that work; whole ticks are rounded up. Pre: threads >= 1.
template <ExactNumber Number>
[[nodiscard]] constexpr auto block_length(const thread_time<Number>& work, std::int64_t threads) -> Number {
  TAKT_EXPECTS(threads >= 1);
  return number_traits<Number>::divide_up(work.value, threads);
}

namespace detail {

/// Larger sizes leave no headroom for their products.
inline constexpr std::int64_t most_gpu_amount = INT64_C(1) << 40;

[[nodiscard]] constexpr auto gpu_in_range(const block_gpu& g) noexcept -> bool {
  const auto amount = [](std::int64_t a) { return a >= 0 && a <= most_gpu_amount; };
  return g.sms >= 1 && g.threads_per_sm >= 1 && g.threads_per_sm <= most_gpu_amount / g.sms && amount(g.block_slots) &&
         amount(g.shared_memory) && amount(g.registers);
}

template <class Number>
[[nodiscard]] constexpr auto block_kernel_fault(const block_kernel<Number>& k, const block_gpu& gpu) -> model_fault {
  if (!is_number(k.length) || !is_number(k.period) || !is_number(k.jitter)) { return model_fault::time_overflow; }
  if (k.length <= Number(0)) { return model_fault::length_not_positive; }
  if (k.period <= Number(0)) { return model_fault::period_not_positive; }
  if (k.jitter < Number(0)) { return model_fault::negative_jitter; }
  if (k.blocks < 1) { return model_fault::no_block; }
  const auto fits = [](std::int64_t amount, std::int64_t limit) { return limit == 0 || amount <= limit; };
  if (k.threads < 1 || k.threads > gpu.threads_per_sm || k.shared_memory < 0 || k.registers < 0 ||
      !fits(k.shared_memory, gpu.shared_memory) || !fits(k.registers, gpu.registers)) {
    return model_fault::block_exceeds_sm;
  }
  return model_fault::none;
}

}  // namespace detail

/// Returns the first fault of the kernels of a GPU. An empty table has none.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto validate(const task_rows<block_kernel<Number>, MaxTasks>& table, const block_gpu& gpu)
    -> model_error {
  if (!detail::gpu_in_range(gpu)) { return {.fault = model_fault::gpu_size_out_of_range}; }
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (const auto fault = detail::block_kernel_fault(table.tasks[i], gpu); fault != model_fault::none) {
      return fault_at(fault, i);
    }
  }
  return {};
}

}  // namespace takt::inline TAKT_ABI
