// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/device_kernel.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/occupy.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/cuda/served_stream.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/systems/shares/run/launch_gate.hpp>
#include <takt/systems/shares/run/virtual_context.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// This stands behind an application's `runtime::virtual_context`: launches pass the gate for tokens there, by a call
/// and not by interposing symbols. Each calling thread gets a stream of its own with its first launch, or before with
/// `prepare`. Source: Yao et al. 2022, section 3; Elliott 2015, section 5.4.2.
///
/// `launch` waits, suspended, while `depth` kernels of the thread are on their way.
template <CudaDriver D>
class launch_driver {
 public:
  using kernel = device_kernel<D>;

  /// `occupy`: `compiled_occupy()`; none: PTX. Where the device is partitioned, `c` is its `beside` or a part's
  /// `place`. Pre: the context outlives it; depth >= 1.
  explicit launch_driver(const context_ref<D>& c, function_handle occupy = {}, wait_method how = wait_method::marks,
                         std::size_t depth = 4)
      : context_{c}, lengths_{c, occupy}, how_{how}, depth_{depth} {
    TAKT_EXPECTS(depth >= 1);
  }
  launch_driver(const launch_driver&) = delete;
  auto operator=(const launch_driver&) -> launch_driver& = delete;
  ~launch_driver() = default;

  /// Makes the calling thread's stream. Error: `cuda_error`.
  void prepare() { (void)lane_of_caller(); }

  /// Returns false when the driver refuses it, and `fault()` says why. Only the gate uses `blocks`.
  [[nodiscard]] auto launch(const kernel& k, std::int64_t /*blocks*/) -> bool {
    lane* own = nullptr;
    try {
      own = &lane_of_caller();
    } catch (const cuda_error& e) {
      faults_.note(e.what_failed());
      return false;
    }
    flight& f = own->take();
    result how = result::success;
    own->served.submit("launch",
                       [&](D& d, stream_handle s) {
                         how = d.record(f.begin.get(), s);
                         if (how == result::success) { how = k.enqueue(d, site_of(s), lengths_); }
                         if (how == result::success) { (void)d.record(f.end.get(), s); }
                         return how;
                       },
                       {[](void* o, result r) { static_cast<flight*>(o)->land(r); }, &f});
    return how == result::success;
  }
  /// Returns null when there is none.
  [[nodiscard]] auto allocate(std::uint64_t bytes) -> void* {
    device_address out{};
    const result r = attempt_within(context_, [&](D& d) { return d.allocate(static_cast<std::size_t>(bytes), out); });
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's addresses are numbers
    return r == result::success ? reinterpret_cast<void*>(static_cast<std::uintptr_t>(out)) : nullptr;
  }
  void release(void* memory) {
    (void)attempt_within(context_,
                         [&](D& d) { return d.free(device_address{reinterpret_cast<std::uintptr_t>(memory)}); });
  }

  /// Returns how long kernels have been between their start and their end so far, on all streams; kernels side by side
  /// count each. Time in which a started kernel waits for SMs that others hold counts too.
  [[nodiscard]] auto busy_time() const -> ticks {
    const std::lock_guard lock{mutex_};
    return busy_;
  }
  [[nodiscard]] auto streams() const -> std::size_t {
    const std::lock_guard lock{lanes_mutex_};
    return lanes_.size();
  }
  [[nodiscard]] auto fault() const -> std::optional<failure> { return faults_.first(); }

 private:
  struct lane;
  struct flight {
    lane* own = nullptr;
    mark<D> begin;
    mark<D> end;
    bool flies = false;

    void land(result r) { own->land(*this, r); }
  };
  struct lane {
    lane(launch_driver& driver, std::size_t depth)
        : of{&driver}, flights(depth), served{stream<D>{driver.context_}, driver.faults_, driver.how_, depth} {
      for (flight& f : flights) {
        f.own = this;
        f.begin = mark<D>{driver.context_, event_use::time};
        f.end = mark<D>{driver.context_, event_use::time};
      }
    }
    [[nodiscard]] auto take() -> flight& {
      std::unique_lock lock{mutex};
      const auto free = [this] { return std::ranges::find(flights, false, &flight::flies); };
      changed.wait(lock, [&] { return free() != flights.end(); });
      flight& out = *free();
      out.flies = true;
      return out;
    }
    void land(flight& f, result r) {
      if (r == result::success) {
        float milliseconds = 0;
        (void)attempt_within(of->context_, [&](D& d) {
          const result answer = d.elapsed(f.begin.get(), f.end.get(), milliseconds);
          if (answer != result::success || milliseconds < 0) { milliseconds = 0; }
          return answer;
        });
        const std::lock_guard lock{of->mutex_};
        of->busy_ += static_cast<ticks>(static_cast<double>(milliseconds) * 1e6);
      }
      const std::lock_guard lock{mutex};
      f.flies = false;
      changed.notify_all();
    }

    launch_driver* of;
    runtime::inheriting_mutex mutex;
    runtime::condition changed;
    std::vector<flight> flights;
    served_stream<D> served;
  };

  [[nodiscard]] auto lane_of_caller() -> lane& {
    const std::lock_guard lock{lanes_mutex_};
    auto& own = lanes_[std::this_thread::get_id()];
    if (!own) { own = std::make_unique<lane>(*this, depth_); }
    return *own;
  }
  [[nodiscard]] auto site_of(stream_handle s) const -> launch_site {
    return {.device = context_.device,
            .context = context_.handle,
            .stream = s,
            .range = {},
            .backend = partition_backend::priority_streams};
  }

  context_ref<D> context_;
  occupy_kernel<D> lengths_;
  wait_method how_;
  std::size_t depth_;
  fault_record faults_;
  mutable runtime::inheriting_mutex mutex_;
  ticks busy_ = 0;
  mutable runtime::inheriting_mutex lanes_mutex_;
  std::map<std::thread::id, std::unique_ptr<lane>> lanes_;
};

/// Reads a client's utilization off what its driver has run.
template <CudaDriver D>
class launch_meter {
 public:
  /// Pre: the driver outlives it.
  explicit launch_meter(const launch_driver<D>& driver) noexcept
      : driver_{&driver}, since_{runtime::now()}, busy_{driver.busy_time()} {}

  [[nodiscard]] auto used_percent() -> std::int64_t {
    const ticks time = runtime::now();
    const ticks busy = driver_->busy_time();
    const ticks hundredth = std::max<ticks>(1, (time - since_) / 100);
    const std::int64_t used = std::clamp<std::int64_t>((busy - busy_) / hundredth, 0, 100);
    since_ = time;
    busy_ = busy;
    return used;
  }

 private:
  const launch_driver<D>* driver_;
  ticks since_;
  ticks busy_;
};

}  // namespace takt::inline TAKT_ABI::cuda
