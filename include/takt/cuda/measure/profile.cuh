// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <takt/core/number.hpp>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::cuda {

/// The wall time of `repeats` calls, each with what it enqueued: from before the launch to after the stream is empty.
/// Launch and notification are in it, as they are in the time that a task waits. `call(stream)` enqueues; none on its
/// first error.
template <class Call>
[[nodiscard]] auto time_calls(cudaStream_t stream, std::size_t repeats, Call call)
    -> std::optional<std::vector<ticks>> {
  std::vector<ticks> out;
  out.reserve(repeats);
  for (std::size_t r = 0; r < repeats; ++r) {
    const ticks begin = runtime::now();
    if (call(stream) != cudaSuccess || cudaStreamSynchronize(stream) != cudaSuccess) { return std::nullopt; }
    out.push_back(runtime::now() - begin);
  }
  return out;
}

/// The work that a profile runs again and again.
struct profiled_work {
  std::int64_t count = 0;
  std::int64_t length = 1;
  std::size_t repeats = 100;
};

/// Times of whole jobs on these slots. None on an error, or when a job needed a second launch.
template <class Body>
[[nodiscard]] auto time_jobs(pinned_kernel<Body>& kernel, cudaStream_t stream, const sm_slots& slots,
                             const profiled_work& work) -> std::optional<std::vector<ticks>> {
  bool begun = true;
  auto out = time_calls(stream, work.repeats, [&](cudaStream_t s) {
    begun = begun && kernel.begin(work.count, work.length);
    return begun ? kernel.launch(s, slots) : cudaErrorNotReady;
  });
  return kernel.chunks_left() == 0 ? out : std::nullopt;
}

namespace detail {

struct nothing {
  __device__ void operator()(std::int64_t) const {}
};

}  // namespace detail

/// A pinned kernel on a device as something to profile. Launches without work have the form of its own, so that blocks
/// on other SMs leave them in the same number.
template <class Body>
class pinned_bench {
 public:
  /// `work.repeats` is not looked at. Pre: the kernel outlives it.
  pinned_bench(pinned_kernel<Body>& kernel, cudaStream_t stream, const profiled_work& work)
      : kernel_{&kernel}, stream_{stream}, work_{work}, empty_{over_indices(detail::nothing{}), kernel.form()} {}

  [[nodiscard]] auto virtual_per_sm() const noexcept -> std::int32_t { return kernel_->virtual_per_sm(); }

  [[nodiscard]] auto time_job(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    return only(time_jobs(*kernel_, stream_, isolated_slots(0, sms, per_sm), {work_.count, work_.length, 1}));
  }
  [[nodiscard]] auto time_empty(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    return only(time_jobs(empty_, stream_, isolated_slots(0, sms, per_sm), {std::int64_t{sms} * per_sm, 1, 1}));
  }
  [[nodiscard]] auto time_plain_empty(std::int32_t sms, std::int32_t per_sm) -> std::optional<ticks> {
    const std::int64_t threads = std::int64_t{sms} * per_sm * empty_.form().threads;
    return only(
        time_calls(stream_, 1, [&](cudaStream_t s) { return launch_plain(s, threads, empty_.body(), empty_.form()); }));
  }

 private:
  [[nodiscard]] static auto only(const std::optional<std::vector<ticks>>& times) -> std::optional<ticks> {
    return times ? std::optional{times->front()} : std::nullopt;
  }

  pinned_kernel<Body>* kernel_;
  cudaStream_t stream_;
  profiled_work work_;
  pinned_kernel<index_body<detail::nothing>> empty_;
};

static_assert(KernelBench<pinned_bench<index_body<detail::nothing>>>);

/// The profile of a kernel on the current device. Its overhead holds what the launch and the pinning cost.
template <class Body>
[[nodiscard]] auto profile_kernel(pinned_kernel<Body>& kernel, cudaStream_t stream,
                                  std::span<const std::int32_t> sm_counts, const profiled_work& work,
                                  std::int32_t margin_percent = 0) -> std::optional<kernel_profile> {
  pinned_bench<Body> bench{kernel, stream, work};
  return takt::profile_kernel(bench, sm_counts, work.repeats, margin_percent);
}

/// The ratio of one kernel beside another on the same SM: twice the time of the two together over the sum of the times
/// alone, each with one block on it. Times together count until both have ended. Source: Zou et al. 2021, Fig. 5.
struct cross_interleave {
  std::vector<ticks> first_alone;
  std::vector<ticks> second_alone;
  std::vector<ticks> together;

  [[nodiscard]] auto ratio() const -> double {
    const auto shortest = [](const std::vector<ticks>& t) { return static_cast<double>(*std::ranges::min_element(t)); };
    return 2 * static_cast<double>(*std::ranges::max_element(together)) /
           (shortest(first_alone) + shortest(second_alone));
  }
};

/// Pre: both kernels have blocks of which an SM holds two. None on an error, or when a launch left work.
template <class First, class Second>
[[nodiscard]] auto measure_cross(pinned_kernel<First>& first, pinned_kernel<Second>& second, cudaStream_t stream,
                                 cudaStream_t other, const profiled_work& first_work, const profiled_work& second_work)
    -> std::optional<cross_interleave> {
  const sm_slots one = isolated_slots(0, 1, 1);
  cross_interleave out;
  auto a = time_jobs(first, stream, one, first_work);
  auto b = time_jobs(second, stream, one, second_work);
  auto both = time_calls(stream, first_work.repeats, [&](cudaStream_t s) {
    if (!first.begin(first_work.count, first_work.length) || !second.begin(second_work.count, second_work.length)) {
      return cudaErrorNotReady;
    }
    cudaError_t e = first.launch(s, one);
    if (e == cudaSuccess) { e = second.launch(other, one); }
    return e == cudaSuccess ? cudaStreamSynchronize(other) : e;
  });
  if (!a || !b || !both || both->empty() || first.chunks_left() > 0 || second.chunks_left() > 0) {
    return std::nullopt;
  }
  return cross_interleave{std::move(*a), std::move(*b), std::move(*both)};
}

}  // namespace takt::cuda
