// SPDX-License-Identifier: Apache-2.0
// How long a short kernel waits for one that has the whole GPU: beside it at the same stream priority, at a higher
// priority, after taking half of its SMs away, and after asking it to yield. Samples for which the long one had ended
// do not count.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <takt/cuda/pinned_kernel.cuh>
#include <takt/model/occupancy.hpp>
#include <takt/runtime/clock.hpp>

#include "command_line.hpp"
#include "isolation/long_kernel.hpp"
#include "measured_device.cuh"

namespace {

namespace cuda = takt::cuda;
using namespace takt_benchmarks;

enum class way : std::uint8_t { alone, beside, priority, shrink, yield };

constexpr std::array<way, 5> ways{way::alone, way::beside, way::priority, way::shrink, way::yield};

auto name_of(way w) -> const char* {
  switch (w) {
    case way::alone: return "alone";
    case way::beside: return "same priority";
    case way::priority: return "higher priority";
    case way::shrink: return "half the SMs taken";
    case way::yield: return "yield";
  }
  return "";
}

/// Two kernels, of which one is long.
class contest {
 public:
  using kernel = cuda::pinned_kernel<cuda::index_body<element_body>>;

  contest(const measured_device& on, const vectors& data, std::int64_t chunk)
      : sms_{on.sms},
        chunk_{chunk},
        form_{.threads = takt::residents_by_size({.threads = on.threads_per_sm}, 2).threads},
        long_{data.body(synthetic_kernel::compute), form_},
        short_{data.body(synthetic_kernel::compute), form_},
        urgent_{cuda::stream_levels() - 1} {
    const auto time_of = [this](std::int64_t chunks) { return time_of_long(chunks); };
    constexpr std::int64_t most_chunks = 1'000'000;
    constexpr takt::ticks long_enough = 20'000'000;
    // The first run loads the code.
    if (time_of(1)) { long_chunks_ = work_that_takes(long_enough, 2 * sms_, most_chunks, time_of); }
  }

  [[nodiscard]] auto ready() const -> bool {
    return long_.status() == cudaSuccess && short_.status() == cudaSuccess && urgent_.status() == cudaSuccess;
  }

  /// Takes the time from the request to the end of the short kernel, once; false on an error. The long one is then
  /// finished.
  [[nodiscard]] auto measure(way w, samples_beside& out) -> bool {
    const auto all = cuda::isolated_slots(0, sms_, 2);
    const auto lower_half = cuda::isolated_slots(0, sms_ / 2, 2);
    const auto upper_half = cuda::isolated_slots(sms_ / 2, sms_ - sms_ / 2, 2);
    if (!short_.begin(vector_length / 8, 512)) { return false; }
    if (w != way::alone) {
      if (!long_.begin(*long_chunks_ * chunk_, chunk_)) { return false; }
      if (long_.launch(background_.get(), all) != cudaSuccess) { return false; }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    const takt::ticks begin = takt::runtime::now();
    if (w == way::shrink) { long_.set_slots(lower_half); }
    if (w == way::yield) { long_.yield(); }
    const cuda::own_stream& stream = w == way::priority ? urgent_ : calm_;
    const bool there_at_first = is_at_work();
    if (!short_.run(stream.get(), w == way::shrink ? upper_half : all)) { return false; }
    const takt::ticks time = takt::runtime::now() - begin;
    const bool there_at_last = is_at_work();
    if (w == way::alone) {
      out.add(time, true);
      return true;
    }
    if (background_.wait() != cudaSuccess) { return false; }
    switch (w) {
      case way::alone: break;
      case way::beside: out.add(time, there_at_first); break;
      case way::priority:
      case way::shrink: out.add(time, there_at_last); break;
      case way::yield: out.add(time, long_.chunks_left() > 0); break;
    }
    return long_.run(background_.get(), all).has_value();
  }

 private:
  [[nodiscard]] auto is_at_work() const -> bool { return cudaStreamQuery(background_.get()) == cudaErrorNotReady; }
  [[nodiscard]] auto time_of_long(std::int64_t chunks) -> std::optional<takt::ticks> {
    if (!long_.begin(chunks * chunk_, chunk_)) { return std::nullopt; }
    const takt::ticks begin = takt::runtime::now();
    if (!long_.run(background_.get(), cuda::isolated_slots(0, sms_, 2))) { return std::nullopt; }
    return takt::runtime::now() - begin;
  }

  std::int32_t sms_;
  std::int64_t chunk_;
  std::optional<std::int64_t> long_chunks_{};
  cuda::launch_form form_;
  kernel long_;
  kernel short_;
  cuda::own_stream background_;
  cuda::own_stream calm_;
  cuda::own_stream urgent_;
};

}  // namespace

auto main(int argc, char** argv) -> int {
  command_line given{argc, argv};
  const std::int64_t repeats = given.number("--repeats", 100, most_repeats);
  given.end();
  const measured_device on = print_device("takt_cuda_preemption");
  if (on.sms == 0) { return no_device; }
  const vectors data;
  std::printf(
      "%d stream priorities; from request to the end of a short kernel, microseconds\n%-20s %8s %10s %10s %10s %9s\n",
      takt::cuda::stream_levels(), "beside a long one", "chunk", "least", "median", "most", "rejected");
  for (const std::int64_t chunk : {512, 4'096, 32'768}) {
    contest rivals{on, data, chunk};
    if (!rivals.ready()) {
      std::printf("failed: no kernel of chunks of %lld is long enough: %s\n", static_cast<long long>(chunk),
                  cudaGetErrorString(cudaGetLastError()));
      return 1;
    }
    for (const way w : ways) {
      samples_beside samples;
      for (std::int64_t r = 0; r < repeats; ++r) {
        if (!rivals.measure(w, samples)) {
          std::printf("failed: %s: %s\n", name_of(w), cudaGetErrorString(cudaGetLastError()));
          return 1;
        }
      }
      if (const std::string problem = samples.problem(); !problem.empty()) {
        std::printf("failed: %s, chunk %lld: %s\n", name_of(w), static_cast<long long>(chunk), problem.c_str());
        return 1;
      }
      const time_summary s = summarize(samples.times());
      std::printf("%-20s %8lld %10.1f %10.1f %10.1f %9lld\n", name_of(w), static_cast<long long>(chunk),
                  microseconds(s.least), microseconds(s.median), microseconds(s.most),
                  static_cast<long long>(samples.rejected()));
    }
  }
  return 0;
}
