// SPDX-License-Identifier: Apache-2.0
// Holds every test for accelerators against the simulator under hostile releases, and shows that tests as printed
// accept sets that miss deadlines. TAKT_RANDOM_ACCELERATOR_SYSTEMS sets how many sets each case looks at.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/analysis/methods/whole_kernels/whole_gpu_edf.hpp>
#include <takt/core/random.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/systems/accelerators/analysis/as_published.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_guarded_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include "support/environment.hpp"
#include "support/kernel_runs.hpp"
#include "support/traces.hpp"

namespace {

namespace an = takt::analysis;
using takt::preemption_cost_model;
using takt::random_stream;
using takt::ticks;

constexpr std::size_t most_tasks = 5;
using kernels = takt::task_rows<takt::accelerator_task<ticks>, most_tasks>;
using slot = takt::slot_reservation<ticks>;
using options = kernel_runs::options;
using kernel_runs::periodic;
using level_stack = takt::level_stack<most_tasks>;
using one_slotted_core = takt::slotted_cores<most_tasks, 1>;
using level_stack_of_jobs = takt::level_stack<most_tasks, takt::limited_by_started_jobs>;
using gang_cores = takt::event_driven_gang<most_tasks, 3>;
using strict_cores = takt::event_driven_gang<most_tasks, 3, takt::strict_order>;

constexpr takt::by_absolute_deadline_alone edf{};
constexpr takt::by_given_priority by_priority{};
constexpr std::array<std::string_view, most_tasks> names{"t1", "t2", "t3", "t4", "t5"};
constexpr std::array all_models{preemption_cost_model::ideal, preemption_cost_model::race,
                                preemption_cost_model::overhead};

/// What was seen of one test: sets that it accepted, runs of these, and misses.
struct record {
  std::uint64_t sets = 0;
  std::uint64_t accepted = 0;
  std::uint64_t runs = 0;
  std::uint64_t violating = 0;
  std::string first_violation;
};

/// Periods from a short list, so that hyper-periods stay small; loads from light to a little above 1.
struct generator {
  random_stream random{0};
  bool implicit_deadlines = false;

  auto make(std::initializer_list<ticks> periods) -> kernels {
    kernels out;
    const auto size = static_cast<std::size_t>(random.between(2, most_tasks));
    const ticks load = random.between(30, 105);
    for (std::size_t i = 0; i < size; ++i) {
      const ticks period = periods.begin()[random.below(static_cast<ticks>(periods.size()))];
      const ticks share = random.between(1, 2 * load / static_cast<ticks>(size));
      const ticks wcet = std::clamp<ticks>(period * share / 100, 1, period);
      const ticks deadline = implicit_deadlines ? period : random.between(std::max(wcet, period / 2), period);
      const ticks cost = random.chance(1, 3) ? 0 : random.between(0, std::min<ticks>(wcet, 4));
      out.add(
          {.name = names[i], .wcet = wcet, .period = period, .deadline = deadline, .preemption_cost = cost, .core = 0});
    }
    return out;
  }
  auto make_slot(std::initializer_list<ticks> periods) -> slot {
    const ticks period = periods.begin()[random.below(static_cast<ticks>(periods.size()))];
    return {random.chance(1, 2) ? 0 : random.below(period), random.between(1, period), period};
  }
};

[[nodiscard]] auto ranked(kernels tasks, const an::rank_order<most_tasks>& order) -> kernels {
  for (std::size_t r = 0; r < order.size(); ++r) { tasks.tasks[order[r]].priority = static_cast<std::int32_t>(r); }
  return tasks;
}
[[nodiscard]] auto longest_period(const kernels& tasks) -> ticks {
  ticks longest = 0;
  for (const auto& t : tasks.tasks) { longest = std::max(longest, t.period); }
  return longest;
}
[[nodiscard]] auto hyperperiod(const kernels& tasks, ticks with = 1) -> ticks {
  for (const auto& t : tasks.tasks) { with = std::lcm(with, t.period); }
  return with;
}

[[nodiscard]] auto name_of_model(preemption_cost_model m) -> std::string {
  return m == preemption_cost_model::ideal ? "ideal" : m == preemption_cost_model::race ? "race" : "overhead";
}

[[nodiscard]] auto describe(const kernels& tasks) -> std::string {
  std::string text;
  for (const auto& t : tasks.tasks) {
    text += "(C " + std::to_string(t.wcet) + ", D " + std::to_string(t.deadline) + ", T " + std::to_string(t.period) +
            ", PC " + std::to_string(t.preemption_cost) + ") ";
  }
  return text;
}

using takt_tests::from_environment;

/// `least`: so many sets at any rate, where a violation is to be found.
template <class Examine>
[[nodiscard]] auto over_random_sets(const Examine& examine, std::uint64_t least = 0, bool implicit_deadlines = false)
    -> record {
  record out;
  random_stream seeds{from_environment("TAKT_SEED", 1)};
  const std::uint64_t count = std::max(from_environment("TAKT_RANDOM_ACCELERATOR_SYSTEMS", 300), least);
  for (std::uint64_t i = 0; i < count; ++i) {
    generator g{random_stream{seeds.next()}, implicit_deadlines};
    ++out.sets;
    examine(g, out);
  }
  return out;
}

template <class Result>
void judge(const kernels& tasks, const Result& run, const std::string& what, record& out) {
  REQUIRE_FALSE(run.error);
  ++out.runs;
  if (run.misses() == 0) { return; }
  if (out.violating++ == 0) { out.first_violation = describe(tasks) + what; }
}

/// Several hostile patterns.
template <takt::JobPriority Order, class Strategy>
void attack(const Order& order, const Strategy& strategy, const kernels& tasks, const options& o, generator& g,
            const std::string& what, record& out, int patterns = 4) {
  for (int i = 0; i < patterns; ++i) {
    const std::uint64_t seed = g.random.next();
    const auto releases = kernel_runs::hostile_releases(tasks, 4 * longest_period(tasks), seed);
    judge(tasks, kernel_runs::simulate_kernels(order, strategy, tasks, releases, o),
          what + ", releases " + std::to_string(seed), out);
  }
}

/// Hostile patterns, in which no response may exceed its bound.
template <class Strategy>
void compare(const kernels& tasks, const takt::verdict<ticks, most_tasks>& verdict, const Strategy& strategy,
             const options& o, generator& g, record& out) {
  for (int i = 0; i < 3; ++i) {
    const auto releases = kernel_runs::hostile_releases(tasks, 4 * longest_period(tasks), g.random.next());
    const auto run = kernel_runs::simulate_kernels(by_priority, strategy, tasks, releases, o);
    REQUIRE_FALSE(run.error);
    ++out.runs;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (run.tasks[k].worst_response <= verdict.tasks[k].bound.value) { continue; }
      if (out.violating++ == 0) { out.first_violation = describe(tasks) + std::string{tasks.tasks[k].name}; }
    }
  }
}

void check_sound(const std::string& name, const record& r) {
  MESSAGE(name, ": ", r.sets, " sets, accepted ", r.accepted, " times, ", r.runs, " runs, ", r.violating,
          " violations");
  CHECK(r.accepted > 0);
  CHECK_MESSAGE(r.violating == 0, r.first_violation);
}
void check_unsound(const std::string& name, const record& r) {
  MESSAGE(name, ": ", r.violating, " of ", r.runs, " runs of accepted sets miss; the first: ", r.first_violation);
  CHECK(r.violating > 0);
}

[[nodiscard]] auto text_of(const slot& s) -> std::string {
  return "in [" + std::to_string(s.offset) + ", +" + std::to_string(s.budget) + ") of " + std::to_string(s.period);
}
[[nodiscard]] auto options_in(const slot& s) -> options {
  return {.free_preemption = true, .pinned_slot = s, .gang_slot = {0, 0, s.period}};
}

/// A test for sporadic tasks inside a slot.
template <class Test>
[[nodiscard]] auto sporadic_in_slot(const Test& test) -> record {
  return over_random_sets([&](generator& g, record& out) {
    const kernels tasks = g.make({6, 10, 15, 20, 30, 60});
    const slot s = g.make_slot({4, 5, 6, 10, 12});
    if (!test(tasks, s)) { return; }
    ++out.accepted;
    attack(edf, one_slotted_core{1}, tasks, options_in(s), g, text_of(s), out);
  });
}

/// A test for periodic tasks that are released with the slot table.
template <class Test>
[[nodiscard]] auto periodic_in_slot(const Test& test, std::uint64_t least = 0) -> record {
  return over_random_sets(
      [&](generator& g, record& out) {
        const bool harmonic = g.random.chance(1, 2);
        const kernels tasks = harmonic ? g.make({6, 12, 24}) : g.make({5, 6, 10, 15, 20});
        slot s = harmonic ? g.make_slot({6, 12}) : g.make_slot({4, 5, 6, 10, 12});
        if (harmonic && g.random.chance(1, 2)) { s.offset = g.random.chance(1, 2) ? 0 : s.period - s.budget; }
        if (s.offset == s.period) { s.offset = 0; }
        if (!test(tasks, s)) { return; }
        ++out.accepted;
        const auto releases = periodic(tasks, hyperperiod(tasks, s.period));
        judge(tasks, kernel_runs::simulate_kernels(edf, one_slotted_core{1}, tasks, releases, options_in(s)),
              text_of(s), out);
      },
      least);
}

}  // namespace

TEST_CASE("no set that the single-stream test accepts misses, and in each other one that is not overloaded one does" *
          takt_tests::traces("AP-12")) {
  record exact;
  check_sound("single stream", over_random_sets([&exact](generator& g, record& out) {
                kernels tasks = g.make({6, 10, 15, 20, 30, 60});
                // A unit is then short against every slack, so that a blocker can come as good as at the same instant.
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                  auto& t = tasks.tasks[i];
                  t = {t.name, 1000 * t.wcet, 1000 * t.period, 1000 * t.deadline, 0, t.width, t.core, t.priority, t.id};
                }
                const auto verdict = an::detail::single_stream_edf(tasks);
                const takt::level_stack<most_tasks> stream{1};
                if (verdict.schedulable()) {
                  ++out.accepted;
                  attack(edf, stream, tasks, {}, g, "", out);
                  return;
                }
                if (!verdict.has_point) { return; }
                // The longest task with a later deadline starts first, all that must be done come one unit later.
                const auto later = [&](const auto& t) { return t.deadline > verdict.at; };
                std::size_t blocker = tasks.size();
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                  const auto& t = tasks.tasks[i];
                  if (later(t) && (blocker == tasks.size() || t.wcet > tasks.tasks[blocker].wcet)) { blocker = i; }
                }
                kernel_runs::listed_releases jobs{tasks.size()};
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                  const auto& t = tasks.tasks[i];
                  if (i == blocker) { jobs.add(i, {0, t.wcet}); }
                  for (ticks at = 1; !later(t) && at + t.deadline <= 1 + verdict.at; at += t.period) {
                    jobs.add(i, {at, t.wcet});
                  }
                }
                ++exact.accepted;
                judge(tasks, kernel_runs::simulate_kernels(edf, stream, tasks, jobs), "", exact);
              }));
  CHECK(exact.accepted > 0);
  CHECK(exact.violating == exact.accepted);
}

TEST_CASE("no set that the level-stack test accepts misses, for any number of levels and each cost model" *
          takt_tests::traces("AP-13 AP-X11")) {
  for (const auto model : all_models) {
    check_sound("level stack, " + name_of_model(model), over_random_sets([model](generator& g, record& out) {
                  const kernels tasks = g.make({6, 10, 15, 20, 30, 60});
                  for (std::int32_t levels = 1; levels <= 4; ++levels) {
                    if (!an::level_stack_edf(tasks, levels, model).schedulable()) { continue; }
                    ++out.accepted;
                    const std::string note = std::to_string(levels) + " levels";
                    attack(edf, level_stack{levels}, tasks, options{.costs = model}, g, note, out, 2);
                    attack(edf, level_stack_of_jobs{levels}, tasks, options{.costs = model}, g, note, out, 2);
                  }
                }));
  }
}

TEST_CASE("Lemma 1 as printed accepts sets that miss under each cost model" * takt_tests::traces("AP-13")) {
  for (const auto model : all_models) {
    check_unsound("Lemma 1, " + name_of_model(model),
                  over_random_sets(
                      [model](generator& g, record& out) {
                        const kernels tasks = g.make({6, 10, 15, 20, 30, 60});
                        const auto levels = static_cast<std::int32_t>(g.random.between(1, 4));
                        if (!an::as_published::level_stack_edf(tasks, levels).schedulable()) { return; }
                        ++out.accepted;
                        attack(edf, level_stack{levels}, tasks, options{.costs = model}, g,
                               std::to_string(levels) + " levels", out);
                      },
                      300));
  }
}

TEST_CASE("no response under fixed priorities exceeds its bound, on one stream and on any number of levels" *
          takt_tests::traces("AP-X01 AP-X02")) {
  check_sound("single stream", over_random_sets([&](generator& g, record& out) {
                const kernels given = g.make({6, 10, 15, 20, 30, 60});
                const auto order = an::rank(given, takt::by_relative_deadline{});
                const auto verdict = an::single_stream_fixed_priority(given, order);
                if (!verdict.schedulable()) { return; }
                ++out.accepted;
                compare(ranked(given, order), verdict, takt::level_stack<most_tasks>{1}, {}, g, out);
              }));
  for (const auto model : all_models) {
    check_sound("levels, " + name_of_model(model), over_random_sets([&](generator& g, record& out) {
                  const kernels given = g.make({6, 10, 15, 20, 30, 60});
                  const auto order = an::rank(given, takt::by_period{});
                  for (std::int32_t levels = 1; levels <= 4; ++levels) {
                    const auto verdict = an::level_stack_fixed_priority(given, order, levels, model);
                    if (!verdict.schedulable()) { continue; }
                    ++out.accepted;
                    const kernels tasks = ranked(given, order);
                    compare(tasks, verdict, level_stack{levels}, options{.costs = model}, g, out);
                    compare(tasks, verdict, level_stack_of_jobs{levels}, options{.costs = model}, g, out);
                  }
                }));
  }
}

TEST_CASE("sporadic sets that the supply tests accept do not miss inside a slot" * takt_tests::traces("AP-17 AP-18")) {
  check_sound("supply", sporadic_in_slot([](const kernels& tasks, const slot& s) {
                return an::slot_supply_edf(tasks, s).schedulable();
              }));
  check_sound("linear supply", sporadic_in_slot([](const kernels& tasks, const slot& s) {
                return an::slot_linear_edf(tasks, s).schedulable();
              }));
}

TEST_CASE("no response under fixed priorities inside a slot exceeds its bound" * takt_tests::traces("AP-X03")) {
  check_sound("fixed priorities in a slot", over_random_sets([](generator& g, record& out) {
                const kernels given = g.make({6, 10, 15, 20, 30, 60});
                const slot s = g.make_slot({4, 5, 6, 10, 12});
                const auto order = an::rank(given, takt::by_relative_deadline{});
                const kernels tasks = ranked(given, order);
                const auto verdict = an::slot_fixed_priority(given, order, s);
                if (!verdict.schedulable()) { return; }
                ++out.accepted;
                compare(tasks, verdict, one_slotted_core{1}, options_in(s), g, out);
              }));
}

TEST_CASE("with a guard band kernels that stop only at the end of a wave do not miss inside their slot" *
          takt_tests::traces("AP-X04")) {
  const auto guarded = [](const slot& s) {
    options o = options_in(s);
    o.costs = preemption_cost_model::ideal;
    o.free_preemption = false;
    o.guard_band = true;
    return o;
  };
  check_sound("guarded EDF", over_random_sets([&](generator& g, record& out) {
                const kernels tasks = g.make({10, 15, 20, 30, 60});
                const slot s = g.make_slot({6, 10, 12});
                if (!an::detail::slot_guarded_edf(tasks, s).schedulable()) { return; }
                ++out.accepted;
                attack(edf, one_slotted_core{1}, tasks, guarded(s), g, text_of(s), out);
              }));
  check_sound("guarded fixed priorities", over_random_sets([&](generator& g, record& out) {
                const kernels given = g.make({10, 15, 20, 30, 60});
                const slot s = g.make_slot({6, 10, 12});
                const auto order = an::rank(given, takt::by_relative_deadline{});
                const auto verdict = an::detail::slot_guarded_fixed_priority(given, order, s);
                if (!verdict.schedulable()) { return; }
                ++out.accepted;
                compare(ranked(given, order), verdict, one_slotted_core{1}, guarded(s), g, out);
              }));
}

TEST_CASE("periodic sets that a test on chunks accepts do not miss inside a slot" *
          takt_tests::traces("AP-20 AP-23 AP-26 AP-X05 AP-X07")) {
  check_sound("abstraction", periodic_in_slot([](const kernels& tasks, const slot& s) {
                return an::slot_abstraction_edf(tasks, s).schedulable();
              }));
  check_sound("longest chunks", periodic_in_slot([](const kernels& tasks, const slot& s) {
                return an::detail::slot_longest_chunk_edf(tasks, s).schedulable();
              }));
  check_sound("proportional", periodic_in_slot([](const kernels& tasks, const slot& s) {
                return an::slot_proportional_edf(tasks, s).schedulable();
              }));
  check_sound("harmonic", periodic_in_slot([](const kernels& tasks, const slot& s) {
                return an::slot_harmonic_edf(tasks, s).schedulable();
              }));
}

TEST_CASE("Theorems 4 and 6 as printed accept sets that miss inside a slot" * takt_tests::traces("AP-23 AP-26")) {
  check_unsound("Theorem 4", periodic_in_slot(
                                 [](const kernels& tasks, const slot& s) {
                                   return an::as_published::slot_abstraction_edf(tasks, s).schedulable();
                                 },
                                 600));
  check_unsound("Theorem 6", periodic_in_slot(
                                 [](const kernels& tasks, const slot& s) {
                                   return an::as_published::slot_harmonic_edf(tasks, s).schedulable();
                                 },
                                 600));
}

TEST_CASE("the exact test and the simulator agree on every periodic set, response by response" *
          takt_tests::traces("AP-X06 AP-X11")) {
  std::uint64_t accepted = 0;
  const record r = over_random_sets([&accepted](generator& g, record& out) {
    const kernels tasks = g.make({5, 6, 10, 12, 15, 20});
    const slot s = g.make_slot({4, 5, 6, 10, 12});
    const auto verdict = an::detail::slot_simulated_edf(tasks, s);
    const auto releases = periodic(tasks, hyperperiod(tasks, s.period));
    const auto run = kernel_runs::simulate_kernels(edf, one_slotted_core{1}, tasks, releases, options_in(s));
    ++out.runs;
    CHECK(verdict.schedulable() == (run.misses() == 0));
    if (!verdict.schedulable()) { return; }
    ++accepted;
    for (std::size_t i = 0; i < tasks.size(); ++i) { CHECK(verdict.worst[i].value == run.tasks[i].worst_response); }
  });
  MESSAGE(accepted, " of ", r.runs, " sets meet their deadlines");
  CHECK(accepted > 0);
  CHECK(accepted < r.runs);
}

TEST_CASE("no set that fits on one processor misses under event-driven gang scheduling, strict or with backfilling" *
          takt_tests::traces("AP-X10")) {
  check_sound("gang", over_random_sets([](generator& g, record& out) {
                kernels tasks = g.make({6, 10, 15, 20, 30, 60});
                const auto cores = static_cast<std::int32_t>(g.random.between(1, 3));
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                  auto& t = tasks.tasks[i];
                  t.core = static_cast<std::int32_t>(g.random.below(cores + 1)) - 1;
                  t.width =
                      t.core == takt::unassigned_core ? takt::kernel_width::all_cores : takt::kernel_width::one_core;
                }
                if (!an::detail::gang_serial_edf(tasks).schedulable()) { return; }
                ++out.accepted;
                attack(edf, gang_cores{cores}, tasks, {.free_preemption = true}, g, "", out);
                attack(edf, strict_cores{cores}, tasks, {.free_preemption = true}, g, "", out);
              }));
}
