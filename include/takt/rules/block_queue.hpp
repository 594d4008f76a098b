// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/block_placement.hpp>

namespace takt::inline TAKT_ABI {

inline constexpr std::int32_t no_queued_kernel = -1;
/// A stream of the kernel alone, which therefore waits for no other.
inline constexpr std::int32_t own_stream = -1;

struct queued_kernel {
  block_footprint block{};
  std::int64_t blocks = 1;
  /// Kernels of one stream run one after the other, in the order in which they are enqueued.
  std::int32_t stream = own_stream;
};

/// A GPU as its block queue sees it.
struct gpu_shape {
  std::int32_t sms = 1;
  sm_capacity each{};
  block_placement placement = block_placement::even;
  std::int64_t grids = 0;  ///< kernels with blocks on SMs at once; 0: any number
};

/// A block that starts on an SM now; of no kernel when none does.
struct block_start {
  std::int32_t kernel = no_queued_kernel;
  std::int32_t sm = 0;

  [[nodiscard]] friend constexpr auto operator==(const block_start&, const block_start&) noexcept -> bool = default;
};

/// The execution engine of a GPU: kernels in one FIFO queue, whose blocks go to SMs that have room for them and stay
/// until they end. Only the head of the queue places blocks; it leaves the queue with its last one, so a block that
/// fits nowhere holds up all kernels behind it. A kernel whose stream is occupied enters the queue when its stream is
/// free.
///
/// Order within one instant: every `complete`, then every `enqueue`, then `dispatch` until nothing starts. Kernels that
/// wait for their stream enter before those enqueued at the instant at which it becomes free. They keep the order in
/// which the kernels that they waited for had entered.
///
/// `MaxKernels` bounds the kernels that are not finished. A kernel is known by a number that is free again once it has
/// finished and the next `enqueue` or `dispatch` has come.
/// Source: Yang et al. 2018, section 4.1, after Amert et al. 2017.
template <std::size_t MaxKernels, std::size_t MaxSms, std::size_t MaxStreams = MaxKernels>
class block_queue {
 public:
  static constexpr std::size_t max_kernels = MaxKernels;
  static constexpr std::size_t max_sms = MaxSms;

  /// At most `grids` kernels have blocks on SMs at once; 0: any number. Pre: 1 <= sms <= MaxSms.
  constexpr block_queue(std::int32_t sms, const sm_capacity& each, block_placement placement = block_placement::even,
                        std::int64_t grids = 0) noexcept
      : each_{each}, sms_{sms}, grids_{grids}, placement_{placement} {
    TAKT_EXPECTS(1 <= sms && static_cast<std::size_t>(sms) <= MaxSms);
    idle_.fill(each);
    entries_.fill(entry{});
    streams_.fill(stream{});
    for (std::size_t i = 0; i < MaxKernels; ++i) { free_[i] = static_cast<std::int32_t>(MaxKernels - 1 - i); }
  }

  /// Returns whether a kernel could run here: it has blocks, one of them fits on an empty SM, and its stream is below
  /// MaxStreams.
  [[nodiscard]] constexpr auto takes(const queued_kernel& k) const noexcept -> bool {
    const bool streamed = k.stream == own_stream || (k.stream >= 0 && to_index(k.stream) < MaxStreams);
    const block_footprint& b = k.block;
    return streamed && k.blocks > 0 && b.threads > 0 && b.shared_memory >= 0 && b.registers >= 0 &&
           each_.fits(each_.held_by(b));
  }
  /// Returns the number of the kernel. `no_queued_kernel`, and no change: not taken, or MaxKernels are unfinished.
  [[nodiscard]] constexpr auto enqueue(const queued_kernel& k) noexcept -> std::int32_t {
    free_streams();
    if (unfinished_ == MaxKernels || !takes(k)) { return no_queued_kernel; }
    ++unfinished_;
    const std::int32_t number = free_[MaxKernels - unfinished_];
    entries_[to_index(number)] = {.kernel = k, .unplaced = k.blocks};
    entries_[to_index(number)].kernel.block = each_.held_by(k.block);
    if (k.stream == own_stream) {
      append(number);
      return number;
    }
    stream& s = streams_[to_index(k.stream)];
    if (!s.occupied) {
      s.occupied = true;
      append(number);
      return number;
    }
    (s.last == no_queued_kernel ? s.first : entries_[to_index(s.last)].next) = number;
    s.last = number;
    return number;
  }

  /// Returns a block that starts now. After one has started the next may start too.
  [[nodiscard]] constexpr auto dispatch() noexcept -> block_start {
    free_streams();
    if (waiting_ == 0) { return {}; }
    const std::int32_t head = queue_[first_];
    entry& e = entries_[to_index(head)];
    const bool starts = e.unplaced == e.kernel.blocks;
    if (starts && grids_ > 0 && resident_ >= grids_) { return {}; }
    const std::int32_t sm = choose(e.kernel.block);
    if (sm < 0) { return {}; }
    idle_[to_index(sm)].take(e.kernel.block, 1);
    resident_ += starts ? 1 : 0;
    --e.unplaced;
    ++e.running;
    if (e.unplaced == 0) {
      first_ = (first_ + 1) % MaxKernels;
      --waiting_;
    }
    return {head, sm};
  }

  /// Notes that so many blocks of a kernel end on an SM. Returns whether it is then finished. Pre: they run there.
  constexpr auto complete(std::int32_t kernel, std::int32_t sm, std::int64_t count = 1) noexcept -> bool {
    TAKT_EXPECTS(is_sm(sm) && is_kernel(kernel) && 1 <= count && count <= entries_[to_index(kernel)].running);
    entry& e = entries_[to_index(kernel)];
    idle_[to_index(sm)].give_back(e.kernel.block, count);
    e.running -= count;
    if (e.running > 0 || e.unplaced > 0) { return false; }
    --resident_;
    ended_[ended_count_] = kernel;
    ++ended_count_;
    return true;
  }

  [[nodiscard]] constexpr auto sms() const noexcept -> std::int32_t { return sms_; }
  [[nodiscard]] constexpr auto each() const noexcept -> const sm_capacity& { return each_; }
  /// Pre: 0 <= sm < sms().
  [[nodiscard]] constexpr auto idle(std::int32_t sm) const noexcept -> const sm_capacity& {
    TAKT_EXPECTS(is_sm(sm));
    return idle_[to_index(sm)];
  }
  /// Returns how many kernels are in the queue; each has blocks that have not started.
  [[nodiscard]] constexpr auto waiting() const noexcept -> std::size_t { return waiting_; }
  /// Returns the number of the kernel at a position, from the head. Pre: position < waiting().
  [[nodiscard]] constexpr auto waiting(std::size_t position) const noexcept -> std::int32_t {
    TAKT_EXPECTS(position < waiting_);
    return queue_[(first_ + position) % MaxKernels];
  }
  /// Pre: a number that `enqueue` gave.
  [[nodiscard]] constexpr auto kernel(std::int32_t number) const noexcept -> const queued_kernel& {
    TAKT_EXPECTS(is_kernel(number));
    return entries_[to_index(number)].kernel;
  }
  /// Returns how many blocks have not started. Pre: the kernel is not finished.
  [[nodiscard]] constexpr auto unplaced(std::int32_t number) const noexcept -> std::int64_t {
    TAKT_EXPECTS(is_unfinished(number));
    return entries_[to_index(number)].unplaced;
  }
  /// Returns how many blocks are on SMs. Pre: the kernel is not finished.
  [[nodiscard]] constexpr auto running(std::int32_t number) const noexcept -> std::int64_t {
    TAKT_EXPECTS(is_unfinished(number));
    return entries_[to_index(number)].running;
  }
  /// Returns how many kernels have blocks on SMs, or are between their blocks.
  [[nodiscard]] constexpr auto resident() const noexcept -> std::int64_t { return resident_; }
  /// Returns how many kernels are unfinished, those that wait for their stream included.
  [[nodiscard]] constexpr auto unfinished() const noexcept -> std::size_t { return unfinished_ - ended_count_; }

 private:
  struct entry {
    queued_kernel kernel{};
    std::int64_t unplaced = 0;
    std::int64_t running = 0;
    std::uint64_t position = 0;            ///< in the order of entry into the queue
    std::int32_t next = no_queued_kernel;  ///< that waits for the same stream
  };
  struct stream {
    bool occupied = false;
    std::int32_t first = no_queued_kernel;  ///< that waits for it
    std::int32_t last = no_queued_kernel;
  };

  [[nodiscard]] constexpr auto is_sm(std::int32_t sm) const noexcept -> bool { return 0 <= sm && sm < sms_; }
  [[nodiscard]] static constexpr auto is_kernel(std::int32_t number) noexcept -> bool {
    return 0 <= number && to_index(number) < MaxKernels;
  }
  [[nodiscard]] constexpr auto is_unfinished(std::int32_t number) const noexcept -> bool {
    return is_kernel(number) && (entries_[to_index(number)].unplaced > 0 || entries_[to_index(number)].running > 0);
  }
  constexpr void append(std::int32_t number) noexcept {
    entries_[to_index(number)].position = entered_;
    ++entered_;
    queue_[(first_ + waiting_) % MaxKernels] = number;
    ++waiting_;
  }
  /// Lets what has finished at this instant leave, and those that waited for its stream enter the queue.
  constexpr void free_streams() noexcept {
    while (ended_count_ > 0) {
      std::size_t oldest = 0;
      for (std::size_t i = 1; i < ended_count_; ++i) {
        if (entries_[to_index(ended_[i])].position < entries_[to_index(ended_[oldest])].position) { oldest = i; }
      }
      const std::int32_t number = ended_[oldest];
      --ended_count_;
      ended_[oldest] = ended_[ended_count_];
      hand_on(entries_[to_index(number)].kernel.stream);
      entries_[to_index(number)].next = no_queued_kernel;
      free_[MaxKernels - unfinished_] = number;
      --unfinished_;
    }
  }
  constexpr void hand_on(std::int32_t which) noexcept {
    if (which == own_stream) { return; }
    stream& s = streams_[to_index(which)];
    const std::int32_t next = s.first;
    s.occupied = next != no_queued_kernel;
    if (!s.occupied) { return; }
    s.first = entries_[to_index(next)].next;
    if (s.first == no_queued_kernel) { s.last = no_queued_kernel; }
    append(next);
  }

  /// Returns the SM for a block, or -1.
  [[nodiscard]] constexpr auto choose(const block_footprint& b) const noexcept -> std::int32_t {
    std::int32_t best = -1;
    for (std::int32_t sm = 0; sm < sms_; ++sm) {
      if (!idle_[to_index(sm)].fits(b)) { continue; }
      if (best < 0 || fits_better(sm, best)) { best = sm; }
    }
    return best;
  }
  /// Pre: a block fits either.
  [[nodiscard]] constexpr auto fits_better(std::int32_t sm, std::int32_t than) const noexcept -> bool {
    TAKT_EXPECTS(is_sm(sm) && is_sm(than));
    return placement_.prefers(idle_[to_index(sm)], idle_[to_index(than)]);
  }

  std::array<sm_capacity, MaxSms> idle_{};
  std::array<entry, MaxKernels> entries_{};
  std::array<stream, MaxStreams> streams_{};
  std::array<std::int32_t, MaxKernels> queue_{};  ///< a ring
  std::array<std::int32_t, MaxKernels> free_{};   ///< the numbers not in use are the first MaxKernels - unfinished_
  std::array<std::int32_t, MaxKernels> ended_{};
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;
  std::size_t unfinished_ = 0;
  std::size_t ended_count_ = 0;
  std::uint64_t entered_ = 0;
  std::int64_t resident_ = 0;
  sm_capacity each_;
  std::int32_t sms_;
  std::int64_t grids_;
  block_placement placement_;
};

}  // namespace takt::inline TAKT_ABI
