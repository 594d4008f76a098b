// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Describes blocks of code, or blocks that only take time.
struct emulated_kernel {
  std::int64_t blocks = 1;
  std::int32_t threads = 1;  ///< of one block
  ticks length = 0;          ///< of each block without code
  ticks serial = 0;          ///< of the kernel before its blocks, when no kernel is before it
  std::function<void(std::int64_t block)> code{};

  /// Makes one block that takes this time.
  explicit emulated_kernel(ticks time = 0) : length{time} {}
  emulated_kernel(std::int64_t count, std::int32_t each, ticks time, ticks before = 0)
      : blocks{count}, threads{each}, length{time}, serial{before} {}
  /// Pre, for both: `block` does not throw, and can be called for different indices at once.
  emulated_kernel(std::int64_t count, std::int32_t each, std::function<void(std::int64_t)> block)
      : blocks{count}, threads{each}, code{std::move(block)} {}
  emulated_kernel(std::int64_t count, std::function<void(std::int64_t)> block)
      : emulated_kernel{count, 1, std::move(block)} {}
};

/// Serves as SMs made of host threads, with the block queue of `rules` as their hardware. Blocks without code follow
/// one another without the time that a thread takes to wake up: what is late catches up. Code is called on a few
/// threads, in the order in which blocks got their SMs. A block has its SM from then on, whenever a thread runs it.
class emulated_unit {
 public:
  static constexpr std::size_t most_kernels = 1024;  ///< in the block queue; others wait before it
  static constexpr std::size_t most_sms = 192;

  /// Does one operation after the other, on so many threads. Pre: 1 <= workers <= `most_sms`.
  explicit emulated_unit(std::size_t workers)
      : emulated_unit{{.sms = static_cast<std::int32_t>(workers),
                       .each = {.threads = sm_capacity::unlimited, .blocks = 1},
                       .grids = 1},
                      workers} {
    TAKT_EXPECTS(1 <= workers && workers <= most_sms);
  }
  /// Pre: `code_threads` >= 1, and 1 <= sms <= `most_sms`.
  emulated_unit(const gpu_shape& shape, std::size_t code_threads)
      : queue_{shape.sms, shape.each, shape.placement, shape.grids} {
    TAKT_EXPECTS(code_threads >= 1 && 1 <= shape.sms && static_cast<std::size_t>(shape.sms) <= most_sms);
    kernels_.resize(most_kernels);
    const bool has_both = shape.grids != 1;  // kernels with and without code at a time
    for (std::size_t t = 0; t < code_threads + (has_both ? 1 : 0); ++t) {
      threads_.emplace_back([this, calls = t < code_threads] { serve(calls); });
      if (!threads_.back().started()) { break; }
    }
  }
  emulated_unit(const emulated_unit&) = delete;
  auto operator=(const emulated_unit&) -> emulated_unit& = delete;
  /// Blocks until the calls in progress have returned. What has not ended by itself ends then, also what completions
  /// submit meanwhile: every completion is called once.
  ~emulated_unit() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    for (thread& t : threads_) { t.join(); }
    held_lock lock{mutex_};
    for (const submitted& k : kernels_) {
      if (k.body != nullptr) { ended_.push_back(k.done); }
    }
    for (const submitted& k : waiting_) { ended_.push_back(k.done); }
    tell(lock);
  }

  [[nodiscard]] auto started() const noexcept -> bool {
    return std::ranges::all_of(threads_, [](const thread& t) { return t.started(); });
  }
  [[nodiscard]] auto serve_at(int priority) const noexcept -> bool {
    return std::ranges::all_of(
        threads_, [priority](const thread& t) { return t.started() && schedule(t.native_handle(), priority) == 0; });
  }

  /// `pieces`, if any: each block on its SM. A kernel of which a block fits on no SM, or that comes while the unit is
  /// destroyed, ends at once and does nothing. Pre: body and pieces live until `done` has been called.
  void submit(const emulated_kernel& body, completion done, std::vector<time_piece>* pieces = nullptr) {
    const std::lock_guard lock{mutex_};
    pass(now());
    if (pieces != nullptr) { pieces->clear(); }
    if (closing_ || !queue_.takes(queued(body))) {
      ended_.push_back(done);
    } else {
      waiting_.push_back({&body, pieces, done});
      enter_queue();
      place(now());
    }
    changed_.notify_all();
  }

 private:
  struct submitted {
    const emulated_kernel* body = nullptr;
    std::vector<time_piece>* pieces = nullptr;
    completion done{};
    std::int64_t next_block = 0;
    ticks opens = no_event;  ///< its serial part is over
  };
  struct running {
    std::int32_t kernel = 0;
    std::int32_t sm = 0;
    std::int64_t block = 0;
    ticks start = 0;
    ticks end = 0;
  };
  using held_lock = std::unique_lock<inheriting_mutex>;

  [[nodiscard]] static auto queued(const emulated_kernel& body) noexcept -> queued_kernel {
    return {.block = {.threads = body.threads}, .blocks = body.blocks, .stream = own_stream};
  }
  /// Lets as many of those that wait enter the queue as there is room for, the first before the others.
  void enter_queue() {
    while (!waiting_.empty() && queue_.unfinished() < most_kernels) {
      const std::int32_t number = queue_.enqueue(queued(*waiting_.front().body));
      kernels_[to_index(number)] = waiting_.front();
      waiting_.pop_front();
    }
  }
  [[nodiscard]] static auto later_end(const running& a, const running& b) noexcept -> bool { return b.end < a.end; }
  /// Returns when something next happens by itself.
  [[nodiscard]] auto next() const noexcept -> ticks {
    return timed_.empty() ? opens_ : std::min(opens_, timed_.front().end);
  }
  /// Does all that happens up to an instant, in order.
  void pass(ticks time) {
    for (ticks at = next(); at <= time; at = next()) {
      if (timed_.empty() || at < timed_.front().end) {
        place(at);
        continue;
      }
      std::ranges::pop_heap(timed_, later_end);
      const running b = timed_.back();
      timed_.pop_back();
      finish(b);
    }
  }
  void place(ticks time) {
    opens_ = no_event;
    for (;;) {
      if (queue_.waiting() > 0) {
        submitted& head = kernels_[to_index(queue_.waiting(0))];
        if (head.opens == no_event) { head.opens = later(time, head.body->serial); }
        if (time < head.opens) {
          opens_ = head.opens;
          return;
        }
      }
      const block_start s = queue_.dispatch();
      if (s.kernel == no_queued_kernel) { return; }
      submitted& k = kernels_[to_index(s.kernel)];
      const running b{s.kernel, s.sm, k.next_block++, time, later(time, k.body->length)};
      if (k.body->code) {
        coded_.push_back(b);
        changed_.notify_all();
        continue;
      }
      timed_.push_back(b);
      std::ranges::push_heap(timed_, later_end);
    }
  }
  void finish(const running& b) {
    submitted& k = kernels_[to_index(b.kernel)];
    if (k.pieces != nullptr) { k.pieces->push_back({b.start, b.end, b.sm}); }
    if (queue_.complete(b.kernel, b.sm)) {
      ended_.push_back(k.done);
      k.body = nullptr;
      enter_queue();
    }
    place(b.end);
  }
  /// Reports ends, one thread at a time, so that they are told in their order. What is told may submit the next kernel.
  void tell(held_lock& lock) {
    if (telling_) { return; }
    telling_ = true;
    while (!ended_.empty()) {
      const completion done = ended_.front();
      ended_.pop_front();
      lock.unlock();
      done();
      lock.lock();
    }
    telling_ = false;
  }

  void serve(bool calls) {
    held_lock lock{mutex_};
    while (!closing_) {
      pass(now());
      tell(lock);
      if (calls && !coded_.empty()) {
        call(lock);
        continue;
      }
      const auto is_called = [&] { return (calls && !coded_.empty()) || (!telling_ && !ended_.empty()); };
      const ticks until = next();
      changed_.wait_until(lock, until, [&] { return closing_ || is_called() || next() < until; });
    }
  }
  void call(held_lock& lock) {
    running b = coded_.front();
    coded_.pop_front();
    const emulated_kernel& body = *kernels_[to_index(b.kernel)].body;
    lock.unlock();
    body.code(b.block);
    lock.lock();
    b.end = now();
    pass(b.end);
    finish(b);
    changed_.notify_all();
  }

  inheriting_mutex mutex_;
  condition changed_;
  block_queue<most_kernels, most_sms, 1> queue_;
  std::vector<submitted> kernels_;  ///< by number in the queue
  std::deque<submitted> waiting_;   ///< for room in the queue
  std::vector<running> timed_;      ///< a heap, the first to end at its top
  std::deque<running> coded_;
  std::deque<completion> ended_;
  ticks opens_ = no_event;  ///< the serial part of the head is over
  bool telling_ = false;
  bool closing_ = false;
  std::vector<thread> threads_;
};

}  // namespace takt::inline TAKT_ABI::runtime
