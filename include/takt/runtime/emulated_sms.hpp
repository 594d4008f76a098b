// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/block_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/runtime/timed_condition.hpp>

namespace takt::runtime {

/// Blocks that take so long each or call `block` with their index. Pre: it does not throw, and can be called for
/// different indices at once.
struct block_body {
  explicit block_body(ticks time = 0) noexcept : length{std::max<ticks>(0, time)} {}
  explicit block_body(std::function<void(std::int64_t)> code) : block{std::move(code)} {}

  ticks length = 0;
  std::function<void(std::int64_t)> block{};
};

/// SMs made of host threads: one that lets time pass, and a few that call code, in the order in which blocks start. A
/// block has its SM from its start on, whenever a thread comes to it.
class emulated_sms {
 public:
  using kernel = block_body;

  /// Pre: code_threads >= 1.
  explicit emulated_sms(const block_gpu& gpu, std::size_t code_threads = 2) noexcept
      : gpu_{gpu}, code_threads_{code_threads} {}
  emulated_sms(const emulated_sms&) = delete;
  auto operator=(const emulated_sms&) -> emulated_sms& = delete;
  ~emulated_sms() { close(); }

  [[nodiscard]] auto serves(const block_gpu& gpu) const noexcept -> bool {
    const bool has_slots = gpu_.block_slots == 0 || (gpu.block_slots > 0 && gpu.block_slots <= gpu_.block_slots);
    return gpu.sms <= gpu_.sms && gpu.threads_per_sm <= gpu_.threads_per_sm && has_slots;
  }
  [[nodiscard]] auto open(const block_setup& setup) -> bool {
    setup_ = setup;
    closing_ = false;
    lost_ = 0;
    jobs_.assign(setup.kernels, job{});
    pieces_.clear();
    pieces_.reserve(setup.trace_capacity);
    threads_.emplace_back([this] { let_pass(); });
    for (std::size_t t = 0; t < code_threads_; ++t) {
      threads_.emplace_back([this] { call(); });
    }
    return std::ranges::all_of(threads_, [](const thread& t) { return t.started(); });
  }
  void close() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
    }
    for (thread& t : threads_) { t.join(); }
    threads_.clear();
    timed_.clear();
    coded_.clear();
  }

  void load(kernel_id k, const block_body& body, std::uint64_t number) {
    const std::lock_guard lock{mutex_};
    jobs_[static_cast<std::size_t>(k)] = {&body, number, 0};
  }
  void start(kernel_id k, std::int32_t sm) {
    const std::lock_guard lock{mutex_};
    job& j = jobs_[static_cast<std::size_t>(k)];
    const ticks since = now();
    running b{k, sm, j.number, j.next++, since, later(since, j.body->length), j.body};
    (j.body->block ? coded_ : timed_).push_back(b);
    changed_.notify_all();
  }

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return std::ranges::all_of(
        threads_, [priority](const thread& t) { return t.started() && schedule(t.native_handle(), priority) == 0; });
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated SMs"; }

  /// Tells of every block on its SM.
  template <TraceRecorder Recorder>
  auto replay(Recorder& recorder, ticks origin) const -> std::uint64_t {
    for (slice s : pieces_) {
      s.start -= origin;
      s.end -= origin;
      recorder.record(s);
    }
    return lost_;
  }

 private:
  /// The longest sleep, since clocks do not take the last instant there is.
  static constexpr ticks nap = 1'000'000'000;

  struct job {
    const block_body* body = nullptr;
    std::uint64_t number = 0;
    std::int64_t next = 0;
  };
  struct running {
    kernel_id kernel = no_kernel;
    std::int32_t sm = 0;
    std::uint64_t job = 0;
    std::int64_t block = 0;
    ticks since = 0;
    ticks until = 0;
    const block_body* body = nullptr;
  };
  using held_lock = std::unique_lock<inheriting_mutex>;

  void let_pass() {
    held_lock lock{mutex_};
    while (!closing_) {
      const auto first = std::ranges::min_element(timed_, {}, &running::until);
      const ticks next = first == timed_.end() ? no_event : first->until;
      if (next <= now()) {
        const running b = *first;
        timed_.erase(first);
        end(b, b.until, lock);
        continue;
      }
      changed_.wait_until(lock, std::min(next, later(now(), nap)), [this, next] {
        return closing_ || std::ranges::any_of(timed_, [next](const running& b) { return b.until < next; });
      });
    }
  }
  void call() {
    held_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [this] { return closing_ || !coded_.empty(); });
      if (closing_) { return; }
      const running b = coded_.front();
      coded_.pop_front();
      lock.unlock();
      b.body->block(b.block);
      lock.lock();
      end(b, now(), lock);
    }
  }
  void end(const running& b, ticks time, held_lock& lock) {
    if (closing_) { return; }
    remember({.task = static_cast<std::uint32_t>(b.kernel),
              .job = b.job,
              .where = {.where = stage::kernel, .gpu = 0, .index = b.sm, .count = 1},
              .start = b.since,
              .end = time});
    lock.unlock();
    setup_.ended(b.kernel, b.sm);
    lock.lock();
  }
  void remember(const slice& s) {
    if (pieces_.size() < pieces_.capacity()) {
      pieces_.push_back(s);
    } else if (pieces_.capacity() > 0) {
      ++lost_;
    }
  }

  block_gpu gpu_;
  std::size_t code_threads_;
  block_setup setup_{};
  inheriting_mutex mutex_;
  timed_condition changed_;
  std::vector<job> jobs_;
  std::deque<running> timed_;
  std::deque<running> coded_;
  std::vector<slice> pieces_;
  std::uint64_t lost_ = 0;
  bool closing_ = true;
  std::vector<thread> threads_;
};

static_assert(BlockDevice<emulated_sms>);

}  // namespace takt::runtime
