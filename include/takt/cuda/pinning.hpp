// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <takt/model/platform_record.hpp>
#include <takt/rules/dedicated_sms.hpp>

#if defined(__CUDACC__)
#define TAKT_HOST_DEVICE __host__ __device__
#else
#define TAKT_HOST_DEVICE
#endif
// The machine of a device has functions for the device alone, that of an emulation for the host alone.
#if defined(__NVCC__)
#define TAKT_ANY_MACHINE _Pragma("nv_exec_check_disable")
#else
#define TAKT_ANY_MACHINE
#endif

namespace takt::inline TAKT_ABI::cuda {

/// Bounds the physical SMs of the largest GPU that pinning knows, and the blocks that one SM holds.
inline constexpr std::uint32_t max_sms = 256;
inline constexpr std::uint32_t max_slots = 32;

/// Says how many blocks of a task may be at work on each physical SM at a time: its virtual SMs there, 0 for none.
/// Goes to a kernel by value.
struct sm_slots {
  std::uint8_t per_sm[max_sms]{};

  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto at(std::uint32_t sm) const noexcept -> std::uint32_t {
    return sm < max_sms ? per_sm[sm] : 0U;
  }
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto total() const noexcept -> std::int32_t {
    std::int32_t sum = 0;
    for (const std::uint8_t slots : per_sm) { sum += slots; }
    return sum;
  }
  [[nodiscard]] friend constexpr auto operator==(const sm_slots&, const sm_slots&) noexcept -> bool = default;
};

namespace detail {

[[nodiscard]] constexpr auto are_slots(std::int32_t first, std::int32_t count, std::int32_t per_sm,
                                       std::int64_t units) noexcept -> bool {
  return first >= 0 && count >= 0 && per_sm >= 1 && per_sm <= static_cast<std::int32_t>(max_slots) &&
         std::int64_t{first} + count <= units;
}

}  // namespace detail

/// Gives whole physical SMs, `per_sm` blocks on each: kernels interleave with themselves alone. No slot at all when an
/// argument is out of range. Source: Zou et al. 2021, section 4.3.
[[nodiscard]] constexpr auto isolated_slots(std::int32_t first_sm, std::int32_t count, std::int32_t per_sm) noexcept
    -> sm_slots {
  sm_slots out;
  if (!detail::are_slots(first_sm, count, per_sm, max_sms)) { return out; }
  for (std::int32_t sm = first_sm; sm < first_sm + count; ++sm) { out.per_sm[sm] = static_cast<std::uint8_t>(per_sm); }
  return out;
}

/// Gives virtual SMs, of which number v is on physical SM v / per_sm: kernels of other tasks may sit beside. No slot at
/// all when an argument is out of range.
[[nodiscard]] constexpr auto shared_slots(std::int32_t first_virtual, std::int32_t count, std::int32_t per_sm) noexcept
    -> sm_slots {
  sm_slots out;
  if (!detail::are_slots(first_virtual, count, per_sm, std::int64_t{per_sm} * max_sms)) { return out; }
  for (std::int32_t v = first_virtual; v < first_virtual + count; ++v) { ++out.per_sm[v / per_sm]; }
  return out;
}

namespace detail {

/// Returns the slots behind a range that a plan dedicates to a task.
[[nodiscard]] constexpr auto slots_of(const gpu_record& gpu, const sm_range& range) noexcept -> sm_slots {
  return gpu.shared ? shared_slots(range.first, range.count, gpu.virtual_per_sm)
                    : isolated_slots(range.first, range.count, gpu.virtual_per_sm);
}

}  // namespace detail

/// Divides the logical indices 0 to count - 1 of a kernel into chunks of `length`; the last one may be shorter. One
/// block does a chunk without a look at other blocks.
struct pinned_work {
  std::int64_t count = 0;
  std::int64_t length = 1;
  std::uint32_t chunks = 0;
  std::uint32_t job = 0;  ///< which job on its `pinning_state` this is, from 0, one after the other

  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto first(std::uint32_t chunk) const noexcept -> std::int64_t {
    return static_cast<std::int64_t>(chunk) * length;
  }
  /// Returns one past the last index.
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto last(std::uint32_t chunk) const noexcept -> std::int64_t {
    return count - first(chunk) < length ? count : first(chunk) + length;
  }
};

/// Returns none unless count >= 0, length >= 1 and the chunks are fewer than 2^31. Claims are counted in 32 bits, and
/// each block that has a slot may claim once more than there are chunks.
[[nodiscard]] constexpr auto divide_work(std::int64_t count, std::int64_t length, std::uint32_t job = 0) noexcept
    -> std::optional<pinned_work> {
  if (count < 0 || length < 1) { return std::nullopt; }
  const std::int64_t chunks = count / length + (count % length != 0 ? 1 : 0);
  if (chunks > std::numeric_limits<std::int32_t>::max()) { return std::nullopt; }
  return pinned_work{count, length, static_cast<std::uint32_t>(chunks), job};
}

namespace detail {

/// Returns blocks that cover `count` elements of `block_length` each, none of them lost where the sizes do not divide.
/// Pre: count >= 0, block_length >= 1. Source: Elliott 2015, section 2.4.2.1.
[[nodiscard]] constexpr auto grid_for(std::int64_t count, std::int64_t block_length) noexcept -> std::int64_t {
  TAKT_EXPECTS(count >= 0 && block_length >= 1);
  return count / block_length + (count % block_length != 0 ? 1 : 0);
}

}  // namespace detail

/// Launches of one job that may be under way at a time: the first one, and those that join it on SMs that it gets
/// while it runs. Each has a lane of its own.
inline constexpr std::uint32_t max_lanes = 4;

/// Holds what blocks of a task's launches share: all zeros before the first launch; no launch leaves anything to clean.
struct pinning_state {
  std::uint64_t next[2]{};            ///< of even and of odd jobs: the job above, claims of its chunks below
  std::uint64_t gone[max_lanes]{};    ///< of the lane's launch: blocks that found work above, that have left below
  std::uint32_t finished = 0;         ///< chunks of the job that are done and reported
  std::uint32_t occupied[max_sms]{};  ///< a bit per slot of the SM
};

/// Says where a block is and how it gets at shared words.
///
/// - `sm()`: the physical SM of the block; the same as long as it runs.
/// - `dealt(sm)`: slots that the launch was given there. Costs no access to memory that is shared.
/// - `allowed(sm)`: slots that the task has there at this moment, at most `max_slots`. Free to change at any
///   time.
/// - `load`, `store`, `exchange_if` (returns what was there), `add` (the same) and `clear`: each atomic, and ordered
///   with nothing else.
/// - `publish` is an `add` behind all that the block did before. `take` returns a word, makes it 0, and sees what was
///   done before whatever was published in it.
/// - `left(chunks, claimed)`: called by the last block of a launch. `chunks` are those that no block took, and
///   `claimed` is the number of blocks that came to a slot while there were any chunks left.
template <class M>
concept PinningMachine = requires(M& m, std::uint32_t& word, std::uint64_t& wide, std::uint32_t n, std::uint64_t w) {
  { m.sm() } -> std::same_as<std::uint32_t>;
  { m.dealt(n) } -> std::same_as<std::uint32_t>;
  { m.allowed(n) } -> std::same_as<std::uint32_t>;
  { m.load(word) } -> std::same_as<std::uint32_t>;
  { m.load(wide) } -> std::same_as<std::uint64_t>;
  { m.exchange_if(word, n, n) } -> std::same_as<std::uint32_t>;
  { m.add(word, n) } -> std::same_as<std::uint32_t>;
  { m.add(wide, w) } -> std::same_as<std::uint64_t>;
  { m.publish(wide, w) } -> std::same_as<std::uint64_t>;
  { m.take(wide) } -> std::same_as<std::uint64_t>;
  m.clear(word, n);
  m.store(word, n);
  m.store(wide, w);
  m.left(n, n);
};

/// Says where a block is after a step.
enum class walk_stop : std::uint8_t {
  none,   ///< between two steps
  chunk,  ///< the caller does `chunk()`, then steps on
  gone,
};

/// Runs a persistent block pinned to the SMs that its task has. It is the algorithm of one block, one access to a
/// shared word per step. So a device runs it step after step, and a test in any order of the steps of all blocks.
///
/// 1. It takes a free slot of its SM, or leaves. Its slot is what the paper reads off the block index, which is wrong
///    whenever the hardware does not deal blocks out evenly. A block on an SM that its launch was not dealt leaves
///    before it has read anything.
/// 2. It looks whether its job has chunks left. Then, before each chunk, it asks whether its slot is still the task's,
///    and leaves at this boundary if not. Else it claims the next chunk by adding to the word of its job.
/// 3. It gives the slot back and reports how many chunks it did. The block that completes the count opens the next
///    job.
///
/// Each chunk is done exactly once, whatever the placement, the number of blocks, and the changes of the slots. Within
/// a job its word only grows, by 1 for each claim, so every chunk is claimed by one block. A block leaves only between
/// chunks, so what was claimed is done. None is lost: what no block claimed is still to claim for the next launch of
/// the same job. So a launch that found no slot, one that yielded, and one that is joined by more blocks all go on.
///
/// Claims beyond the last chunk do no harm. Jobs use the two words in turn, and the one that closes job k opens job k +
/// 1 in the *other* word. So late claims of job k fall on a word that job k alone has, until job k + 1 is closed. Such
/// claims come only from blocks that looked before the last chunk was claimed: every one has had a slot since then.
/// They are at most max_sms * max_slots, and with fewer than 2^31 chunks the lower half never overflows. Blocks that
/// start later look, see nothing of their job, and claim nothing. The job ends when the reports add up to its chunks,
/// hence after the last one is done. No step waits for another block; a slot is missed only when another block has
/// taken it.
///
/// Order between words is needed once. The last block of a launch tells the host what is left, so it has to see the
/// claims of all others. Those that did chunks publish as they count out, and the last one takes the count. A block
/// that did none has nothing to publish. What chunks wrote is published by the end of the launch, for which each reader
/// waits.
///
/// Pre: launches of job k have ended before job k + 1 is closed.
///
/// Differs from Zou et al. 2021, Algorithm 1, whose blocks own the piece of their index.
class pinned_walk {
 public:
  /// Is one of the `blocks` blocks of a launch on a lane. Pre: lane < max_lanes; no other launch is on the lane.
  TAKT_HOST_DEVICE constexpr pinned_walk(const pinned_work& work, std::uint32_t lane, std::uint32_t blocks) noexcept
      : chunks_{work.chunks}, job_{work.job}, lane_{lane}, blocks_{blocks} {
    TAKT_EXPECTS(lane < max_lanes);
  }

  /// Makes one step, with at most one access to what blocks share.
  TAKT_ANY_MACHINE template <class M>
  TAKT_HOST_DEVICE constexpr auto step(M& m, pinning_state& s) -> walk_stop {
    switch (at_) {
      case point::arrive: return arrive(m);
      case point::look_for_slot: return choose_slot(m.load(s.occupied[sm_]));
      case point::take_slot: return take_slot(m, s);
      case point::look:
        finds_work_ = remaining(m.load(own(s))) > 0;
        return go(finds_work_ ? point::ask : point::give_slot);
      case point::ask: return go(m.allowed(sm_) > slot_ ? point::claim : point::give_slot);
      case point::claim: return claim(m.add(own(s), std::uint64_t{1}));
      case point::work: ++done_; return go(point::ask);
      case point::give_slot: m.clear(s.occupied[sm_], bit()); return go(done_ > 0 ? point::report : point::count_out);
      case point::report: return go(m.add(s.finished, done_) + done_ == chunks_ ? point::close : point::count_out);
      case point::close: m.store(s.finished, 0U); return go(point::open_next);
      case point::open_next: m.store(s.next[(job_ + 1U) % 2U], pack(job_ + 1U, 0)); return go(point::count_out);
      case point::count_out: return count_out(m, s);
      case point::take_count: counted_ = m.take(s.gone[lane_]); return go(point::tell);
      case point::tell: m.left(remaining(m.load(own(s))), upper(counted_)); return go(point::gone);
      case point::gone: break;
    }
    return walk_stop::gone;
  }

  /// Goes to the next chunk, or out.
  TAKT_ANY_MACHINE template <class M>
  TAKT_HOST_DEVICE constexpr auto advance(M& m, pinning_state& s) -> walk_stop {
    walk_stop stop = walk_stop::none;
    while (stop == walk_stop::none) { stop = step(m, s); }
    return stop;
  }

  /// Pre: the last step stopped at a chunk.
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto chunk() const noexcept -> std::uint32_t {
    TAKT_EXPECTS(at_ == point::work);
    return chunk_;
  }
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto sm() const noexcept -> std::uint32_t { return sm_; }
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto slot() const noexcept -> std::uint32_t { return slot_; }

  [[nodiscard]] friend constexpr auto operator<=>(const pinned_walk&, const pinned_walk&) noexcept = default;

 private:
  enum class point : std::uint8_t {
    arrive,
    look_for_slot,
    take_slot,
    look,
    ask,
    claim,
    work,
    give_slot,
    report,
    close,
    open_next,
    count_out,
    take_count,
    tell,
    gone,
  };

  [[nodiscard]] TAKT_HOST_DEVICE static constexpr auto pack(std::uint32_t above, std::uint32_t below) noexcept
      -> std::uint64_t {
    return (static_cast<std::uint64_t>(above) << 32U) | below;
  }
  [[nodiscard]] TAKT_HOST_DEVICE static constexpr auto lower(std::uint64_t word) noexcept -> std::uint32_t {
    return static_cast<std::uint32_t>(word);
  }
  [[nodiscard]] TAKT_HOST_DEVICE static constexpr auto upper(std::uint64_t word) noexcept -> std::uint32_t {
    return static_cast<std::uint32_t>(word >> 32U);
  }
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto own(pinning_state& s) const noexcept -> std::uint64_t& {
    return s.next[job_ % 2U];
  }
  /// Returns how many chunks of this job no block has claimed.
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto remaining(std::uint64_t next) const noexcept -> std::uint32_t {
    return upper(next) == job_ && lower(next) < chunks_ ? chunks_ - lower(next) : 0U;
  }
  [[nodiscard]] TAKT_HOST_DEVICE constexpr auto bit() const noexcept -> std::uint32_t { return 1U << slot_; }

  TAKT_HOST_DEVICE constexpr auto go(point to) noexcept -> walk_stop {
    at_ = to;
    return to == point::gone ? walk_stop::gone : walk_stop::none;
  }

  TAKT_ANY_MACHINE template <class M>
  TAKT_HOST_DEVICE constexpr auto arrive(M& m) -> walk_stop {
    sm_ = m.sm();
    limit_ = sm_ < max_sms ? m.dealt(sm_) : 0U;
    limit_ = limit_ < max_slots ? limit_ : max_slots;
    return go(limit_ > 0 ? point::look_for_slot : point::count_out);
  }

  TAKT_HOST_DEVICE constexpr auto choose_slot(std::uint32_t occupied) noexcept -> walk_stop {
    seen_slots_ = occupied;
    for (slot_ = 0; slot_ < limit_; ++slot_) {
      if ((occupied & bit()) == 0) { return go(point::take_slot); }
    }
    return go(point::count_out);
  }

  TAKT_ANY_MACHINE template <class M>
  TAKT_HOST_DEVICE constexpr auto take_slot(M& m, pinning_state& s) -> walk_stop {
    const std::uint32_t was = m.exchange_if(s.occupied[sm_], seen_slots_, seen_slots_ | bit());
    return was == seen_slots_ ? go(point::look) : choose_slot(was);
  }

  TAKT_HOST_DEVICE constexpr auto claim(std::uint64_t was) noexcept -> walk_stop {
    if (remaining(was) == 0) { return go(point::give_slot); }
    chunk_ = lower(was);
    at_ = point::work;
    return walk_stop::chunk;
  }

  TAKT_ANY_MACHINE template <class M>
  TAKT_HOST_DEVICE constexpr auto count_out(M& m, pinning_state& s) -> walk_stop {
    const std::uint64_t one = pack(finds_work_ ? 1U : 0U, 1U);
    const std::uint64_t was = done_ > 0 ? m.publish(s.gone[lane_], one) : m.add(s.gone[lane_], one);
    return go(lower(was) + 1U == blocks_ ? point::take_count : point::gone);
  }

  std::uint32_t chunks_;
  std::uint32_t job_;
  std::uint32_t lane_;
  std::uint32_t blocks_;
  std::uint32_t sm_ = 0;
  std::uint32_t limit_ = 0;
  std::uint32_t slot_ = 0;
  std::uint32_t done_ = 0;
  std::uint32_t seen_slots_ = 0;
  std::uint32_t chunk_ = 0;
  std::uint64_t counted_ = 0;
  bool finds_work_ = false;
  point at_ = point::arrive;
};

}  // namespace takt::inline TAKT_ABI::cuda

#undef TAKT_ANY_MACHINE
#undef TAKT_HOST_DEVICE
