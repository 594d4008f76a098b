// SPDX-License-Identifier: Apache-2.0
// How long a short kernel waits for one that has the whole GPU: beside it at the same stream priority, at a higher
// priority, after taking half of its SMs away, and after asking it to yield.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <takt/cuda/pinned_kernel.cuh>
#include <takt/model/occupancy.hpp>
#include <takt/runtime/clock.hpp>

#include "measured_device.cuh"

namespace {

namespace tc = takt::cuda;
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
  using kernel = tc::pinned_kernel<tc::index_body<element_body>>;

  contest(const measured_device& on, const vectors& data, std::int64_t chunk)
      : sms_{on.sms},
        chunk_{chunk},
        form_{.threads = takt::residents_by_size({.threads = on.threads_per_sm}, 2).threads},
        long_{data.body(synthetic_kernel::compute), form_},
        short_{data.body(synthetic_kernel::compute), form_},
        urgent_{tc::stream_levels() - 1} {}

  [[nodiscard]] auto ready() const -> bool {
    return long_.status() == cudaSuccess && short_.status() == cudaSuccess && urgent_.status() == cudaSuccess;
  }

  /// The time from the request to the end of the short kernel, once; none on an error. The long one is then finished.
  [[nodiscard]] auto measure(way w) -> std::optional<takt::ticks> {
    const auto all = tc::isolated_slots(0, sms_, 2);
    const auto lower_half = tc::isolated_slots(0, sms_ / 2, 2);
    const auto upper_half = tc::isolated_slots(sms_ / 2, sms_ - sms_ / 2, 2);
    if (!short_.begin(vector_length / 8, 512)) { return std::nullopt; }
    if (w != way::alone) {
      if (!long_.begin(64 * vector_length, chunk_)) { return std::nullopt; }
      if (long_.launch(background_.get(), all) != cudaSuccess) { return std::nullopt; }
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    const takt::ticks begin = takt::runtime::now();
    if (w == way::shrink) { long_.set_slots(lower_half); }
    if (w == way::yield) { long_.yield(); }
    const tc::own_stream& stream = w == way::priority ? urgent_ : calm_;
    if (!short_.run(stream.get(), w == way::shrink ? upper_half : all)) { return std::nullopt; }
    const takt::ticks time = takt::runtime::now() - begin;
    if (w != way::alone && (background_.wait() != cudaSuccess || !long_.run(background_.get(), all))) {
      return std::nullopt;
    }
    return time;
  }

 private:
  std::int32_t sms_;
  std::int64_t chunk_;
  tc::launch_form form_;
  kernel long_;
  kernel short_;
  tc::own_stream background_;
  tc::own_stream calm_;
  tc::own_stream urgent_;
};

}  // namespace

auto main(int argc, char** argv) -> int {
  const measured_device on = print_device("takt_cuda_preemption");
  if (on.sms == 0) { return no_device; }
  const auto repeats = argument(argc, argv, "--repeats", 100);
  const vectors data;
  std::printf(
      "%d stream priorities; from request to the end of a short kernel, microseconds\n%-20s %8s %10s %10s %10s\n",
      tc::stream_levels(), "beside a long one", "chunk", "least", "median", "most");
  for (const std::int64_t chunk : {512, 4'096, 32'768}) {
    contest rivals{on, data, chunk};
    if (!rivals.ready()) { return 1; }
    for (const way w : ways) {
      std::vector<takt::ticks> times;
      for (std::int64_t r = 0; r < repeats; ++r) {
        if (const auto t = rivals.measure(w)) { times.push_back(*t); }
      }
      if (times.empty()) {
        std::printf("%-20s failed: %s\n", name_of(w), cudaGetErrorString(cudaGetLastError()));
        return 1;
      }
      const time_summary s = summarize(std::move(times));
      std::printf("%-20s %8lld %10.1f %10.1f %10.1f\n", name_of(w), static_cast<long long>(chunk),
                  microseconds(s.least), microseconds(s.median), microseconds(s.most));
    }
  }
  return 0;
}
