// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/cuda/pinning.hpp>

/// Blocks of pinned launches without a GPU: each stands somewhere in the algorithm that a device runs, and a test
/// chooses whose step comes next.
namespace emulated {

namespace cuda = takt::cuda;

/// What blocks did beside claims and slots.
struct traffic {
  std::int64_t host_reads = 0;
  std::int64_t published = 0;
  std::int64_t taken = 0;
};

/// What a device and its host would share.
struct memory {
  cuda::pinning_state state;
  cuda::sm_slots allowed;
  std::array<std::uint32_t, cuda::max_lanes> chunks_left{};
  std::array<std::uint32_t, cuda::max_lanes> claimed{};
  std::array<std::int32_t, cuda::max_lanes> reports{};
  traffic own{};      ///< of blocks on SMs that their launch was dealt
  traffic foreign{};  ///< of the others
};

class machine {
 public:
  machine(memory& m, std::uint32_t sm, std::uint32_t lane, std::uint32_t dealt) noexcept
      : memory_{&m}, seen_{dealt > 0 ? &m.own : &m.foreign}, sm_{sm}, lane_{lane}, dealt_{dealt} {}

  [[nodiscard]] auto sm() const noexcept -> std::uint32_t { return sm_; }
  [[nodiscard]] auto dealt(std::uint32_t) const noexcept -> std::uint32_t { return dealt_; }
  [[nodiscard]] auto allowed(std::uint32_t sm) const noexcept -> std::uint32_t {
    ++seen_->host_reads;
    return memory_->allowed.at(sm);
  }
  template <class Word>
  [[nodiscard]] static auto load(const Word& w) noexcept -> Word {
    return w;
  }
  template <class Word>
  static auto exchange_if(Word& w, Word expected, Word desired) noexcept -> Word {
    const Word was = w;
    if (was == expected) { w = desired; }
    return was;
  }
  template <class Word>
  static auto add(Word& w, Word n) noexcept -> Word {
    w += n;
    return w - n;
  }
  auto publish(std::uint64_t& w, std::uint64_t n) const noexcept -> std::uint64_t {
    ++seen_->published;
    return add(w, n);
  }
  auto take(std::uint64_t& w) const noexcept -> std::uint64_t {
    ++seen_->taken;
    return std::exchange(w, 0U);
  }
  static void clear(std::uint32_t& w, std::uint32_t bits) noexcept { w &= ~bits; }
  template <class Word>
  static void store(Word& w, Word value) noexcept {
    w = value;
  }
  void left(std::uint32_t chunks, std::uint32_t claimed) const noexcept {
    memory_->chunks_left[lane_] = chunks;
    memory_->claimed[lane_] = claimed;
    ++memory_->reports[lane_];
  }

 private:
  memory* memory_;
  traffic* seen_;
  std::uint32_t sm_;
  std::uint32_t lane_;
  std::uint32_t dealt_;
};
static_assert(cuda::PinningMachine<machine>);

struct block {
  cuda::pinned_walk walk;
  std::uint32_t sm = 0;
  std::uint32_t lane = 0;
  std::uint32_t dealt = 0;
  cuda::walk_stop stop = cuda::walk_stop::none;

  [[nodiscard]] friend auto operator<=>(const block&, const block&) noexcept = default;
};

/// Launches under way, and how often each logical index was done.
class grid {
 public:
  explicit grid(const cuda::pinned_work& work, std::function<void(std::int64_t)> body = {})
      : work_{work}, body_{std::move(body)}, done_(static_cast<std::size_t>(work.count)) {}

  /// One block per element of `placement`, each on the SM that it names. The launch is dealt the slots of this moment.
  void launch(const memory& m, std::uint32_t lane, const std::vector<std::uint32_t>& placement) {
    for (const std::uint32_t sm : placement) {
      blocks_.push_back({{work_, lane, static_cast<std::uint32_t>(placement.size())}, sm, lane, m.allowed.at(sm)});
    }
  }

  /// What one block does at once: a step of the algorithm, or all indices of the chunk that it took.
  void step(memory& m, std::size_t which) {
    block& b = blocks_[which];
    if (b.stop == cuda::walk_stop::chunk) {
      for (std::int64_t i = work_.first(b.walk.chunk()); i < work_.last(b.walk.chunk()); ++i) {
        ++done_[static_cast<std::size_t>(i)];
        if (body_) { body_(i); }
      }
    }
    machine here{m, b.sm, b.lane, b.dealt};
    b.stop = b.walk.step(here, m.state);
    if (b.stop == cuda::walk_stop::chunk) { taken_on_.push_back(b.sm); }
    if (b.stop == cuda::walk_stop::gone) { blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(which)); }
  }

  void step_any(memory& m, takt::random_stream& random) {
    step(m, static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(blocks_.size()) - 1)));
  }
  void run(memory& m, takt::random_stream& random) {
    while (!blocks_.empty()) { step_any(m, random); }
  }

  [[nodiscard]] auto running() const noexcept -> bool { return !blocks_.empty(); }
  [[nodiscard]] auto running(std::uint32_t lane) const noexcept -> bool {
    return std::ranges::any_of(blocks_, [lane](const block& b) { return b.lane == lane; });
  }
  [[nodiscard]] auto blocks() const noexcept -> const std::vector<block>& { return blocks_; }
  /// Blocks of an SM that are at a chunk.
  [[nodiscard]] auto at_work(std::uint32_t sm) const noexcept -> std::int64_t {
    return std::ranges::count_if(blocks_,
                                 [sm](const block& b) { return b.sm == sm && b.stop == cuda::walk_stop::chunk; });
  }
  /// The SM of each chunk, in the order in which chunks were taken.
  [[nodiscard]] auto taken_on() const noexcept -> const std::vector<std::uint32_t>& { return taken_on_; }
  [[nodiscard]] auto done() const noexcept -> const std::vector<std::int32_t>& { return done_; }
  [[nodiscard]] auto each_done(std::int32_t times) const noexcept -> bool {
    return std::ranges::all_of(done_, [times](std::int32_t n) { return n == times; });
  }

 private:
  cuda::pinned_work work_;
  std::function<void(std::int64_t)> body_;
  std::vector<block> blocks_;
  std::vector<std::uint32_t> taken_on_;
  std::vector<std::int32_t> done_;
};

/// Any number of blocks on any SMs: on some maybe none.
[[nodiscard]] inline auto any_placement(takt::random_stream& random, std::int64_t most_blocks, std::int64_t sms)
    -> std::vector<std::uint32_t> {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(random.between(1, most_blocks)));
  for (auto& sm : out) { sm = static_cast<std::uint32_t>(random.between(0, sms - 1)); }
  return out;
}

[[nodiscard]] inline auto any_slots(takt::random_stream& random, std::int64_t sms, std::int64_t most)
    -> cuda::sm_slots {
  cuda::sm_slots out;
  for (std::int64_t sm = 0; sm < sms; ++sm) {
    out.per_sm[sm] = static_cast<std::uint8_t>(random.between(0, 2) == 0 ? 0 : random.between(1, most));
  }
  return out;
}

/// Nothing that a launch leaves behind could disturb the next one.
[[nodiscard]] inline auto is_clean(const cuda::pinning_state& s) noexcept -> bool {
  return std::ranges::all_of(s.occupied, [](auto w) { return w == 0; }) &&
         std::ranges::all_of(s.gone, [](auto w) { return w == 0; });
}

}  // namespace emulated
