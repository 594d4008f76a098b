// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/systems/shares/run/share_page.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Brings a page to the shares that were decided, such that what is in force never exceeds 100 in sum: decreases are
/// written at once, increases when there is room. A share that was lowered counts in full until the actuation delay has
/// passed, because the client's kernels of before may run so long.
class share_publisher {
 public:
  static constexpr ticks never = std::numeric_limits<ticks>::max();

  /// Pre: the page outlives it, has no other writer, and all its shares are 0.
  explicit share_publisher(share_page& page, ticks actuation_delay = 0) noexcept
      : page_{&page}, delay_{std::max<ticks>(0, actuation_delay)} {
    for (std::size_t i = 0; i < share_page::capacity; ++i) { TAKT_EXPECTS(page.read(i).share() == 0); }
  }

  /// Sets what the shares shall be. Returns false, and changes nothing, when one is outside 0 to 100, the sum is above
  /// 100 or there are too many. Applications beyond the end get none.
  [[nodiscard]] auto aim(std::span<const std::int32_t> shares) noexcept -> bool {
    std::int32_t sum = 0;
    if (shares.size() > share_page::capacity) { return false; }
    for (const std::int32_t s : shares) {
      if (s < 0 || s > 100) { return false; }
      sum += s;
    }
    if (sum > 100) { return false; }
    for (std::size_t i = 0; i < entries_.size(); ++i) { entries_[i].aim = i < shares.size() ? shares[i] : 0; }
    return true;
  }
  /// Sets the aim of one application; the others keep theirs. Returns false as above.
  [[nodiscard]] auto aim(std::size_t application, std::int32_t share) noexcept -> bool {
    std::array<std::int32_t, share_page::capacity> shares{};
    if (application >= shares.size()) { return false; }
    for (std::size_t i = 0; i < shares.size(); ++i) { shares[i] = entries_[i].aim; }
    shares[application] = share;
    return aim(shares);
  }

  /// Writes what may be written at `now`. The instant to call it again, or `never`. Pre: time does not run backwards.
  [[nodiscard]] auto publish(ticks now) noexcept -> ticks {
    std::int32_t used = 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entry& e = entries_[i];
      if (e.aim < e.share) {
        e.held = e.in_force(now);
        e.held_until = later(now, delay_);
        write(i);
      }
      used += e.in_force(now);
    }
    ticks again = never;
    bool short_of_room = false;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const entry& e = entries_[i];
      if (e.aim > e.share) {
        const std::int32_t grown = used + std::max(0, e.aim - e.in_force(now));
        if (grown <= 100) {
          used = grown;
          write(i);
        } else {
          short_of_room = true;
        }
      }
      if (now < e.held_until) { again = std::min(again, e.held_until); }
    }
    return short_of_room ? again : never;
  }

  /// Pre, here and below: application < share_page::capacity.
  [[nodiscard]] auto published(std::size_t application) const noexcept -> share_word {
    TAKT_EXPECTS(application < share_page::capacity);
    return page_->read(application);
  }
  [[nodiscard]] auto aimed(std::size_t application) const noexcept -> std::int32_t {
    TAKT_EXPECTS(application < share_page::capacity);
    return entries_[application].aim;
  }
  [[nodiscard]] auto sum_in_force(ticks now) const noexcept -> std::int32_t {
    std::int32_t sum = 0;
    for (const entry& e : entries_) { sum += e.in_force(now); }
    return sum;
  }

 private:
  struct entry {
    std::int32_t aim = 0;
    std::int32_t share = 0;  ///< as published
    std::int32_t held = 0;   ///< what may still be in force of before, until
    ticks held_until = 0;

    [[nodiscard]] auto in_force(ticks now) const noexcept -> std::int32_t {
      return now < held_until ? std::max(held, share) : share;
    }
  };

  void write(std::size_t i) noexcept {
    entries_[i].share = entries_[i].aim;
    (void)page_->write(i, entries_[i].share);
  }

  share_page* page_;
  ticks delay_;
  std::array<entry, share_page::capacity> entries_{};
};

}  // namespace takt::inline TAKT_ABI::runtime
