// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/analysis/methods/gel/devi_anderson.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/gel/simulated_cluster.hpp"

using namespace gel_tests;
using namespace takt::analysis;
using takt::rational;

namespace {

constexpr devi_form forms[]{devi_form::processors, devi_form::busy_processors, devi_form::mixed};

constexpr auto five = set_of<rational>({{2, 4, 4}, {3, 6, 6}, {5, 8, 8}, {4, 10, 10}, {1, 5, 5}});
static_assert(devi_anderson(five, 3).tasks[0].tardiness() == rational{102, 19});

}  // namespace

TEST_CASE("tardiness in all three variants, which agree when every processor is needed" *
          takt_tests::traces("GSD-14")) {
  const rational wanted[]{{102, 19}, {121, 19}, {159, 19}, {140, 19}, {83, 19}};
  for (const auto form : forms) {
    const auto b = devi_anderson(five, 3, form);
    REQUIRE(b.bounded());
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(b.tasks[i].tardiness() == wanted[i]);
      CHECK(b.tasks[i].response == five.tasks[i].period + wanted[i]);
    }
  }
  CHECK(devi_anderson(set_of<ticks>({{2, 4, 3}}), 1).error.fault == takt::model_fault::deadline_is_not_the_period);
  CHECK(devi_anderson(set_of<ticks>({{5, 4, 4}}), 1).status == gel_status::task_overload);
  CHECK(devi_anderson(set_of<ticks>({{4, 4, 4}, {1, 4, 4}}), 1).status == gel_status::cluster_overload);
}

TEST_CASE("with idle processors both replacements of m tighten the bound, and the least is taken" *
          takt_tests::traces("GSD-15")) {
  const auto set = set_of<rational>({{10, 12, 12}, {2, 12, 12}, {2, 5, 5}, {3, 15, 15}});  // U = 8/5 on 3
  const rational printed[]{{196, 13}, {92, 13}, {92, 13}, {105, 13}};
  const rational busy[]{14, 6, 6, 7};
  const rational mixed[]{{38, 3}, {14, 3}, {14, 3}, {17, 3}};
  const auto best = devi_anderson_best(set, 3);
  for (std::size_t i = 0; i < set.size(); ++i) {
    CHECK(devi_anderson(set, 3, devi_form::processors).tasks[i].tardiness() == printed[i]);
    CHECK(devi_anderson(set, 3, devi_form::busy_processors).tasks[i].tardiness() == busy[i]);
    CHECK(devi_anderson(set, 3, devi_form::mixed).tasks[i].tardiness() == mixed[i]);
    CHECK(best.tasks[i].tardiness() == mixed[i]);
  }
}

TEST_CASE("the mixed form is never above the others if U > 1, and U <= 1 leaves no tardiness" *
          takt_tests::traces("GSD-15")) {
  int light = 0;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_GEL_SETS", 200); ++seed) {
    takt::random_stream random{seed};
    const auto processors = static_cast<std::int32_t>(random.between(1, 4));
    task_set set;
    set_of_tasks<rational> exact;
    for (int i = 0; i < 5; ++i) {
      const ticks period = random.between(2, 15);
      const ticks wcet = random.between(1, std::max<ticks>(1, seed % 2 == 0 ? period / 5 : period));
      static_cast<void>(set.add({.wcet = wcet, .period = period, .deadline = period}));
      static_cast<void>(exact.add({.wcet = wcet, .period = period, .deadline = period}));
    }
    const auto mixed = devi_anderson(exact, processors, devi_form::mixed);
    if (!mixed.bounded()) { continue; }
    const bool one_suffices = takt::analysis::detail::bounded_response(set, 1) == gel_status::bounded;
    for (std::size_t i = 0; i < set.size() && !one_suffices; ++i) {
      for (const auto form : forms) {
        CHECK(mixed.tasks[i].response <= devi_anderson(exact, processors, form).tasks[i].response);
      }
    }
    if (!one_suffices) { continue; }
    ++light;
    const auto worst = worst_responses(set, {.processors = processors, .seed = seed});
    const auto best = devi_anderson_best(set, processors);
    for (std::size_t i = 0; i < set.size(); ++i) {
      CHECK(best.tasks[i].lateness == 0);
      CHECK(worst[i] <= set.tasks[i].period);
    }
  }
  CHECK(light > 20);
}
