// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/dedicated_sms.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/completion.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// Blocks of code, or blocks that only take time.
struct emulated_blocks {
  std::int64_t blocks = 1;
  std::int32_t threads = 1;  ///< of one block
  ticks length = 0;          ///< of each block without code
  std::function<void(std::int64_t block)> code{};

  emulated_blocks() = default;
  explicit emulated_blocks(ticks time) : length{time} {}
  emulated_blocks(std::int64_t count, std::int32_t each, ticks time) : blocks{count}, threads{each}, length{time} {}
  /// Pre: `block` does not throw, and can be called for different indices at once.
  emulated_blocks(std::int64_t count, std::int32_t each, std::function<void(std::int64_t)> block)
      : blocks{count}, threads{each}, code{std::move(block)} {}
};

/// A GPU made of host threads, with the block queue of `rules` as its hardware: every stream's kernel goes into one
/// queue. Blocks without code follow one another without the time that a thread takes to wake up: what is late catches
/// up. Code is called on a few threads, in the order in which the blocks got their SMs.
class emulated_block_device {
 public:
  using kernel = emulated_blocks;
  class stream;
  static constexpr bool queues_blocks = true;
  static constexpr std::size_t most_kernels = 1024;  ///< unfinished at a time
  static constexpr std::size_t most_sms = 192;

  /// Pre: `code_threads` >= 1, and the slots are valid and have at most `most_sms` SMs.
  explicit emulated_block_device(const block_slots_resource& slots, std::int32_t code_threads = 1)
      : sms_{slots.sms},
        queue_{slots.sms,
               {.threads = slots.threads_per_sm,
                .blocks = slots.blocks_per_sm > 0 ? slots.blocks_per_sm : sm_capacity::unlimited,
                .warp_size = slots.warp_size}} {
    kernels_.resize(most_kernels);
    threads_.emplace_back([this] { serve(false); });
    for (std::int32_t t = 0; t < code_threads; ++t) {
      threads_.emplace_back([this] { serve(true); });
      if (!threads_.back().started()) { break; }
    }
  }
  emulated_block_device(const emulated_block_device&) = delete;
  auto operator=(const emulated_block_device&) -> emulated_block_device& = delete;
  /// Blocks until the calls in progress have returned; what has not ended is forgotten.
  ~emulated_block_device() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    for (thread& t : threads_) { t.join(); }
  }

  [[nodiscard]] auto serves(const platform_record& wanted) const noexcept -> bool {
    return std::ranges::any_of(wanted.gpus, [this](const gpu_record& g) { return g.sms <= sms_; });
  }
  /// It is one GPU: not ready once it was opened for two.
  [[nodiscard]] auto open(const sm_range& range) -> stream;
  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return std::ranges::all_of(
        threads_, [priority](const thread& t) { return t.started() && schedule(t.native_handle(), priority) == 0; });
  }
  [[nodiscard]] auto ready() const noexcept -> bool {
    return is_one_ && std::ranges::all_of(threads_, [](const thread& t) { return t.started(); });
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated block queue"; }

 private:
  struct submitted {
    const kernel* body = nullptr;
    std::vector<time_piece>* pieces = nullptr;
    completion done{};
    std::int64_t next_block = 0;
  };
  struct timed_block {
    ticks start = 0;
    ticks end = 0;
    std::int32_t number = 0;
    std::int32_t sm = 0;
  };
  struct coded_block {
    std::int32_t number = 0;
    std::int32_t sm = 0;
    std::int64_t block = 0;
  };
  using held_lock = std::unique_lock<inheriting_mutex>;

  [[nodiscard]] static auto later_end(const timed_block& a, const timed_block& b) noexcept -> bool {
    return b.end < a.end;
  }

  void submit(const kernel& body, std::vector<time_piece>& pieces, completion done) {
    const std::lock_guard lock{mutex_};
    const std::int32_t number =
        queue_.enqueue({.block = {.threads = body.threads}, .blocks = body.blocks, .stream = own_stream});
    if (number == no_queued_kernel) { return; }
    pieces.clear();
    kernels_[static_cast<std::size_t>(number)] = {&body, &pieces, done, 0};
    place(now());
    changed_.notify_all();
  }
  void place(ticks time) {
    for (block_start s = queue_.dispatch(); s.kernel != no_queued_kernel; s = queue_.dispatch()) {
      submitted& k = kernels_[static_cast<std::size_t>(s.kernel)];
      if (k.body->code) {
        coded_.push_back({s.kernel, s.sm, k.next_block++});
        continue;
      }
      timed_.push_back({time, later(time, k.body->length), s.kernel, s.sm});
      std::ranges::push_heap(timed_, later_end);
    }
  }
  void finish(std::int32_t number, std::int32_t sm, ticks start, ticks end) {
    submitted& k = kernels_[static_cast<std::size_t>(number)];
    k.pieces->push_back({start, end, sm});
    if (queue_.complete(number, sm)) { ended_.push_back(k.done); }
    place(end);
  }
  /// What is told may submit the next kernel.
  void tell(held_lock& lock) {
    while (!ended_.empty()) {
      const completion done = ended_.back();
      ended_.pop_back();
      lock.unlock();
      done();
      lock.lock();
    }
  }

  void serve(bool calls) {
    held_lock lock{mutex_};
    while (!closing_) {
      while (!timed_.empty() && timed_.front().end <= now()) {
        std::ranges::pop_heap(timed_, later_end);
        const timed_block b = timed_.back();
        timed_.pop_back();
        finish(b.number, b.sm, b.start, b.end);
      }
      if (!coded_.empty()) { changed_.notify_all(); }
      tell(lock);
      if (calls && !coded_.empty()) {
        call(lock);
        continue;
      }
      const ticks next = timed_.empty() ? std::numeric_limits<ticks>::max() : timed_.front().end;
      changed_.wait_until(lock, next, [&] {
        return closing_ || (calls && !coded_.empty()) || (!timed_.empty() && timed_.front().end < next);
      });
    }
  }
  void call(held_lock& lock) {
    const coded_block b = coded_.front();
    coded_.pop_front();
    const kernel& body = *kernels_[static_cast<std::size_t>(b.number)].body;
    lock.unlock();
    const ticks start = now();
    body.code(b.block);
    const ticks end = now();
    lock.lock();
    finish(b.number, b.sm, start, end);
    changed_.notify_all();
  }

  std::int32_t sms_;
  std::int32_t gpu_ = -1;
  bool is_one_ = true;
  inheriting_mutex mutex_;
  timed_condition changed_;
  block_queue<most_kernels, most_sms> queue_;
  std::vector<submitted> kernels_;  ///< by number in the queue
  std::vector<timed_block> timed_;  ///< a heap, the first to end at its top
  std::deque<coded_block> coded_;
  std::vector<completion> ended_;
  bool closing_ = false;
  std::vector<thread> threads_;
};

class emulated_block_device::stream {
 public:
  explicit stream(emulated_block_device& device) : device_{&device} {}

  /// Pre: the kernel before is done; a block fits on an SM; less than `most_kernels` are unfinished.
  void launch(const emulated_blocks& k, completion done) { device_->submit(k, *served_, done); }
  /// Each block of the kernel whose completion is asking, on its SM.
  [[nodiscard]] auto served() const -> const std::vector<time_piece>& { return *served_; }

 private:
  emulated_block_device* device_;
  std::unique_ptr<std::vector<time_piece>> served_ = std::make_unique<std::vector<time_piece>>();
};

inline auto emulated_block_device::open(const sm_range& range) -> stream {
  is_one_ = is_one_ && (gpu_ < 0 || gpu_ == range.gpu);
  gpu_ = range.gpu;
  return stream{*this};
}

}  // namespace takt::runtime
