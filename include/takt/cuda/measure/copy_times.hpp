// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/measure/sample_load.hpp>
#include <takt/cuda/served_stream.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/copy_fit.hpp>
#include <takt/model/stage.hpp>
#include <takt/prediction/kernel_profile.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::inline TAKT_ABI::cuda {

namespace detail {

/// Holds memory on both sides, and copies between the two.
template <CudaDriver D>
class copy_lane {
 public:
  copy_lane(const context_ref<D>& c, copy_direction way, std::size_t bytes)
      : way_{way}, host_{c, bytes}, there_{c, bytes} {}

  auto enqueue(D& d, stream_handle s, std::size_t bytes) const -> result {
    return way_ == copy_direction::to_host ? d.copy_to_host(host_.get(), there_.get(), bytes, s)
                                           : d.copy_to_device(there_.get(), host_.get(), bytes, s);
  }

 private:
  copy_direction way_;
  pinned_memory<D> host_;
  device_memory<D> there_;
};

/// Copies without a gap: as one ends, the thread of the stream adds another one after those that wait.
template <CudaDriver D>
class copy_stream {
 public:
  copy_stream(const context_ref<D>& c, copy_direction way, std::size_t bytes)
      : bytes_{bytes}, lane_{c, way, bytes}, stream_{cuda::stream<D>{c}, faults_, wait_method::marks, ahead} {}

  [[nodiscard]] auto load() -> load_calls {
    return {.start =
                [this] {
                  ends_ = false;
                  for (std::size_t i = 0; i < ahead; ++i) { put(); }
                  return !faults_.any();
                },
            .steps = [this] { return steps_.load(); },
            .stop =
                [this] {
                  ends_ = true;
                  while (waiting_ > 0) { std::this_thread::sleep_for(std::chrono::microseconds{20}); }
                }};
  }
  [[nodiscard]] auto fault() const -> std::optional<failure> { return faults_.first(); }

 private:
  static constexpr std::size_t ahead = 3;

  /// Is called by the thread that starts the load and by that of the stream.
  void put() {
    const std::lock_guard lock{putting_};
    ++waiting_;
    stream_.submit("copy", [this](D& d, stream_handle s) { return lane_.enqueue(d, s, bytes_); },
                   {[](void* o, result how) { static_cast<copy_stream*>(o)->ended(how); }, this});
  }
  void ended(result how) {
    if (how == result::success) { ++steps_; }
    if (how == result::success && !ends_) { put(); }
    --waiting_;
  }

  std::size_t bytes_;
  copy_lane<D> lane_;
  std::atomic<bool> ends_{false};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<int> waiting_{0};
  runtime::inheriting_mutex putting_;
  fault_record faults_;
  served_stream<D> stream_;
};

}  // namespace detail

struct copy_times {
  std::vector<copy_sample> samples{};
  std::string fault{};  ///< why there are none
};

/// Times `repeats` copies of each size between pinned memory and the device, each the way that a device of the runtime
/// serves it. A time is from before the call until the thread that waits for the completion runs again. All the time,
/// copies of the largest size go the other way. On an engine of their own they take their part of the bandwidth; where
/// one engine serves both, one of them can be ahead. A sample without them beside it is none, and ends it.
/// `fit_copy_model` makes a model of the times. Source: Zou et al. 2021, section 3.2. Error: `cuda_error`.
template <CudaDriver D>
[[nodiscard]] auto time_copies(const context_ref<D>& c, copy_direction direction, std::span<const std::int64_t> sizes,
                               std::size_t repeats, std::function<ticks()> clock = runtime::now,
                               ticks patience = 1'000'000'000) -> copy_times {
  copy_times out;
  if (sizes.empty() || std::ranges::min(sizes) < 1 || repeats == 0) {
    out.fault = "nothing to copy; give sizes of 1 byte or more, and repeats";
    return out;
  }
  const auto most = static_cast<std::size_t>(std::ranges::max(sizes));
  const copy_direction back =
      direction == copy_direction::to_host ? copy_direction::to_device : copy_direction::to_host;
  const detail::copy_lane<D> lane{c, direction, most};
  fault_record faults;
  served_stream<D> own{cuda::stream<D>{c}, faults};
  runtime::event done;
  detail::copy_stream<D> other{c, back, most};
  sample_load load{other.load(), clock, patience};
  if (!load.start()) {
    out.fault = other.fault() ? sentence(*other.fault()) : load.fault();
    return out;
  }
  for (const std::int64_t bytes : sizes) {
    const auto copy = [&]() -> std::optional<ticks> {
      const ticks begin = clock();
      own.submit("copy", [&](D& d, stream_handle s) { return lane.enqueue(d, s, static_cast<std::size_t>(bytes)); },
                 {[](void* o, result) { static_cast<runtime::event*>(o)->signal(); }, &done});
      done.wait();
      const ticks time = clock() - begin;
      return faults.any() ? std::nullopt : std::optional{time};
    };
    const auto times = takt::time_runs(repeats, [&] { return load.beside(copy); });
    if (!times) {
      out.samples.clear();
      const auto fault = faults.any() ? faults.first() : other.fault();
      out.fault = fault ? sentence(*fault) : load.fault();
      return out;
    }
    for (const ticks t : *times) { out.samples.push_back({bytes, t}); }
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::cuda
