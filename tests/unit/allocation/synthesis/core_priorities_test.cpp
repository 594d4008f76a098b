// SPDX-License-Identifier: Apache-2.0
#include <takt/allocation/synthesis/core_priorities.hpp>
#include <takt/rules/tags.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "support/draws.hpp"

namespace {

using takt::core_service;
using takt::core_task;
using takt::ticks;
using takt_tests::draws;
using takt_tests::systems_or;

constexpr std::size_t most = 4;
using tasks_type = takt::inline_vector<core_task, most>;

[[nodiscard]] constexpr auto tasks_of(std::initializer_list<core_task> given) -> tasks_type {
  tasks_type out;
  for (const core_task& t : given) { out.unchecked_push_back(t); }
  return out;
}

/// Whether all tasks are in time in an order, with the responses of all at once.
[[nodiscard]] auto holds(core_service how, const tasks_type& tasks, const std::vector<std::uint32_t>& order) -> bool {
  std::vector<takt::visit_demand> all;
  for (const std::uint32_t i : order) {
    const core_task& t = tasks[i];
    all.push_back({.task = i, .wcet = t.wcet, .period = t.period, .jitter = t.jitter, .limit = t.deadline - t.jitter});
    if (t.wcet > t.deadline - t.jitter) { return false; }
  }
  if (how == core_service::preemptive) {
    takt::analysis::preemptive_priority_responses(all);
  } else {
    takt::analysis::nonpreemptive_priority_responses(all);
  }
  return std::ranges::all_of(all, [](const takt::visit_demand& v) { return v.response <= v.limit; });
}

// By a factor of 1.333 they take 4 and 6 of the 10 ticks, rounded up.
constexpr tasks_type given =
    tasks_of({{.wcet = 3, .period = 20, .deadline = 9}, {.wcet = 4, .period = 10, .deadline = 10}});
static_assert(takt::assign_priorities(core_service::preemptive, given, 1000)[0] == 0);
static_assert(takt::assign_priorities(core_service::preemptive, given, 3000).empty());
static_assert(takt::detail::best_priorities(core_service::preemptive, given, 100'000).factor == 1333);

static_assert(takt::core_service_of(takt::fixed_priority) == core_service::preemptive);
static_assert(takt::core_service_of(takt::nonpreemptive(takt::fixed_priority)) == core_service::nonpreemptive);
static_assert(takt::core_service_of(takt::edf) == core_service::unknown);
static_assert(takt::core_service_of(takt::fixed_priority_rule<takt::by_period>{}) == core_service::unknown);

}  // namespace

TEST_CASE("an assignment of priorities finds an order where one of all holds, and the given one where that does") {
  const std::uint64_t systems = systems_or(1000);
  for (const core_service how : {core_service::preemptive, core_service::nonpreemptive}) {
    std::uint64_t some = 0;
    std::uint64_t other = 0;
    for (std::uint64_t n = 1; n <= systems; ++n) {
      CAPTURE(n);
      draws d{n};
      tasks_type tasks;
      std::vector<std::uint32_t> order(static_cast<std::size_t>(d.between(2, most)));
      std::iota(order.begin(), order.end(), 0U);
      for (std::size_t i = 0; i < order.size(); ++i) {
        core_task t{.period = d.between(4, 40)};
        t.wcet = d.between(1, std::max<ticks>(1, 3 * t.period / static_cast<ticks>(2 * order.size())));
        t.deadline = d.one_in(2) ? t.period : d.between(t.wcet, t.period);
        t.jitter = d.one_in(3) ? d.between(0, t.deadline / 4) : 0;
        tasks.unchecked_push_back(t);
      }
      const bool own = holds(how, tasks, order);
      const auto found = takt::assign_priorities(how, tasks, 1000);
      bool exists = false;
      auto tried = order;
      do { exists = exists || holds(how, tasks, tried); } while (std::ranges::next_permutation(tried).found);
      REQUIRE(found.empty() != exists);
      if (!exists) { continue; }
      CHECK(holds(how, tasks, {found.begin(), found.end()}));
      if (own) { CHECK(std::ranges::equal(found, order)); }
      ++some;
      other += own ? 0U : 1U;
    }
    MESSAGE(some << " of " << systems << " have an order, " << other << " not the given one");
    CHECK(other > 0);
  }
}
