// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// Threads that share out the blocks of a kernel as persistent blocks on pinned SMs do: each draws a ticket for the
/// next few blocks until none is left, so that every block runs exactly once wherever the threads happen to be.
class worker_team {
 public:
  explicit worker_team(std::size_t workers) {
    for (std::size_t w = 0; w < std::max<std::size_t>(workers, 1); ++w) {
      thread worker{[this] { serve(); }};
      if (worker.started()) { workers_.push_back(std::move(worker)); }
    }
  }
  worker_team(const worker_team&) = delete;
  auto operator=(const worker_team&) -> worker_team& = delete;
  ~worker_team() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      called_.notify_all();
    }
    workers_.clear();
  }

  [[nodiscard]] auto size() const noexcept -> std::size_t { return workers_.size(); }

  /// Calls `block(i)` for each i below `blocks` and returns when all calls have. Pre: one call at a time, and
  /// blocks < 2^62. Without a single worker the caller does the work.
  void run(std::int64_t blocks, const std::function<void(std::int64_t)>& block) {
    block_ = &block;
    blocks_ = blocks;
    chunk_ = std::max<std::int64_t>(1, blocks / (8 * std::max<std::int64_t>(1, static_cast<std::int64_t>(size()))));
    next_ticket_.store(0, std::memory_order_relaxed);
    if (workers_.empty()) { return draw_tickets(); }
    std::unique_lock lock{mutex_};
    busy_ = size();
    ++launches_;
    called_.notify_all();
    finished_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock{mutex_};
    for (std::uint64_t seen = 0;;) {
      called_.wait(lock, [&] { return closing_ || launches_ != seen; });
      if (closing_) { return; }
      seen = launches_;
      lock.unlock();
      draw_tickets();
      lock.lock();
      if (--busy_ == 0) { finished_.notify_all(); }
    }
  }

  void draw_tickets() {
    for (;;) {
      const std::int64_t first = next_ticket_.fetch_add(chunk_, std::memory_order_relaxed);
      if (first >= blocks_) { return; }
      const std::int64_t last = std::min(blocks_, first + chunk_);
      for (std::int64_t i = first; i < last; ++i) { (*block_)(i); }
    }
  }

  inheriting_mutex mutex_;
  condition called_;
  condition finished_;
  const std::function<void(std::int64_t)>* block_ = nullptr;
  std::int64_t blocks_ = 0;
  std::int64_t chunk_ = 1;
  std::atomic<std::int64_t> next_ticket_ = 0;
  std::size_t busy_ = 0;
  std::uint64_t launches_ = 0;
  bool closing_ = false;
  std::vector<thread> workers_;
};

}  // namespace takt::runtime
