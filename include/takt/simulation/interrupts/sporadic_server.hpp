// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::simulation {

/// A budget of which each piece comes back a period after its use began. A piece that is used without a break is a job
/// of a sporadic task with that period, so to others the server is a set of such tasks that together take `budget` per
/// period. Differs from POSIX, which returns budgets as a whole and so may return some too early.
/// Source: Sprunt, Sha and Lehoczky 1989; Stanovich, Baker, Wang and Harbour 2010.
class sporadic_server {
 public:
  /// Pre: budget > 0, period > 0; both are below `never`.
  sporadic_server(ticks budget, ticks period) : period_{period} { pieces_.push_back({0, budget}); }

  [[nodiscard]] auto available(ticks now) const noexcept -> ticks {
    ticks sum = 0;
    for (std::size_t i = 0; i < pieces_.size() && pieces_[i].from <= now; ++i) { sum += pieces_[i].amount; }
    return sum;
  }
  /// The next instant at which there will be more; `never` when all of the budget is there.
  [[nodiscard]] auto next_refill(ticks now) const noexcept -> ticks {
    for (const piece& p : pieces_) {
      if (p.from > now) { return p.from; }
    }
    return never;
  }
  /// Pre: `available(from)` is at least to - from; uses are reported in the order of time.
  void use(ticks from, ticks to) {
    if (from != last_end_) { use_began_ = from; }
    last_end_ = to;
    while (from < to) {
      const ticks amount = std::min(to - from, pieces_.front().amount);
      from += amount;
      pieces_.front().amount -= amount;
      const bool spent = pieces_.front().amount == 0;
      if (spent) { pieces_.erase(pieces_.begin()); }
      give_back(std::min(use_began_ + period_, never), amount);
      if (spent) { use_began_ = from; }
    }
  }

 private:
  struct piece {
    ticks from = 0;
    ticks amount = 0;
  };

  void give_back(ticks from, ticks amount) {
    if (!pieces_.empty() && pieces_.back().from == from) {
      pieces_.back().amount += amount;
    } else {
      pieces_.push_back({from, amount});
    }
  }

  ticks period_;
  std::vector<piece> pieces_;  ///< by `from`
  ticks last_end_ = -1;
  ticks use_began_ = 0;  ///< of the first piece
};

}  // namespace takt::simulation
