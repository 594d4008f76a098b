// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/simulation/graph/gpu_observer.hpp>
#include <takt/simulation/graph/kernel_engine.hpp>

namespace takt::simulation {

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

/// Runs kernels that arrive as written down, at one instant in their order, until all have finished. `observer` hears
/// of each arrival, with its position as tag, and of the end of each instant.
template <std::size_t MaxKernels = 1024, std::size_t MaxSms = 128, ExactNumber Number, class Observer = no_gpu_observer>
[[nodiscard]] auto replay_kernels(const gpu_shape& shape, std::span<const kernel_arrival<Number>> arrivals,
                                  Observer&& observer = {}) -> kernel_replay<Number> {
  kernel_replay<Number> out;
  if (shape.sms < 1 || static_cast<std::size_t>(shape.sms) > MaxSms) {
    out.fault = model_fault::malformed;
    return out;
  }
  out.finish.assign(arrivals.size(), Number(0));
  std::vector<std::size_t> order(arrivals.size());
  for (std::size_t i = 0; i < order.size(); ++i) { order[i] = i; }
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{arrivals[i].time, i}; });
  kernel_engine<Number, MaxKernels, MaxSms> gpu{shape};
  std::size_t arrived = 0;
  for (;;) {
    Number now{};
    const bool running = gpu.next_end(now);
    if (!running && arrived == order.size()) { return out; }
    if (arrived < order.size() && (!running || arrivals[order[arrived]].time < now)) {
      now = arrivals[order[arrived]].time;
    }
    gpu.complete_due(now, [&](std::uint64_t tag) { out.finish[static_cast<std::size_t>(tag)] = now; });
    for (; arrived < order.size() && !(now < arrivals[order[arrived]].time); ++arrived) {
      const auto& a = arrivals[order[arrived]];
      if (!(Number(0) < a.length) || !gpu.enqueue(a.kernel, a.length, order[arrived])) {
        out.fault = gpu.is_full() ? model_fault::too_many_kernels : model_fault::malformed;
        return out;
      }
      observer.enqueued(now, order[arrived], gpu);
    }
    if (!gpu.dispatch(now, [](std::uint64_t /*tag*/, const block_group<Number>& /*group*/) {})) {
      out.fault = model_fault::time_overflow;
      return out;
    }
    observer.settled(now, gpu);
  }
}

}  // namespace takt::simulation
