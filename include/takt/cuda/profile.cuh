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
#include <takt/prediction/kernel_fit.hpp>
#include <takt/prediction/measured_interleave.hpp>
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

/// What is not work of a kernel, as the longest of some runs: an empty plain launch, and an empty pinned one.
/// Source: Zou et al. 2021, section 4.3.
struct launch_overheads {
  ticks plain = 0;
  ticks pinned = 0;

  /// What pinning adds.
  [[nodiscard]] auto pinning() const noexcept -> ticks { return std::max<ticks>(0, pinned - plain); }
};

namespace detail {

struct nothing {
  __device__ void operator()(std::int64_t) const {}
};

}  // namespace detail

[[nodiscard]] inline auto measure_overheads(cudaStream_t stream, const sm_slots& slots, const launch_form& form = {},
                                            std::size_t repeats = 100) -> std::optional<launch_overheads> {
  const auto body = over_indices(detail::nothing{});
  pinned_kernel kernel{body, form};
  const std::int64_t one_each = std::max(1, slots.total());
  const auto pinned = time_jobs(kernel, stream, slots, {.count = one_each, .length = 1, .repeats = repeats});
  const auto plain =
      time_calls(stream, repeats, [&](cudaStream_t s) { return launch_plain(s, one_each, body, kernel.form()); });
  if (!pinned || !plain || repeats == 0) { return std::nullopt; }
  return launch_overheads{*std::ranges::max_element(*plain), *std::ranges::max_element(*pinned)};
}

/// Times over SM counts, the ratio of self-interleaving, and the law that brackets all of them. Its overhead holds what
/// the launch and the pinning cost, because the times do.
struct kernel_profile {
  std::vector<kernel_sample> samples;
  kernel_interleave interleave;
  kernel_fit fit;
};

/// On the first n SMs for each n of `sm_counts`, all V blocks on each; and for the ratio on one SM with one block and
/// with V. Source: Zou et al. 2021, sections 4.1, 4.2 and 6.2.
template <class Body>
[[nodiscard]] auto profile_kernel(pinned_kernel<Body>& kernel, cudaStream_t stream,
                                  std::span<const std::int32_t> sm_counts, const profiled_work& work,
                                  std::int32_t margin_percent = 0) -> std::optional<kernel_profile> {
  const std::int32_t per_sm = kernel.virtual_per_sm();
  kernel_profile out{};
  const auto alone = time_jobs(kernel, stream, isolated_slots(0, 1, 1), work);
  const auto together = time_jobs(kernel, stream, isolated_slots(0, 1, per_sm), work);
  if (!alone || !together) { return std::nullopt; }
  const auto ratio = measured_interleave(*alone, *together, per_sm);
  if (!ratio) { return std::nullopt; }
  out.interleave = *ratio;
  for (const std::int32_t sms : sm_counts) {
    const auto times = time_jobs(kernel, stream, isolated_slots(0, sms, per_sm), work);
    if (!times) { return std::nullopt; }
    for (const ticks t : *times) { out.samples.push_back({sms * per_sm, t}); }
  }
  out.fit = fit_kernel(out.samples, out.interleave, margin_percent);
  return out;
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
