// SPDX-License-Identifier: Apache-2.0
// The five synthetic kernels over SM counts, pinned and plain; their interleave ratios with themselves and with each
// other; what launches cost with and without pinning; copy times. After Zou et al. 2021, Fig. 3, Fig. 5 and Table 2.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include <takt/cuda/measure/block_timer.cuh>
#include <takt/cuda/measure/profile.cuh>
#include <takt/cuda/measure/profile_copies.cuh>
#include <takt/model/occupancy.hpp>

#include "measured_device.cuh"
#include "tables.hpp"

namespace {

namespace tc = takt::cuda;
using namespace takt_benchmarks;

constexpr std::int64_t chunk = 512;

auto half_sm(const measured_device& on) -> tc::launch_form {
  return {.threads = takt::residents_by_size({.threads = on.threads_per_sm}, 2).threads};
}

/// Prints the tables of the profiles; false when a kernel could not be profiled.
auto print_profiles(const measured_device& on, const vectors& data, const tc::own_stream& stream, std::size_t repeats)
    -> bool {
  std::vector<named_profile> all;
  for (const synthetic_kernel k : synthetic_kernels) {
    tc::pinned_kernel kernel{data.body(k), half_sm(on)};
    auto profile = tc::profile_kernel(kernel, stream.get(), sm_counts(on.sms), {vector_length, chunk, repeats});
    if (!profile || !profile->fit) {
      std::printf("%-8s failed: %s\n", name_of(k),
                  profile ? name_of(profile->fit.status).data() : cudaGetErrorString(cudaGetLastError()));
      return false;
    }
    all.push_back({name_of(k), std::move(*profile)});
  }
  print_times(all);
  print_laws(all);
  return true;
}

void print_plain(const vectors& data, const tc::own_stream& stream, std::size_t repeats) {
  std::printf("\nThe same kernels launched plainly on the whole device, microseconds\n%-8s %10s %10s %10s\n", "kernel",
              "least", "median", "most");
  for (const synthetic_kernel k : synthetic_kernels) {
    auto plain = tc::time_calls(stream.get(), repeats, [&](cudaStream_t s) {
      return tc::launch_plain(s, vector_length, data.body(k), {.threads = 256});
    });
    if (!plain) { continue; }
    const time_summary s = summarize(std::move(*plain));
    std::printf("%-8s %10.1f %10.1f %10.1f\n", name_of(k), microseconds(s.least), microseconds(s.median),
                microseconds(s.most));
  }
}

void print_cross(const measured_device& on, const vectors& data, const tc::own_stream& stream,
                 const tc::own_stream& other, std::size_t repeats) {
  std::printf("\nRatios of two kernels on one SM (Fig. 5)\n%-8s", "");
  for (const synthetic_kernel k : synthetic_kernels) { std::printf(" %8s", name_of(k)); }
  for (const synthetic_kernel a : synthetic_kernels) {
    std::printf("\n%-8s", name_of(a));
    for (const synthetic_kernel b : synthetic_kernels) {
      tc::pinned_kernel first{data.body(a), half_sm(on)};
      tc::pinned_kernel second{data.body(b), half_sm(on)};
      const tc::profiled_work work{vector_length / 8, chunk, repeats};
      const auto cross = tc::measure_cross(first, second, stream.get(), other.get(), work, work);
      if (cross) {
        std::printf(" %8.3f", cross->ratio());
      } else {
        std::printf(" %8s", "failed");
      }
    }
  }
  std::puts("");
}

void print_block_lengths(const measured_device& on, const vectors& data, const tc::own_stream& stream,
                         std::size_t repeats) {
  std::printf("\nBlock lengths by the device's clock, microseconds\n%-8s %10s %10s %10s\n", "kernel", "least", "mean",
              "most");
  for (const synthetic_kernel k : synthetic_kernels) {
    tc::block_timer timer;
    tc::pinned_kernel kernel{timer.timed(data.body(k)), half_sm(on)};
    const auto slots = tc::isolated_slots(0, on.sms, kernel.virtual_per_sm());
    if (!tc::time_jobs(kernel, stream.get(), slots, {vector_length, chunk, repeats})) { continue; }
    const tc::block_lengths lengths = timer.read();
    if (lengths.chunks == 0) { continue; }
    std::printf("%-8s %10.2f %10.2f %10.2f\n", name_of(k), static_cast<double>(lengths.shortest) / 1'000,
                static_cast<double>(lengths.total) / static_cast<double>(lengths.chunks) / 1'000,
                static_cast<double>(lengths.longest) / 1'000);
  }
}

void print_copies(const tc::own_stream& stream, std::size_t repeats) {
  constexpr std::array<std::int64_t, 5> sizes{4'096, 65'536, 1'048'576, 8'388'608, 33'554'432};
  std::printf("\nCopies of pinned memory: latency in us, bandwidth in GB/s, each from to\n");
  for (const auto direction : {takt::copy_direction::to_device, takt::copy_direction::to_host}) {
    const auto samples = tc::time_copies(stream.get(), direction, sizes, repeats);
    takt::copy_model model{};
    const char* name = direction == takt::copy_direction::to_host ? "to host" : "to device";
    if (!samples || !takt::fit_copy_model(*samples, model)) {
      std::printf("%-9s failed\n", name);
      continue;
    }
    std::printf("%-9s %.1f %.1f, %.2f %.2f\n", name, microseconds(model.latency.lower.count()),
                microseconds(model.latency.upper.count()), static_cast<double>(model.slowest) / 1e9,
                static_cast<double>(model.fastest) / 1e9);
  }
}

}  // namespace

auto main(int argc, char** argv) -> int {
  const measured_device on = print_device("takt_cuda_kernel_times");
  if (on.sms == 0) { return no_device; }
  const auto repeats = static_cast<std::size_t>(argument(argc, argv, "--repeats", 1'000));
  const vectors data;
  const tc::own_stream stream;
  const tc::own_stream other;
  const bool profiled = print_profiles(on, data, stream, repeats);
  print_plain(data, stream, repeats);
  print_cross(on, data, stream, other, repeats);
  print_block_lengths(on, data, stream, repeats);
  print_copies(stream, repeats);
  return profiled && cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
