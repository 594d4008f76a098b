// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/checking/longest_delay.hpp>
#include <takt/core/to_index.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/protocol.hpp>

namespace takt::inline TAKT_ABI::checking {

struct donation_limits {
  std::int32_t cpus = 1;
  std::int32_t clusters = 1;
  std::int32_t section = 1;     ///< sections last at most so long
  std::int32_t give_up = 1000;  ///< longer delays count as this
};

/// Computes the longest pi-blocking of one job under a lock whose clusters run priority donation, over every run:
/// `direct` while its request waits, `indirect` while it donates. Job j belongs to cluster j mod clusters; a smaller
/// number is a more important job. An adversary releases jobs, issues where the gate allows it, releases, withdraws and
/// completes at any instant. When a unit of time passes, every holder advances that is among the best of its cluster or
/// has a donor there.
template <CheckableLock P, class Rules = donation_rules>
class donation_game {
 public:
  struct delays {
    std::int32_t direct = 0;
    std::int32_t indirect = 0;
  };

  donation_game(const P& start, const donation_limits& l) : limits_{l}, start_{start, {}, {}} {
    start_.donation.fill(cluster{l.cpus});
  }

  [[nodiscard]] auto worst() -> delays {
    delays out;
    for (const bool direct : {true, false}) {
      for (request_id j = 0; j < P::capacity(); ++j) {
        game g{limits_.give_up};
        reach(g, start_, 0, game::start, {});
        g.run([&](const position& p, std::int32_t delay, std::size_t last) { expand(g, j, direct, p, delay, last); });
        positions_ += g.positions();
        std::int32_t& worst = direct ? out.direct : out.indirect;
        if (g.longest() <= worst) { continue; }
        worst = g.longest();
        (direct ? direct_trace_ : indirect_trace_) = g.trace();
      }
    }
    return out;
  }
  [[nodiscard]] auto positions() const -> std::size_t { return positions_; }
  /// Returns how the longest delay arose: ^ released, + issue, - release, x withdraw, . completed, | a unit of time.
  [[nodiscard]] auto direct_trace() const -> const std::string& { return direct_trace_; }
  [[nodiscard]] auto indirect_trace() const -> const std::string& { return indirect_trace_; }
  /// Returns in how many positions an incomplete request belongs to a job that is not among the best and has no donor.
  [[nodiscard]] auto deserted() const -> std::size_t { return deserted_; }
  /// Returns how many requests a lock with limited queues put outside of them, over all positions.
  [[nodiscard]] auto overflows() const -> std::size_t { return overflows_; }
  /// Returns how many donations began at another event than the donor's release.
  [[nodiscard]] auto late_donations() const -> std::size_t { return late_; }

 private:
  static constexpr std::size_t capacity = static_cast<std::size_t>(P::capacity());
  static constexpr std::size_t most_clusters = 2;
  using cluster = priority_donation<capacity, Rules>;

  struct position {
    P lock;
    std::array<cluster, most_clusters> donation;
    std::array<std::int8_t, capacity> elapsed{};

    friend auto operator==(const position&, const position&) -> bool = default;
  };
  using game = longest_delay<position>;

  [[nodiscard]] auto of(request_id j) const -> std::size_t { return to_index(j % limits_.clusters); }

  void reach(game& g, const position& p, std::int32_t delay, std::size_t before, const run_step& s) {
    position_hash h;
    h.mix_lock(p.lock, P::capacity());
    for (request_id r = 0; r < P::capacity(); ++r) {
      const cluster& c = p.donation[of(r)];
      h.mix(p.elapsed[to_index(r)]);
      h.mix(c.is_pending(r) ? 1 : 0);
      h.mix(c.donee_of(r));
      if constexpr (requires { p.lock.in_priority_queue(r); }) {
        overflows_ += p.lock.in_priority_queue(r) || p.lock.is_donor(r) ? 1U : 0U;
      }
      deserted_ += c.has_request(r) && !advances(p, r) ? 1U : 0U;
    }
    g.reach(p, h.value(), delay, before, s);
  }
  [[nodiscard]] auto advances(const position& p, request_id r) const -> bool {
    const cluster& c = p.donation[of(r)];
    return c.among_best(r) || (c.donor_of(r) != no_request && c.among_best(c.donor_of(r)));
  }

  void expand(game& g, request_id target, bool direct, const position& p, std::int32_t delay, std::size_t last) {
    if (direct && p.lock.holds(target)) { return; }
    for (request_id r = 0; r < P::capacity(); ++r) {
      const cluster& now = p.donation[of(r)];
      const auto go = [&](char what, const auto& change) {
        position next = p;
        change(next, next.donation[of(r)]);
        for (request_id d = 0; d < P::capacity(); ++d) {
          const bool before = p.donation[of(d)].is_donor(d);
          late_ += !before && next.donation[of(d)].is_donor(d) && (what != '^' || d != r) ? 1U : 0U;
        }
        reach(g, next, delay, last, {what, r});
      };
      if (!now.is_pending(r)) {
        go('^', [r](position&, cluster& c) { c.released(r, {.point = r, .tie = r}); });
      } else if (p.lock.holds(r) || p.lock.waits(r)) {
        if (p.lock.waits(r) && r == target) { continue; }
        go(p.lock.holds(r) ? '-' : 'x', [r](position& next, cluster& c) {
          if (next.lock.holds(r)) {
            next.lock.release(r);
          } else {
            next.lock.withdraw(r);
          }
          next.elapsed[to_index(r)] = 0;
          c.request_completed(r);
        });
      } else if (!now.is_donor(r)) {
        if (now.may_issue(r)) {
          go('+', [r](position& next, cluster& c) {
            c.issued(r);
            next.lock.issue(r, {.priority = {.point = r, .tie = r}});
          });
        }
        if (r != target) {
          go('.', [r](position&, cluster& c) { c.completed(r); });
        }
      }
    }
    const cluster& own = p.donation[of(target)];
    if (own.among_best(target) && (direct ? p.lock.waits(target) : own.is_donor(target))) {
      position next = p;
      for (request_id r = 0; r < P::capacity(); ++r) {
        if (!p.lock.holds(r) || !advances(p, r)) { continue; }
        if (next.elapsed[to_index(r)] == limits_.section) { return; }
        ++next.elapsed[to_index(r)];
      }
      reach(g, next, delay + 1, last, {'|'});
    }
  }

  donation_limits limits_;
  position start_;
  std::size_t positions_ = 0;
  std::size_t deserted_ = 0;
  std::size_t late_ = 0;
  std::size_t overflows_ = 0;
  std::string direct_trace_;
  std::string indirect_trace_;
};

}  // namespace takt::inline TAKT_ABI::checking
