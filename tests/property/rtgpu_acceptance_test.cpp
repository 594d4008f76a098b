// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/allocation/search.hpp>
#include <takt/model/platform.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu.hpp>
#include <takt/systems/rtgpu/figures/rtgpu_generator.hpp>
#include "support/environment.hpp"

namespace {

using takt::ticks;
using takt::generation::copies_per_kernel;
using table_type = takt::task_table<ticks, 5, 5 * 17>;
using plan_type = takt::allocation<5>;

/// Sets per level and number of copies: few here, as many as wanted on demand.
auto sets() -> std::uint64_t { return takt_tests::from_environment("TAKT_ACCEPTANCE_SETS", 8); }

auto options(copies_per_kernel copies, std::int32_t level, std::int32_t sms) -> takt::generation::rtgpu_options {
  return {.utilization_permille = level, .copies = copies, .sms = sms};
}

auto plan_for(const table_type& table, std::int32_t sms, takt::search_method method,
              const takt::analysis::rtgpu_variant& variant) -> plan_type {
  takt::analysis::rtgpu analysis(table, takt::generation::platform_of(options(copies_per_kernel::two, 1000, sms)),
                                 variant);
  return takt::search_plan(analysis, method);
}

auto misses(const table_type& table, std::int32_t sms, const plan_type& plan, std::uint64_t seed) -> bool {
  const auto platform = takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic),
                                       takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::deadline_monotonic)),
                                       takt::pool(takt::virtual_sms(sms, 2), takt::federated));
  const takt::simulation_options run{.horizon = takt::duration{20'000'000'000},
                                     .releases = takt::release_pattern::adversarial,
                                     .seed = seed,
                                     .stop_at_first_miss = true};
  const takt::plan<5>& shares = plan;
  return takt::simulate(platform, table, shares, run).status() != takt::observation_status::no_miss;
}

/// Calls `check(table, index)` for sets of the published experiment around the levels at which they stop to pass.
template <class Check>
void for_each_set(const Check& check) {
  for (const auto copies : {copies_per_kernel::one, copies_per_kernel::two}) {
    for (const std::int32_t level : {400, 700, 1000, 1300}) {
      for (std::uint64_t i = 0; i < sets(); ++i) {
        table_type table;
        REQUIRE(takt::generation::generate(options(copies, level, 10), 7, i, table) == takt::model_fault::none);
        takt::prioritize(table, takt::by_relative_deadline{});
        CAPTURE(level);
        CAPTURE(i);
        check(table, i);
      }
    }
  }
}

}  // namespace

TEST_CASE("acceptance: on sets of the published experiment greedy agrees with trying every plan") {
  int accepted = 0;
  int rejected = 0;
  for_each_set([&](const table_type& table, std::uint64_t) {
    const auto every = plan_for(table, 10, takt::exhaustive_search, takt::analysis::rtgpu_published);
    const auto greedy = plan_for(table, 10, takt::greedy_search, takt::analysis::rtgpu_published);
    REQUIRE(greedy.feasible == every.feasible);
    ++(every.feasible ? accepted : rejected);
    if (every.feasible) { REQUIRE(greedy.shares == every.shares); }
  });
  CHECK(accepted > 10);
  CHECK(rejected > 10);
}

TEST_CASE("acceptance: sharper accepts what the published analysis accepts, more SMs keep it, and no run misses") {
  int gained = 0;
  for_each_set([&](const table_type& table, std::uint64_t i) {
    bool published_before = false;
    bool sharper_before = false;
    for (const std::int32_t sms : {5, 7, 10}) {
      CAPTURE(sms);
      const auto published = plan_for(table, sms, takt::exact_search, takt::analysis::rtgpu_published);
      const auto sharper = plan_for(table, sms, takt::exact_search, takt::analysis::rtgpu_best);
      REQUIRE(published.feasible >= published_before);
      REQUIRE(sharper.feasible >= sharper_before);
      REQUIRE(sharper.feasible >= published.feasible);
      if (published.feasible) { REQUIRE_FALSE(misses(table, sms, published, i)); }
      if (sharper.feasible) { REQUIRE_FALSE(misses(table, sms, sharper, i)); }
      published_before = published.feasible;
      sharper_before = sharper.feasible;
      gained += sharper.feasible && !published.feasible ? 1 : 0;
    }
  });
  CHECK(gained > 0);
}
