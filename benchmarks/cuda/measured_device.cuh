// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include <takt/cuda/driver.hpp>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/occupy.cuh>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/runtime_memory.cuh>

#include "synthetic_kernels.hpp"
#include "tables.hpp"

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

/// Work that fills so many SMs with chunks that are long against a look at the host's words.
[[nodiscard]] inline auto work_for(std::int32_t sms, std::int32_t per_sm, const takt::cuda::launch_form& form,
                                   std::size_t repeats) -> takt::cuda::profiled_work {
  constexpr std::int64_t elements_per_thread = 16;
  const std::int64_t length = elements_per_thread * form.threads;
  return {takt::chunks_to_profile(sms, per_sm) * length, length, repeats};
}

/// Numbers of SMs to profile on: from the unit of the driver's split on, doubled, and all that a split can hand out;
/// without green contexts 1, 2, 4, ... and all. Empty where green contexts are not to be had.
[[nodiscard]] inline auto profiled_sms(takt::cuda::driver& driver, std::int32_t sms, bool pinned)
    -> std::vector<std::int32_t> {
  if (pinned) { return sm_counts(sms); }
  const takt::cuda::split_facts split = takt::cuda::query_machine(driver).gpus[0].coscheduled;
  std::vector<std::int32_t> out;
  for (std::int32_t n = 1; split.unit > 0 && n < split.groups; n *= 2) { out.push_back(n * split.unit); }
  if (split.unit > 0 && split.groups > 0) { out.push_back(split.groups * split.unit); }
  return out;
}

/// How kernels are kept on their SMs in a measurement.
[[nodiscard]] inline auto kept_by(bool pinned) -> takt::cuda::device_options {
  return {.wish = {.green_contexts = !pinned, .kernels_stay_on_range = pinned},
          .occupy = takt::cuda::compiled_occupy()};
}

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

}  // namespace takt_benchmarks
