// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/rules/rank_set.hpp>

namespace takt::inline TAKT_ABI {

enum class preemption : bool { forbidden, allowed };

/// Holds what a server changed: who holds it from now on, and who was put back into the queue for that.
struct dispatch {
  rank started = nobody;
  rank preempted = nobody;

  [[nodiscard]] friend constexpr auto operator==(const dispatch&, const dispatch&) noexcept -> bool = default;
};

/// One unit (a core, a copy engine, a lock) served in fixed-priority order. A client is known by its rank and asks at
/// most once at a time. Requests are collected by `request` and take effect in `decide`, so that requests of one
/// instant compete with each other and not with the order in which they were announced.
///
/// The simulator, the runtime's arbiter and the exhaustive checker drive this same class.
template <preemption Preemption, std::size_t Capacity>
class priority_server {
 public:
  /// Pre: r neither waits nor runs.
  constexpr void request(rank r) noexcept {
    TAKT_EXPECTS(r != running_ && !waiting_.contains(r));
    waiting_.insert(r);
  }
  /// Takes back a request that has not been granted.
  constexpr void withdraw(rank r) noexcept { waiting_.erase(r); }
  /// The holder is done. Pre: somebody runs.
  constexpr void complete() noexcept {
    TAKT_EXPECTS(running_ != nobody);
    running_ = nobody;
  }
  [[nodiscard]] constexpr auto running() const noexcept -> rank { return running_; }
  [[nodiscard]] constexpr auto waits(rank r) const noexcept -> bool { return waiting_.contains(r); }
  [[nodiscard]] constexpr auto idle() const noexcept -> bool { return running_ == nobody && waiting_.empty(); }

  constexpr auto decide() noexcept -> dispatch {
    const rank best = waiting_.first();
    if (best == nobody) { return {}; }
    if (running_ != nobody && (Preemption == preemption::forbidden || running_ < best)) { return {}; }
    const rank displaced = running_;
    if (displaced != nobody) { waiting_.insert(displaced); }
    waiting_.erase(best);
    running_ = best;
    return {best, displaced};
  }

  [[nodiscard]] friend constexpr auto operator==(const priority_server&, const priority_server&) noexcept
      -> bool = default;

 private:
  rank_set<Capacity> waiting_;
  rank running_ = nobody;
};

}  // namespace takt::inline TAKT_ABI
