// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/core/to_index.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/accelerator_device.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Is a kernel for the emulated accelerator, which stops only between blocks. On one core a wave is one block, on all
/// cores one block for each.
class wave_kernel {
 public:
  /// Is the wave of a kernel that says that it stops anywhere. No machine does.
  static constexpr ticks finest_wave = 100'000;

  /// Takes `length` on each of its cores, in waves of `wave`, the last of which may be shorter; 0: of `finest_wave`.
  explicit wave_kernel(ticks length = 0, ticks wave = 0) noexcept
      : length_{std::max<ticks>(0, length)}, wave_{wave > 0 ? wave : finest_wave} {}
  /// Calls `block` once for each logical index below `blocks`; a call occupies its core for `block_length` at least.
  /// Pre: `block` does not throw, and can be called for different indices at once; blocks < 2^62.
  wave_kernel(std::int64_t blocks, std::function<void(std::int64_t)> block, ticks block_length = 0)
      : wave_{std::max<ticks>(0, block_length)}, blocks_{std::max<std::int64_t>(0, blocks)}, block_{std::move(block)} {
    TAKT_EXPECTS(blocks < std::int64_t{1} << 62U);
  }

  [[nodiscard]] auto computes() const noexcept -> bool { return static_cast<bool>(block_); }
  [[nodiscard]] auto blocks(std::int32_t cores) const noexcept -> std::int64_t {
    return computes() ? blocks_ : waves() * cores;
  }
  /// Returns the least time of a block on its core.
  [[nodiscard]] auto length_of(std::int64_t block, std::int32_t cores) const noexcept -> ticks {
    const bool whole = computes() || block / cores + 1 < waves();
    return whole ? wave_ : length_ - (waves() - 1) * wave_;
  }
  /// Pre: `computes()`.
  void compute(std::int64_t block) const {
    TAKT_EXPECTS(computes());
    block_(block);
  }

 private:
  [[nodiscard]] auto waves() const noexcept -> std::int64_t { return length_ / wave_ + (length_ % wave_ > 0 ? 1 : 0); }

  ticks length_ = 0;
  ticks wave_ = finest_wave;
  std::int64_t blocks_ = 0;
  std::function<void(std::int64_t)> block_;
};

/// Is an accelerator made of host threads, one for each core.
///
/// Streams are in order. Whenever a core has finished a block, it draws the next one among the first launches of its
/// own streams and those of all cores, from the highest level. So a launch on a higher level takes a core over at the
/// end of the block that runs there. At its end the one below goes on before the host has heard of it. Blocks of one
/// launch are drawn from a common counter, as by persistent blocks on pinned SMs. Each runs exactly once, whichever
/// core takes it and however often the job yields.
///
/// Timed blocks sleep and follow one another without the time that a thread takes to wake up: a core that is late
/// catches up. Computing blocks take host cores, as they must.
class emulated_accelerator {
 public:
  using kernel = wave_kernel;

  explicit emulated_accelerator(const accelerator_record& record) noexcept : record_{record} {}
  emulated_accelerator(const emulated_accelerator&) = delete;
  auto operator=(const emulated_accelerator&) -> emulated_accelerator& = delete;
  ~emulated_accelerator() { close(); }

  [[nodiscard]] auto serves(const stream_layout& streams) const noexcept -> bool {
    return streams.cores <= record_.cores && streams.levels <= record_.preemption_levels;
  }
  [[nodiscard]] auto open(const accelerator_setup& setup) -> bool {
    setup_ = setup;
    closing_ = false;
    launches_.assign(setup.kernels, launch{});
    streams_.assign(static_cast<std::size_t>(setup.streams.count()), {});
    for (auto& s : streams_) { s.reserve(setup.kernels); }
    cores_.clear();
    for (std::int32_t c = 0; c < setup.streams.cores; ++c) {
      cores_.push_back(std::make_unique<core>());
      cores_.back()->pieces.reserve(setup.trace_capacity);
    }
    for (std::int32_t c = 0; c < setup.streams.cores; ++c) {
      cores_[static_cast<std::size_t>(c)]->worker = thread{[this, c] { serve(c); }};
    }
    return std::ranges::all_of(cores_, [](const auto& c) { return c->worker.started(); });
  }
  void close() {
    {
      const std::lock_guard lock{mutex_};
      closing_ = true;
      changed_.notify_all();
      closed_.notify_all();
    }
    for (const auto& c : cores_) { c->worker.join(); }
  }

  void load(kernel_id k, const wave_kernel& body, std::uint64_t job) {
    const std::lock_guard lock{mutex_};
    launches_[to_index(k)] = {.body = &body, .job = job};
  }
  void submit(kernel_id k, const kernel_placement& where) {
    const std::lock_guard lock{mutex_};
    launch& l = launches_[to_index(k)];
    l.cores = where.core == unassigned_core ? setup_.streams.cores : 1;
    l.blocks = l.body->blocks(l.cores);
    l.since = l.until = now();
    l.order = ++order_;
    l.launched = true;
    l.leaving = false;
    l.stream = to_index(setup_.streams.stream_of(where));
    streams_[l.stream].push_back(k);
    changed_.notify_all();
  }
  void request_yield(kernel_id k) {
    const std::lock_guard lock{mutex_};
    launches_[to_index(k)].leaving = launches_[to_index(k)].launched;
    changed_.notify_all();
  }

  [[nodiscard]] auto serve_at(std::int32_t priority) -> bool {
    return std::ranges::all_of(cores_, [priority](const auto& c) {
      return c->worker.started() && schedule(c->worker.native_handle(), priority) == 0;
    });
  }
  [[nodiscard]] static auto name() noexcept -> std::string_view { return "emulated accelerator"; }
  [[nodiscard]] auto record() const noexcept -> const accelerator_record& { return record_; }

  /// Records every uninterrupted piece on every core, of a kernel for all cores once for each.
  template <TraceRecorder Recorder>
  auto replay(Recorder& recorder, ticks origin) const -> std::uint64_t {
    std::uint64_t lost = 0;
    for (const auto& c : cores_) {
      lost += c->lost;
      for (slice s : c->pieces) {
        s.start -= origin;
        s.end -= origin;
        recorder.record(s);
      }
    }
    return lost;
  }

 private:
  struct launch {
    const wave_kernel* body = nullptr;
    std::uint64_t job = 0;
    std::int64_t next = 0;  ///< first block that has not been drawn
    std::int64_t blocks = 0;
    std::int32_t cores = 1;
    std::int32_t in_flight = 0;
    std::size_t stream = 0;
    ticks since = 0;  ///< it has been the first of its stream, or launched
    ticks until = 0;  ///< so far
    std::uint64_t order = 0;
    bool launched = false;
    bool leaving = false;
  };
  struct core {
    ticks free_since = 0;
    std::vector<slice> pieces;
    std::uint64_t lost = 0;
    thread worker;
  };
  using held_lock = std::unique_lock<inheriting_mutex>;

  void serve(std::int32_t c) {
    held_lock lock{mutex_};
    while (!closing_) {
      if (const kernel_id ended = find(c, has_ended); ended != no_kernel) {
        announce(ended, lock);
      } else if (const kernel_id k = find(c, has_work); k != no_kernel) {
        run_block(c, k, lock);
      } else {
        changed_.wait(
            lock, [this, c] { return closing_ || find(c, has_ended) != no_kernel || find(c, has_work) != no_kernel; });
      }
    }
  }

  [[nodiscard]] static auto has_work(const launch& l) noexcept -> bool { return !l.leaving && l.next < l.blocks; }
  [[nodiscard]] static auto has_ended(const launch& l) noexcept -> bool {
    return l.in_flight == 0 && (l.leaving || l.next == l.blocks);
  }
  /// Finds the launch on the highest level of which `holds` is true, among the first launches of the streams that a
  /// core serves. Of two on one level it takes the one that was launched first.
  [[nodiscard]] auto find(std::int32_t c, bool (*holds)(const launch&)) const noexcept -> kernel_id {
    kernel_id best = no_kernel;
    for (std::int32_t level = setup_.streams.levels - 1; best == no_kernel && level >= 0; --level) {
      for (const std::int32_t place : {c, unassigned_core}) {
        const auto& stream = streams_[to_index(setup_.streams.stream_of({.core = place, .level = level}))];
        if (stream.empty()) { continue; }
        const launch& l = launches_[to_index(stream.front())];
        const bool first = best == no_kernel || l.order < launches_[to_index(best)].order;
        if (first && holds(l)) { best = stream.front(); }
      }
    }
    return best;
  }

  void announce(kernel_id k, held_lock& lock) {
    launch& l = launches_[to_index(k)];
    const launch_end how = l.next == l.blocks ? launch_end::complete : launch_end::yielded;
    l.launched = l.leaving = false;
    auto& stream = streams_[l.stream];
    stream.erase(stream.begin());
    if (!stream.empty()) {
      launch& next = launches_[to_index(stream.front())];
      next.since = next.until = std::max(next.since, l.until);
    }
    changed_.notify_all();
    lock.unlock();
    setup_.ended(k, how);
    lock.lock();
  }

  void run_block(std::int32_t c, kernel_id k, held_lock& lock) {
    launch& l = launches_[to_index(k)];
    core& own = *cores_[to_index(c)];
    const std::int64_t block = l.next++;
    ++l.in_flight;
    const ticks begin = std::max(own.free_since, l.since);
    ticks end = later(begin, l.body->length_of(block, l.cores));
    if (l.body->computes()) {
      lock.unlock();
      l.body->compute(block);
      end = std::max(end, now());
      lock.lock();
    }
    closed_.wait_until(lock, end, [this] { return closing_; });
    if (closing_) { end = std::max(begin, std::min(end, now())); }
    own.free_since = end;
    l.until = std::max(l.until, end);
    --l.in_flight;
    remember(own, {.task = static_cast<std::uint32_t>(k),
                   .job = l.job,
                   .where = {.where = stage::kernel, .gpu = 0, .index = c, .count = 1},
                   .start = begin,
                   .end = end});
    if (has_ended(l)) { changed_.notify_all(); }
  }
  static void remember(core& own, const slice& s) {
    if (!own.pieces.empty()) {
      slice& last = own.pieces.back();
      if (last.task == s.task && last.job == s.job && last.end == s.start) {
        last.end = s.end;
        return;
      }
    }
    if (own.pieces.size() < own.pieces.capacity()) {
      own.pieces.push_back(s);
    } else if (own.pieces.capacity() > 0) {
      ++own.lost;
    }
  }

  accelerator_record record_;
  accelerator_setup setup_{};
  inheriting_mutex mutex_;
  condition changed_;
  condition closed_;
  std::vector<launch> launches_;
  std::vector<std::vector<kernel_id>> streams_;
  std::vector<std::unique_ptr<core>> cores_;
  std::uint64_t order_ = 0;
  bool closing_ = true;
};

static_assert(AcceleratorDevice<emulated_accelerator> && ReplayingDevice<emulated_accelerator>);

}  // namespace takt::inline TAKT_ABI::runtime
