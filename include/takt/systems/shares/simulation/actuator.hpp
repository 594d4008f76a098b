// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Says when a share that was decided is in force.
enum class share_change : std::uint8_t {
  delayed,       ///< every change after the delay
  raised_later,  ///< a decrease at once, an increase after the delay unless a smaller share was decided meanwhile
};
[[nodiscard]] constexpr auto last_of(share_change) noexcept -> share_change { return share_change::raised_later; }

namespace detail {

/// Takes what was decided for one application into force when its time has come.
class share_actuator {
 public:
  explicit share_actuator(ticks delay = 0, share_change how = share_change::delayed) : delay_{delay}, change_{how} {
    if (delay_ > 0) { coming_.reserve(most_kept); }
  }

  [[nodiscard]] auto is_late() const noexcept -> bool { return delay_ > 0; }
  [[nodiscard]] auto in_force() const noexcept -> share { return held_; }
  /// Returns when it changes next by itself; `no_event` if it does not.
  [[nodiscard]] auto next_change() const noexcept -> ticks { return coming_.empty() ? no_event : coming_.front().at; }

  /// For the end of a job.
  void stop() noexcept {
    held_ = no_share;
    coming_.clear();
  }
  void decide(share decided, ticks now) {
    if (delay_ == 0) {
      held_ = decided;
      return;
    }
    switch (change_) {
      case share_change::delayed: break;
      case share_change::raised_later: cap(decided); break;
    }
    const share last = coming_.empty() ? held_ : coming_.back().held;
    ticks at = 0;
    if (last != decided && checked_add(now, delay_, at)) { coming_.push_back({at, decided}); }
  }
  /// Advances to `now`, and returns whether something changed.
  auto advance(ticks now) -> bool {
    const bool changes = next_change() <= now;
    while (next_change() <= now) {
      held_ = coming_.front().held;
      coming_.erase(coming_.begin());
    }
    return changes;
  }

 private:
  struct change {
    ticks at = 0;
    share held{};
  };
  static constexpr std::size_t most_kept = 128;

  /// Caps the share: in force is then at any time the least share decided within the last delay.
  void cap(share decided) {
    held_ = std::min(held_, decided);
    for (change& c : coming_) { c.held = std::min(c.held, decided); }
    while (!coming_.empty() && (coming_.size() > 1 ? coming_[coming_.size() - 2].held : held_) == coming_.back().held) {
      coming_.pop_back();
    }
  }

  ticks delay_;
  share_change change_;
  share held_{};
  std::vector<change> coming_;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::simulation
