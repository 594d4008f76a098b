// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <takt/core/number.hpp>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/runtime_memory.cuh>
#include <takt/prediction/corun/sample_recorder.hpp>
#include <takt/prediction/corun/training_samples.hpp>

namespace takt::cuda {

/// An application that can be run again and again on some slots: one call is one job, and returns when it has ended.
using repeated_job = std::function<cudaError_t(cudaStream_t, const sm_slots&)>;

/// Jobs of a pinned kernel, which must outlive them.
template <class Body>
[[nodiscard]] auto jobs_of(pinned_kernel<Body>& kernel, std::int64_t count, std::int64_t length) -> repeated_job {
  return [&kernel, count, length](cudaStream_t stream, const sm_slots& slots) {
    if (!kernel.begin(count, length)) { return cudaErrorNotReady; }
    return kernel.run(stream, slots) ? cudaSuccess : cudaErrorLaunchFailure;
  };
}

/// Shares in per cent as whole SMs side by side, at least one for each share above 0. No slots where they do not fit.
[[nodiscard]] inline auto slots_of_shares(std::span<const std::int32_t> shares, std::int32_t sms, std::int32_t per_sm)
    -> std::vector<sm_slots> {
  std::vector<sm_slots> out(shares.size());
  std::int32_t first = 0;
  for (std::size_t a = 0; a < shares.size(); ++a) {
    const std::int32_t own = shares[a] > 0 ? std::max<std::int32_t>(1, shares[a] * sms / 100) : 0;
    if (first + own > sms) { return std::vector<sm_slots>(shares.size()); }
    out[a] = isolated_slots(first, own, per_sm);
    first += own;
  }
  return out;
}

/// Times of one application while others loop beside it under a constant load: the samples of a co-run predictor.
/// Source: Yao et al. 2022, section 4.3.2 and Fig. 5.
class co_run_bench {
 public:
  co_run_bench(std::vector<repeated_job> applications, std::int32_t sms, std::int32_t per_sm)
      : applications_{std::move(applications)}, streams_(applications_.size()), sms_{sms}, per_sm_{per_sm} {}

  /// The time of one job of `self`, after the others have begun to loop; 0 on any error. `shares`: one per application.
  [[nodiscard]] auto time_of(std::span<const std::int32_t> shares, std::size_t self) -> ticks {
    const std::vector<sm_slots> slots = slots_of_shares(shares, sms_, per_sm_);
    int device = 0;
    if (slots[self].total() == 0 || cudaGetDevice(&device) != cudaSuccess) { return 0; }
    std::atomic<bool> ending{false};
    std::atomic<bool> failed{false};
    std::atomic<std::size_t> looping{0};
    std::vector<std::jthread> loops;
    std::size_t others = 0;
    for (std::size_t a = 0; a < applications_.size(); ++a) {
      if (a == self || slots[a].total() == 0) { continue; }
      ++others;
      loops.emplace_back([&, a] {
        bool good = cudaSetDevice(device) == cudaSuccess;
        good = good && applications_[a](streams_[a].get(), slots[a]) == cudaSuccess;
        ++looping;
        while (good && !ending) { good = applications_[a](streams_[a].get(), slots[a]) == cudaSuccess; }
        failed = failed || !good;
      });
    }
    while (looping < others) { std::this_thread::yield(); }
    const ticks begin = runtime::now();
    const bool good = applications_[self](streams_[self].get(), slots[self]) == cudaSuccess;
    const ticks time = runtime::now() - begin;
    ending = true;
    loops.clear();
    return good && !failed ? time : 0;
  }

  /// `most` of the workloads, in an order drawn from `seed`; those that failed are left out. `profiles`: what each
  /// application shows alone, from a profiler or from what is known of it.
  template <std::size_t MaxApplications, std::size_t Indicators>
  [[nodiscard]] auto samples(const training_workloads<MaxApplications>& workloads, std::size_t self,
                             std::span<const workload_profile<Indicators>> profiles, std::int64_t most,
                             std::uint64_t seed) {
    auto out = collect_samples(workloads, self, profiles, most, seed, [&](const auto& shares) {
      return time_of(std::span<const std::int32_t>{shares.data(), applications_.size()}, self);
    });
    std::erase_if(out, [](const auto& s) { return s.time <= 0; });
    return out;
  }

 private:
  std::vector<repeated_job> applications_;
  std::vector<own_stream> streams_;
  std::int32_t sms_;
  std::int32_t per_sm_;
};

}  // namespace takt::cuda
