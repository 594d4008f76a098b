// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI::checking {

/// Holds for a lock whose states can be told apart, so that it can be checked exhaustively.
template <class P>
concept CheckableLock = LockingProtocol<P> && std::equality_comparable<P>;

/// Describes a step of a run: what (one character) happened to whom.
struct run_step {
  char what = ' ';
  request_id who = no_request;
};

/// Computes the longest total delay over all runs through a finite graph of positions. A position is visited again
/// whenever it is reached with a longer delay; delays stop growing at `give_up`, so that cycles end.
template <class Position>
class longest_delay {
 public:
  static constexpr std::size_t start = ~std::size_t{0};

  explicit longest_delay(std::int32_t give_up) : give_up_{give_up} {}

  void reach(const Position& p, std::uint64_t hash, std::int32_t delay, std::size_t before, const run_step& s) {
    delay = std::min(delay, give_up_);
    std::size_t at = start;
    for (auto [i, end] = found_.equal_range(hash); i != end; ++i) {
      if (nodes_[i->second].position == p) { at = i->second; }
    }
    if (at == start) {
      at = nodes_.size();
      found_.emplace(hash, at);
      nodes_.push_back({p, delay, true, steps_.size()});
      open_.push_back(at);
    } else {
      if (nodes_[at].delay >= delay) { return; }
      nodes_[at].delay = delay;
      nodes_[at].last = steps_.size();
      if (!nodes_[at].open) { open_.push_back(at); }
      nodes_[at].open = true;
    }
    steps_.push_back({before, s});
    if (delay <= longest_) { return; }
    longest_ = delay;
    last_ = nodes_[at].last;
  }

  /// `expand(position, delay, last)` reaches everything that may come next, with `last` as the step before.
  template <class Expand>
  void run(Expand&& expand) {
    while (!open_.empty()) {
      const std::size_t at = open_.front();
      open_.pop_front();
      nodes_[at].open = false;
      const Position p = nodes_[at].position;
      expand(p, nodes_[at].delay, nodes_[at].last);
    }
  }

  [[nodiscard]] auto longest() const -> std::int32_t { return longest_; }
  [[nodiscard]] auto positions() const -> std::size_t { return nodes_.size(); }
  /// Returns how the longest delay came about.
  [[nodiscard]] auto trace() const -> std::string {
    std::string out;
    for (std::size_t i = last_; i != start; i = steps_[i].first) {
      const run_step& s = steps_[i].second;
      out.insert(0, s.what + (s.who < 0 ? "" : std::to_string(s.who)) + " ");
    }
    return out;
  }

 private:
  struct node {
    Position position;
    std::int32_t delay;
    bool open;
    std::size_t last;
  };

  std::int32_t give_up_;
  std::int32_t longest_ = 0;
  std::size_t last_ = start;
  std::vector<node> nodes_;
  std::vector<std::pair<std::size_t, run_step>> steps_;
  std::unordered_multimap<std::uint64_t, std::size_t> found_;
  std::deque<std::size_t> open_;
};

/// FNV over small numbers.
class position_hash {
 public:
  void mix(std::int64_t v) { value_ = (value_ ^ static_cast<std::uint64_t>(v + 7)) * 1099511628211U; }
  [[nodiscard]] auto value() const -> std::uint64_t { return value_; }

  /// Mixes in what distinguishes the states of a lock, or most of it.
  template <class P>
  void mix_lock(const P& lock, request_id clients) {
    for (request_id r = 0; r < clients; ++r) {
      mix(lock.holds(r) ? 1 : lock.waits(r) ? 2 : 3);
      mix(lock.replica(r));
      mix(lock.inheritor(r));
      if constexpr (requires { lock.queues().next(r); }) { mix(lock.queues().next(r)); }
      if constexpr (requires { lock.queue().next(r); }) { mix(lock.queue().next(r)); }
    }
  }

 private:
  std::uint64_t value_ = 1469598103934665603U;
};

}  // namespace takt::inline TAKT_ABI::checking
