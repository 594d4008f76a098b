// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/cuda/measure/sample_load.hpp>
#include <takt/cuda/measure/served_bench.hpp>
#include <takt/cuda/measure/sm_blockers.hpp>
#include <takt/cuda/pinned_job.hpp>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/prediction/measured_interleave.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// The work that a profile runs again and again.
struct profiled_work {
  std::int64_t count = 0;
  std::int64_t length = 1;
  std::size_t repeats = 100;
};

namespace detail {

struct nothing {
  __device__ void operator()(std::int64_t) const {}
};

/// Blocks that keep their SMs full until they are told to leave; those on other SMs leave at once. All threads stay, as
/// it is the whole block that holds its place. A template, as a header is for many programs' parts.
template <int = 0>
__global__ void __launch_bounds__(most_block_threads)
    run_blockers(const __grid_constant__ sm_slots outside, blocker_words* words) {
  const std::uint32_t sm = physical_sm();
  if (outside.at(sm) == 0) { return; }
  if (threadIdx.x == 0) {
    blocker_words::block& own = words->blocks[blockIdx.x];
    beside_the_host(own.place).store(sm + 1, ::cuda::memory_order_relaxed);
    for (std::uint32_t beats = 1; beside_the_host(words->leave).load(::cuda::memory_order_relaxed) == 0; ++beats) {
      beside_the_host(own.beats).store(beats, ::cuda::memory_order_relaxed);
      // Looks at memory of the host would otherwise fill the bus that launches go over.
      __nanosleep(20'000);
    }
  }
  __syncthreads();
}

/// As many of them as fit, so that no block of the form has room beside them.
template <CudaDriver D>
[[nodiscard]] auto blockers_of(const launch_form& form) -> blocker_kernel<D> {
  int per_sm = 0;
  int sms = 0;
  const bool known = blocks_per_sm(&run_blockers<>, form, per_sm) == cudaSuccess &&
                     sms_of_current_device(sms) == cudaSuccess && per_sm > 0;
  if (!known) { return {}; }
  return {.per_sm = per_sm,
          .make = [form, blocks = std::int64_t{per_sm} * sms](device_address words, const sm_slots& outside) {
            auto* const there = reinterpret_cast<blocker_words*>(static_cast<std::uint64_t>(words));
            return device_kernel<D>{[=](D&, const launch_site& site) {
              return driver_result(enqueue(&run_blockers<>, runtime_stream(site.stream), blocks, form, outside, there));
            }};
          }};
}

/// A body as something to profile by a `served_bench`: pinned jobs of it, launches of the same form without work, and
/// blockers of the same form. Outlives the bench. Pre: the device is the current one of the thread.
template <CudaDriver D, class Body>
class profiled_kernel {
 public:
  profiled_kernel(Body body, const launch_form& form, const profiled_work& work)
      : work_{work}, job_{std::move(body), form}, empty_{over_indices(detail::nothing{}), form} {}

  /// The first error of the runtime interface.
  [[nodiscard]] auto status() const noexcept -> cudaError_t {
    return job_.status() != cudaSuccess ? job_.status() : empty_.status();
  }
  [[nodiscard]] auto kernels() -> served_kernels<D> {
    const auto divided = divide_work(work_.count, work_.length);
    return {.virtual_per_sm = job_.virtual_per_sm(),
            .chunks = divided ? divided->chunks : 0,
            .job = [this](std::int32_t sms,
                          std::int32_t per_sm) { return served(job_, work_.count, work_.length, sms, per_sm); },
            .empty = [this](std::int32_t sms, std::int32_t per_sm,
                            std::uint32_t chunks) { return served(empty_, chunks, 1, sms, per_sm); },
            .plain_empty =
                [this](std::int32_t sms, std::int32_t per_sm) {
                  const std::int64_t threads = std::int64_t{sms} * per_sm * empty_.form().threads;
                  return served_kernel<D>{
                      .kernel = device_kernel<D>{[this, threads](D&, const launch_site& site) {
                        return detail::driver_result(
                            launch_plain(detail::runtime_stream(site.stream), threads, empty_.body(), empty_.form()));
                      }}};
                },
            .blockers = detail::blockers_of<D>(job_.form())};
  }

 private:
  /// A sample with fewer blocks at work than slots is none.
  template <class Kernel>
  [[nodiscard]] static auto served(Kernel& kernel, std::int64_t count, std::int64_t length, std::int32_t sms,
                                   std::int32_t per_sm) -> served_kernel<D> {
    const auto places = static_cast<std::uint32_t>(sms * per_sm);
    return {.kernel = on_device<D>(kernel, count, length, {.sms = sms, .virtual_per_sm = per_sm}),
            .complete = [&kernel, places] {
              return kernel.chunks_left() == 0 && kernel.claimed() >= std::min(places, kernel.work().chunks);
            }};
  }

  profiled_work work_;
  pinned_kernel<Body> job_;
  pinned_kernel<index_body<detail::nothing>> empty_;
};

}  // namespace detail

/// The profile of a body on the first GPU of the options, by the way that the runtime launches it. `sm_counts` are
/// multiples of the driver's unit where green contexts are used. Pre: that GPU is the current device.
template <CudaDriver D, class Body>
[[nodiscard]] auto profile_kernel(D& driver, Body body, const launch_form& form, const profiled_work& work,
                                  std::span<const std::int32_t> sm_counts, std::int32_t margin_percent = 0,
                                  device_options options = {}) -> kernel_profile {
  detail::profiled_kernel<D, Body> profiled{std::move(body), form, work};
  if (const cudaError_t e = profiled.status(); e != cudaSuccess) {
    return {.status = profile_status::run_failed, .reason = cudaGetErrorString(e)};
  }
  served_bench<D> bench{driver, profiled.kernels(), std::move(options)};
  return takt::profile_kernel(bench, sm_counts, work.repeats, margin_percent);
}

/// The wall time of `repeats` calls, each with what it enqueued, after two that do not count: from before the call to
/// after the stream is empty. For comparisons, not for laws. `call(stream)` enqueues; none on its first error.
template <class Call>
[[nodiscard]] auto time_calls(cudaStream_t stream, std::size_t repeats, Call call)
    -> std::optional<std::vector<ticks>> {
  return takt::time_runs(repeats, [&]() -> std::optional<ticks> {
    const ticks begin = runtime::now();
    if (call(stream) != cudaSuccess || cudaStreamSynchronize(stream) != cudaSuccess) { return std::nullopt; }
    return runtime::now() - begin;
  });
}

/// Times of whole jobs on these slots. None on an error, or when a job needed a second launch.
template <class Body>
[[nodiscard]] auto time_jobs(pinned_kernel<Body>& kernel, cudaStream_t stream, const sm_slots& slots,
                             const profiled_work& work) -> std::optional<std::vector<ticks>> {
  auto out = time_calls(stream, work.repeats, [&](cudaStream_t s) {
    return kernel.begin(work.count, work.length) ? kernel.launch(s, slots) : cudaErrorNotReady;
  });
  return kernel.chunks_left() == 0 ? out : std::nullopt;
}

namespace detail {

/// A body whose chunks are counted where the host sees it, by each block for itself: not every bus adds in one step.
template <class Body>
struct counted_body {
  Body body;
  std::uint32_t* chunks;

  __device__ void operator()(std::int64_t first, std::int64_t last) const {
    body(first, last);
    if (threadIdx.x == 0) {
      const auto own = detail::beside_the_host(chunks[blockIdx.x]);
      own.store(own.load(::cuda::memory_order_relaxed) + 1, ::cuda::memory_order_relaxed);
    }
  }
};

/// A body that is at work without a gap until it is told to stop: one job of very many chunks, ended by a yield. The
/// body takes any index.
template <class Body>
class endless_kernel {
 public:
  endless_kernel(const Body& body, const launch_form& form, std::int64_t chunk_length)
      : steps_{std::size_t{max_sms} * max_slots},
        length_{chunk_length},
        kernel_{counted_body<Body>{body, steps_.on_device()}, form} {}

  [[nodiscard]] auto status() const noexcept -> cudaError_t {
    return steps_.status() != cudaSuccess ? steps_.status() : kernel_.status();
  }
  /// As the load of samples, on these slots. Pre: it outlives the load.
  [[nodiscard]] auto load(const sm_slots& slots) -> load_calls {
    return {.start =
                [this, slots] {
                  constexpr std::int64_t most_chunks = (std::int64_t{1} << 31U) - 1;
                  return kernel_.begin(most_chunks * length_, length_) &&
                         kernel_.launch(stream_.get(), slots) == cudaSuccess;
                },
            .steps =
                [this] {
                  std::uint64_t sum = 0;
                  for (std::size_t b = 0; b < steps_.size(); ++b) { sum += std::atomic_ref{steps_[b]}.load(); }
                  return sum;
                },
            .stop =
                [this] {
                  kernel_.yield();
                  (void)stream_.wait();
                  kernel_.abandon();
                }};
  }

 private:
  mapped_array<std::uint32_t> steps_;
  std::int64_t length_;
  own_stream stream_;
  pinned_kernel<counted_body<Body>> kernel_;
};

}  // namespace detail

/// The ratio of a body beside another one, or why there is none.
struct measured_cross {
  std::optional<rational> ratio{};
  std::string why{};
};
/// Beside another body that is at work on the same SM all the time, each with one block on it; a sentence where there
/// is no ratio. Pre: an SM has room for both blocks, and nothing else uses the device.
template <class First, class Second>
[[nodiscard]] auto measure_cross(const First& body, const Second& beside, const launch_form& form,
                                 const profiled_work& work) -> measured_cross {
  const sm_slots one = isolated_slots(0, 1, 1);
  const own_stream stream;
  pinned_kernel<First> own{body, form};
  pinned_kernel<index_body<detail::nothing>> empty{over_indices(detail::nothing{}), form};
  detail::endless_kernel<Second> other{beside, form, work.length};
  if (own.status() != cudaSuccess || empty.status() != cudaSuccess || other.status() != cudaSuccess) {
    return {.why = "the kernels cannot be launched"};
  }
  const auto launches = time_jobs(empty, stream.get(), one, {1, 1, work.repeats});
  const auto alone = time_jobs(own, stream.get(), one, work);
  if (!launches || !alone) { return {.why = "a run failed"}; }
  sample_load load{other.load(one)};
  if (!load.start()) { return {.why = load.fault()}; }
  std::string fault;
  const auto together = takt::time_runs(work.repeats, [&]() -> std::optional<ticks> {
    const auto out = load.beside([&]() -> std::optional<ticks> {
      const ticks begin = runtime::now();
      const bool good = own.begin(work.count, work.length) && own.launch(stream.get(), one) == cudaSuccess &&
                        stream.wait() == cudaSuccess && own.chunks_left() == 0;
      return good ? std::optional{runtime::now() - begin} : std::nullopt;
    });
    if (!out) { fault = load.fault().empty() ? "a run failed" : load.fault(); }
    return out;
  });
  if (!together) { return {.why = std::move(fault)}; }
  const interval<ticks> overhead{std::ranges::min(*launches), std::ranges::max(*launches)};
  if (!long_enough(*alone, overhead)) { return {.why = std::string{name_of(profile_status::jobs_too_short)}}; }
  return {.ratio = cross_interleave(*alone, *together, overhead)};
}

}  // namespace takt::inline TAKT_ABI::cuda
