// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <string>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// When a run is over: at the instant that was planned, as soon as it is ended or, on a device that can fail, as soon
/// as it is seen to have. Whoever waits for a later instant is then woken. Any thread.
template <class D>
class run_end {
 public:
  /// `may_end`: somebody may call `end_now`. Pre: the device outlives it.
  explicit run_end(const D& device, bool may_end = false) noexcept : device_{&device}, may_end_{may_end} {}

  /// Pre: nobody waits yet.
  void plan(ticks stop) noexcept { instant_ = stop; }
  [[nodiscard]] auto instant() const noexcept -> ticks { return instant_; }

  /// To be called after each operation of the device, before its result counts.
  void look_at_device() {
    if constexpr (FallibleDevice<D>) {
      if (device_->failed()) { end_now(); }
    }
  }
  void end_now() {
    const std::lock_guard lock{mutex_};
    if (const ticks time = now(); time < instant_) { instant_ = time; }
    changed_.notify_all();
  }

  /// Suspends the calling thread until the instant, or the end if that comes first.
  void sleep_until(ticks time) {
    if (FallibleDevice<D> || may_end_) {
      std::unique_lock lock{mutex_};
      changed_.wait_until(lock, time, [this] { return instant_ <= now(); });
    } else {
      runtime::sleep_until(time);
    }
  }
  /// Consumes CPU time, up to the end.
  void burn(ticks amount) const noexcept {
    const ticks target = later(thread_time(), amount);
    while (thread_time() < target && now() < instant_) {}
  }

 private:
  const D* device_;
  bool may_end_;
  inheriting_mutex mutex_;
  timed_condition changed_;
  std::atomic<ticks> instant_ = std::numeric_limits<ticks>::max();
};

/// What has failed, and where; empty if nothing has.
template <class D>
[[nodiscard]] auto failure_of(const D& device) -> std::string {
  if constexpr (FallibleDevice<D>) {
    if (device.failed()) { return device.fault_sentence(); }
  }
  return {};
}

/// Makes the result say that the device has failed, if it has.
template <class D>
auto report_fault(const D& device, run_result& result) -> bool {
  if constexpr (FallibleDevice<D>) {
    if (!device.failed()) { return false; }
    result.ended = observation_status::device_failed;
    result.device_fault = device.fault_sentence();
    result.notes.push_back("device: failed: " + result.device_fault);
    return true;
  } else {
    return false;
  }
}

namespace detail {

/// Asks the operating system for something if that is wanted, and says in the notes if it is not.
template <class Request>
[[nodiscard]] auto ask(bool wanted, const char* what, run_result& result, Request request) -> bool {
  if (!wanted) { result.notes.push_back(std::string{what} + ": left as it is, as asked"); }
  return wanted && request();
}

inline void note_clock(run_result& result) {
  result.granted.clock_resolution = clock_resolution();
  result.notes.push_back("clock: CLOCK_MONOTONIC, resolution " + std::to_string(result.granted.clock_resolution) +
                         "ns");
}

}  // namespace detail

/// What can disturb timed runs with this device.
template <class D>
[[nodiscard]] auto findings_of(const D& device) -> machine_findings {
  if constexpr (ExaminedDevice<D>) {
    return device.findings();
  } else {
    return check_machine(parts_used::cpus);
  }
}

}  // namespace takt::runtime
