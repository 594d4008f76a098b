// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>

#include <takt/core/number.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/systems/shares/run/launch_gate.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds for the calls of a GPU driver that an application's context stands before.
///
/// - `launch(kernel, blocks)`: starts it, without waiting for its end; false when the driver refuses.
/// - `allocate(bytes)`: memory of the device, null when there is none; `release(memory)` gives it back.
template <class D>
concept LaunchDriver =
    requires(D& d, const typename D::kernel& k, std::int64_t blocks, std::uint64_t bytes, void* memory) {
      { d.launch(k, blocks) } -> std::same_as<bool>;
      { d.allocate(bytes) } -> std::same_as<void*>;
      d.release(memory);
    };

enum class context_status : std::uint8_t {
  done,
  timed_out,
  closed,         ///< see `gate_status`
  out_of_memory,  ///< beyond what the application has registered
  driver_refuses,
};

/// Is an application's own view of a device: its calls reach the driver after they have passed the gate, and its memory
/// is limited to what it has registered. Put it where calls are intercepted, or call it in place of the driver. Any
/// thread may call it.
template <LaunchDriver Driver, class Gate>
class virtual_context {
 public:
  /// Pre: driver and gate outlive the context.
  virtual_context(Driver& driver, Gate& gate, std::uint64_t memory_bytes) noexcept
      : driver_{&driver}, gate_{&gate}, memory_bytes_{memory_bytes} {}
  virtual_context(const virtual_context&) = delete;
  auto operator=(const virtual_context&) -> virtual_context& = delete;
  ~virtual_context() {
    for (const auto& [memory, bytes] : allocations_) { driver_->release(memory); }
  }

  [[nodiscard]] auto launch(const typename Driver::kernel& kernel, std::int64_t blocks,
                            ticks give_up = std::numeric_limits<ticks>::max()) -> context_status {
    switch (gate_->enter(blocks, give_up)) {
      case gate_status::passed: break;
      case gate_status::timed_out: return context_status::timed_out;
      case gate_status::closed: return context_status::closed;
    }
    return driver_->launch(kernel, blocks) ? context_status::done : context_status::driver_refuses;
  }
  [[nodiscard]] auto allocate(std::uint64_t bytes, void*& out) -> context_status {
    const std::lock_guard lock{mutex_};
    if (bytes > memory_bytes_ - used_) { return context_status::out_of_memory; }
    void* memory = driver_->allocate(bytes);
    if (memory == nullptr) { return context_status::driver_refuses; }
    allocations_[memory] = bytes;
    used_ += bytes;
    out = memory;
    return context_status::done;
  }
  /// Returns false for memory that is none of this context.
  [[nodiscard]] auto release(void* memory) -> bool {
    const std::lock_guard lock{mutex_};
    const auto found = allocations_.find(memory);
    if (found == allocations_.end()) { return false; }
    driver_->release(memory);
    used_ -= found->second;
    allocations_.erase(found);
    return true;
  }
  [[nodiscard]] auto used_bytes() const -> std::uint64_t {
    const std::lock_guard lock{mutex_};
    return used_;
  }

 private:
  Driver* driver_;
  Gate* gate_;
  std::uint64_t memory_bytes_;
  mutable inheriting_mutex mutex_;
  std::map<void*, std::uint64_t> allocations_;
  std::uint64_t used_ = 0;
};

}  // namespace takt::inline TAKT_ABI::runtime
