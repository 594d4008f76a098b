// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/index_set.hpp>
#include <takt/host/flow_progress.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::host {

/// Visits that end together, where some take a unit for no time: the first in the table goes first, and time before
/// steps before starts. Whoever does not is served again.
template <std::size_t V>
class ended_visits {
 public:
  constexpr void insert(std::uint32_t v) noexcept { all_.insert(v); }

  /// serve(v) of those that need their units again, complete(v) of all others.
  template <class Visits, class Locks, class Serve, class Complete>
  constexpr void settle(const Visits& visits, visit_progress* progress, const Locks& locks, const Serve& serve,
                        const Complete& complete) {
    const auto need_of = [&](std::uint32_t v) { return progress[v].length > 0 ? unit_need::time : visits[v].need; };
    unit_need first = unit_need::start;
    for (std::size_t k = 0; k < all_.size(); ++k) { first = need_of(all_[k]) < first ? need_of(all_[k]) : first; }
    bool stepped = false;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const std::uint32_t v = all_[k];
      const bool waits = first == unit_need::step && (stepped || !locks.may_go_on(v));
      if (need_of(v) != first || waits) {
        serve(v);
        continue;
      }
      stepped = true;
      if (first == unit_need::time && visits[v].need != first) {
        progress[v].length = 0;
        serve(v);
      } else {
        complete(v);
      }
    }
    all_.clear();
  }

 private:
  index_set<V> all_{};
};

}  // namespace takt::host
