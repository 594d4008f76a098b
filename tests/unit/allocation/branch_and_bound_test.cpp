// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <takt/allocation/search.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>
#include <takt/takt.hpp>

#include "support/small_systems.hpp"
#include "support/traces.hpp"

using namespace takt::literals;
using namespace takt_tests;
using takt::analysis::busy_waiting_rta;
using takt::analysis::rtgpu;
using takt::analysis::self_suspension;
using takt::analysis::share_choice;

namespace {

class dice {
 public:
  explicit dice(std::uint32_t seed) : engine_{seed} {}
  auto between(std::int32_t low, std::int32_t high) -> std::int32_t {
    return low + static_cast<std::int32_t>(engine_() % static_cast<std::uint32_t>(high - low + 1));
  }
  auto one_in(std::int32_t n) -> bool { return between(1, n) == 1; }
  auto engine() -> std::mt19937& { return engine_; }

 private:
  std::mt19937 engine_;
};

/// Measured times that need not fall with the number of SMs.
void tabulate_kernels(table& t, std::int32_t virtual_sms, dice& roll) {
  for (auto& s : t.segments) {
    if (s.where != takt::stage::kernel ||
        t.samples.size() + static_cast<std::size_t>(virtual_sms) > table::max_samples) {
      continue;
    }
    s.first_sample = static_cast<std::uint32_t>(t.samples.size());
    s.samples = static_cast<std::uint32_t>(virtual_sms);
    for (std::int32_t n = 1; n <= virtual_sms; ++n) {
      const ticks upper = 1 + s.time.upper / n + roll.between(0, 4);
      t.samples.unchecked_push_back({upper - roll.between(0, static_cast<std::int32_t>(upper)), upper});
    }
  }
}

/// Small systems of every kind that a plan can be looked for on: one to three GPUs, alike or not, units of one or two
/// SMs, divisible and measured kernels.
[[nodiscard]] auto draw_system(dice& roll) -> example {
  example out = draw_example(roll.engine());
  auto& gpus = out.platform.gpus;
  if (roll.one_in(2)) {
    gpus[0].sms = roll.between(1, 4);
    gpus.unchecked_push_back(gpus[0]);
    if (roll.one_in(2)) { gpus[1].sms = roll.between(1, 4); }
    if (roll.one_in(3)) { gpus[1].speed = {3, 2}; }
    if (roll.one_in(3)) { gpus.unchecked_push_back(gpus[roll.one_in(2) ? 0 : 1]); }
  }
  for (auto& gpu : gpus) { gpu.granularity = roll.one_in(3) ? 2 : 1; }
  if (roll.one_in(4)) { tabulate_kernels(out.tasks, 5, roll); }
  out.platform.copy_engines = roll.between(1, 2);
  out.platform.cores = roll.between(1, 2);
  for (auto& t : out.tasks.tasks) { t.core = roll.between(0, out.platform.cores - 1); }
  return out;
}

using plan = takt::plan<table::max_tasks>;

[[nodiscard]] auto fits_the_gpus(const example& e, const plan& p) -> bool {
  std::array<std::int32_t, takt::max_gpus> used{};
  for (std::size_t k = 0; k < e.tasks.size(); ++k) {
    const auto& share = p.shares[e.tasks.tasks[k].id];
    const auto g = static_cast<std::size_t>(share.gpu);
    if (share.sms % e.platform.gpus[g].granularity != 0 || (share.sms > 0) != e.tasks.has_kernel(k)) { return false; }
    used[g] += share.sms;
  }
  for (std::size_t g = 0; g < e.platform.gpus.size(); ++g) {
    if (used[g] > e.platform.gpus[g].budget()) { return false; }
  }
  return true;
}

struct tally {
  int feasible = 0;
  int refuted = 0;
};

/// Judged from scratch by an analysis that no search has touched.
template <class A>
[[nodiscard]] auto passes(A untouched, const plan& p) -> bool {
  return takt::analysis::evaluate_all(untouched, p) == untouched.table().size();
}

template <class A>
void compare_with_exhaustive(const A& untouched, const example& e, tally& count) {
  A a = untouched;
  A b = untouched;
  const auto found = takt::search_plan(a, takt::branch_and_bound_search);
  const auto every = takt::search_plan(b, takt::exhaustive_search);
  REQUIRE(found.effort.complete);
  REQUIRE(found.feasible == every.feasible);
  if (found.feasible) {
    REQUIRE(fits_the_gpus(e, found));
    REQUIRE(passes(untouched, found));
  }
  ++(found.feasible ? count.feasible : count.refuted);
}

/// Shares for each task, and a plan with one of them each.
struct choices_with_plan {
  std::vector<share_choice> choices;
  plan chosen;
};

[[nodiscard]] auto draw_choices(const example& e, dice& roll) -> choices_with_plan {
  choices_with_plan out;
  out.chosen.shares.resize(e.tasks.size());
  for (std::size_t k = 0; k < e.tasks.size(); ++k) {
    out.choices.push_back({});
    if (!e.tasks.has_kernel(k)) { continue; }
    const auto g = static_cast<std::size_t>(roll.between(0, static_cast<std::int32_t>(e.platform.gpus.size()) - 1));
    const std::int32_t budget = e.platform.gpus[g].budget();
    const std::int32_t sms = roll.between(1, budget);
    out.chosen.shares[e.tasks.tasks[k].id] = {static_cast<std::int32_t>(g), sms};
    auto& choice = out.choices.back();
    choice = {share_choice::bit(g), roll.between(1, sms), roll.between(sms, budget + 3)};
    if (roll.one_in(3)) { choice.gpus = share_choice::bit(e.platform.gpus.size()) - 1; }
    if (roll.one_in(4)) { choice.least = choice.most = sms; }
  }
  return out;
}

template <class A>
void compare_with_relaxation(A exact, const example& e, const choices_with_plan& drawn, int& tighter) {
  auto relaxed = exact.relaxation();
  for (std::size_t k = 0; k < e.tasks.size(); ++k) {
    exact.assign(k, drawn.chosen.shares[e.tasks.tasks[k].id]);
    relaxed.assign(k, drawn.choices[k]);
  }
  for (std::size_t k = 0; k < e.tasks.size() && exact.evaluate(k); ++k) {
    REQUIRE(relaxed.evaluate(k));
    REQUIRE(relaxed.bound(k).exists);
    REQUIRE(relaxed.bound(k).value <= exact.bound(k).value);
    tighter += relaxed.bound(k).value < exact.bound(k).value ? 1 : 0;
  }
}

template <class F>
void for_each_analysis(const example& e, const F& f) {
  f(rtgpu(e.tasks, e.platform));
  f(rtgpu(e.tasks, e.platform, takt::analysis::rtgpu_sharper));
  f(rtgpu(e.tasks, e.platform, takt::analysis::rtgpu_best));
  f(self_suspension(e.tasks, e.platform));
  f(busy_waiting_rta(e.tasks, e.platform));
}

}  // namespace

TEST_CASE("branch and bound finds a plan exactly where trying every plan does, on one GPU and on several" *
          takt_tests::traces("RTGPU-20")) {
  dice roll{23};
  tally count;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const example e = draw_system(roll);
    for_each_analysis(e, [&](const auto& a) {
      CAPTURE(std::string{a.name()});
      compare_with_exhaustive(a, e, count);
    });
  }
  CHECK(count.feasible > 500);
  CHECK(count.refuted > 300);
}

TEST_CASE("a relaxed bound is never above the bound under a plan that it stands for" * takt_tests::traces("RTGPU-20")) {
  dice roll{5};
  int tighter = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    example e = draw_system(roll);
    // More SMs than pieces.
    if (roll.one_in(2)) {
      for (auto& gpu : e.platform.gpus) { gpu.sms = roll.between(1, 40); }
    }
    const auto drawn = draw_choices(e, roll);
    for_each_analysis(e, [&](const auto& a) {
      CAPTURE(std::string{a.name()});
      compare_with_relaxation(a, e, drawn, tighter);
    });
  }
  CHECK(tighter > 1000);
}

TEST_CASE("a relaxation with one share per task is the analysis itself") {
  dice roll{11};
  int met = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const example e = draw_system(roll);
    const auto drawn = draw_choices(e, roll);
    for_each_analysis(e, [&](auto a) {
      CAPTURE(std::string{a.name()});
      auto relaxed = a.relaxation();
      for (std::size_t k = 0; k < e.tasks.size(); ++k) {
        const auto& share = drawn.chosen.shares[e.tasks.tasks[k].id];
        a.assign(k, share);
        relaxed.assign(k, {share_choice::bit(static_cast<std::size_t>(share.gpu)), share.sms, share.sms});
      }
      for (std::size_t k = 0; k < e.tasks.size(); ++k) {
        const bool passes = a.evaluate(k);
        REQUIRE(relaxed.evaluate(k) == passes);
        if (!passes) { break; }
        REQUIRE(relaxed.bound(k).value == a.bound(k).value);
        ++met;
      }
    });
  }
  CHECK(met > 1000);
}

TEST_CASE("an iteration that is given up leaves a lower bound, but no solution") {
  using point = takt::fixed_point<ticks>;
  CHECK(takt::at_least(point{7, takt::stop_reason::iteration_limit}).exists());
  CHECK(takt::at_least(point{7, takt::stop_reason::iteration_limit}).value == 7);
  CHECK_FALSE(takt::at_least(point{7, takt::stop_reason::exceeds_limit}).exists());
  CHECK_FALSE(takt::at_least(point{}).exists());
}

TEST_CASE("pieces of a choice cover it without overlap, the least share alone") {
  for (std::int32_t least = 1; least < 30; ++least) {
    for (std::int32_t most = least; most < least + 90; ++most) {
      CAPTURE(least);
      CAPTURE(most);
      std::vector<share_choice> pieces;
      takt::analysis::detail::for_each_piece({1, least, most}, [&](const share_choice& p) { pieces.push_back(p); });
      std::ranges::reverse(pieces);
      REQUIRE(pieces.size() <= takt::analysis::share_pieces);
      REQUIRE(pieces.front() == share_choice{1, least, least});
      REQUIRE(pieces.back().most == most);
      for (std::size_t i = 1; i < pieces.size(); ++i) { REQUIRE(pieces[i].least == pieces[i - 1].most + 1); }
    }
  }
}

TEST_CASE("branch and bound ends at its limit and says that it is not complete" * takt_tests::traces("RTGPU-22")) {
  dice roll{2};
  int cut = 0;
  for (int round = 0; round < 200; ++round) {
    const example e = draw_system(roll);
    rtgpu a(e.tasks, e.platform, takt::analysis::rtgpu_best);
    const auto whole = takt::search_plan(a, takt::branch_and_bound_search);
    for (std::uint64_t limit = 0; limit < whole.effort.evaluations; ++limit) {
      const auto limited = takt::search_plan(a, takt::branch_and_bound_search, limit);
      REQUIRE(limited.effort.evaluations <= limit);
      REQUIRE_FALSE(limited.feasible);
      REQUIRE_FALSE(limited.effort.complete);
      ++cut;
    }
    REQUIRE(whole.effort.nodes > 0);
  }
  CHECK(cut > 500);
}

TEST_CASE("greedy does not end at one SM each where a task is judged by the shares of all") {
  const auto heavy = [](std::string_view name, ticks deadline, ticks work) {
    return task_of{name, 200, deadline, {{1, 1}, {1, 1}}, {}, {{{work, work}, 0, 1, 1}}};
  };
  const example e{board(8, 1), table_of({heavy("a", 140, 160), heavy("b", 190, 120)})};
  self_suspension a(e.tasks, e.platform);
  const auto found = takt::search_plan(a, takt::greedy_search);
  REQUIRE(found.feasible);
  CHECK(found.shares[0].sms + found.shares[1].sms > 2);
  CHECK(passes(self_suspension(e.tasks, e.platform), found));
}

TEST_CASE("greedy says that it may have missed a plan unless the analysis is monotone on one GPU") {
  dice roll{41};
  int missed = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const example e = draw_system(roll);
    for_each_analysis(e, [&](auto a) {
      const auto greedy = takt::search_plan(a, takt::greedy_search);
      const auto every = takt::search_plan(a, takt::exhaustive_search);
      if (greedy.feasible) { REQUIRE(passes(a, greedy)); }
      if (!greedy.feasible && greedy.effort.complete) { REQUIRE_FALSE(every.feasible); }
      missed += !greedy.feasible && every.feasible ? 1 : 0;
    });
  }
  CHECK(missed > 0);
}

TEST_CASE("a search in a constant expression decides that there is no plan") {
  constexpr auto tasks = takt::task_set(
      takt::task("a", takt::period(10_ms), takt::cpu(2_ms), takt::kernel(takt::work(12_ms, 12_ms)), takt::cpu(1_ms)),
      takt::task("b", takt::period(12_ms), takt::cpu(2_ms), takt::kernel(takt::work(16_ms, 16_ms)), takt::cpu(1_ms)),
      takt::task("c", takt::period(15_ms), takt::cpu(3_ms), takt::kernel(takt::work(20_ms, 20_ms)), takt::cpu(1_ms)));
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::virtual_sms(5, 1), takt::federated));
  constexpr auto found = takt::allocate_by<takt::published>(board, tasks);
  static_assert(!found.feasible && found.effort.complete);
  static_assert(takt::allocate_by<takt::published>(board, tasks, takt::exhaustive_search, takt::unlimited_evaluations,
                                                   takt::analysis::rtgpu_best)
                    .feasible == found.feasible);
  CHECK(found.effort.evaluations <= takt::default_evaluations);
}
