// SPDX-License-Identifier: Apache-2.0
// Sets of single kernels run under the rules of composed boards as they do under the strategies of an accelerator that
// stands alone: slice by slice and response by response, late jobs included where the next ones ask at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/accelerator/earliest_deadline_first.hpp>
#include <takt/rules/accelerator/highest_priority_first.hpp>
#include <takt/simulation/whole_kernels/simulate.hpp>
#include "property/composed_systems.hpp"

namespace {

using namespace composed_systems;
using takt::preemption_cost_model;

constexpr std::size_t most = 5;
constexpr std::int32_t cores = 2;
constexpr ticks end_of_releases = 150;
constexpr ticks horizon = 100'000;
using kernels = takt::accelerator_table<ticks, most>;
using options = takt::simulation::accelerator_options<ticks>;
using releases = takt::simulation::listed_releases<ticks>;

struct stretch {
  std::uint32_t task = 0;
  std::int32_t unit = 0;
  ticks from = 0;
  ticks to = 0;

  friend auto operator<=>(const stretch&, const stretch&) = default;
};
struct seen_run {
  std::vector<stretch> stretches;
  std::vector<ticks> ends;  ///< worst and total responses, task by task
};

struct recorder {
  std::vector<stretch>* out;
  bool whole;

  void record(const takt::slice& s) const {
    const std::int32_t unit = whole ? 0 : s.where.count > 1 ? takt::any_core : s.where.index;
    out->push_back({s.task, unit, s.start, s.end});
  }
  void record(const takt::mark& /*m*/) const {}
};

/// The jobs of a list.
struct listed_choices {
  static constexpr bool asks_at_once = true;
  const releases* jobs;

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto list = jobs->of(task);
    if (job >= list.size()) { return 2 * horizon; }
    return list[job].release - (job == 0 ? 0 : list[job - 1].release);
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  [[nodiscard]] auto length(const takt::visit_record& v, std::uint64_t job) const -> ticks {
    return jobs->of(v.task)[job].work;
  }
};

constexpr std::array<std::string_view, most> names{"a", "b", "c", "d", "e"};

/// Kernels with times that often coincide. `one_cost`: equal on each core, and among those that need all.
auto random_kernels(takt::random_stream& random, bool one_cost) -> kernels {
  kernels out;
  const ticks count = random.between(1, most);
  const bool costs = !random.chance(1, 4);
  std::array<ticks, cores + 1> cost_of_lane{};
  for (ticks& c : cost_of_lane) { c = costs ? random.between(0, 3) : 0; }
  for (ticks i = 0; i < count; ++i) {
    const auto core = static_cast<std::int32_t>(random.between(-1, cores - 1));
    const ticks lane_cost = cost_of_lane[static_cast<std::size_t>(core + 1)];
    const ticks wcet = std::max<ticks>(random.between(1, 8), one_cost ? lane_cost : 1);
    const ticks period = wcet * count * random.between(4, 8) / 4 + random.between(1, 6);
    out.add({.name = names[static_cast<std::size_t>(i)],
             .wcet = wcet,
             .period = period,
             .deadline = period - (random.chance(1, 2) ? random.below(period / 4 + 1) : 0),
             .preemption_cost = one_cost ? lane_cost
                                : costs  ? random.between(0, std::min<ticks>(wcet, 4))
                                         : 0,
             .width = core < 0 ? takt::kernel_width::all_cores : takt::kernel_width::one_core,
             .core = core,
             .priority = static_cast<std::int32_t>((i * 3 + 1) % (3 * count + 2))});
  }
  return out;
}

auto on_board(const kernels& tasks, const releases& jobs, const takt::any_rule<visits>& rule) -> seen_run {
  board places;
  REQUIRE(places.add(rule));
  table set;
  for (const auto& t : tasks.tasks) {
    REQUIRE(set.add_task({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority}));
    REQUIRE(set.add_next(0, 0, t.wcet, takt::kernel_needs{t.preemption_cost, t.core}.values()));
  }
  seen_run out;
  listed_choices choices{&jobs};
  takt::host::engine<board, composed_systems::tasks, visits, listed_choices> engine{set, places, choices};
  const takt::slice_sink sink{&out.stretches,
                              [](void* to, takt::client who, std::int32_t unit, ticks from, ticks until) {
                                static_cast<std::vector<stretch>*>(to)->push_back({who, unit, from, until});
                              }};
  const auto seen = engine.run(horizon, sink);
  for (const auto& t : seen.tasks) {
    out.ends.push_back(t.worst_response);
    out.ends.push_back(static_cast<ticks>(t.total_response));
  }
  return out;
}

template <class Policy, class Strategy>
auto on_accelerator(const kernels& tasks, const releases& jobs, const Strategy& strategy, const options& how,
                    bool whole) -> seen_run {
  seen_run out;
  recorder record{&out.stretches, whole};
  const auto seen = takt::simulation::simulate_accelerator(Policy{}, strategy, tasks, jobs, how, record);
  REQUIRE_FALSE(seen.error);
  for (const auto& t : seen.tasks) {
    out.ends.push_back(t.worst_response);
    out.ends.push_back(static_cast<ticks>(t.total_response));
  }
  return out;
}

struct agreement {
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;
};

void compare(seen_run known, seen_run seen, agreement& out) {
  ++out.compared;
  std::ranges::sort(known.stretches);
  std::ranges::sort(seen.stretches);
  out.differing += known.stretches == seen.stretches && known.ends == seen.ends ? 0U : 1U;
}

/// Systems under one rule, which `run` lets both simulate.
template <class Run>
void expect_agreement(bool one_cost, const Run& run) {
  agreement all;
  const std::uint64_t systems = systems_or(20'000);
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    takt::random_stream random{seed};
    const kernels tasks = random_kernels(random, one_cost);
    const releases jobs = takt::simulation::hostile_releases(tasks, end_of_releases, random.next());
    const auto [known, seen] = run(random, tasks, jobs);
    compare(known, seen, all);
  }
  MESSAGE(all.compared << " runs compared, " << all.differing << " differ");
  CHECK(all.differing == 0);
}

using first_deadline = takt::earliest_deadline_first;
using first_priority = takt::highest_priority_first;
using both = std::pair<seen_run, seen_run>;

}  // namespace

TEST_CASE("kernels on stream levels run on composed boards as on an accelerator that stands alone") {
  expect_agreement(false, [](takt::random_stream& random, const kernels& set, const releases& jobs) -> both {
    constexpr std::array models{preemption_cost_model::ideal, preemption_cost_model::race,
                                preemption_cost_model::overhead};
    const auto model = models[static_cast<std::size_t>(random.between(0, 2))];
    const auto levels = static_cast<std::int32_t>(random.between(1, 4));
    const takt::level_stack<most> stack{levels, cores};
    const options how{.costs = model};
    const auto hardware = takt::accelerator(cores, levels);
    if (random.chance(1, 2)) {
      return {on_accelerator<first_deadline>(set, jobs, stack, how, true),
              on_board(set, jobs, takt::levels(takt::edf, model).on(hardware))};
    }
    return {on_accelerator<first_priority>(set, jobs, stack, how, true),
            on_board(set, jobs, takt::levels(takt::fixed_priority, model).on(hardware))};
  });
}

TEST_CASE(
    "kernels in slots run on composed boards as on an accelerator that stands alone, if waves of a core are equal") {
  expect_agreement(true, [](takt::random_stream& random, const kernels& set, const releases& jobs) -> both {
    const ticks border = random.between(4, 12);
    const ticks rest = random.between(4, 12);
    const ticks period = border + rest + random.between(0, 3);
    const auto pinned = takt::pinned_slot(takt::duration{0}, takt::duration{border});
    const auto gang = takt::gang_slot(takt::duration{border}, takt::duration{rest});
    const auto every = takt::period(takt::duration{period});
    const takt::slotted_cores<most, cores> strategy{cores};
    const options how{.costs = preemption_cost_model::ideal,
                      .pinned_slot = {0, border, period},
                      .gang_slot = {border, rest, period},
                      .guard_band = true};
    if (random.chance(1, 2)) {
      return {on_accelerator<first_deadline>(set, jobs, strategy, how, false),
              on_board(set, jobs, takt::slots(takt::edf, pinned, gang, every).on(takt::accelerator(cores)))};
    }
    return {on_accelerator<first_priority>(set, jobs, strategy, how, false),
            on_board(set, jobs, takt::slots(takt::fixed_priority, pinned, gang, every).on(takt::accelerator(cores)))};
  });
}

TEST_CASE("gangs run on composed boards as on an accelerator that stands alone") {
  expect_agreement(false, [](takt::random_stream& random, const kernels& set, const releases& jobs) -> both {
    const options how{.costs = preemption_cost_model::ideal};
    const auto under = [&](auto order) -> both {
      const takt::event_driven_gang<most, cores, decltype(order)> strategy{cores};
      if (random.chance(1, 2)) {
        return {on_accelerator<first_deadline>(set, jobs, strategy, how, false),
                on_board(set, jobs, takt::gang(takt::edf, order).on(takt::accelerator(cores)))};
      }
      return {on_accelerator<first_priority>(set, jobs, strategy, how, false),
              on_board(set, jobs, takt::gang(takt::fixed_priority, order).on(takt::accelerator(cores)))};
    };
    return random.chance(1, 2) ? under(takt::backfill) : under(takt::strict);
  });
}
