// SPDX-License-Identifier: Apache-2.0
// The search for a mapping is held against nested loops over all of them, on random systems with cores of two types,
// kernels and bodies for processors only.
#include <takt/allocation/compare.hpp>
#include <takt/allocation/policies/judge_any.hpp>
#include <takt/allocation/synthesis/mapping_problem.hpp>
#include <takt/analysis/cause_effect/chain_latency.hpp>
#include <takt/model/scaled.hpp>
#include <takt/rules/policies/published.hpp>
#include <takt/systems/policies.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "support/draws.hpp"

namespace {

using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t most_tasks = 4;
constexpr std::size_t most_visits = 12;
using tasks_type = takt::runtime_task_set<most_tasks, most_visits, most_visits, 8>;
using mapping = takt::system_mapping<most_tasks>;
using menu = takt::task_menu<4>;
constexpr std::array<std::string_view, most_tasks> names{"a", "b", "c", "d"};

/// CPU times by type of core; without a kernel the second is not there.
struct body {
  std::array<std::array<ticks, 2>, 2> cpu{};
  ticks kernel = 0;
};
struct task {
  ticks period = 0;
  ticks deadline = 0;
  ticks jitter = 0;
  std::vector<body> bodies;
};

/// A test of a user's own: tasks under one of two rules of processors and two ways of sharing a GPU.
class two_cores {
 public:
  static constexpr std::size_t max_tasks = most_tasks;

  /// Kernels are in one body of so many.
  explicit two_cores(std::uint64_t seed, int without_kernels = 2) {
    draws d{seed};
    board_.processors = 2;
    board_.copy_engines = 1;
    REQUIRE(board_.gpus.try_push_back(takt::gpu_hardware{.sms = 4, .virtual_per_sm = 2}));
    types_[1] = d.one_in(3) ? 0U : 1U;
    own_rules_ = d.one_in(2) ? 4U : 2U;
    if (without_kernels > 2) { first_rule_ = static_cast<std::uint32_t>(d.between(2, 5)) & ~1U; }
    const bool many = d.one_in(without_kernels > 2 ? 1 : 3);
    const auto count = static_cast<std::size_t>(many ? 4 : d.between(2, 3));
    for (std::size_t i = 0; i < count; ++i) {
      task t{.period = 10 * d.between(1, 6), .deadline = 0, .jitter = 0, .bodies = {}};
      t.deadline = d.one_in(3) ? t.period * d.between(5, 12) / 10 : t.period;
      if (d.one_in(4)) { t.jitter = d.between(0, t.period / 4); }
      const ticks most = std::max<ticks>(2, 3 * t.period / static_cast<ticks>(2 * count));
      for (int b = 0; b < (many ? 1 : d.count(1, 2)); ++b) {
        body made;
        if (d.one_in(without_kernels)) { made.kernel = d.between(1, most); }
        for (auto& part : made.cpu) {
          part[0] = d.between(1, most);
          part[1] = types_[1] == 0 ? part[0] : d.between(1, most);
        }
        t.bodies.push_back(made);
      }
      tasks_.push_back(t);
    }
    if (d.one_in(without_kernels > 2 ? 6 : 2)) {
      chain_ = {0U, static_cast<std::uint32_t>(count - 1)};
      if (d.one_in(2)) { limit_ = (tasks_.front().period + tasks_.back().period) * d.between(10, 30) / 10; }
    }
  }

  [[nodiscard]] auto rules() const -> std::uint32_t { return first_rule_ > 0 ? 1 : own_rules_; }
  [[nodiscard]] auto order_counts(const mapping& m) const -> bool { return m.rules % 2 == 0; }
  [[nodiscard]] auto proves(const mapping& m, std::int64_t permille) -> bool {
    ++asked;
    const auto trial = takt::scaled(mapped(m), permille);
    return !trial.error && under(m.rules, trial.tasks).schedulable();
  }
  [[nodiscard]] auto worst_chain(const mapping& m) -> takt::reached_score {
    if (chain_.empty()) { return {true, 0}; }
    const auto found = under(m.rules, mapped(m));
    std::vector<takt::chain_stage> stages;
    for (const std::uint32_t t : chain_) {
      stages.push_back({.period = tasks_[t].period, .response = found.tasks[t].bound.value});
    }
    const auto bound = takt::bound_chain(stages);
    const bool holds = bound.bounded() && (limit_ == 0 || bound.reaction <= limit_);
    return holds ? takt::reached_score{true, bound.reaction} : takt::reached_score{};
  }

  /// Tokens have methods of their own, whose bounds may depend on more.
  [[nodiscard]] auto service(const mapping& m) -> takt::core_service {
    bool kernels = false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      kernels = kernels || tasks_[i].bodies[m.tasks[i].body].kernel > 0;
    }
    const bool searched = searches_orders || !chain_.empty();
    switch (first_rule_ + m.rules) {
      case 0: return kernels || searched ? takt::core_service::unknown : core_service_of(takt::fixed_priority);
      case 2: return searched ? takt::core_service::unknown : core_service_of(takt::fixed_priority);
      case 4:
        return searched ? takt::core_service::unknown : core_service_of(takt::nonpreemptive(takt::fixed_priority));
      default: return takt::core_service::unknown;
    }
  }

  [[nodiscard]] auto menus() const -> takt::inline_vector<menu, most_tasks> {
    takt::inline_vector<menu, most_tasks> out;
    for (const task& t : tasks_) {
      menu one{.period = t.period, .deadline = t.deadline, .jitter = t.jitter, .places = {}};
      for (std::uint32_t b = 0; b < t.bodies.size(); ++b) {
        for (std::size_t core = 0; core < 2; ++core) {
          const body& of = t.bodies[b];
          const ticks both = of.cpu[0][types_[core]] + (of.kernel > 0 ? of.cpu[1][types_[core]] : 0);
          REQUIRE(one.places.try_push_back(
              {b, static_cast<std::int32_t>(core), both, of.kernel == 0 || takes_all_for_whole}));
        }
      }
      REQUIRE(out.try_push_back(one));
    }
    return out;
  }
  [[nodiscard]] auto types() const -> takt::inline_vector<std::uint32_t, 64> {
    takt::inline_vector<std::uint32_t, 64> out;
    for (const std::uint32_t t : types_) { REQUIRE(out.try_push_back(t)); }
    return out;
  }
  [[nodiscard]] auto size() const -> std::size_t { return tasks_.size(); }

  std::uint64_t asked = 0;
  bool searches_orders = false;
  bool takes_all_for_whole = false;

 private:
  [[nodiscard]] auto mapped(const mapping& m) const -> tasks_type {
    tasks_type out;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const task& t = tasks_[i];
      const auto& [which, core, rank] = m.tasks[i];
      REQUIRE(out.add_task({.name = names[i],
                            .period = t.period,
                            .deadline = t.deadline,
                            .jitter = t.jitter,
                            .priority = rank,
                            .core = core}));
      const body& b = t.bodies[which];
      for (std::uint32_t p = 0; p < (b.kernel > 0 ? 3U : 1U); ++p) {
        takt::runtime_visit v{.where = p == 1 ? resource_kind::gpu : resource_kind::processor,
                              .predecessors = p == 0 ? 0 : takt::visit_mask{1} << (p - 1)};
        v.known.add(p == 1 ? visit_fact::wcet : visit_fact::time);
        if (p == 1) {
          v.wcet = b.kernel;
        } else {
          v.time.upper = b.cpu[p / 2][types_[static_cast<std::size_t>(core)]];
        }
        REQUIRE(out.add_visit(v));
      }
    }
    return out;
  }

  [[nodiscard]] auto under(std::uint32_t rules, const tasks_type& all) const
      -> takt::verdict<ticks, most_tasks, most_visits> {
    const auto with = [&](const auto& policy, const auto& rule) {
      return takt::judge_at_run_time<takt::published_judges>(policy, rule, all, board_, 1).verdict;
    };
    switch (first_rule_ + rules) {
      case 0: return with(takt::tokens_k_fmlp_policy{1}, takt::fixed_priority);
      case 1: return with(takt::tokens_k_fmlp_policy{1}, takt::edf);
      case 2: return with(takt::whole_gpu_policy{}, takt::fixed_priority);
      case 4: return with(takt::whole_gpu_policy{}, takt::nonpreemptive(takt::fixed_priority));
      default: return with(takt::whole_gpu_policy{}, takt::edf);
    }
  }

  takt::hardware board_;
  std::array<std::uint32_t, 2> types_{};
  std::uint32_t own_rules_ = 0;
  std::uint32_t first_rule_ = 0;  ///< the only one, where it is none of the first two
  std::vector<task> tasks_;
  std::vector<std::uint32_t> chain_;
  ticks limit_ = 0;
};

using problem = takt::mapping_problem<two_cores, 4>;
using progress = takt::search_progress<problem::max_decisions>;

/// What the search should find; a latency counts as less.
struct optimum {
  bool exists = false;
  std::int64_t value = 0;
};

[[nodiscard]] auto by_bisection(two_cores& judge, const mapping& m) -> std::int64_t {
  std::int64_t holds = 1000;
  std::int64_t fails = problem::most_factor + 1;
  while (fails - holds > 1) {
    const std::int64_t middle = (holds + fails) / 2;
    (judge.proves(m, middle) ? holds : fails) = middle;
  }
  return holds;
}

void look_at(two_cores& judge, takt::mapping_objective objective, const mapping& m, optimum& best) {
  if (!judge.proves(m, 1000)) { return; }
  const auto chain = judge.worst_chain(m);
  if (!chain.reached) { return; }
  const bool of_chains = objective == takt::mapping_objective::chain;
  if (of_chains && best.exists && best.value <= chain.value) { return; }
  if (!of_chains && best.exists && !judge.proves(m, best.value + 1)) { return; }
  best = {true, of_chains ? chain.value : by_bisection(judge, m)};
}

[[nodiscard]] auto by_nested_loops(two_cores& judge, takt::mapping_objective objective) -> optimum {
  optimum best;
  const auto menus = judge.menus();
  std::vector<std::size_t> at(menus.size(), 0);
  const auto next = [&] {
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (++at[i] < menus[i].places.size()) { return true; }
      at[i] = 0;
    }
    return false;
  };
  do {
    std::vector<std::int32_t> ranks;
    for (std::size_t i = 0; i < at.size(); ++i) { ranks.push_back(static_cast<std::int32_t>(i)); }
    do {
      mapping m;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const auto& p = menus[i].places[at[i]];
        REQUIRE(m.tasks.try_push_back({p.body, p.core, ranks[i]}));
      }
      for (; m.rules < judge.rules(); ++m.rules) { look_at(judge, objective, m, best); }
    } while (std::next_permutation(ranks.begin(), ranks.end()));
  } while (next());
  return best;
}

[[nodiscard]] auto value_of(const progress& s, takt::mapping_objective objective) -> std::int64_t {
  return objective == takt::mapping_objective::chain ? problem::latency_of(s.score) : problem::factor_of(s.score);
}
[[nodiscard]] auto objective_of(std::uint64_t n) -> takt::mapping_objective {
  return n % 3 == 0 ? takt::mapping_objective::chain : takt::mapping_objective::factor;
}
const auto to_the_end = [](const progress&) { return false; };

}  // namespace

TEST_CASE("a search over all mappings finds the optimum of nested loops, or as they that there is none") {
  const std::uint64_t systems = systems_or(60);
  std::uint64_t exist = 0;
  std::uint64_t asked = 0;
  std::uint64_t asked_by_loops = 0;
  for (std::uint64_t n = 1; n <= systems; ++n) {
    CAPTURE(n);
    two_cores judge{n};
    problem p{judge, objective_of(n), judge.menus(), judge.types()};
    progress s;
    takt::search_all(p, s, to_the_end);
    asked += judge.asked;
    judge.asked = 0;
    const optimum best = by_nested_loops(judge, objective_of(n));
    asked_by_loops += judge.asked;
    CHECK(s.complete);
    REQUIRE(s.found == best.exists);
    if (!s.found) { continue; }
    ++exist;
    CHECK(value_of(s, objective_of(n)) == best.value);
  }
  MESSAGE(systems << " systems, " << exist << " with a plan; tests asked for: " << asked << " by the search, "
                  << asked_by_loops << " by loops");
  CHECK(exist > systems / 5);
  CHECK(exist < systems);
  CHECK(asked < asked_by_loops);
}

TEST_CASE(
    "Audsley's assignment gives the optimum of nested loops over all orders with fewer tests than a search of them") {
  const std::uint64_t systems = systems_or(60);
  std::uint64_t exist = 0;
  std::uint64_t assigned = 0;
  std::uint64_t searched = 0;
  std::uint64_t by_loops = 0;
  for (std::uint64_t n = 1; n <= systems; ++n) {
    CAPTURE(n);
    constexpr auto objective = takt::mapping_objective::factor;
    two_cores judge{n + 5'000'000, 5};
    const auto search = [&](bool orders) {
      judge.searches_orders = orders;
      judge.asked = 0;
      problem p{judge, objective, judge.menus(), judge.types()};
      progress s;
      takt::search_all(p, s, to_the_end);
      (orders ? searched : assigned) += judge.asked;
      return s;
    };
    const progress s = search(false);
    const progress whole = search(true);
    judge.asked = 0;
    const optimum best = by_nested_loops(judge, objective);
    by_loops += judge.asked;
    REQUIRE(s.found == best.exists);
    REQUIRE(whole.found == best.exists);
    if (!s.found) { continue; }
    ++exist;
    CHECK(value_of(s, objective) == best.value);
    CHECK(value_of(whole, objective) == best.value);
    problem p{judge, objective, judge.menus(), judge.types()};
    judge.searches_orders = false;
    CHECK(judge.proves(p.mapping_of(s.best), best.value));
  }
  MESSAGE(systems << " systems, " << exist << " with a plan; tests asked for: " << assigned << " with assigned orders, "
                  << searched << " with searched ones, " << by_loops << " by loops");
  CHECK(exist > systems / 5);
  CHECK(assigned < searched);
}

TEST_CASE("an assignment that takes tasks with kernels for time on their core misses the optimum of some systems") {
  std::uint64_t missed = 0;
  const std::uint64_t systems = 5 * systems_or(60);
  for (std::uint64_t n = 1; n <= systems; ++n) {
    two_cores judge{n + 6'000'000, 3};
    const auto search = [&](bool wrongly) {
      judge.takes_all_for_whole = wrongly;
      problem p{judge, takt::mapping_objective::factor, judge.menus(), judge.types()};
      progress s;
      takt::search_all(p, s, to_the_end);
      return s.found ? s.score : 0;
    };
    missed += search(true) < search(false) ? 1U : 0U;
  }
  MESSAGE("missed in " << missed << " of " << systems);
  CHECK(missed > 0);
}

TEST_CASE("a local search never claims more than the optimum, is the same for a seed, and often finds it") {
  const std::uint64_t systems = systems_or(60);
  std::uint64_t exist = 0;
  std::uint64_t found = 0;
  for (std::uint64_t n = 1; n <= systems; ++n) {
    CAPTURE(n);
    two_cores judge{n};
    problem p{judge, objective_of(n), judge.menus(), judge.types()};
    progress whole;
    takt::search_all(p, whole, to_the_end);
    progress some;
    takt::climb(p, some, n, [](const progress& s) { return s.steps >= 150; });
    progress again;
    takt::climb(p, again, n, [](const progress& s) { return s.steps >= 150; });
    CHECK(some == again);
    CHECK_FALSE(some.complete);
    CHECK((whole.found || !some.found));
    exist += whole.found ? 1U : 0U;
    if (!some.found) { continue; }
    CHECK(some.score <= whole.score);
    found += some.score == whole.score ? 1U : 0U;
  }
  MESSAGE("the optimum was found for " << found << " of " << exist);
  CHECK(2 * found > exist);
}

TEST_CASE("a search that is stopped and goes on ends where one without a stop does") {
  for (std::uint64_t n = 1; n <= 10; ++n) {
    CAPTURE(n);
    two_cores judge{n};
    problem p{judge, objective_of(n), judge.menus(), judge.types()};
    progress at_once;
    takt::search_all(p, at_once, to_the_end);
    progress in_parts;
    for (int part = 0; !in_parts.complete && part < 100'000; ++part) {
      const std::uint64_t so_far = in_parts.evaluations;
      takt::search_all(p, in_parts, [&](const progress& s) { return s.evaluations > so_far; });
    }
    CHECK(in_parts == at_once);

    progress climbed;
    takt::climb(p, climbed, n, [](const progress& s) { return s.steps >= 60; });
    progress in_steps;
    for (std::uint64_t upto = 7; upto < 67; upto += 7) {
      takt::climb(p, in_steps, n, [&](const progress& s) { return s.steps >= std::min<std::uint64_t>(upto, 60); });
    }
    CHECK(in_steps == climbed);

    // What was found so far only has to be beaten.
    takt::search_all(p, climbed, to_the_end);
    CHECK(climbed.complete);
    CHECK(climbed.found == at_once.found);
    CHECK((!climbed.found || climbed.score == at_once.score));
  }
}
