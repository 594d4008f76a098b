// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/pools/deadlines.hpp>
#include <takt/analysis/pools/response_parts.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/analysis/pools/window_responses.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/time_slices.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Computes what visits wait for where contexts take turns. Times above those of every table are `unbounded_response`.
class context_turns {
 public:
  /// Pre: slice >= 1, switching >= 0; visits of a task stand together.
  constexpr context_turns(std::span<const visit_demand> visits, ticks slice, ticks switching) noexcept
      : visits_{visits}, slice_{slice}, switching_{switching} {
    TAKT_EXPECTS_IN_TESTS(stand_together(visits));
    TAKT_EXPECTS(slice >= 1 && switching >= 0);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      if (first_of(i) == i) { all_turns_ += slices_of(visits[i]).upper + switching; }
    }
  }

  [[nodiscard]] constexpr auto context_of(std::size_t i) const noexcept -> std::uint32_t {
    return slice_view::of(visits_[i].view, visits_[i].task).context;
  }
  /// Returns the first visit of the same context.
  [[nodiscard]] constexpr auto first_of(std::size_t i) const noexcept -> std::size_t {
    std::size_t k = 0;
    while (context_of(k) != context_of(i)) { ++k; }
    return k;
  }
  [[nodiscard]] constexpr auto slice_of(const visit_demand& u) const noexcept -> ticks {
    return slice_view::of(u.view, u.task).slice_or(slice_);
  }
  /// The kernels of a context may say different slices.
  [[nodiscard]] constexpr auto slices_of(const visit_demand& v) const noexcept -> interval<ticks> {
    const std::uint32_t context = slice_view::of(v.view, v.task).context;
    interval<ticks> out{slice_of(v), slice_of(v)};
    for (std::size_t i = 0; i < visits_.size(); ++i) {
      if (context_of(i) != context) { continue; }
      const ticks slice = slice_of(visits_[i]);
      out = {slice < out.lower ? slice : out.lower, slice > out.upper ? slice : out.upper};
    }
    return out;
  }

  /// Returns the work of the own context until v is done: of each of its tasks what can be pending at one instant.
  [[nodiscard]] constexpr auto own_work(const visit_demand& v) const noexcept -> ticks { return v.wcet + beside(v); }
  /// Returns that work without the time of v.
  [[nodiscard]] constexpr auto beside(const visit_demand& v) const noexcept -> ticks {
    const std::uint32_t context = slice_view::of(v.view, v.task).context;
    const auto of_context = [&](const visit_demand& u) {
      return slice_view::of(u.view, u.task).context == context ? u.wcet : ticks{0};
    };
    const visit_demand* const d = visits_.data();
    ticks sum = 0;
    for (std::size_t i = 0, end = 0; i < visits_.size(); i = end) {
      for (end = i; end < visits_.size() && d[end].task == d[i].task;) { ++end; }
      sum += d[i].task == v.task ? own_pending_work(d + i, d + end, v, of_context)
                                 : pending_work(d + i, d + end, of_context);
    }
    return sum;
  }
  /// Returns how often the own context waits for all others.
  [[nodiscard]] constexpr auto waits(const visit_demand& v) const noexcept -> ticks {
    return ceil_divide(own_work(v), slices_of(v).lower);
  }

  /// Returns the bound that holds whatever the others ask for.
  [[nodiscard]] constexpr auto after_full_turns(const visit_demand& v) const noexcept -> ticks {
    return plus(own_work(v), full_turns(v));
  }
  /// Returns how long all other contexts have their turns, with the switches.
  [[nodiscard]] constexpr auto full_turns(const visit_demand& v) const noexcept -> ticks {
    const ticks others = all_turns_ - slices_of(v).upper - switching_;
    return others == 0 ? 0 : times(waits(v), others + switching_);
  }
  /// Says what that bound consists of.
  constexpr void say_full_turns(const visit_demand& v) const {
    if (!wants_parts(v)) { return; }
    v.parts->clear();
    v.parts->add(term_kind::own_work, v.task, v.wcet);
    v.parts->add(term_kind::queue, v.task, beside(v));
    v.parts->add(term_kind::queue, no_index, full_turns(v));
  }

  [[nodiscard]] static constexpr auto plus(ticks a, ticks b) noexcept -> ticks {
    return a >= unbounded_response || b >= unbounded_response - a ? unbounded_response : a + b;
  }
  [[nodiscard]] static constexpr auto times(ticks a, ticks b) noexcept -> ticks {
    ticks out = 0;
    return !checked_multiply(a, b, out) || out > unbounded_response ? unbounded_response : out;
  }

 private:
  std::span<const visit_demand> visits_;
  ticks slice_;
  ticks switching_;
  ticks all_turns_ = 0;  ///< one of each context, with the switch before it
};

/// Computes these waits with what others can ask for in a window, of few visits.
class contexts_in_window {
 public:
  /// Pre: at most `most_decided_visits` visits; see `context_turns`.
  constexpr contexts_in_window(std::span<const visit_demand> visits, ticks slice, ticks switching) noexcept
      : visits_{visits}, turns_{visits, slice, switching}, switching_{switching} {
    TAKT_EXPECTS(visits.size() <= most_decided_visits);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const visit_demand& v = visits[i];
      first_[i] = turns_.first_of(i);
      slice_[i] = turns_.slice_of(v);
      longest_slice_[i] = turns_.slices_of(v).upper;
      work_[i] = turns_.own_work(v);
      waits_[i] = turns_.waits(v);
      most_[i] = turns_.after_full_turns(v);
    }
  }

  /// Pre: it is one of the visits.
  [[nodiscard]] constexpr auto most(std::size_t at) const noexcept -> ticks {
    TAKT_EXPECTS(at < visits_.size());
    return most_[at];
  }

  /// Adds up own work, work of others and switches in a window of so much time in which visit `at` is pending. They
  /// are written to `parts`, if there are any.
  [[nodiscard]] constexpr auto within(std::size_t at, ticks window,
                                      parts_of_visit<ticks>* parts = nullptr) const noexcept -> ticks {
    using sums = context_turns;
    const visit_demand& v = visits_[at];
    ticks demand[most_decided_visits]{};  // of each context, at its first visit
    ticks begun[most_decided_visits]{};
    for (std::size_t k = 0; k < visits_.size(); ++k) {
      const visit_demand& u = visits_[k];
      const bool is_own = u.task == v.task;
      if (u.wcet == 0 || (is_own && !concurrent(u, v))) { continue; }
      const ticks jobs = is_own ? 1 : jobs_that_meet(u, window);
      ticks& work = demand[first_[k]];
      ticks& turns = begun[first_[k]];
      work = sums::plus(work, is_own ? u.wcet : work_within(u, window));
      turns = sums::plus(turns, sums::times(jobs, ceil_divide(u.wcet, slice_[k])));
    }
    ticks sum = work_[at];
    ticks turns = 0;
    bool alone = true;
    for (std::size_t k = 0; k < visits_.size(); ++k) {
      if (first_[k] != k || k == first_[at]) { continue; }
      alone = false;
      const ticks longest = sums::times(waits_[at], longest_slice_[k]);
      const ticks work = demand[k] < longest ? demand[k] : longest;
      sum = sums::plus(sum, work);
      if (parts != nullptr) { parts->add(term_kind::queue, visits_[k].task, work); }
      turns = sums::plus(turns, begun[k] < waits_[at] ? begun[k] : waits_[at]);
    }
    if (alone) { return sum; }
    const ticks back = turns < waits_[at] ? turns + 1 : waits_[at];
    const ticks switches = sums::times(sums::plus(turns, back), switching_);
    if (parts != nullptr) { parts->add(term_kind::overheads, v.task, switches); }
    return sums::plus(sum, switches);
  }
  /// Says what the response of a visit consists of, by the bound that it has.
  constexpr void say(std::size_t at) const {
    const visit_demand& v = visits_[at];
    if (!wants_parts(v)) { return; }
    if (v.response == most_[at]) { return turns_.say_full_turns(v); }
    v.parts->clear();
    v.parts->add(term_kind::own_work, v.task, v.wcet);
    v.parts->add(term_kind::queue, v.task, turns_.beside(v));
    static_cast<void>(within(at, v.response, v.parts));
  }

 private:
  /// Returns how many jobs of u are pending at some instant of a window, if each is done within the response of u.
  [[nodiscard]] static constexpr auto jobs_that_meet(const visit_demand& u, ticks window) noexcept -> ticks {
    if (u.response >= unbounded_response) { return unbounded_response; }
    return ceil_divide(window + u.jitter + u.response, u.period);
  }

  std::span<const visit_demand> visits_;
  context_turns turns_;
  ticks switching_;
  std::size_t first_[most_decided_visits]{};
  ticks slice_[most_decided_visits]{};
  ticks longest_slice_[most_decided_visits]{};
  ticks work_[most_decided_visits]{};
  ticks waits_[most_decided_visits]{};
  ticks most_[most_decided_visits]{};
};

}  // namespace detail

/// Computes responses on a unit that gives each context its slice in turn and needs `switching` between two. They are
/// the lesser of two bounds: by full turns of all other contexts, and by what their jobs can ask for meanwhile.
/// Contexts that wake up go to the tail or keep their place. Pre: slice >= 1, switching >= 0; visits of a task stand
/// together. `given_up_response` where it ended at `most_window_steps` and full turns are too long.
/// Cost: a fixed point per visit, repeated until none grows; of more than `most_decided_visits` visits full turns only.
/// Source: docs/time_slices.md.
constexpr void time_slice_responses(std::span<visit_demand> visits, ticks slice, ticks switching) {
  TAKT_EXPECTS_IN_TESTS(detail::stand_together(visits));
  TAKT_EXPECTS(slice >= 1 && switching >= 0);
  bool stale = false;
  for (visit_demand& v : visits) {
    stale = stale || v.moved;
    if (v.response < v.wcet) { v.response = v.wcet; }
  }
  if (!stale) { return; }
  if (visits.size() > most_decided_visits) {
    const detail::context_turns turns{visits, slice, switching};
    for (visit_demand& v : visits) {
      const ticks most = turns.after_full_turns(v);
      v.response = most > v.limit ? unbounded_response : most;
      turns.say_full_turns(v);
    }
    return;
  }
  const detail::contexts_in_window contexts{visits, slice, switching};
  std::int32_t steps = 0;
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      visit_demand& v = visits[i];
      const ticks most = contexts.most(i);
      ticks w = v.response;
      while (w < most && w <= v.limit) {
        const ticks found = ++steps <= most_window_steps ? contexts.within(i, w) : most;
        if (found <= w) { break; }
        w = found < most ? found : most;
      }
      if (w > v.limit && w < unbounded_response) {
        w = steps > most_window_steps ? given_up_response : unbounded_response;
      }
      grew = grew || w != v.response;
      v.response = w;
    }
  }
  for (std::size_t i = 0; i < visits.size(); ++i) { contexts.say(i); }
}

namespace as_published {

/// Returns what a kernel waits for in the time slices of so many other tasks: of each a slice and a switch for every
/// slice of its own. The switch back is missing, so with `switching` above 0 it is no bound; see docs/errata.md. Pre:
/// slice >= 1. Source: Wang, Liu, Wong and Kim 2024, equation 3.
[[nodiscard]] constexpr auto interleaved_execution(ticks kernel, ticks others, ticks slice, ticks switching) noexcept
    -> ticks {
  TAKT_EXPECTS(slice >= 1);
  using sums = detail::context_turns;
  return sums::times(sums::times(ceil_divide(kernel, slice), others), sums::plus(slice, switching));
}

}  // namespace as_published

}  // namespace takt::inline TAKT_ABI::analysis
