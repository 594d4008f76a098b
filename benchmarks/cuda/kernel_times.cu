// SPDX-License-Identifier: Apache-2.0
// The five synthetic kernels over SM counts, pinned and plain; their interleave ratios with themselves and with each
// other; what launches cost with and without pinning; copy times. After Zou et al. 2021, Fig. 3, Fig. 5 and Table 2.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <takt/cuda/measure/block_timer.cuh>
#include <takt/cuda/measure/copy_times.hpp>
#include <takt/cuda/measure/profile.cuh>
#include <takt/model/occupancy.hpp>

#include "command_line.hpp"
#include "measured_device.cuh"
#include "tables.hpp"

namespace {

namespace tc = takt::cuda;
using namespace takt_benchmarks;

auto half_sm(const measured_device& on) -> tc::launch_form {
  return {.threads = takt::residents_by_size({.threads = on.threads_per_sm}, 2).threads};
}

/// Prints the tables of the profiles; false when a kernel could not be profiled.
auto print_profiles(const measured_device& on, const vectors& data, std::size_t repeats, bool pinned) -> bool {
  tc::driver driver;
  const std::vector<std::int32_t> counts = profiled_sms(driver, on.sms, pinned);
  if (counts.empty()) {
    std::puts("no green contexts on this device; --pinned profiles blocks that are pinned on the whole device");
    return false;
  }
  std::printf("profiled %s\n", pinned ? "by pinned blocks, all other SMs kept full" : "in green contexts");
  std::vector<named_profile> all;
  for (const synthetic_kernel k : synthetic_kernels) {
    auto profile = tc::profile_kernel(driver, data.body(k), half_sm(on), work_for(on.sms, 2, half_sm(on), repeats),
                                      counts, 0, kept_by(pinned));
    if (!profile) {
      std::printf("%-8s failed: %s\n", name_of(k), takt::sentence(profile).c_str());
      return false;
    }
    all.push_back({name_of(k), std::move(profile)});
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

void print_cross(const measured_device& on, const vectors& data, std::size_t repeats) {
  std::printf("\nRatios of a kernel beside another one on one SM, from above (Fig. 5)\n%-8s", "");
  for (const synthetic_kernel k : synthetic_kernels) { std::printf(" %8s", name_of(k)); }
  std::vector<std::string> faults;
  for (const synthetic_kernel a : synthetic_kernels) {
    std::printf("\n%-8s", name_of(a));
    for (const synthetic_kernel b : synthetic_kernels) {
      const auto cross =
          tc::measure_cross(data.body(a), data.body(b), half_sm(on), work_for(1, 8, half_sm(on), repeats));
      if (cross.ratio) {
        std::printf(" %8.3f",
                    static_cast<double>(cross.ratio->numerator()) / static_cast<double>(cross.ratio->denominator()));
      } else {
        std::printf(" %8s", "failed");
        faults.push_back(std::string{name_of(a)} + " beside " + name_of(b) + ": " + cross.why);
      }
    }
  }
  std::puts("");
  for (const std::string& f : faults) { std::puts(f.c_str()); }
}

/// The same jobs on as many SMs at either end of the device: a law of one place is used for all.
void print_places(const measured_device& on, const vectors& data, const tc::own_stream& stream, std::size_t repeats) {
  std::printf("\nThe same SMs elsewhere, pinned blocks, microseconds\n%-8s %6s %12s %12s\n", "kernel", "SMs",
              "first, least", "last, least");
  for (const std::int32_t sms : {1, 8, 16}) {
    if (2 * sms > on.sms) { continue; }
    tc::pinned_kernel kernel{data.body(synthetic_kernel::memory), half_sm(on)};
    const auto work = work_for(sms, 2, half_sm(on), repeats);
    const auto first = tc::time_jobs(kernel, stream.get(), tc::isolated_slots(0, sms, 2), work);
    const auto last = tc::time_jobs(kernel, stream.get(), tc::isolated_slots(on.sms - sms, sms, 2), work);
    if (!first || !last) { continue; }
    std::printf("%-8s %6d %12.1f %12.1f\n", "memory", sms, microseconds(std::ranges::min(*first)),
                microseconds(std::ranges::min(*last)));
  }
}

void print_block_lengths(const measured_device& on, const vectors& data, const tc::own_stream& stream,
                         std::size_t repeats) {
  std::printf("\nBlock lengths by the device's clock, microseconds\n%-8s %10s %10s %10s\n", "kernel", "least", "mean",
              "most");
  for (const synthetic_kernel k : synthetic_kernels) {
    tc::block_timer timer;
    tc::pinned_kernel kernel{timer.timed(data.body(k)), half_sm(on)};
    const auto slots = tc::isolated_slots(0, on.sms, kernel.virtual_per_sm());
    if (!tc::time_jobs(kernel, stream.get(), slots, work_for(on.sms, kernel.virtual_per_sm(), half_sm(on), repeats))) {
      continue;
    }
    const tc::block_lengths lengths = timer.read();
    if (lengths.chunks == 0) { continue; }
    std::printf("%-8s %10.2f %10.2f %10.2f\n", name_of(k), static_cast<double>(lengths.shortest) / 1'000,
                static_cast<double>(lengths.total) / static_cast<double>(lengths.chunks) / 1'000,
                static_cast<double>(lengths.longest) / 1'000);
  }
}

void print_copies(std::size_t repeats) {
  constexpr std::array<std::int64_t, 5> sizes{4'096, 65'536, 1'048'576, 8'388'608, 33'554'432};
  std::printf(
      "\nCopies of pinned memory beside copies the other way: latency in us, bandwidth in GB/s, each from to\n");
  tc::driver driver;
  const tc::device_context<tc::driver> context{driver, 0};
  for (const auto direction : {takt::copy_direction::to_device, takt::copy_direction::to_host}) {
    const auto seen = tc::time_copies(context.ref(), direction, sizes, repeats);
    takt::copy_model model{};
    const char* name = direction == takt::copy_direction::to_host ? "to host" : "to device";
    if (!takt::fit_copy_model(seen.samples, model)) {
      std::printf("%-9s failed: %s\n", name, seen.fault.empty() ? "no model fits" : seen.fault.c_str());
      continue;
    }
    std::printf("%-9s %.1f %.1f, %.2f %.2f\n", name, microseconds(model.latency.lower.count()),
                microseconds(model.latency.upper.count()), static_cast<double>(model.slowest) / 1e9,
                static_cast<double>(model.fastest) / 1e9);
  }
}

}  // namespace

auto main(int argc, char** argv) -> int {
  command_line given{argc, argv};
  const auto repeats = static_cast<std::size_t>(given.number("--repeats", 200, most_repeats));
  const bool pinned = given.flag("--pinned");
  given.end();
  const measured_device on = print_device("takt_cuda_kernel_times");
  if (on.sms == 0) { return no_device; }
  const vectors data;
  const tc::own_stream stream;
  const bool profiled = print_profiles(on, data, repeats, pinned);
  print_plain(data, stream, repeats);
  print_cross(on, data, repeats);
  print_places(on, data, stream, repeats);
  print_block_lengths(on, data, stream, repeats);
  print_copies(repeats);
  return profiled && cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
