// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/critical_section_fusion.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Describes a copy that asks for its engine at `start` and again for each further chunk.
struct chunked_copy {
  ticks start = 0;
  priority_point priority{};
  std::vector<ticks> chunks;
};

struct copy_outcome {
  ticks completion = 0;
  std::int64_t acquisitions = 0;
  ticks behind_lower = 0;  ///< waiting while a copy of a later priority had the engine

  [[nodiscard]] friend constexpr auto operator==(const copy_outcome&, const copy_outcome&) noexcept -> bool = default;
};

struct chunk_slice {
  std::size_t copy = 0;
  ticks start = 0;
  ticks end = 0;
};

struct copy_contention_result {
  std::vector<copy_outcome> copies;  ///< in the given order
  std::vector<chunk_slice> slices;   ///< of the engine
};

namespace detail {

class copy_contention {
 public:
  copy_contention(std::span<const chunked_copy> copies, service_order order, bool fused)
      : copies_{copies}, order_{order}, fused_{fused}, done_(copies.size()) {
    result_.copies.resize(copies.size());
    for (std::size_t i = 0; i < copies.size(); ++i) { arrivals_.push_back(i); }
    std::ranges::sort(arrivals_, {}, [this](std::size_t i) { return std::pair{copies_[i].start, i}; });
  }

  auto run() -> std::optional<copy_contention_result> {
    if (!valid()) { return std::nullopt; }
    for (;;) {
      arrive();
      if (queue_.empty()) {
        if (next_arrival_ == arrivals_.size()) { return std::move(result_); }
        now_ = copies_[arrivals_[next_arrival_]].start;
        continue;
      }
      serve(take_best());
    }
  }

 private:
  [[nodiscard]] auto valid() const -> bool {
    ticks latest = 0;
    ticks work = 0;
    for (const chunked_copy& c : copies_) {
      if (c.start < 0) { return false; }
      latest = std::max(latest, c.start);
      for (const ticks chunk : c.chunks) {
        if (chunk < 0 || !checked_add(work, chunk, work)) { return false; }
      }
    }
    ticks end = 0;
    return checked_add(latest, work, end) && end < never;
  }

  void arrive() {
    for (; next_arrival_ < arrivals_.size() && copies_[arrivals_[next_arrival_]].start <= now_; ++next_arrival_) {
      const std::size_t i = arrivals_[next_arrival_];
      if (copies_[i].chunks.empty()) {
        result_.copies[i].completion = copies_[i].start;
      } else {
        queue_.push_back(i);
      }
    }
  }

  auto take_best() -> std::size_t {
    const auto claim = [this](std::size_t at) {
      return waiting_claim{copies_[queue_[at]].priority, static_cast<std::int64_t>(at)};
    };
    std::size_t first = 0;
    for (std::size_t at = 1; at < queue_.size(); ++at) {
      if (order_.goes_first(claim(at), claim(first))) { first = at; }
    }
    const auto best = queue_.begin() + static_cast<std::ptrdiff_t>(first);
    const std::size_t i = *best;
    queue_.erase(best);
    return i;
  }

  /// From here until some copy finishes the engine is passed on between chunks and never left idle.
  void serve(std::size_t holder) {
    ++result_.copies[holder].acquisitions;
    for (;;) {
      transfer(holder);
      arrive();
      if (done_[holder] == copies_[holder].chunks.size()) {
        result_.copies[holder].completion = now_;
        return;
      }
      if (fused_ && !yields(holder)) { continue; }
      if (!queue_.empty()) {
        const std::size_t next = take_best();
        queue_.push_back(holder);
        holder = next;
      }
      ++result_.copies[holder].acquisitions;
    }
  }

  void transfer(std::size_t holder) {
    const ticks begin = now_;
    now_ += copies_[holder].chunks[done_[holder]++];
    result_.slices.push_back({holder, begin, now_});
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const bool waits = i != holder && copies_[i].start < now_ && done_[i] < copies_[i].chunks.size();
      if (waits && copies_[i].priority < copies_[holder].priority) {
        result_.copies[i].behind_lower += now_ - std::max(begin, copies_[i].start);
      }
    }
  }

  [[nodiscard]] auto yields(std::size_t holder) const -> bool {
    std::vector<priority_point> waiters;
    for (const std::size_t i : queue_) { waiters.push_back(copies_[i].priority); }
    return should_yield(order_, copies_[holder].priority, waiters);
  }

  std::span<const chunked_copy> copies_;
  service_order order_;
  bool fused_;
  std::vector<std::size_t> done_;  ///< chunks of each copy
  std::vector<std::size_t> arrivals_;
  std::size_t next_arrival_ = 0;
  std::vector<std::size_t> queue_;
  ticks now_ = 0;
  copy_contention_result result_;
};

}  // namespace detail

/// Simulates one copy engine under chunked copies, with or without fusion of the critical sections of one copy. Copies
/// of one priority are served in queue order. At the end of a chunk those who have just arrived come before its copy,
/// which asks again. Nothing when a time is negative or the time runs over.
[[nodiscard]] inline auto simulate_copy_contention(std::span<const chunked_copy> copies, service_order order,
                                                   bool fused) -> std::optional<copy_contention_result> {
  return detail::copy_contention{copies, order, fused}.run();
}

}  // namespace takt::inline TAKT_ABI::simulation
