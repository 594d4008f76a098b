// SPDX-License-Identifier: Apache-2.0
// Typed boards and the same boards as values, with the same tasks as values: verdicts, plans and runs are the same.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/any_board.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/shares.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include "plain_systems.hpp"

namespace {

using namespace plain_systems;

struct agreement {
  std::uint64_t proofs = 0;
  std::uint64_t differences = 0;
};

template <class A, class B>
[[nodiscard]] auto same_verdict(const A& a, const B& b) -> bool {
  // Proofs of misses ask for the types of the rules, which an erased board does not have.
  const bool misses = a.status == takt::verdict_status::unschedulable && b.status == takt::verdict_status::not_proven;
  bool same = (a.status == b.status || misses) && a.method == b.method && a.why == b.why && a.where == b.where &&
              a.error.fault == b.error.fault && a.tasks.size() == b.tasks.size();
  for (std::size_t i = 0; same && i < a.tasks.size(); ++i) {
    const auto& x = a.tasks[i];
    const auto& y = b.tasks[i];
    same = x.name == y.name && x.deadline == y.deadline && x.bound.exists == y.bound.exists &&
           x.bound.value == y.bound.value && x.blocking == y.blocking && x.meets == y.meets && x.method == y.method;
  }
  same = same && a.visits.size() == b.visits.size();
  for (std::size_t v = 0; same && v < a.visits.size(); ++v) { same = a.visits[v].response == b.visits[v].response; }
  const auto equal = [&same](const auto& p, const auto& q) {
    same = same && p.size() == q.size();
    for (std::size_t i = 0; same && i < p.size(); ++i) { same = p[i] == q[i]; }
  };
  equal(a.plan.shares, b.plan.shares);
  equal(a.plan.cores, b.plan.cores);
  equal(a.plan.priorities, b.plan.priorities);
  equal(a.plan.percents, b.plan.percents);
  equal(a.plan.offsets, b.plan.offsets);
  equal(a.plan.local_deadlines, b.plan.local_deadlines);
  return same;
}
template <class A, class B>
[[nodiscard]] auto same_run(const A& a, const B& b) -> bool {
  bool same = a.error.fault == b.error.fault && a.tasks.size() == b.tasks.size();
  for (std::size_t i = 0; same && i < a.tasks.size(); ++i) {
    const auto& x = a.tasks[i];
    const auto& y = b.tasks[i];
    same = x.released == y.released && x.completed == y.completed && x.worst_response == y.worst_response &&
           x.misses == y.misses;
  }
  same = same && a.visit_responses.size() == b.visit_responses.size();
  for (std::size_t v = 0; same && v < a.visit_responses.size(); ++v) {
    same = a.visit_responses[v] == b.visit_responses[v];
  }
  return same;
}

template <std::size_t Cpu, std::size_t Copies, std::size_t Group>
auto compare_boards(std::uint64_t systems) -> agreement {
  using jobs = body<shape::chains>;
  agreement out;
  const auto cores = cores_under(std::get<Cpu>(cpu_rules));
  for (std::uint64_t seed = 0; seed < systems; ++seed) {
    draws d{seed * 97 + Group};
    const std::int32_t processors = d.count(cores.least, cores.most);
    const auto typed = board_of<Cpu, Copies, Group>(processors);
    const auto erased = takt::erase<32, 8>(typed);
    using set_type = decltype(jobs::of(d, {}));
    takt::plan<takt::tasks_of<set_type>, takt::visits_of<set_type>> given;
    hand_out(d, choices_of<Group>, jobs::on_gpu, jobs::tasks, seed % (gpus + 1), given);
    std::array<timing, jobs::tasks> timings{};
    for (timing& t : timings) { t.core = cores.named ? d.count(0, processors - 1) : 0; }
    const draws same = d;
    draw_timings(d, takt::flatten(typed, jobs::of(same, timings), given).table, timings);
    const auto set = jobs::of(same, timings);
    const auto described = takt::to_runtime_tasks(set);
    REQUIRE_FALSE(described.error);
    const auto a = takt::analyze(typed, set, given, takt::published_methods);
    const auto b = takt::analyze(erased, described.tasks, given, takt::published_methods);
    out.proofs += a.schedulable() ? 1U : 0U;
    out.differences += same_verdict(a, b) ? 0U : 1U;
    for (const run& r : runs) {
      const takt::simulation_options options{.horizon = takt::duration{6 * longest_of(timings).count()},
                                             .releases = r.releases,
                                             .execution = r.execution,
                                             .seed = seed};
      const auto& plan = a.schedulable() ? a.plan : given;
      out.differences +=
          same_run(takt::simulate(typed, set, plan, options), takt::simulate(erased, described.tasks, plan, options))
              ? 0U
              : 1U;
    }
    if (seed % 4 == 0) {
      out.differences += same_verdict(takt::analyze(typed, set, takt::published_methods),
                                      takt::analyze(erased, described.tasks, takt::published_methods))
                             ? 0U
                             : 1U;
    }
  }
  return out;
}

void check(const agreement& seen) {
  MESSAGE(seen.proofs << " proofs");
  CHECK(seen.differences == 0);
  CHECK(seen.proofs > 0);
}

}  // namespace

TEST_CASE("boards under erased rules prove, plan and run exactly what typed boards do") {
  const std::uint64_t systems = systems_or(120);
  check(compare_boards<3, 0, 0>(systems));
  check(compare_boards<10, 1, 1>(systems));
  check(compare_boards<8, 2, 2>(systems));
  check(compare_boards<0, 3, 3>(systems));
}
