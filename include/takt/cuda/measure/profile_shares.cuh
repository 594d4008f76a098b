// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <takt/core/number.hpp>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/measure/sample_load.hpp>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/runtime_memory.cuh>
#include <takt/prediction/corun/sample_recorder.hpp>
#include <takt/prediction/corun/training_samples.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// An application of a co-run: one job on some slots, which returns when it has ended, and work of the same kind on
/// some slots that goes on without a gap.
struct co_run_application {
  std::function<cudaError_t(cudaStream_t, const sm_slots&)> job;
  std::function<load_calls(const sm_slots&)> background;
};

/// Of a body whose jobs have `count` indices, `length` of them to a chunk. The body takes any index.
template <class Body>
[[nodiscard]] auto application_of(const Body& body, const launch_form& form, std::int64_t count, std::int64_t length)
    -> co_run_application {
  const auto kernel = std::make_shared<pinned_kernel<Body>>(body, form);
  const auto endless = std::make_shared<detail::endless_kernel<Body>>(body, form, length);
  return {.job =
              [kernel, count, length](cudaStream_t stream, const sm_slots& slots) {
                if (kernel->status() != cudaSuccess) { return kernel->status(); }
                if (!kernel->begin(count, length)) { return cudaErrorNotReady; }
                return kernel->run(stream, slots) ? cudaSuccess : cudaErrorLaunchFailure;
              },
          .background = [endless](const sm_slots& slots) { return endless->load(slots); }};
}

namespace detail {

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

}  // namespace detail

/// Times of one application while others are at work beside it under a constant load: the samples of a co-run
/// predictor. Source: Yao et al. 2022, section 4.3.2 and Fig. 5.
class co_run_bench {
 public:
  co_run_bench(std::vector<co_run_application> applications, std::int32_t sms, std::int32_t per_sm)
      : applications_{std::move(applications)}, sms_{sms}, per_sm_{per_sm} {}

  /// The time of one job of `self` beside the others; 0 on any error, and when one of them was not at work all the
  /// time. `shares`: one per application.
  [[nodiscard]] auto time_of(std::span<const std::int32_t> shares, std::size_t self) -> ticks {
    const std::vector<sm_slots> slots = detail::slots_of_shares(shares, sms_, per_sm_);
    if (slots[self].total() == 0) { return 0; }
    std::vector<std::unique_ptr<sample_load>> others;
    std::function<std::optional<ticks>()> sample = [&]() -> std::optional<ticks> {
      const ticks begin = runtime::now();
      if (applications_[self].job(stream_.get(), slots[self]) != cudaSuccess) { return std::nullopt; }
      return runtime::now() - begin;
    };
    for (std::size_t a = 0; a < applications_.size(); ++a) {
      if (a == self || slots[a].total() == 0) { continue; }
      others.push_back(std::make_unique<sample_load>(applications_[a].background(slots[a])));
      if (!others.back()->start()) { return 0; }
      sample = [load = others.back().get(), inner = std::move(sample)] { return load->beside(inner); };
    }
    return sample().value_or(0);
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
  std::vector<co_run_application> applications_;
  own_stream stream_;
  std::int32_t sms_;
  std::int32_t per_sm_;
};

}  // namespace takt::inline TAKT_ABI::cuda
