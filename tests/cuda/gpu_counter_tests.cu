// SPDX-License-Identifier: Apache-2.0
// On a real GPU: the counters of a solo run through CUPTI. Part of takt_gpu_tests.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include <cuda_runtime.h>

#include <takt/cuda.hpp>
#include <takt/cuda/measure/cupti_counters.hpp>
#include <takt/cuda/runtime_memory.cuh>

#if __has_include(<cupti_profiler_host.h>) && __has_include(<cupti_range_profiler.h>)

namespace {

namespace tc = takt::cuda;

__global__ void add_one(std::uint32_t* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

auto total(const tc::counted_run& run, takt::workload_indicator i) -> double {
  return run.profile[static_cast<std::size_t>(i)] * static_cast<double>(run.time);
}

}  // namespace

TEST_CASE("the counters of a kernel grow with its warps, and those of what it never does are 0") {
  using enum takt::workload_indicator;
  constexpr unsigned threads = 256;
  constexpr unsigned blocks = 1'000;
  const tc::device_array<std::uint32_t> values{std::size_t{2} * blocks * threads};
  REQUIRE(values.status() == cudaSuccess);
  tc::driver driver;
  tc::context_handle context{};
  REQUIRE(driver.retain_primary(0, context) == tc::result::success);
  try {
    tc::cupti_counters counters{0, context};
    const auto count = [&](unsigned grid) {
      return tc::count_solo_run(counters, [&] {
        add_one<<<grid, threads>>>(values.data());
        return static_cast<tc::result>(cudaDeviceSynchronize());
      });
    };
    const tc::counted_run once = count(blocks);
    const tc::counted_run twice = count(2 * blocks);
    CHECK(once.passes >= 1);
    CHECK(total(once, global_loads) == doctest::Approx(blocks * threads / 32));
    CHECK(total(once, global_stores) == doctest::Approx(blocks * threads / 32));
    CHECK(total(twice, global_loads) == doctest::Approx(2 * total(once, global_loads)));
    CHECK(total(twice, instructions) == doctest::Approx(2 * total(once, instructions)));
    CHECK(total(once, warps) > 0);
    CHECK(total(once, l2_writes) > 0);
    CHECK(total(once, shared_loads) == 0);
    CHECK(total(once, texture_loads) == 0);
  } catch (const tc::cuda_error& e) {
    // Others than root may count only where the driver's module allows it.
    const std::string why{e.what()};
    const bool is_not_allowed = why.find("INSUFFICIENT_PRIVILEGES") != std::string::npos;
    CHECK_MESSAGE(is_not_allowed, why);
    if (is_not_allowed) { MESSAGE("skipped, no right to read counters: " << why); }
  }
  CHECK(driver.release_primary(0) == tc::result::success);
}

#endif
