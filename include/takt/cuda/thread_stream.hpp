// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <takt/cuda/context.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/error.hpp>
#include <takt/cuda/resource.hpp>
#include <takt/cuda/served_stream.hpp>

namespace takt::cuda {

/// One thread's stream. Each operation has ended before the next one is issued, so that no stream stands in another's
/// way where the hardware has one queue for all. Source: Elliott 2015, section 2.4.4.
template <CudaDriver D>
class thread_stream {
 public:
  /// Pre: the context outlives it. Error: `cuda_error`.
  explicit thread_stream(const context_ref<D>& c, wait_method how = wait_method::marks, std::int32_t priority = 0)
      : stream_{c, priority}, how_{how} {
    if (uses_marks(how)) { ended_ = mark<D>{c}; }
  }

  [[nodiscard]] auto get() const noexcept -> stream_handle { return stream_.get(); }
  [[nodiscard]] auto context() const noexcept -> const context_ref<D>& { return stream_.context(); }

  /// Calls `enqueue(driver, stream)`, which puts one operation into the stream, and suspends the thread until it has
  /// ended. Error: `cuda_error`, and then too nothing of it is under way any more, unless the device is lost.
  template <class Enqueue>
  void run(const char* call, Enqueue enqueue) {
    const current_context<D> within{context()};
    D& d = *context().driver;
    if (const result r = enqueue(d, get()); r != result::success) { return settle(r, call); }
    if (!uses_marks(how_)) { return settle(d.wait_for_stream(get()), "wait_for_stream"); }
    if (const result r = d.record(ended_.get(), get()); r != result::success) { return settle(r, "record"); }
    settle(d.wait_for_event(ended_.get()), "wait_for_event");
  }

 private:
  void settle(result r, const char* call) {
    if (r == result::success) { return; }
    if (!is_loss(r)) { (void)context().driver->wait_for_stream(get()); }
    context().check(r, call);
  }

  stream<D> stream_;
  mark<D> ended_;
  wait_method how_;
};

}  // namespace takt::cuda
