// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Says what the holder of a GPU token is doing.
enum class holder_state : std::uint8_t {
  executing,         ///< on a CPU
  on_engine,         ///< suspended until its copy or kernel is complete
  preempted,         ///< ready, but not on a CPU
  waits_for_engine,  ///< suspended until it gets an engine lock
};

/// Adds up what a token section costs by itself. That is the time on CPUs and that of its operations on the GPU, even
/// if part of its migration, but not what other jobs make it wait. Source: Elliott 2015, section 3.2.3.3.
class token_cost_counter {
 public:
  /// The token is granted; the job runs. A section that was under way is forgotten.
  constexpr void granted(ticks now, holder_state state = holder_state::executing) noexcept {
    *this = {};
    since_ = now;
    state_ = state;
    holds_ = true;
  }

  /// Returns false, and changes nothing, when no token is held, or time runs backwards or over.
  [[nodiscard]] constexpr auto enter(holder_state next, ticks now) noexcept -> bool {
    if (!holds_ || !advance(now)) { return false; }
    state_ = next;
    return true;
  }

  /// Ends the section; `cost` is what it took. False, and no change: no token is held, or time runs backwards or over.
  [[nodiscard]] constexpr auto released(ticks now, ticks& cost) noexcept -> bool {
    if (!holds_ || !advance(now)) { return false; }
    cost = cost_;
    *this = {};
    return true;
  }

  [[nodiscard]] constexpr auto holds_token() const noexcept -> bool { return holds_; }

 private:
  [[nodiscard]] constexpr auto advance(ticks now) noexcept -> bool {
    ticks passed = 0;
    const bool counts = state_ == holder_state::executing || state_ == holder_state::on_engine;
    if (!checked_subtract(now, since_, passed) || passed < 0) { return false; }
    if (!checked_add(cost_, counts ? passed : 0, cost_)) { return false; }
    since_ = now;
    return true;
  }

  ticks since_ = 0;
  ticks cost_ = 0;
  holder_state state_ = holder_state::executing;
  bool holds_ = false;
};

}  // namespace takt::inline TAKT_ABI
