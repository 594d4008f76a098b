// SPDX-License-Identifier: Apache-2.0
// A job that loses and gains SMs while it runs, yields, and goes on: each element is still done exactly once.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include <takt/cuda/pinned_kernel.cuh>

namespace {

struct count_and_wait {
  std::uint32_t* times;

  __device__ void operator()(std::int64_t i) const {
    atomicAdd(&times[i], 1U);
    for (volatile int spin = 0; spin < 5'000; spin = spin + 1) {}
  }
};

auto is_good(cudaError_t e) -> bool {
  if (e != cudaSuccess) { std::fprintf(stderr, "%s\n", cudaGetErrorString(e)); }
  return e == cudaSuccess;
}

}  // namespace

auto main() -> int {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("takt_cuda_elastic: skipped, no CUDA device here");
    return 77;
  }
  constexpr std::int64_t elements = 1 << 20;
  const takt::cuda::device_array<std::uint32_t> times{elements};
  takt::cuda::pinned_kernel kernel{takt::cuda::over_indices(count_and_wait{times.data()}), {.threads = 512}};
  const takt::cuda::own_stream stream;
  const takt::cuda::own_stream joining;
  const std::int32_t v = kernel.virtual_per_sm();

  bool good = is_good(times.status()) && is_good(kernel.status()) && kernel.begin(elements, 2'048);
  good = good && is_good(kernel.launch(stream.get(), takt::cuda::isolated_slots(0, 2, v)));
  kernel.set_slots(takt::cuda::isolated_slots(1, 3, v));
  good = good && is_good(kernel.join(joining.get()));
  kernel.yield();
  good = good && is_good(stream.wait()) && is_good(joining.wait());
  std::printf("yielded with %u of %u chunks left\n", kernel.chunks_left(), kernel.work().chunks);
  good = good && kernel.run(stream.get(), takt::cuda::isolated_slots(0, 4, v)).has_value();

  std::vector<std::uint32_t> seen(elements);
  good = good && is_good(cudaMemcpy(seen.data(), times.data(), times.bytes(), cudaMemcpyDeviceToHost));
  const bool once = good && std::ranges::all_of(seen, [](std::uint32_t n) { return n == 1; });
  std::puts(once ? "each element was done once" : "FAIL");
  return once ? 0 : 1;
}
