// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/allocation/synthesis/decision_search.hpp>
#include <takt/analysis/cause_effect/chain_latency.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/chain_stage.hpp>

namespace takt::inline TAKT_ABI {

/// A chain for whose tasks offsets are chosen: their positions, their stages, and what must hold.
struct offset_chain {
  std::span<const std::uint32_t> tasks;
  std::span<chain_stage> stages;  ///< as many, by one clock; their offsets are overwritten
  ticks reaction_limit = 0;       ///< 0: none
  ticks age_limit = 0;            ///< 0: none
  bool counts_age = false;        ///< the latency that is to be short is the age; else the reaction
};

namespace detail {

/// The choice of release offsets with which the longest chain is shortest, as a `DecisionProblem`. Each task of a chain
/// is a decision, and tasks beside each other in a chain follow each other. The first value of a task is the offset
/// that it has. Others let it read what a task before it in a chain gives at that instant, or give what one behind it
/// reads then. All ways in which the periods meet are values, if there are not too many. Releases between two of these
/// only make a read, or an output, later; where chains share tasks, a best choice may still lie outside. Responses must
/// not depend on offsets, as bounds for sporadic releases do not.
template <std::size_t MaxTasks>
class offset_problem {
 public:
  static constexpr std::size_t max_decisions = MaxTasks;
  static constexpr std::uint32_t most_values = 4096;

  /// Pre: the chains are bounded; positions of tasks are less than `MaxTasks`; `chains` outlives it.
  constexpr explicit offset_problem(std::span<offset_chain> chains) : chains_{chains} {
    for (const offset_chain& c : chains_) {
      TAKT_EXPECTS(c.stages.size() >= c.tasks.size());
      for (std::size_t i = 0; i < c.tasks.size(); ++i) {
        TAKT_EXPECTS(c.tasks[i] < MaxTasks);
        given_[c.tasks[i]] = c.stages[i].offset;
      }
    }
    while (place_next()) {}
  }

  [[nodiscard]] constexpr auto size() const -> std::size_t { return order_.size(); }
  [[nodiscard]] constexpr auto values(std::size_t i) const -> std::uint32_t { return order_[i].values; }
  [[nodiscard]] constexpr auto least_valid() const -> std::int64_t { return within_limits; }
  [[nodiscard]] constexpr auto promising(const decisions<max_decisions>& /*some*/, std::int64_t /*least*/) const
      -> bool {
    return true;
  }
  [[nodiscard]] constexpr auto reach(const decisions<max_decisions>& all, std::int64_t least) -> reached_score {
    set(all);
    ticks longest = 0;
    ticks excess = 0;
    for (const offset_chain& c : chains_) {
      const chain_latency got = bound_chain(c.stages);
      if (!got.bounded()) { return {}; }
      const ticks counts = c.counts_age ? got.age : got.reaction;
      longest = longest < counts ? counts : longest;
      if (c.reaction_limit > 0 && got.reaction > c.reaction_limit) { excess += got.reaction - c.reaction_limit; }
      if (c.age_limit > 0 && got.age > c.age_limit) { excess += got.age - c.age_limit; }
      if (longest > longest_latency || excess > longest_latency) { return {}; }
    }
    const std::int64_t score = excess > 0 ? longest_latency - excess : within_limits + longest_latency - longest;
    return {score >= least, score};
  }

  /// Writes the offsets of all decisions into the stages of all chains.
  constexpr void set(const decisions<max_decisions>& all) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const ticks offset = offset_of(order_[i].task, all[i]);
      for (const offset_chain& c : chains_) {
        for (std::size_t k = 0; k < c.tasks.size(); ++k) {
          if (c.tasks[k] == order_[i].task) { c.stages[k].offset = offset; }
        }
      }
    }
  }

 private:
  static constexpr ticks longest_latency = ticks{1} << 58;
  static constexpr std::int64_t within_limits = std::int64_t{1} << 60;

  struct placed {
    std::uint32_t task = 0;
    std::uint32_t values = 1;
  };

  [[nodiscard]] constexpr auto is_placed(std::uint32_t task) const -> bool {
    for (const placed& p : order_) {
      if (p.task == task) { return true; }
    }
    return false;
  }
  /// Calls `f(task, its stage, other task, its stage, apart)` for each stage and one next to it. A read and an output
  /// of the two meet where the first offset less the other is `apart`, up to whole steps.
  template <class F>
  constexpr void each_meeting(const F& f) const {
    for (const offset_chain& c : chains_) {
      for (std::size_t i = 0; i + 1 < c.tasks.size(); ++i) {
        const chain_stage& from = c.stages[i];
        const chain_stage& to = c.stages[i + 1];
        const ticks delay = to.waits_for_producer ? 0 : from.output_delay();
        f(c.tasks[i], from, c.tasks[i + 1], to, -delay);
        f(c.tasks[i + 1], to, c.tasks[i], from, delay);
      }
    }
  }
  [[nodiscard]] static constexpr auto step_of(const chain_stage& a, const chain_stage& b) -> ticks {
    return greatest_common_divisor(a.period, b.period);
  }
  [[nodiscard]] static constexpr auto ways_of(const chain_stage& a, const chain_stage& b) -> std::uint32_t {
    const ticks ways = a.period / step_of(a, b);
    return ways < most_values ? static_cast<std::uint32_t>(ways) : most_values;
  }

  /// Places a task beside a placed one, else the first of a chain without any. False: all are.
  constexpr auto place_next() -> bool {
    bool found = false;
    placed next;
    each_meeting([&](std::uint32_t task, const chain_stage& own, std::uint32_t other, const chain_stage& beside,
                     ticks /*apart*/) {
      if (is_placed(task) || !is_placed(other) || (found && task != next.task)) { return; }
      next.task = task;
      next.values += ways_of(own, beside);
      found = true;
    });
    for (const offset_chain& c : chains_) {
      if (found || c.tasks.empty() || is_placed(c.tasks.front())) { continue; }
      next.task = c.tasks.front();
      found = true;
    }
    if (found) { order_.unchecked_push_back(next); }  // Bound: one per task, at most MaxTasks.
    return found;
  }
  /// Pre: the offsets of the tasks before it are set.
  [[nodiscard]] constexpr auto offset_of(std::uint32_t wanted, std::uint32_t value) const -> ticks {
    ticks out = given_[wanted];
    if (value == 0) { return out; }
    std::uint32_t left = value - 1;
    bool found = false;
    each_meeting(
        [&](std::uint32_t task, const chain_stage& own, std::uint32_t other, const chain_stage& beside, ticks apart) {
          if (found || task != wanted || !comes_before(other, task)) { return; }
          const std::uint32_t ways = ways_of(own, beside);
          if (left >= ways) {
            left -= ways;
            return;
          }
          const ticks at = (beside.offset + apart) % own.period + static_cast<ticks>(left) * step_of(own, beside);
          out = (at % own.period + own.period) % own.period;
          found = true;
        });
    return out;
  }
  [[nodiscard]] constexpr auto comes_before(std::uint32_t a, std::uint32_t b) const -> bool {
    for (const placed& p : order_) {
      if (p.task == a) { return a != b; }
      if (p.task == b) { return false; }
    }
    return false;
  }

  std::span<offset_chain> chains_;
  ticks given_[MaxTasks]{};
  inline_vector<placed, MaxTasks> order_;
};

}  // namespace detail

/// Puts the offsets with which the longest chain is shortest into the stages of chains, of those that `offset_problem`
/// looks at. Where some keep the limits of all chains, only these count. Where nothing is better, stages keep what they
/// have. Looks at all choices if there are at most `steps`, else at so many by local search, the same for a seed. Cost:
/// `steps` times `bound_chain` of all chains.
template <std::size_t MaxTasks>
constexpr void choose_offsets(std::span<offset_chain> chains, std::uint64_t seed, std::uint64_t steps) {
  detail::offset_problem<MaxTasks> problem{chains};
  std::uint64_t ways = 1;
  for (std::size_t i = 0; i < problem.size() && ways <= steps; ++i) { ways *= problem.values(i); }
  search_progress<MaxTasks> s;
  if (ways <= steps) {
    search_all(problem, s, [](const auto& /*at*/) { return false; });
  } else {
    climb(problem, s, seed, [steps](const auto& at) { return at.steps >= steps; });
  }
  decisions<MaxTasks> first;
  static_cast<void>(first.resize(problem.size(), 0));
  problem.set(s.found ? s.best : first);
}

}  // namespace takt::inline TAKT_ABI
