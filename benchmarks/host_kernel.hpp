// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/measure/host_bench.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/runtime/clock.hpp>

#include "synthetic_kernels.hpp"

namespace takt_benchmarks {

/// One of the five kernels over the first elements of a vector, on the host.
class host_kernel {
 public:
  /// Pre: elements <= vector_length.
  host_kernel(synthetic_kernel what, std::int64_t elements)
      : what_{what}, from_(static_cast<std::size_t>(vector_length), 0.5F), to_(static_cast<std::size_t>(elements)) {}

  /// In as many chunks as a profile needs. Pre: the kernel outlives it and stays where it is; sms, per_sm and clock as
  /// for `host_bench`.
  [[nodiscard]] auto bench(std::int32_t sms, std::int32_t per_sm,
                           std::function<takt::ticks()> clock = takt::runtime::now) {
    const auto elements = static_cast<std::int64_t>(to_.size());
    const std::int64_t chunk = std::max<std::int64_t>(1, elements / takt::chunks_to_profile(sms, per_sm));
    return takt::cuda::host_bench{sms, per_sm,
                                  [this](std::int64_t first, std::int64_t last) {
                                    for (std::int64_t i = first; i < last; ++i) {
                                      to_[static_cast<std::size_t>(i)] = run_element(what_, from_.data(), i);
                                    }
                                    done_ += last - first;
                                  },
                                  takt::cuda::divide_work(elements, chunk).value(), std::move(clock)};
  }

  /// By all jobs together.
  [[nodiscard]] auto elements_done() const noexcept -> std::int64_t { return done_; }
  [[nodiscard]] auto from() const noexcept -> const std::vector<float>& { return from_; }
  [[nodiscard]] auto result() noexcept -> std::vector<float>& { return to_; }

 private:
  synthetic_kernel what_;
  std::vector<float> from_;
  std::vector<float> to_;
  std::atomic<std::int64_t> done_{0};
};

}  // namespace takt_benchmarks
