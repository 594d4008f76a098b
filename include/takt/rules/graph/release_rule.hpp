// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/exact.hpp>

namespace takt::inline TAKT_ABI {

/// Says when a job of a graph's node may run, and how it ranks.
template <ExactNumber Number>
struct node_release {
  Number eligible{};  ///< with early releasing it may run from here
  Number release{};   ///< nominal: without early releasing it may run from here
  Number deadline{};  ///< absolute; it counts from the nominal release
};

/// Release and deadline of the jobs of one node. They move to the instant at which all tokens of a job are there, but a
/// release is at least a period after the one before. So the node is sporadic even if several jobs are enabled at one
/// instant, unlike under Elliott 2015, section 2.1.3, alone. Early jobs keep the later deadline (section 5.2.3). The
/// same rule shapes bursts of a source that keeps its rate.
template <ExactNumber Number>
class release_rule {
 public:
  /// Pre: period > 0.
  constexpr release_rule(const Number& period, const Number& deadline) : period_{period}, deadline_{deadline} {
    TAKT_EXPECTS(Number(0) < period);
  }

  /// Computes the next job, in the order of jobs, whose tokens were complete at `now`. `waited` is the token-wait flag:
  /// a job that comes late for another reason than its tokens keeps its release. Error: false if a time does not fit.
  [[nodiscard]] constexpr auto next(const Number& now, bool waited, node_release<Number>& out) -> bool {
    Number earliest = now;
    if (started_ && !add_exactly(last_, period_, earliest)) { return false; }
    const Number release = earliest < now && waited ? now : earliest;
    Number due{};
    if (!add_exactly(release, deadline_, due)) { return false; }
    started_ = true;
    last_ = release;
    out = {now < release ? now : release, release, due};
    return true;
  }

 private:
  Number period_;
  Number deadline_;
  Number last_{};
  bool started_ = false;
};

}  // namespace takt::inline TAKT_ABI
