// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/graph/graph_platform.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include <takt/runtime/timed_condition.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/length_source.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// A node whose jobs run on the device, each on a stream of its own.
struct device_kernel {
  std::int64_t blocks = 1;
  std::int32_t threads = 1;
  ticks block_length = 1;  ///< at most, of blocks without code
  ticks separation = 1;    ///< of the enqueues of two jobs
  std::function<void(std::int64_t job, std::int64_t block)> code;
};

struct kernel_job {
  std::uint32_t kernel = 0;
  std::int64_t job = 0;
  ticks entered = 0;  ///< into the queue
  ticks ended = 0;
};

/// A block on its SM.
struct block_piece {
  std::uint32_t kernel = 0;
  std::int64_t job = 0;
  std::int32_t sm = 0;
  ticks start = 0;
  ticks end = 0;
};

/// A GPU made of host threads: the guards and the block queue of `rules`, with a clock. Blocks without code only take
/// time, and follow one another without the time that a thread takes to wake up: what is late catches up. Blocks with
/// code are called on a few threads of the host, in the order in which they got their SM.
class emulated_block_gpu {
 public:
  static constexpr std::size_t most_kernels = 2048;  ///< unfinished at a time
  static constexpr std::size_t most_sms = 128;
  static constexpr std::size_t most_early_jobs = 128;  ///< of one kernel

  struct listener {
    std::function<void(const kernel_job&)> on_end;
    std::function<void(const block_piece&)> on_piece;  ///< with the device's lock held
  };

  /// Pre: 1 <= sms <= most_sms; each kernel fits.
  emulated_block_gpu(const graph_platform& platform, block_placement placement, std::vector<device_kernel> kernels,
                     length_choice lengths, std::uint64_t seed, listener hears)
      : kernels_{std::move(kernels)},
        hears_{std::move(hears)},
        queue_{platform.sms,
               {.threads = platform.threads_per_sm,
                .blocks = platform.blocks_per_sm > 0 ? platform.blocks_per_sm : sm_capacity::unlimited,
                .warp_size = platform.warp_size},
               placement} {
    for (std::uint32_t k = 0; k < kernels_.size(); ++k) {
      guards_.emplace_back(kernels_[k].separation);
      lengths_.emplace_back(lengths, seed, k);
    }
    const auto blocks = static_cast<std::size_t>(platform.sms) * static_cast<std::size_t>(platform.threads_per_sm);
    timed_.reserve(blocks);
    coded_.reserve(blocks);
    offers_.reserve(kernels_.size() * most_early_jobs);
    ended_.reserve(most_kernels);
    jobs_.resize(most_kernels);
  }
  emulated_block_gpu(const emulated_block_gpu&) = delete;
  auto operator=(const emulated_block_gpu&) -> emulated_block_gpu& = delete;
  ~emulated_block_gpu() { close(); }

  /// False when the system has too few threads.
  [[nodiscard]] auto open(std::int32_t code_threads) -> bool {
    closing_ = false;
    service_ = thread{[this] { serve(); }};
    bool started = service_.started();
    const bool has_code = std::ranges::any_of(kernels_, [](const device_kernel& k) { return bool{k.code}; });
    for (std::int32_t t = 0; has_code && t < code_threads; ++t) {
      callers_.emplace_back([this] { call_blocks(); });
      started = started && callers_.back().started();
    }
    return started;
  }
  /// Blocks until the calls in progress have returned; what has not ended is forgotten.
  void close() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
      called_.notify_all();
    }
    service_.join();
    for (thread& t : callers_) { t.join(); }
  }

  /// A job may enter the queue as soon as its guard lets it, but not before `earliest`. Pre: less than
  /// `most_early_jobs` ahead of the next job to enter.
  void offer(std::uint32_t kernel, std::int64_t job, ticks earliest) {
    const std::lock_guard lock{mutex_};
    offers_.push_back({kernel, job, std::max(earliest, now())});
    dirty_ = true;
    changed_.notify_all();
  }

  /// The thread that makes the decisions, and those that call code. False, too, once the device is closed.
  [[nodiscard]] auto serve_at(std::int32_t priority, std::int32_t code_priority) -> bool {
    bool granted = serve_at(service_, priority);
    for (const thread& t : callers_) { granted = serve_at(t, code_priority) && granted; }
    return granted;
  }

 private:
  struct offered {
    std::uint32_t kernel = 0;
    std::int64_t job = 0;
    ticks earliest = 0;
  };
  struct queued_job {
    kernel_job what;
    std::int64_t next_block = 0;
    ticks block_length = 0;
  };
  struct timed_blocks {
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
  static constexpr ticks never = std::numeric_limits<ticks>::max();

  [[nodiscard]] static auto serve_at(const thread& t, std::int32_t priority) -> bool {
    return t.started() && schedule(t.native_handle(), priority) == 0;
  }
  [[nodiscard]] static auto later_end(const timed_blocks& a, const timed_blocks& b) noexcept -> bool {
    return b.end < a.end;
  }
  [[nodiscard]] auto job_of(std::int32_t number) noexcept -> queued_job& {
    return jobs_[static_cast<std::size_t>(number)];
  }

  void serve() {
    held_lock lock{mutex_};
    while (!closing_) {
      dirty_ = false;
      const ticks next = next_instant();
      if (next <= now()) {
        take_instant(next);
        announce(lock);
      } else if (!ended_.empty()) {
        announce(lock);
      } else {
        changed_.wait_until(lock, next, [this] { return closing_ || dirty_; });
      }
    }
  }

  [[nodiscard]] auto next_instant() const -> ticks {
    ticks next = timed_.empty() ? never : timed_.front().end;
    for (const offered& o : offers_) { next = std::min(next, o.earliest); }
    for (const auto& g : guards_) {
      if (g.next_is_ready() && queue_.unfinished() < most_kernels) {
        next = std::min(next, g.next() == 0 ? ticks{0} : g.earliest());
      }
    }
    return next;
  }

  /// All that happens at an instant that has come, in the order of the block queue.
  void take_instant(ticks time) {
    time = std::max(time, last_instant_);
    last_instant_ = time;
    while (!timed_.empty() && timed_.front().end <= time) {
      std::ranges::pop_heap(timed_, later_end);
      const timed_blocks done = timed_.back();
      timed_.pop_back();
      finish(done.number, done.sm, done.start, done.end);
    }
    std::erase_if(offers_, [&](const offered& o) { return o.earliest <= time && guards_[o.kernel].ready(o.job); });
    for (std::uint32_t k = 0; k < guards_.size(); ++k) {
      while (guards_[k].may_enter(time) && enter(k, time)) {}
    }
    start_blocks(time);
  }
  [[nodiscard]] auto enter(std::uint32_t k, ticks time) -> bool {
    const device_kernel& kernel = kernels_[k];
    const std::int32_t number =
        queue_.enqueue({.block = {.threads = kernel.threads}, .blocks = kernel.blocks, .stream = own_stream});
    if (number == no_queued_kernel) { return false; }
    job_of(number) = {{k, guards_[k].next(), time, time}, 0, 0};
    job_of(number).block_length = lengths_[k].draw({std::min<ticks>(1, kernel.block_length), kernel.block_length});
    return guards_[k].enter(time);
  }
  void start_blocks(ticks time) {
    last_instant_ = std::max(last_instant_, time);
    for (block_start s = queue_.dispatch(); s.kernel != no_queued_kernel; s = queue_.dispatch()) {
      queued_job& j = job_of(s.kernel);
      if (kernels_[j.what.kernel].code) {
        coded_.push_back({s.kernel, s.sm, j.next_block++});
        called_.notify_all();
        continue;
      }
      timed_.push_back({time, later(time, j.block_length), s.kernel, s.sm});
      std::ranges::push_heap(timed_, later_end);
    }
  }
  void finish(std::int32_t number, std::int32_t sm, ticks start, ticks end) {
    queued_job& j = job_of(number);
    if (hears_.on_piece) { hears_.on_piece({j.what.kernel, j.what.job, sm, start, end}); }
    if (!queue_.complete(number, sm)) { return; }
    j.what.ended = end;
    ended_.push_back(j.what);
  }
  /// The listener is called without the lock: it may offer the next job.
  void announce(held_lock& lock) {
    while (!ended_.empty()) {
      const kernel_job job = ended_.back();
      ended_.pop_back();
      lock.unlock();
      hears_.on_end(job);
      lock.lock();
    }
  }

  void call_blocks() {
    held_lock lock{mutex_};
    while (true) {
      called_.wait(lock, [this] { return closing_ || !coded_.empty(); });
      if (closing_) { return; }
      const coded_block b = coded_.front();
      coded_.erase(coded_.begin());
      const kernel_job job = job_of(b.number).what;
      const auto& code = kernels_[job.kernel].code;
      lock.unlock();
      const ticks start = now();
      code(job.job, b.block);
      const ticks end = now();
      lock.lock();
      finish(b.number, b.sm, start, end);
      start_blocks(end);
      dirty_ = true;
      changed_.notify_all();
    }
  }

  std::vector<device_kernel> kernels_;
  listener hears_;
  inheriting_mutex mutex_;
  timed_condition changed_;
  timed_condition called_;
  block_queue<most_kernels, most_sms> queue_;
  std::vector<guarded_enqueue<ticks, most_early_jobs>> guards_;
  std::vector<length_source> lengths_;
  std::vector<offered> offers_;
  std::vector<timed_blocks> timed_;  ///< a heap, the first to end at its top
  std::vector<coded_block> coded_;
  std::vector<queued_job> jobs_;  ///< by number in the queue
  std::vector<kernel_job> ended_;
  ticks last_instant_ = 0;
  bool dirty_ = false;
  bool closing_ = true;
  thread service_;
  std::vector<thread> callers_;
};

}  // namespace takt::runtime
