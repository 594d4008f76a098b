// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include <takt/core/number.hpp>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/runtime_memory.cuh>

#include "synthetic_kernels.hpp"

namespace takt_benchmarks {

inline constexpr int no_device = 77;

/// One of the five kernels over logical indices, each an element.
struct element_body {
  synthetic_kernel what;
  const float* from;
  float* to;

  __device__ void operator()(std::int64_t i) const {
    to[i % vector_length] = run_element(what, from, i % vector_length);
  }
};

/// Input and output of a kernel.
class vectors {
 public:
  vectors() : from_{static_cast<std::size_t>(vector_length)}, to_{static_cast<std::size_t>(vector_length)} {
    const std::vector<float> half(from_.size(), 0.5F);
    if (from_.status() == cudaSuccess) {
      (void)cudaMemcpy(from_.data(), half.data(), from_.bytes(), cudaMemcpyHostToDevice);
    }
  }
  [[nodiscard]] auto body(synthetic_kernel what) const {
    return takt::cuda::over_indices(element_body{what, from_.data(), to_.data()});
  }

 private:
  takt::cuda::device_array<float> from_;
  takt::cuda::device_array<float> to_;
};

/// The device, printed with what a table needs to be read; 0 SMs where there is none.
struct measured_device {
  std::int32_t sms = 0;
  std::int32_t threads_per_sm = 0;
};

[[nodiscard]] inline auto print_device(const char* program) -> measured_device {
  int count = 0;
  cudaDeviceProp facts{};
  int driver = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 || cudaGetDeviceProperties(&facts, 0) != cudaSuccess) {
    std::printf("%s: skipped, no CUDA device here\n", program);
    return {};
  }
  (void)cudaDriverGetVersion(&driver);
  (void)cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
  std::printf("%s on %s, compute capability %d.%d, %d SMs of %d threads, driver %d\n", program, facts.name, facts.major,
              facts.minor, facts.multiProcessorCount, facts.maxThreadsPerMultiProcessor, driver);
  return {std::min(facts.multiProcessorCount, static_cast<int>(takt::cuda::max_sms)),
          facts.maxThreadsPerMultiProcessor};
}

/// `--name number` of the command line, or `otherwise`.
[[nodiscard]] inline auto argument(int argc, char** argv, std::string_view name, std::int64_t otherwise)
    -> std::int64_t {
  for (int i = 1; i + 1 < argc; ++i) {
    if (name == argv[i]) { return std::max<std::int64_t>(1, std::strtoll(argv[i + 1], nullptr, 10)); }
  }
  return otherwise;
}

/// 1, 2, 4, ... and all.
[[nodiscard]] inline auto sm_counts(std::int32_t sms) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (std::int32_t n = 1; n < sms; n *= 2) { out.push_back(n); }
  out.push_back(sms);
  return out;
}

struct time_summary {
  takt::ticks least = 0;
  takt::ticks median = 0;
  takt::ticks most = 0;
};

/// Pre: not empty.
[[nodiscard]] inline auto summarize(std::vector<takt::ticks> times) -> time_summary {
  std::ranges::sort(times);
  return {times.front(), times[times.size() / 2], times.back()};
}

[[nodiscard]] inline auto microseconds(takt::ticks t) -> double { return static_cast<double>(t) / 1'000; }

}  // namespace takt_benchmarks
