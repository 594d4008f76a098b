// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/systems/shares/run/launch_gate.hpp>
#include <takt/systems/shares/run/virtual_context.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// How long the kernels on one range of SMs have occupied it, each from its start, or from the end of the one before,
/// to its end. Of the device's threads.
class emulated_occupancy {
 public:
  /// A kernel that was launched at `since` has ended now.
  [[nodiscard]] auto end_kernel(ticks since) -> ticks {
    const std::lock_guard lock{mutex_};
    const ticks end = now();
    return end - std::max(since, std::exchange(free_since_, end));
  }

 private:
  inheriting_mutex mutex_;
  ticks free_since_ = 0;
};

/// One client's stream of an emulated device as a driver. Kernels are blocks of a length each that run one after
/// another, as on a device that gives each kernel all it has, behind whatever other clients have launched on the same
/// SMs. A launch waits while too many are in flight, as real queues are full at some time.
class emulated_driver {
 public:
  /// The length of a block.
  using kernel = ticks;

  /// Pre: the device outlives it and has the range; all drivers of the range are given one occupancy, which outlives
  /// them; depth >= 1.
  emulated_driver(emulated_device& device, const sm_range& range, emulated_occupancy& occupancy, std::size_t depth = 2)
      : stream_{device.open(range)}, occupancy_{&occupancy}, flights_(depth) {
    for (flight& f : flights_) { f.driver = this; }
  }
  emulated_driver(const emulated_driver&) = delete;
  auto operator=(const emulated_driver&) -> emulated_driver& = delete;
  ~emulated_driver() { wait(); }

  [[nodiscard]] auto launch(const ticks& block, std::int64_t blocks) -> bool {
    ticks length = 0;
    if (block < 0 || blocks < 0 || !checked_multiply(block, blocks, length)) { return false; }
    std::unique_lock lock{mutex_};
    const auto free = [this] { return std::ranges::find(flights_, false, &flight::flies); };
    changed_.wait(lock, [&] { return free() != flights_.end(); });
    flight& f = *free();
    f.flies = true;
    f.launched = now();
    f.body = emulated_kernel{length};
    lock.unlock();
    stream_.launch(f.body, notify<&flight::land>(&f));
    return true;
  }
  [[nodiscard]] static auto allocate(std::uint64_t bytes) -> void* { return ::operator new(bytes, std::nothrow); }
  static void release(void* memory) { ::operator delete(memory); }

  /// Until all that was launched has ended.
  void wait() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return std::ranges::none_of(flights_, &flight::flies); });
  }
  /// How long kernels of this client have occupied the device so far.
  [[nodiscard]] auto busy_time() const -> ticks {
    const std::lock_guard lock{mutex_};
    return busy_;
  }

 private:
  struct flight {
    emulated_driver* driver = nullptr;
    bool flies = false;
    ticks launched = 0;
    emulated_kernel body{};

    void land() {
      const std::lock_guard lock{driver->mutex_};
      flies = false;
      driver->busy_ += driver->occupancy_->end_kernel(launched);
      driver->changed_.notify_all();
    }
  };

  emulated_device::stream stream_;
  emulated_occupancy* occupancy_;
  mutable inheriting_mutex mutex_;
  condition changed_;
  std::vector<flight> flights_;
  ticks busy_ = 0;
};

static_assert(LaunchDriver<emulated_driver>);

/// Reads a client's utilization off what its driver has run.
class emulated_meter {
 public:
  /// Pre: the driver outlives it.
  explicit emulated_meter(const emulated_driver& driver) noexcept
      : driver_{&driver}, since_{now()}, busy_{driver.busy_time()} {}

  [[nodiscard]] auto used_percent() -> std::int64_t {
    const ticks time = now();
    const ticks busy = driver_->busy_time();
    const ticks passed = std::max<ticks>(1, time - since_);
    const std::int64_t used = std::clamp<std::int64_t>((busy - busy_) / std::max<ticks>(1, passed / 100), 0, 100);
    since_ = time;
    busy_ = busy;
    return used;
  }

 private:
  const emulated_driver* driver_;
  ticks since_;
  ticks busy_;
};

static_assert(UtilizationMeter<emulated_meter>);

}  // namespace takt::inline TAKT_ABI::runtime
