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

namespace takt {

/// A GPU whose kernels wait in one `block_queue`, each in a stream of its own. All blocks of a run are equally long: a
/// visit that takes so much on an empty GPU takes as much there, and no less beside others. The serial part of a kernel
/// comes before its blocks, when it is the head of the queue, and holds no SM; a visit that takes less than it may
/// saves it first. The unit of a slice is the SM; several clients may hold it at a time.
///
/// Pre: at most `MaxSms` SMs, no more than `MaxBlocks` blocks fit on them at once, and visits have the values of a
/// `block_visit`.
template <std::size_t Capacity, std::size_t MaxSms, std::size_t MaxBlocks>
class block_queue_server {
 public:
  constexpr block_queue_server() noexcept : block_queue_server(block_gpu{}) {}
  constexpr explicit block_queue_server(const block_gpu& gpu) noexcept
      : queue_{gpu.sms,
               {.threads = gpu.threads_per_sm,
                .blocks = gpu.block_slots > 0 ? gpu.block_slots : sm_capacity::unlimited}},
        gpu_{gpu} {}

  constexpr void arrive(const visit_request& v) noexcept {
    const block_visit k = block_visit::of(v.view);
    const std::int32_t number = queue_.enqueue({.block = {.threads = k.threads}, .blocks = k.blocks});
    if (number == no_queued_kernel) { return; }
    const std::int64_t rounds = rounds_alone(gpu_, k.blocks, k.threads);
    const ticks in_blocks = v.length < rounds * k.length ? v.length : rounds * k.length;
    loads_[number] = {ceil_divide(in_blocks, rounds), v.length - in_blocks, v.who};
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
  /// Whether the serial part of the head keeps blocks from starting.
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

  block_queue<Capacity, MaxSms, 1> queue_;
  block_gpu gpu_;
  load loads_[Capacity]{};     ///< by number of the kernel
  group groups_[MaxBlocks]{};  ///< a heap, the earliest end first
  std::size_t count_ = 0;
  ticks opens_ = no_event;           ///< end of the serial part of the head
  std::int32_t starting_[MaxSms]{};  ///< blocks that the kernel in hand starts now
};

}  // namespace takt
