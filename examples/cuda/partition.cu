// SPDX-License-Identifier: Apache-2.0
// Two plain kernels side by side, each on SMs of its own: one split of a GPU, and streams for <<<>>> launches.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <set>
#include <vector>

#include <cuda_runtime.h>
#include <cuda/ptx>

#include <takt/cuda/driver.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/cuda/runtime_memory.cuh>

namespace {

constexpr unsigned blocks = 512;

__global__ void note_sm(std::uint32_t* seen) {
  if (threadIdx.x == 0) { seen[blockIdx.x] = ::cuda::ptx::get_sreg_smid(); }
}

auto sms_of(const takt::cuda::device_array<std::uint32_t>& seen) -> std::set<std::uint32_t> {
  std::vector<std::uint32_t> all(seen.size());
  if (cudaMemcpy(all.data(), seen.data(), seen.bytes(), cudaMemcpyDeviceToHost) != cudaSuccess) { return {}; }
  return {all.begin(), all.end()};
}

auto run() -> int {
  takt::cuda::driver driver;
  const takt::cuda::partition gpu{driver, 0, {8, 16}};
  const auto small = gpu[0].stream();
  const auto large = gpu[1].stream();
  const takt::cuda::device_array<std::uint32_t> of_small{blocks};
  const takt::cuda::device_array<std::uint32_t> of_large{blocks};

  note_sm<<<blocks, 256, 0, small>>>(of_small.data());
  note_sm<<<blocks, 256, 0, large>>>(of_large.data());

  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  const auto first = sms_of(of_small);
  const auto second = sms_of(of_large);
  std::size_t common = 0;
  for (const std::uint32_t sm : first) { common += second.count(sm); }
  std::printf("8 SMs asked for: blocks on %zu; 16: on %zu; on both: %zu; left for others: %d\n", first.size(),
              second.size(), common, gpu.rest().sms());
  return common == 0 && first.size() <= 8 && second.size() <= 16 ? 0 : 1;
}

}  // namespace

auto main() -> int {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("takt_cuda_partition: skipped, no CUDA device here");
    return 77;
  }
  try {
    return run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "takt_cuda_partition: %s\n", e.what());
    return 1;
  }
}
