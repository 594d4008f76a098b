// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include <takt/prediction.hpp>
#include <takt/runtime.hpp>
#include <takt/runtime/event.hpp>

#include "synthetic_kernels.hpp"

namespace {

using takt::runtime::emulated_device;
using takt::runtime::emulated_kernel;
using takt_benchmarks::synthetic_kernel;
using takt_benchmarks::vector_length;

constexpr std::int64_t block_length = 256;

/// As many SMs as host threads can stand for at the same time.
auto emulated_sms() -> std::int32_t {
  return static_cast<std::int32_t>(std::clamp(std::thread::hardware_concurrency(), 2U, 16U));
}

/// A kernel of host threads over blocks of elements.
class host_kernel {
 public:
  explicit host_kernel(synthetic_kernel what)
      : what_{what}, from_(static_cast<std::size_t>(vector_length), 0.5F), to_(from_) {}

  [[nodiscard]] auto body() -> emulated_kernel {
    return {vector_length / block_length, [this](std::int64_t block) {
              for (std::int64_t i = block * block_length; i < (block + 1) * block_length; ++i) {
                to_[static_cast<std::size_t>(i)] = takt_benchmarks::run_element(what_, from_.data(), i);
              }
            }};
  }
  [[nodiscard]] auto result() const -> const std::vector<float>& { return to_; }

 private:
  synthetic_kernel what_;
  std::vector<float> from_;
  std::vector<float> to_;
};

auto run_once(emulated_device& device, const emulated_kernel& kernel, std::int32_t sms) -> takt::ticks {
  auto stream = device.open({.gpu = 0, .first = 0, .count = sms});
  takt::runtime::event done;
  const takt::ticks begin = takt::runtime::now();
  stream.launch(kernel, takt::runtime::notify<&takt::runtime::event::signal>(&done));
  done.wait();
  return takt::runtime::now() - begin;
}

/// Times a kernel on 1, 2, ... SMs in turn, and fits the law of Eq. 3 and the bounds around it to all runs.
void kernel_scaling(benchmark::State& state, synthetic_kernel what) {
  takt::platform_record platform{.cores = 1, .copy_engines = 0, .gpus = {}};
  platform.gpus.push_back({.sms = emulated_sms(), .virtual_per_sm = 1});
  emulated_device device{platform, static_cast<std::size_t>(emulated_sms())};
  host_kernel host{what};
  const emulated_kernel kernel = host.body();
  std::vector<takt::kernel_sample> samples;
  for (auto _ : state) {
    for (std::int32_t sms = 1; sms <= emulated_sms(); ++sms) {
      samples.push_back({sms, run_once(device, kernel, sms)});
    }
    benchmark::DoNotOptimize(host.result().data());
  }
  const auto fit = takt::fit_kernel(samples);
  if (!fit) { return state.SkipWithError(std::string{name_of(fit.status)}.c_str()); }
  const auto milliseconds = [](auto ticks) { return static_cast<double>(ticks) / 1'000'000; };
  state.counters["serial share"] = fit.curve.serial_share(emulated_sms());
  state.counters["parallel ms"] = milliseconds(fit.curve.parallel);
  state.counters["work ms"] = milliseconds(fit.law.work.upper.count());
  state.counters["overhead ms"] = milliseconds(fit.law.overhead.count());
  state.counters["excess ms"] = milliseconds(fit.above.mean);
}

BENCHMARK_CAPTURE(kernel_scaling, compute, synthetic_kernel::compute)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(kernel_scaling, branch, synthetic_kernel::branch)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(kernel_scaling, memory, synthetic_kernel::memory)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(kernel_scaling, special, synthetic_kernel::special)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(kernel_scaling, mixed, synthetic_kernel::mixed)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
