// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/rules/block_queue.hpp>
#include <takt/rules/servers/block_visit.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI {

/// A GPU whose kernels wait in one `block_queue`, each in a stream of its own. All blocks of a run are equally long: a
/// visit that takes so much on an empty GPU takes as much there, and no less beside others. The serial part of a kernel
/// comes before its blocks, when it is the head of the queue, and holds no SM. If a visit takes less than it may, this
/// part shrinks first. The unit of a slice is the SM; several clients may hold it at a time.
///
/// Pre: at most `MaxSms` SMs, blocks of one kernel that started together on one SM and run are at most `MaxBlocks`, and
/// visits have the values of a `block_visit`.
template <std::size_t Capacity, std::size_t MaxSms, std::size_t MaxBlocks, std::size_t MaxStreams>
class block_queue_server {
 public:
  using queue_type = block_queue<Capacity, MaxSms, MaxStreams>;

  constexpr block_queue_server() noexcept : block_queue_server(block_gpu{}) {}
  constexpr explicit block_queue_server(const block_gpu& gpu) noexcept
      : block_queue_server(
            gpu_shape{.sms = gpu.sms,
                      .each = {.threads = gpu.threads_per_sm,
                               .blocks = gpu.block_slots > 0 ? gpu.block_slots : sm_capacity::unlimited}}) {
    gpu_ = gpu;
  }
  /// For kernels that come by `enqueue`.
  constexpr explicit block_queue_server(const gpu_shape& gpu) noexcept
      : queue_{gpu.sms, gpu.each, gpu.placement, gpu.grids}, gpu_{.sms = gpu.sms} {}

  constexpr void arrive(const visit_request& v) noexcept {
    const block_visit k = block_visit::of(v.view);
    TAKT_EXPECTS(k.blocks >= 1 && k.threads >= 1 && k.length >= 0);
    const std::int64_t rounds = rounds_alone(gpu_, k.blocks, k.threads);
    const ticks in_blocks = v.length < rounds * k.length ? v.length : rounds * k.length;
    const bool taken = enqueue(v.who, {.block = {.threads = k.threads}, .blocks = k.blocks},
                               ceil_divide(in_blocks, rounds), v.length - in_blocks);
    TAKT_EXPECTS(taken);
  }
  /// Each block takes `length`. False, and no change, where the queue refuses the kernel.
  constexpr auto enqueue(client who, const queued_kernel& k, ticks length, ticks serial = 0) noexcept -> bool {
    const std::int32_t number = queue_.enqueue(k);
    if (number == no_queued_kernel) { return false; }
    loads_[number] = {length, serial, who};
    return true;
  }
  constexpr void decide(ticks now, const slice_sink& /*sink*/) noexcept {
    std::int32_t kernel = no_queued_kernel;
    for (;;) {
      const block_start s = holds_back(now) ? block_start{} : queue_.dispatch();
      if (s.kernel != kernel && kernel != no_queued_kernel) { start(kernel, now); }
      kernel = s.kernel;
      if (kernel == no_queued_kernel) { return; }
      ++starting_[s.sm];
    }
  }
  [[nodiscard]] constexpr auto next() const noexcept -> ticks {
    return count_ == 0 || opens_ < groups_[0].end ? opens_ : groups_[0].end;
  }
  constexpr auto fire(ticks now, const slice_sink& sink) -> client {
    if (opens_ <= now) {
      loads_[queue_.waiting(0)].serial = 0;
      opens_ = no_event;
    }
    while (count_ > 0 && groups_[0].end <= now) {
      const group g = pop();
      const load k = loads_[g.kernel];
      sink(k.who, g.sm, g.end - k.length, g.end);
      if (queue_.complete(g.kernel, g.sm, g.blocks)) { return k.who; }
    }
    return no_client;
  }

  [[nodiscard]] constexpr auto queue() const noexcept -> const queue_type& { return queue_; }
  /// Returns the unfinished work of what is in the queue or runs, without serial parts, in thread time. Pre: it fits.
  [[nodiscard]] constexpr auto backlog(ticks now) const noexcept -> ticks {
    ticks sum = 0;
    bool fits = true;
    const auto add = [&](ticks time, std::int64_t threads, std::int64_t blocks) {
      ticks work = 0;
      fits = fits && checked_multiply(time, threads, work) && checked_multiply(work, blocks, work) &&
             checked_add(sum, work, sum);
    };
    for (std::size_t i = 0; i < count_; ++i) {
      add(groups_[i].end - now, queue_.kernel(groups_[i].kernel).block.threads, groups_[i].blocks);
    }
    for (std::size_t i = 0; i < queue_.waiting(); ++i) {
      const std::int32_t k = queue_.waiting(i);
      add(loads_[k].length, queue_.kernel(k).block.threads, queue_.unplaced(k));
    }
    TAKT_EXPECTS(fits);
    return sum;
  }

 private:
  struct load {
    ticks length = 0;  ///< of each block
    ticks serial = 0;  ///< that is still to come
    client who = no_client;
  };
  /// Blocks of a kernel that started on an SM at one instant.
  struct group {
    ticks end = 0;
    std::int32_t blocks = 0;
    std::int16_t kernel = 0;
    std::int16_t sm = 0;
  };
  static_assert(Capacity <= 32'767 && MaxSms <= 32'767);

  [[nodiscard]] static constexpr auto before(const group& a, const group& b) noexcept -> bool {
    if (a.end != b.end) { return a.end < b.end; }
    return a.kernel != b.kernel ? a.kernel < b.kernel : a.sm < b.sm;
  }
  /// Returns whether the serial part of the head keeps blocks from starting.
  constexpr auto holds_back(ticks now) noexcept -> bool {
    if (queue_.waiting() == 0) { return false; }
    const ticks serial = loads_[queue_.waiting(0)].serial;
    if (serial > 0 && opens_ == no_event) { opens_ = now + serial; }
    return serial > 0;
  }
  constexpr void start(std::int32_t kernel, ticks now) noexcept {
    for (std::int32_t sm = 0; sm < gpu_.sms; ++sm) {
      if (starting_[sm] == 0) { continue; }
      push({now + loads_[kernel].length, starting_[sm], static_cast<std::int16_t>(kernel),
            static_cast<std::int16_t>(sm)});
      starting_[sm] = 0;
    }
  }
  constexpr void push(const group& g) noexcept {
    TAKT_EXPECTS(count_ < MaxBlocks);
    std::size_t at = count_++;
    for (; at > 0 && before(g, groups_[(at - 1) / 2]); at = (at - 1) / 2) { groups_[at] = groups_[(at - 1) / 2]; }
    groups_[at] = g;
  }
  constexpr auto pop() noexcept -> group {
    const group first = groups_[0];
    const group last = groups_[--count_];
    std::size_t at = 0;
    for (std::size_t child = 1; child < count_; child = 2 * at + 1) {
      if (child + 1 < count_ && before(groups_[child + 1], groups_[child])) { ++child; }
      if (!before(groups_[child], last)) { break; }
      groups_[at] = groups_[child];
      at = child;
    }
    groups_[at] = last;
    return first;
  }

  queue_type queue_;
  block_gpu gpu_;
  load loads_[Capacity]{};     ///< by number of the kernel
  group groups_[MaxBlocks]{};  ///< a heap, the earliest end first
  std::size_t count_ = 0;
  ticks opens_ = no_event;           ///< end of the serial part of the head
  std::int32_t starting_[MaxSms]{};  ///< blocks that the kernel in hand starts now
};

}  // namespace takt::inline TAKT_ABI
