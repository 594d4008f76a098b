// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/number.hpp>

namespace takt::simulation {

/// What an analysis claims of a GPU's queue at any time.
struct queue_claims {
  std::int64_t largest_block = 0;  ///< H_max, in threads
  std::int64_t unit_block = 1;     ///< h
  ticks carry_in = 0;              ///< Lemma 1, in thread time
  ticks backlog = 0;               ///< Lemma 2
};

/// Holds the queue against its claims while it runs: at each instant every SM has at most H_max - h idle threads (busy)
/// or some SM has H_max (non-busy), never both or neither; while non-busy, no block waits and the unfinished work is at
/// most the carry-in; when a kernel enters, it is at most the backlog. Observes replays.
/// Source: Yang et al. 2018, definition 3 and lemmas 1 and 2, the latter with <= instead of <.
class lemma_checks {
 public:
  constexpr explicit lemma_checks(const queue_claims& claims) : claims_{claims} {}

  template <class Server>
  void enqueued(ticks now, std::size_t /*position*/, const Server& gpu) {
    const ticks w = gpu.backlog(now);
    if (worst_backlog_ < w) { worst_backlog_ = w; }
    if (claims_.backlog < w) { ++backlog_violations_; }
  }
  template <class Server>
  void settled(ticks now, const Server& gpu) {
    ++instants_;
    const auto& queue = gpu.queue();
    bool busy = true;
    bool non_busy = false;
    for (std::int32_t sm = 0; sm < queue.sms(); ++sm) {
      const std::int64_t idle = queue.idle(sm).threads;
      busy = busy && idle <= claims_.largest_block - claims_.unit_block;
      non_busy = non_busy || idle >= claims_.largest_block;
    }
    if (busy == non_busy) { ++class_violations_; }
    if (!non_busy) { return; }
    ++non_busy_instants_;
    const ticks w = gpu.backlog(now);
    if (queue.waiting() > 0 || claims_.carry_in < w) { ++carry_in_violations_; }
  }

  [[nodiscard]] auto instants() const noexcept -> std::uint64_t { return instants_; }
  [[nodiscard]] auto non_busy_instants() const noexcept -> std::uint64_t { return non_busy_instants_; }
  [[nodiscard]] auto class_violations() const noexcept -> std::uint64_t { return class_violations_; }
  [[nodiscard]] auto carry_in_violations() const noexcept -> std::uint64_t { return carry_in_violations_; }
  [[nodiscard]] auto backlog_violations() const noexcept -> std::uint64_t { return backlog_violations_; }
  /// Unfinished work that was seen, at most.
  [[nodiscard]] auto worst_backlog() const -> ticks { return worst_backlog_; }

 private:
  queue_claims claims_;
  ticks worst_backlog_ = 0;
  std::uint64_t instants_ = 0;
  std::uint64_t non_busy_instants_ = 0;
  std::uint64_t class_violations_ = 0;
  std::uint64_t carry_in_violations_ = 0;
  std::uint64_t backlog_violations_ = 0;
};

}  // namespace takt::simulation
