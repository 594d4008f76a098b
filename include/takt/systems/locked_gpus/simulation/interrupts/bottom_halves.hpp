// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/core/value.hpp>
#include <takt/rules/helper_threads.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Holds what the handler of a device's bottom halves may go by. Jobs stand by task; those without an operation on the
/// device lend nothing.
struct device_view {
  std::span<const helped_job> users;     ///< with an operation that has not ended
  std::span<const helped_job> unserved;  ///< with one whose bottom half has not been done
  std::span<const std::size_t> pending;  ///< tasks of the bottom halves to do; the one in progress, else by arrival
};

/// Says how the bottom halves of a device are handled: by which right its thread runs, in which order, and what is done
/// before the interrupt returns. `view` has a pending bottom half.
template <class P>
concept BottomHalfPolicy = Copyable<P> && requires(const P& p, P& changed, const device_view& view, ticks time) {
  { p.rank(view) } -> std::same_as<thread_rank>;
  { p.next(view) } -> std::same_as<std::size_t>;      ///< position in `pending` of what the thread begins
  { p.in_interrupt() } -> std::same_as<std::size_t>;  ///< most bottom halves that are done when an interrupt returns
  { p.available(time) } -> std::same_as<ticks>;       ///< how long the thread may run from now on
  { p.next_refill(time) } -> std::same_as<ticks>;     ///< when that is more
  changed.ran(time, time);
};

namespace detail {

/// Handles bottom halves on a thread of the device in the order of their arrival, with no limit on its time.
struct interrupt_thread {
  [[nodiscard]] static constexpr auto next(const device_view& /*view*/) noexcept -> std::size_t { return 0; }
  [[nodiscard]] static constexpr auto in_interrupt() noexcept -> std::size_t { return 0; }
  [[nodiscard]] static constexpr auto available(ticks /*now*/) noexcept -> ticks { return never; }
  [[nodiscard]] static constexpr auto next_refill(ticks /*now*/) noexcept -> ticks { return never; }
  static constexpr void ran(ticks /*from*/, ticks /*to*/) noexcept {}
};

}  // namespace detail

/// Handles them at a rank of its own, as with PREEMPT_RT. Source: Elliott 2015, section 2.2.3.2.
class fixed_priority_halves : public detail::interrupt_thread {
 public:
  constexpr explicit fixed_priority_halves(const thread_rank& own) noexcept : own_{own} {}
  [[nodiscard]] constexpr auto rank(const device_view& /*view*/) const noexcept -> thread_rank { return own_; }

 private:
  thread_rank own_;
};

/// Says how long a job lends its rank to the thread of the device that it waits for.
enum class lending : std::uint8_t {
  until_served,  ///< its bottom half has been done
  until_woken,   ///< as published; a callback thread and the device's thread may then run at one rank at once
};
[[nodiscard]] constexpr auto last_of(lending) noexcept -> lending { return lending::until_woken; }

/// Handles them at the rank of the most important job that is suspended for an operation of the device and lends its
/// own; when there is none, below every job. Source: Elliott 2015, section 3.2.5.1.
class inheriting_halves : public detail::interrupt_thread {
 public:
  /// Pre: `lent` is known.
  constexpr explicit inheriting_halves(lending lent = lending::until_served) noexcept : lent_{lent} {
    TAKT_EXPECTS(is_known(lent));
  }
  [[nodiscard]] constexpr auto rank(const device_view& view) const noexcept -> thread_rank {
    constexpr thread_rank own{.in = thread_class::daemon};
    switch (lent_) {
      case lending::until_served: return helper_rank(own, view.unserved);
      case lending::until_woken: return helper_rank(own, view.users);
    }
    return own;
  }

 private:
  lending lent_;
};

/// Handles each bottom half at the rank of the job that waits for it, the most important first. One in progress is not
/// broken off, but takes the rank of those behind it. Source: Elliott 2015, section 2.2.3.3.
class individual_halves : public detail::interrupt_thread {
 public:
  [[nodiscard]] static constexpr auto rank(const device_view& view) noexcept -> thread_rank {
    return rank_of(view, next(view));
  }
  [[nodiscard]] static constexpr auto next(const device_view& view) noexcept -> std::size_t {
    std::size_t best = 0;
    for (std::size_t i = 1; i < view.pending.size(); ++i) {
      if (rank_of(view, i) < rank_of(view, best)) { best = i; }
    }
    return best;
  }

 private:
  [[nodiscard]] static constexpr auto rank_of(const device_view& view, std::size_t i) noexcept -> thread_rank {
    return helper_rank({.in = thread_class::daemon}, view.unserved.subspan(view.pending[i], 1));
  }
};

/// Works as softirqs of Linux: so many at once before an interrupt returns, for any job, and the rest on a thread that
/// is no real-time thread. Source: Elliott 2015, section 2.2.3.1.
class soft_interrupts : public detail::interrupt_thread {
 public:
  constexpr explicit soft_interrupts(std::size_t at_once = 10) noexcept : at_once_{at_once} {}
  [[nodiscard]] constexpr auto in_interrupt() const noexcept -> std::size_t { return at_once_; }
  [[nodiscard]] static constexpr auto rank(const device_view& /*view*/) noexcept -> thread_rank {
    return {.in = thread_class::other};
  }

 private:
  std::size_t at_once_;
};

/// Is a budget of which each piece comes back a period after its use began. A piece that is used without a break is a
/// job of a sporadic task with that period. So to others the server is a set of such tasks that together take `budget`
/// per period. Differs from POSIX, which returns budgets as a whole and so may return some too early. Source: Sprunt,
/// Sha and Lehoczky 1989; Stanovich, Baker, Wang and Harbour 2010.
class sporadic_server {
 public:
  /// Pre: budget > 0, period > 0; both are below `never`.
  sporadic_server(ticks budget, ticks period) : period_{period} {
    TAKT_EXPECTS(0 < budget && budget < never && 0 < period && period < never);
    pieces_.push_back({0, budget});
  }

  [[nodiscard]] auto available(ticks now) const noexcept -> ticks {
    ticks sum = 0;
    for (std::size_t i = 0; i < pieces_.size() && pieces_[i].from <= now; ++i) { sum += pieces_[i].amount; }
    return sum;
  }
  /// Returns the next instant at which there will be more; `never` when all of the budget is there.
  [[nodiscard]] auto next_refill(ticks now) const noexcept -> ticks {
    for (const piece& p : pieces_) {
      if (p.from > now) { return p.from; }
    }
    return never;
  }
  /// Pre: `available(from)` is at least to - from; uses are reported in the order of time.
  void use(ticks from, ticks to) {
    TAKT_EXPECTS(to <= from || (last_end_ <= from && available(from) >= to - from));
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

/// Has a rank of its own and a budget. Source: Elliott 2015, section 2.2.3.3, after Lewandowski et al. 2007.
class served_halves : public detail::interrupt_thread {
 public:
  served_halves(const thread_rank& own, sporadic_server server) : own_{own}, server_{std::move(server)} {}

  [[nodiscard]] auto rank(const device_view& /*view*/) const noexcept -> thread_rank { return own_; }
  [[nodiscard]] auto available(ticks now) const noexcept -> ticks { return server_.available(now); }
  [[nodiscard]] auto next_refill(ticks now) const noexcept -> ticks { return server_.next_refill(now); }
  void ran(ticks from, ticks to) { server_.use(from, to); }

 private:
  thread_rank own_;
  sporadic_server server_;
};

static_assert(BottomHalfPolicy<fixed_priority_halves> && BottomHalfPolicy<inheriting_halves> &&
              BottomHalfPolicy<individual_halves> && BottomHalfPolicy<soft_interrupts> &&
              BottomHalfPolicy<served_halves>);

/// Wakes jobs by threads of a GPU runtime, one per task.
struct callback_threads {
  thread_rank own{.in = thread_class::callback};
  bool inherit = true;  ///< from the job that they wake
};

}  // namespace takt::inline TAKT_ABI::simulation
