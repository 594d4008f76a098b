// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/checking/longest_delay.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/locking/protocol.hpp>

namespace takt::inline TAKT_ABI::checking {

struct blocking_limits {
  std::int32_t cpus = 1;
  request_id clients = 1;
  std::int32_t section = 1;       ///< sections last at most so long
  std::int32_t withdrawals = -1;  ///< at most so many while the target waits, any number before; negative: none ever
  std::int32_t give_up = 1000;    ///< longer delays count as this
  std::vector<std::int32_t> sections{};  ///< each client's own, instead of `section`
};

/// Computes the longest pi-blocking of one request, over every run of a lock in a cluster.
///
/// Clients are jobs; a smaller number is a more important job. At any instant an adversary lets an idle client issue, a
/// holder release, or a waiting client other than the target withdraw. Or it lets a unit of time pass in which the
/// target is pi-blocked: it waits and fewer than `cpus` incomplete requests are more important. Whether it is among the
/// c best *pending* jobs, the adversary decides with further jobs. In such a unit a holder is sure to advance if it is
/// at least as important as the target. So is one to whom `inheritor` leads from a waiting client as important: the c
/// best jobs lend their priorities to at most c others, each to one. Other clients make no progress. Time in which the
/// target is not pi-blocked is left out because it is not counted. This covers all job sets with that many clients,
/// whatever they do outside of the lock.
template <CheckableLock P>
class blocking_game {
 public:
  blocking_game(const P& start, const blocking_limits& l) : limits_{l}, start_{start} {}

  /// Returns the longest for any client.
  [[nodiscard]] auto worst() -> std::int32_t {
    std::int32_t out = 0;
    for (request_id j = 0; j < limits_.clients; ++j) { out = std::max(out, worst_of(j)); }
    return out;
  }
  [[nodiscard]] auto worst_of(request_id target) -> std::int32_t {
    game g{limits_.give_up};
    reach(g, {start_, {}, 0}, 0, game::start, {});
    g.run([&](const position& p, std::int32_t delay, std::size_t last) { expand(g, target, p, delay, last); });
    positions_ += g.positions();
    if (g.longest() > told_) {
      told_ = g.longest();
      trace_ = g.trace();
    }
    return g.longest();
  }
  [[nodiscard]] auto positions() const -> std::size_t { return positions_; }
  /// Returns how the longest delay came about: + issue, - release, x withdraw, | a unit of time.
  [[nodiscard]] auto trace() const -> const std::string& { return trace_; }

 private:
  static constexpr std::size_t capacity = static_cast<std::size_t>(P::capacity());

  struct position {
    P lock;
    std::array<std::int8_t, capacity> elapsed{};
    std::int32_t withdrawals = 0;

    friend auto operator==(const position&, const position&) -> bool = default;
  };
  using game = longest_delay<position>;

  [[nodiscard]] auto section(request_id r) const -> std::int32_t {
    return limits_.sections.empty() ? limits_.section : limits_.sections[to_index(r)];
  }

  void reach(game& g, const position& p, std::int32_t delay, std::size_t before, const run_step& s) const {
    position_hash h;
    h.mix_lock(p.lock, limits_.clients);
    h.mix(p.withdrawals);
    for (const std::int8_t e : p.elapsed) { h.mix(e); }
    g.reach(p, h.value(), delay, before, s);
  }

  void expand(game& g, request_id target, const position& p, std::int32_t delay, std::size_t last) const {
    if (p.lock.holds(target)) { return; }
    for (request_id r = 0; r < limits_.clients; ++r) {
      position next = p;
      next.elapsed[to_index(r)] = 0;
      if (p.lock.holds(r)) {
        next.lock.release(r);
        reach(g, next, delay, last, {'-', r});
      } else if (!p.lock.waits(r)) {
        next.lock.issue(r, {.priority = {.point = r, .tie = r}, .length = section(r)});
        reach(g, next, delay, last, {'+', r});
      } else if (r != target) {
        if (p.lock.waits(target)) { ++next.withdrawals; }
        if (next.withdrawals > limits_.withdrawals) { continue; }
        next.lock.withdraw(r);
        reach(g, next, delay, last, {'x', r});
      }
    }
    if (p.lock.waits(target)) { let_time_pass(g, target, p, delay, last); }
  }

  void let_time_pass(game& g, request_id target, const position& p, std::int32_t delay, std::size_t last) const {
    std::int32_t better = 0;
    std::array<bool, capacity> advances{};
    for (request_id r = 0; r <= target; ++r) {
      if (!p.lock.holds(r) && !p.lock.waits(r)) { continue; }
      better += r < target ? 1 : 0;
      request_id end = r;
      while (end != no_request && !p.lock.holds(end)) { end = p.lock.inheritor(end); }
      if (end != no_request) { advances[to_index(end)] = true; }
    }
    if (better >= limits_.cpus) { return; }
    position next = p;
    for (request_id r = 0; r < limits_.clients; ++r) {
      if (!advances[to_index(r)]) { continue; }
      if (next.elapsed[to_index(r)] == section(r)) { return; }
      ++next.elapsed[to_index(r)];
    }
    reach(g, next, delay + 1, last, {'|'});
  }

  blocking_limits limits_;
  P start_;
  std::size_t positions_ = 0;
  std::int32_t told_ = 0;
  std::string trace_;
};

struct blocking_report {
  std::int32_t delay = 0;
  std::size_t positions = 0;
  std::string trace{};  ///< + issue, - release, x withdraw, | a unit of time
};

/// Returns the longest suspension-oblivious wait of any client's request, see `blocking_game`, and how it comes about.
/// A bound can be held against the result. Cost: the positions of all states of the lock times how far each section
/// has come.
template <CheckableLock P>
[[nodiscard]] auto longest_blocking(const P& start, const blocking_limits& limits) -> blocking_report {
  blocking_game<P> game{start, limits};
  const std::int32_t delay = game.worst();
  return {delay, game.positions(), game.trace()};
}

}  // namespace takt::inline TAKT_ABI::checking
