// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/allocation/synthesis/core_priorities.hpp>
#include <takt/allocation/synthesis/decision_search.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/largest_factor.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// A body of a task on a core.
struct task_assignment {
  std::uint32_t body = 0;  ///< of the task's variants
  std::int32_t core = 0;
  ticks cpu_time = 0;  ///< longest, of a job, on this core
  bool whole = false;  ///< a job is this time and nothing else, in one piece, and asks for no token
};

/// Holds the places that one task may have.
template <std::size_t Places>
struct task_menu {
  ticks period = 0;
  ticks deadline = 0;  ///< 0: none
  ticks jitter = 0;
  inline_vector<task_assignment, Places> places;
};

/// Says what is decided: rules by their position in a list, and each task's place and how many tasks go before it.
template <std::size_t N>
struct system_mapping {
  struct decision {
    std::uint32_t body = 0;
    std::int32_t core = 0;
    std::int32_t rank = 0;
  };

  std::uint32_t rules = 0;
  inline_vector<decision, N> tasks;
};

/// A test of mapped systems.
///
/// - `rules()`: how many rules there are to choose from, at least one.
/// - `order_counts(mapping)`: whether the answers below depend on ranks. False: none does.
/// - `proves(mapping, permille)`: whether all deadlines are proven with all execution times by a factor. It must be
///   sound: true only if no run misses one.
/// - `worst_chain(mapping)`: of a proven mapping, the longest latency of its chains, 0 where there are none. It is
///   not reached where a chain has no bound, or none within its limit.
/// - Optional, `service(mapping)`: how cores are proven all of whose tasks are `whole` and have no jitter. Neither
///   `worst_chain` nor deadlines of tasks on other cores may depend on ranks of these tasks: see
///   `AssignsPriorities`.
template <class J>
concept MappingJudge = requires(J& j, const system_mapping<J::max_tasks>& m, std::int64_t permille) {
  { J::max_tasks } -> std::convertible_to<std::size_t>;
  { j.rules() } -> std::same_as<std::uint32_t>;
  { j.order_counts(m) } -> std::same_as<bool>;
  { j.proves(m, permille) } -> std::same_as<bool>;
  { j.worst_chain(m) } -> std::same_as<reached_score>;
};

/// A test whose orders on some cores need no search: Audsley's assignment gives the best.
template <class J>
concept AssignsPriorities = MappingJudge<J> && requires(J& j, const system_mapping<J::max_tasks>& m) {
  { j.service(m) } -> std::same_as<core_service>;
};

enum class mapping_objective : std::uint8_t {
  factor,  ///< the largest factor on all execution times that is proven
  chain,   ///< the least longest latency of a chain
};

/// The search for rules, variants, cores and priorities as decisions. First come the rules, then the place of each
/// task. The last are ranks: how many of those before it in the order of deadlines less jitter a task overtakes. The
/// first values keep this order. Where the judge `AssignsPriorities` and the objective is the factor, tasks of cores
/// that it proves have one value: Audsley's order with the largest factor of their core, behind all others. Scores
/// tell what is proven. One below `deadlines_proven` is the factor, in thousandths, with which deadlines are proven.
/// One equal to it means that a chain has no proven limit; one above it is the objective. See `factor_of`,
/// `latency_of`.
template <MappingJudge J, std::size_t Places>
class mapping_problem {
 public:
  static constexpr std::size_t max_tasks = J::max_tasks;
  static constexpr std::size_t max_decisions = 2 * max_tasks + 1;
  static constexpr std::int64_t most_factor = 100'000;
  static constexpr std::int64_t deadlines_proven = 1000;
  using menu = task_menu<Places>;

  /// `types`: by core; cores of one type are the same to the judge, whatever runs on them, and to the menus of tasks.
  /// Pre: `judge` outlives it; each task has a place, on a core that has a type.
  constexpr mapping_problem(J& judge, mapping_objective objective, const inline_vector<menu, max_tasks>& tasks,
                            const inline_vector<std::uint32_t, 64>& types)
      : judge_{&judge}, objective_{objective}, tasks_{tasks}, types_{types} {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      TAKT_EXPECTS(!tasks_[i].places.empty());
      for (const task_assignment& p : tasks_[i].places) {
        TAKT_EXPECTS(p.core >= 0 && static_cast<std::size_t>(p.core) < types_.size());
      }
      std::size_t at = by_urgency_.size();
      // Bound: one per task, at most `max_tasks`.
      by_urgency_.unchecked_push_back(0);
      for (; at > 0 && urgency_of(i) < urgency_of(by_urgency_[at - 1]); --at) { by_urgency_[at] = by_urgency_[at - 1]; }
      by_urgency_[at] = static_cast<std::uint32_t>(i);
    }
  }

  [[nodiscard]] constexpr auto size() const -> std::size_t { return 2 * tasks_.size() + 1; }
  [[nodiscard]] constexpr auto values(std::size_t decision) const -> std::uint32_t {
    if (decision == 0) { return judge_->rules(); }
    if (decision <= tasks_.size()) { return static_cast<std::uint32_t>(tasks_[decision - 1].places.size()); }
    return static_cast<std::uint32_t>(decision - tasks_.size());
  }
  [[nodiscard]] constexpr auto least_valid() const -> std::int64_t { return first_valid; }
  /// Counts values without those that differ only in the names of equal cores, one task after the other.
  [[nodiscard]] constexpr auto distinct_values(std::size_t decision) const -> std::uint32_t {
    if (decision == 0 || decision > tasks_.size()) { return values(decision); }
    std::uint32_t out = 0;
    for (const task_assignment& p : tasks_[decision - 1].places) {
      std::size_t before = 0;  // cores of its type with lesser numbers
      for (std::size_t c = 0; c < static_cast<std::size_t>(p.core); ++c) {
        before += types_[c] == type_of(p) ? 1U : 0U;
      }
      out += before < decision ? 1 : 0;
    }
    return out < 1 ? 1 : out;
  }
  /// Renames cores: equal ones get their first tasks in the order of their numbers.
  [[nodiscard]] constexpr auto earliest(const decisions<max_decisions>& all) const -> decisions<max_decisions> {
    constexpr std::size_t none = 64;
    inline_vector<std::size_t, 64> name;  // of each core
    inline_vector<bool, 64> taken;
    static_cast<void>(name.resize(types_.size(), none) && taken.resize(types_.size(), false));
    decisions<max_decisions> out = all;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const task_assignment& p = place_of(all, i);
      std::size_t& renamed = name[static_cast<std::size_t>(p.core)];
      for (std::size_t c = 0; c < types_.size() && renamed == none; ++c) {
        if (taken[c] || types_[c] != type_of(p)) { continue; }
        renamed = c;
        taken[c] = true;
      }
      const auto& places = tasks_[i].places;
      std::size_t at = 0;
      while (at < places.size() &&
             (places[at].body != p.body || static_cast<std::size_t>(places[at].core) != renamed)) {
        ++at;
      }
      if (at == places.size()) { return all; }
      out[1 + i] = static_cast<std::uint32_t>(at);
    }
    return out;
  }

  [[nodiscard]] constexpr auto promising(const decisions<max_decisions>& some, std::int64_t least) const -> bool {
    const std::size_t placed = some.empty() ? 0 : some.size() - 1 < tasks_.size() ? some.size() - 1 : tasks_.size();
    if (comes_later(some, placed) || overloads(some, placed, factor_needed(least))) { return false; }
    if (some.size() < 1 + tasks_.size()) { return true; }
    const auto assigned = assigned_tasks(some);
    if (some.size() == 1 + tasks_.size()) {
      return !some_are(assigned) || core_factor(some, assigned) >= factor_needed(least);
    }
    bool reordered = false;
    std::uint32_t searched = 0;
    for (std::size_t i = 1 + tasks_.size(); i < some.size(); ++i) {
      const bool open = !assigned[by_urgency_[i - 1 - tasks_.size()]];
      if (some[i] > (open ? searched : 0)) { return false; }
      searched += open ? 1U : 0U;
      reordered = reordered || some[i] != 0;
    }
    return !reordered || judge_->order_counts(mapping_of(some));
  }

  [[nodiscard]] constexpr auto reach(const decisions<max_decisions>& all, std::int64_t least) -> reached_score {
    const auto m = mapping_of(all);
    const std::int64_t needed = factor_needed(least);
    if (needed > 0 && !judge_->proves(m, needed)) { return {}; }
    if (needed < 1000 && !judge_->proves(m, 1000)) {
      const std::int64_t factor = largest_factor(500, 999, [&](std::int64_t f) { return judge_->proves(m, f); });
      return reached(factor, least);
    }
    const reached_score chain = judge_->worst_chain(m);
    if (!chain.reached) { return reached(deadlines_proven, least); }
    switch (objective_) {
      case mapping_objective::chain: return reached(first_valid + longest_latency - chain.value, least);
      case mapping_objective::factor: break;
    }
    const std::int64_t factor =
        largest_factor(1000, most_factor, [&](std::int64_t f) { return f == 1000 || judge_->proves(m, f); });
    return reached(first_valid + factor - 1000, least);
  }

  /// Pre: all decisions are there, or those on places.
  [[nodiscard]] constexpr auto mapping_of(const decisions<max_decisions>& all) const -> system_mapping<max_tasks> {
    TAKT_EXPECTS(all.size() > tasks_.size());
    system_mapping<max_tasks> out;
    out.rules = all[0];
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const task_assignment& p = tasks_[i].places[all[1 + i]];
      // Bound: one per task, at most `max_tasks`; so below.
      out.tasks.unchecked_push_back({p.body, p.core, 0});
    }
    const auto assigned = assigned_tasks(all);
    inline_vector<std::uint32_t, max_tasks> order;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (assigned[by_urgency_[i]]) { continue; }
      const std::size_t digit = 1 + tasks_.size() + i;
      const auto most = static_cast<std::uint32_t>(order.size());
      const std::uint32_t passed = digit >= all.size() ? 0 : all[digit] < most ? all[digit] : most;
      order.unchecked_push_back(0);
      std::size_t at = order.size() - 1;
      for (std::uint32_t k = 0; k < passed; ++k, --at) { order[at] = order[at - 1]; }
      order[at] = by_urgency_[i];
    }
    each_assigned_core(all, assigned, [&](const inline_vector<std::uint32_t, max_tasks>& tasks, const auto& best) {
      for (const std::uint32_t at : best.order) { order.unchecked_push_back(tasks[at]); }
    });
    for (std::size_t k = 0; k < order.size(); ++k) { out.tasks[order[k]].rank = static_cast<std::int32_t>(k); }
    return out;
  }

  /// Returns the factor of a solution's score. Pre: the objective is the factor.
  [[nodiscard]] static constexpr auto factor_of(std::int64_t score) -> std::int64_t {
    return score - first_valid + 1000;
  }
  /// Returns the latency of a solution's score. Pre: the objective is the chain.
  [[nodiscard]] static constexpr auto latency_of(std::int64_t score) -> ticks {
    return longest_latency - (score - first_valid);
  }

 private:
  static constexpr std::int64_t first_valid = deadlines_proven + 1;
  static constexpr ticks longest_latency = std::numeric_limits<std::int64_t>::max() / 4;

  [[nodiscard]] static constexpr auto reached(std::int64_t score, std::int64_t least) -> reached_score {
    return {score >= least, score};
  }
  [[nodiscard]] constexpr auto urgency_of(std::size_t i) const -> ticks {
    const ticks limit = tasks_[i].deadline > 0 ? tasks_[i].deadline : tasks_[i].period;
    return limit - tasks_[i].jitter;
  }
  /// Returns the factor with which all that scores `least` has proven deadlines; 0: none.
  [[nodiscard]] constexpr auto factor_needed(std::int64_t least) const -> std::int64_t {
    if (least < first_valid) { return least > 0 ? least : 0; }
    switch (objective_) {
      case mapping_objective::factor: return factor_of(least) < most_factor ? factor_of(least) : most_factor;
      case mapping_objective::chain: break;
    }
    return 1000;
  }
  using task_flags = inline_vector<bool, max_tasks>;

  [[nodiscard]] constexpr auto place_of(const decisions<max_decisions>& all, std::size_t task) const
      -> const task_assignment& {
    return tasks_[task].places[all[1 + task]];
  }
  [[nodiscard]] constexpr auto type_of(const task_assignment& p) const -> std::uint32_t {
    return types_[static_cast<std::size_t>(p.core)];
  }
  [[nodiscard]] static constexpr auto some_are(const task_flags& flags) -> bool {
    for (const bool flag : flags) {
      if (flag) { return true; }
    }
    return false;
  }
  /// Returns the tasks whose priorities are not searched. Pre: all places are decided.
  [[nodiscard]] constexpr auto assigned_tasks(const decisions<max_decisions>& all) const -> task_flags {
    TAKT_EXPECTS(all.size() > tasks_.size());
    task_flags out;
    static_cast<void>(out.resize(tasks_.size(), false));
    if (!is_known(service_of(all))) { return out; }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      out[i] = true;
      for (std::size_t k = 0; k < tasks_.size(); ++k) {
        const task_assignment& other = place_of(all, k);
        const bool counts_alone = other.whole && tasks_[k].jitter == 0;  // guards may take jitter away
        out[i] = out[i] && (counts_alone || other.core != place_of(all, i).core);
      }
    }
    return out;
  }
  [[nodiscard]] constexpr auto service_of(const decisions<max_decisions>& all) const -> core_service {
    if constexpr (AssignsPriorities<J>) {
      switch (objective_) {
        case mapping_objective::chain: return core_service::unknown;
        case mapping_objective::factor: break;
      }
      system_mapping<max_tasks> m;
      m.rules = all[0];
      for (std::size_t i = 0; i < tasks_.size(); ++i) {
        const task_assignment& p = place_of(all, i);
        // Bound: one per task, at most `max_tasks`.
        m.tasks.unchecked_push_back({p.body, p.core, static_cast<std::int32_t>(i)});
      }
      return judge_->service(m);
    }
    return core_service::unknown;
  }
  /// Calls `f(tasks, best)` for each core whose tasks are assigned, which stand in the order of deadlines less jitter.
  template <class F>
  constexpr void each_assigned_core(const decisions<max_decisions>& all, const task_flags& assigned, const F& f) const {
    if (!some_are(assigned)) { return; }
    const core_service how = service_of(all);
    for (std::size_t core = 0; core < types_.size(); ++core) {
      inline_vector<std::uint32_t, max_tasks> tasks;
      inline_vector<core_task, max_tasks> times;
      for (const std::uint32_t i : by_urgency_) {
        const task_assignment& p = place_of(all, i);
        if (!assigned[i] || static_cast<std::size_t>(p.core) != core) { continue; }
        const menu& t = tasks_[i];
        const bool is_earlier = t.deadline > 0 && t.deadline < t.period;
        // Bound: one per task, at most `max_tasks`; so below.
        tasks.unchecked_push_back(i);
        times.unchecked_push_back({.wcet = p.cpu_time,
                                   .period = t.period,
                                   .deadline = is_earlier ? t.deadline : t.period,
                                   .jitter = t.jitter});
      }
      if (!tasks.empty()) { f(tasks, detail::best_priorities(how, times, most_factor)); }
    }
  }
  /// Returns the largest factor with which all assigned cores hold.
  [[nodiscard]] constexpr auto core_factor(const decisions<max_decisions>& all, const task_flags& assigned) const
      -> std::int64_t {
    std::int64_t out = most_factor;
    each_assigned_core(all, assigned,
                       [&](const auto& /*tasks*/, const auto& best) { out = best.factor < out ? best.factor : out; });
    return out;
  }
  /// Returns whether a task takes a core while another of its type, with a lesser number, is empty so far. Then there
  /// is an earlier mapping that differs only in the names of cores.
  [[nodiscard]] constexpr auto comes_later(const decisions<max_decisions>& some, std::size_t placed) const -> bool {
    inline_vector<bool, 64> used;
    static_cast<void>(used.resize(types_.size(), false));
    for (std::size_t i = 0; i < placed; ++i) {
      const auto core = static_cast<std::size_t>(tasks_[i].places[some[1 + i]].core);
      for (std::size_t other = 0; other < core && !used[core]; ++other) {
        if (types_[other] == types_[core] && !used[other]) { return true; }
      }
      used[core] = true;
    }
    return false;
  }
  /// Returns whether some job is longer than its deadline, or some core has more to do than there is time.
  [[nodiscard]] constexpr auto overloads(const decisions<max_decisions>& some, std::size_t placed,
                                         std::int64_t permille) const -> bool {
    constexpr double rounding = 1e-9;
    const double factor = static_cast<double>(permille) / 1000;
    inline_vector<double, 64> load;
    static_cast<void>(load.resize(types_.size(), 0));
    for (std::size_t i = 0; i < placed; ++i) {
      const task_assignment& p = tasks_[i].places[some[1 + i]];
      const double time = factor * static_cast<double>(p.cpu_time);
      double& of_core = load[static_cast<std::size_t>(p.core)];
      of_core += time / static_cast<double>(tasks_[i].period);
      const bool late = tasks_[i].deadline > 0 && time > static_cast<double>(tasks_[i].deadline) * (1 + rounding);
      if (late || of_core > 1 + rounding) { return true; }
    }
    return false;
  }

  J* judge_;
  mapping_objective objective_;
  inline_vector<menu, max_tasks> tasks_;
  inline_vector<std::uint32_t, 64> types_;
  inline_vector<std::uint32_t, max_tasks> by_urgency_;
};

}  // namespace takt::inline TAKT_ABI
