// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/late_handling.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

/// Makes invocations of clocks from their releases. Each is made as soon as it is released and, where invocations of
/// the clock are limited, has room. What becomes of those that are late is chosen.
class invocation_source {
 public:
  using releases_type = std::vector<std::vector<ticks>>;

  /// Pre: the releases outlive it; `check_graph_workload`.
  void set_up(const graph_workload<ticks>& work, const releases_type& releases, const graph_options& options) {
    TAKT_EXPECTS(options.invocation_limits.size() <= work.clocks.size());
    releases_ = &releases;
    on_late_ = options.on_late;
    clocks_.assign(releases.size(), clock{});
    for (const auto& t : work.tasks) {
      TAKT_EXPECTS(t.clock == no_clock || static_cast<std::size_t>(t.clock) < releases.size());
      if (t.clock != no_clock) { ++clocks_[static_cast<std::size_t>(t.clock)].jobs; }
    }
    for (std::size_t g = 0; g < options.invocation_limits.size(); ++g) {
      if (work.clocks[g] == no_clock) { continue; }
      clock& own = clocks_[static_cast<std::size_t>(work.clocks[g])];
      if (own.jobs > 0) { own.limit = static_cast<std::size_t>(options.invocation_limits[g]); }
    }
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      clocks_[c].made.reserve(releases[c].size());
      clocks_[c].left.assign(clocks_[c].limit > 0 ? releases[c].size() : 0, clocks_[c].jobs);
    }
  }

  /// Returns when the next one is released, unless it waits for room.
  [[nodiscard]] auto next() const -> ticks {
    ticks out = no_event;
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      const auto& times = (*releases_)[c];
      if (clocks_[c].at < times.size() && !clocks_[c].waits) { out = std::min(out, times[clocks_[c].at]); }
    }
    return out;
  }
  /// Makes what may be made now, in order: `made(clock, number)` for each, and `dropped(clock)` for those dropped.
  template <class Made, class Dropped>
  void make(ticks now, const Made& made, const Dropped& dropped) {
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      clock& own = clocks_[c];
      const auto& times = (*releases_)[c];
      own.waits = false;
      for (; own.at < times.size() && times[own.at] <= now; ++own.at) {
        const bool is_full = own.limit > 0 && own.made.size() - own.over >= own.limit;
        const bool is_older = own.at + 1 < times.size() && times[own.at + 1] <= now;
        if (drops_release(on_late_, is_full, is_older)) {
          ++own.dropped;
          dropped(c);
          continue;
        }
        own.waits = is_full;
        if (is_full) { break; }
        own.made.push_back(times[own.at]);
        made(c, own.made.size() - 1);
      }
    }
  }
  /// Notes that a job of an invocation has ended. Returns true if there is room for one that waits.
  [[nodiscard]] auto ended(std::size_t of_clock, std::size_t number) -> bool {
    clock& own = clocks_[of_clock];
    if (own.limit == 0) { return false; }
    --own.left[number];
    while (own.over < own.made.size() && own.left[own.over] == 0) { ++own.over; }
    const bool has_room = own.made.size() - own.over < own.limit;
    return std::exchange(own.waits, own.waits && !has_room) && has_room;
  }

  /// Returns when those that were made had been released.
  [[nodiscard]] auto made(std::size_t of_clock) const -> const std::vector<ticks>& { return clocks_[of_clock].made; }
  [[nodiscard]] auto jobs(std::size_t of_clock) const -> std::size_t { return clocks_[of_clock].jobs; }

  /// Responses are those of invocations that were made.
  void report(const graph_workload<ticks>& work, graph_result<ticks>& out) const {
    for (const clock& c : clocks_) {
      out.invoked.push_back(c.made);
      out.dropped.push_back(c.dropped);
    }
    for (std::size_t g = 0; g < out.responses.size(); ++g) {
      if (work.clocks[g] != no_clock) {
        out.responses[g].resize(made(static_cast<std::size_t>(work.clocks[g])).size());
      }
    }
  }

 private:
  struct clock {
    std::vector<ticks> made;
    std::vector<std::size_t> left;  ///< jobs of each, where room is limited
    std::size_t at = 0;             ///< release
    std::size_t over = 0;           ///< the first ones that are
    std::size_t limit = 0;
    std::size_t jobs = 0;
    std::int64_t dropped = 0;
    bool waits = false;  ///< for room
  };
  const releases_type* releases_ = nullptr;
  late_handling on_late_ = late_handling::catch_up;
  std::vector<clock> clocks_;
};

}  // namespace takt::inline TAKT_ABI::simulation::detail
