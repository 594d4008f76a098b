// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Is told how an operation of a stream has ended.
struct stream_end {
  void (*call)(void* argument, result how) = nullptr;
  void* argument = nullptr;

  void operator()(result how) const {
    if (call != nullptr) { call(argument, how); }
  }
};

/// Keeps the first thing that went wrong on a device.
class fault_record {
 public:
  void note(const failure& f) {
    const std::lock_guard lock{mutex_};
    if (!first_) { first_ = f; }
  }
  [[nodiscard]] auto first() const -> std::optional<failure> {
    const std::lock_guard lock{mutex_};
    return first_;
  }
  [[nodiscard]] auto any() const -> bool {
    const std::lock_guard lock{mutex_};
    return first_.has_value();
  }

 private:
  mutable runtime::inheriting_mutex mutex_;
  std::optional<failure> first_;
};

/// Is a stream and the thread that waits for what was put into it.
///
/// The thread is takt's and not one of the driver. It can be given a priority, and unlike a host function of a stream
/// it is told when the device is lost. Then every operation still ends, as failed, and no thread waits for ever.
template <CudaDriver D>
class served_stream {
 public:
  /// `depth`: operations that are on their way at a time. Pre: context and faults outlive it; depth >= 1. Error:
  /// `cuda_error`.
  served_stream(stream<D> s, fault_record& faults, wait_method how = wait_method::marks, std::size_t depth = 2)
      : stream_{std::move(s)}, faults_{&faults}, how_{how} {
    TAKT_EXPECTS(depth >= 1);
    for (std::size_t i = 0; detail::uses_marks(how) && i < depth; ++i) { marks_.emplace_back(stream_.context()); }
    free_.reserve(depth);
    pending_.reserve(depth + 1);
    for (const auto& m : marks_) { free_.push_back(m.get()); }
    thread_ = runtime::thread{[this] { serve(); }};
  }
  served_stream(const served_stream&) = delete;
  auto operator=(const served_stream&) -> served_stream& = delete;
  /// Waits for what is on its way.
  ~served_stream() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }

  [[nodiscard]] auto get() const noexcept -> stream_handle { return stream_.get(); }
  [[nodiscard]] auto context() const noexcept -> const context_ref<D>& { return stream_.context(); }
  [[nodiscard]] auto started() const noexcept -> bool { return thread_.started(); }
  [[nodiscard]] auto serve_at(std::int32_t priority) const noexcept -> bool {
    return started() && runtime::schedule(thread_.native_handle(), priority) == 0;
  }

  /// Calls `enqueue(driver, stream)` here, which puts work into the stream and does not wait; `done` is called from the
  /// stream's thread when that work has ended, in the order of submission, also when it could not be put in. No lock is
  /// held meanwhile. Pre: one thread at a time submits; `done` may, too, and then the order of the two is open.
  template <class Enqueue>
  void submit(const char* call, Enqueue enqueue, stream_end done) {
    operation next{.done = done};
    {
      const std::lock_guard lock{mutex_};
      if (!free_.empty()) {
        next.mark = free_.back();
        free_.pop_back();
      }
    }
    const char* failed = call;
    next.how = attempt_within(context(), [&](D& d) {
      const result r = enqueue(d, get());
      if (r != result::success || next.mark == event_handle{}) { return r; }
      failed = "record";
      return d.record(next.mark, get());
    });
    if (next.how != result::success) { note(next.how, failed); }
    add(next);
  }
  /// Gives the device nothing: `done` is called when the instant has come and what is before it has ended.
  void submit_delay(ticks until, stream_end done) { add({.done = done, .until = until, .is_delay = true}); }

 private:
  struct operation {
    stream_end done{};
    event_handle mark{};
    result how = result::success;
    ticks until = 0;
    bool is_delay = false;
  };

  void note(result r, const char* call) {
    const context_ref<D>& c = context();
    faults_->note(failure{r, call, c.device, c.handle, word_of(*c.driver, r)});
  }
  void add(const operation& next) {
    const std::lock_guard lock{mutex_};
    pending_.push_back(next);
    changed_.notify_all();
  }

  void serve() {
    const result entered = context().driver->push_context(context().handle);
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [this] { return closing_ || !pending_.empty(); });
      if (pending_.empty()) { break; }
      const operation next = pending_.front();
      pending_.erase(pending_.begin());
      lock.unlock();
      const result how = await(next);
      lock.lock();
      if (next.mark != event_handle{}) { free_.push_back(next.mark); }
      lock.unlock();
      next.done(how);
      lock.lock();
    }
    lock.unlock();
    if (entered == result::success) { (void)context().driver->pop_context(); }
  }
  [[nodiscard]] auto await(const operation& o) -> result {
    if (o.is_delay) {
      runtime::sleep_until(o.until);
      return result::success;
    }
    D& d = *context().driver;
    const bool marked = o.how == result::success && o.mark != event_handle{};
    const result r = marked ? d.wait_for_event(o.mark) : d.wait_for_stream(get());
    if (r == result::success) { return o.how; }
    note(r, marked ? "wait_for_event" : "wait_for_stream");
    if (!detail::is_loss(r)) { (void)d.wait_for_stream(get()); }
    return o.how == result::success ? r : o.how;
  }

  stream<D> stream_;
  fault_record* faults_;
  wait_method how_;
  std::vector<mark<D>> marks_;
  runtime::inheriting_mutex mutex_;
  runtime::condition changed_;
  std::vector<event_handle> free_;
  std::vector<operation> pending_;
  bool closing_ = false;
  runtime::thread thread_;
};

}  // namespace takt::inline TAKT_ABI::cuda
