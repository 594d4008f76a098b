// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/servers/block_queue_server.hpp>
#include <takt/simulation/common_unit.hpp>
#include <takt/simulation/graph/graph_stations.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// A kernel that is handed to the GPU at an instant.
template <ExactNumber Number>
struct kernel_arrival {
  Number time{};
  queued_kernel kernel{};
  Number length{};  ///< of each of its blocks
};

template <ExactNumber Number>
struct kernel_replay {
  model_fault fault = model_fault::none;
  std::vector<Number> finish;  ///< by position of the arrival

  [[nodiscard]] auto response(std::span<const kernel_arrival<Number>> arrivals, std::size_t i) const -> Number {
    return finish[i] - arrivals[i].time;
  }
};

/// Ignores everything. An observer is told of each kernel that has entered the queue, with its position, and of the end
/// of each instant, when all blocks that can start have started.
struct no_gpu_observer {
  template <class Server>
  void enqueued(ticks /*now*/, std::size_t /*position*/, const Server& /*gpu*/) const {}
  template <class Server>
  void settled(ticks /*now*/, const Server& /*gpu*/) const {}
};

/// Runs kernels that arrive as written down, at one instant in their order, on the server of block queues until all
/// have finished.
template <std::size_t MaxKernels = 1024, std::size_t MaxSms = 128, class Observer = no_gpu_observer>
[[nodiscard]] auto replay_kernels(const gpu_shape& shape, std::span<const kernel_arrival<ticks>> arrivals,
                                  Observer&& observer = {}) -> kernel_replay<ticks> {
  constexpr std::size_t max_blocks = MaxSms * simulated_blocks_per_sm;
  kernel_replay<ticks> out;
  const auto fail = [&out](model_fault f) -> kernel_replay<ticks>& {
    out.fault = f;
    return out;
  };
  if (shape.sms < 1 || static_cast<std::size_t>(shape.sms) > MaxSms) { return fail(model_fault::malformed); }
  std::vector<std::size_t> order;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  ticks work = 0;
  for (const auto& a : arrivals) {
    const auto& k = a.kernel;
    const bool streamed = k.stream == own_stream || (k.stream >= 0 && static_cast<std::size_t>(k.stream) < MaxKernels);
    if (!streamed || a.length <= 0 || !can_run(shape, k)) { return fail(model_fault::malformed); }
    ticks own = 0;
    ticks end = 0;
    if (!checked_multiply(a.length, k.blocks, own) || !checked_add(work, own, work) ||
        !checked_add(work, std::max<ticks>(a.time, 0), end)) {
      return fail(model_fault::time_overflow);
    }
    least = std::min(least, shape.each.held_by(k.block).threads);
    order.push_back(order.size());
  }
  if (resident_blocks(shape, least) > max_blocks) { return fail(model_fault::platform_size_out_of_range); }
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{arrivals[i].time, i}; });
  const auto gpu = std::make_unique<block_queue_server<MaxKernels, MaxSms, max_blocks, MaxKernels>>(shape);
  out.finish.assign(arrivals.size(), 0);
  for (std::size_t arrived = 0;;) {
    const auto next = [&] { return arrived == order.size() ? no_event : arrivals[order[arrived]].time; };
    const ticks now = std::min(gpu->next(), next());
    if (now == no_event) { return out; }
    for (client who = gpu->fire(now, {}); who != no_client; who = gpu->fire(now, {})) { out.finish[who] = now; }
    for (; next() == now; ++arrived) {
      const auto& a = arrivals[order[arrived]];
      if (!gpu->enqueue(static_cast<client>(order[arrived]), a.kernel, a.length)) {
        return fail(model_fault::too_many_kernels);
      }
      observer.enqueued(now, order[arrived], *gpu);
    }
    gpu->decide(now, {});
    observer.settled(now, *gpu);
  }
}

/// Replays kernels with exact times. Error: `time_overflow` as well where they are whole in no unit in which they fit.
template <std::size_t MaxKernels = 1024, std::size_t MaxSms = 128, ExactFraction Number>
[[nodiscard]] auto replay_kernels(const gpu_shape& shape, std::span<const kernel_arrival<Number>> arrivals)
    -> kernel_replay<Number> {
  detail::common_unit<Number> unit;
  for (const auto& a : arrivals) {
    unit.hold(a.time);
    unit.hold(a.length);
  }
  std::vector<kernel_arrival<ticks>> whole(arrivals.size());
  kernel_replay<Number> out;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    whole[i].kernel = arrivals[i].kernel;
    if (!unit.fits() || !unit.whole(arrivals[i].time, whole[i].time) ||
        !unit.whole(arrivals[i].length, whole[i].length)) {
      out.fault = model_fault::time_overflow;
      return out;
    }
  }
  const auto seen = replay_kernels<MaxKernels, MaxSms>(shape, std::span<const kernel_arrival<ticks>>{whole});
  out.fault = seen.fault;
  for (const ticks f : seen.finish) { out.finish.push_back(unit.time(f)); }
  return out;
}

/// Holds what an analysis claims of a GPU's queue at any time.
struct queue_claims {
  std::int64_t largest_block = 0;  ///< H_max, in threads
  std::int64_t unit_block = 1;     ///< h
  ticks carry_in = 0;              ///< Lemma 1, in thread time
  ticks backlog = 0;               ///< Lemma 2
};

/// Checks the claims about the queue while it runs. At each instant every SM has at most H_max - h idle threads (busy)
/// or some SM has H_max (non-busy), never both or neither. While non-busy, no block waits and unfinished work is at
/// most the carry-in. It is at most the backlog when a kernel enters. Observes replays. Source: Yang et al. 2018,
/// definition 3 and lemmas 1 and 2, the latter with <= instead of <.
class lemma_checks {
 public:
  constexpr explicit lemma_checks(const queue_claims& claims) : claims_{claims} {}

  template <class Server>
  void enqueued(ticks now, std::size_t /*position*/, const Server& gpu) {
    const ticks w = gpu.backlog(now);
    if (worst_backlog_ < w) { worst_backlog_ = w; }
    if (claims_.backlog < w) { ++backlog_violations_; }
  }
  template <class Server>
  void settled(ticks now, const Server& gpu) {
    ++instants_;
    const auto& queue = gpu.queue();
    bool busy = true;
    bool non_busy = false;
    for (std::int32_t sm = 0; sm < queue.sms(); ++sm) {
      const std::int64_t idle = queue.idle(sm).threads;
      busy = busy && idle <= claims_.largest_block - claims_.unit_block;
      non_busy = non_busy || idle >= claims_.largest_block;
    }
    if (busy == non_busy) { ++class_violations_; }
    if (!non_busy) { return; }
    ++non_busy_instants_;
    const ticks w = gpu.backlog(now);
    if (queue.waiting() > 0 || claims_.carry_in < w) { ++carry_in_violations_; }
  }

  [[nodiscard]] auto instants() const noexcept -> std::uint64_t { return instants_; }
  [[nodiscard]] auto non_busy_instants() const noexcept -> std::uint64_t { return non_busy_instants_; }
  [[nodiscard]] auto class_violations() const noexcept -> std::uint64_t { return class_violations_; }
  [[nodiscard]] auto carry_in_violations() const noexcept -> std::uint64_t { return carry_in_violations_; }
  [[nodiscard]] auto backlog_violations() const noexcept -> std::uint64_t { return backlog_violations_; }
  /// Returns the most unfinished work that was seen.
  [[nodiscard]] auto worst_backlog() const -> ticks { return worst_backlog_; }

 private:
  queue_claims claims_;
  ticks worst_backlog_ = 0;
  std::uint64_t instants_ = 0;
  std::uint64_t non_busy_instants_ = 0;
  std::uint64_t class_violations_ = 0;
  std::uint64_t carry_in_violations_ = 0;
  std::uint64_t backlog_violations_ = 0;
};

}  // namespace takt::inline TAKT_ABI::simulation
