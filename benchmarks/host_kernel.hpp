// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/cuda/measure/host_bench.hpp>

#include "synthetic_kernels.hpp"

namespace takt_benchmarks {

/// One of the five kernels over the first elements of a vector, on the host.
class host_kernel {
 public:
  /// Pre: elements <= vector_length.
  host_kernel(synthetic_kernel what, std::int64_t elements)
      : what_{what}, from_(static_cast<std::size_t>(vector_length), 0.5F), to_(static_cast<std::size_t>(elements)) {}

  /// Pre: the kernel outlives it and stays where it is; sms and per_sm as for `host_bench`.
  [[nodiscard]] auto bench(std::int32_t sms, std::int32_t per_sm) {
    constexpr std::int64_t chunk = 256;
    const auto work = takt::cuda::divide_work(static_cast<std::int64_t>(to_.size()), chunk).value();
    return takt::cuda::host_bench{sms, per_sm,
                                  [this](std::int64_t first, std::int64_t last) {
                                    for (std::int64_t i = first; i < last; ++i) {
                                      to_[static_cast<std::size_t>(i)] = run_element(what_, from_.data(), i);
                                    }
                                  },
                                  work};
  }

  [[nodiscard]] auto from() const noexcept -> const std::vector<float>& { return from_; }
  [[nodiscard]] auto result() noexcept -> std::vector<float>& { return to_; }

 private:
  synthetic_kernel what_;
  std::vector<float> from_;
  std::vector<float> to_;
};

}  // namespace takt_benchmarks
