// SPDX-License-Identifier: Apache-2.0
// Whole kernels: what the known method and the combiners say together, held against the simulator of accelerators.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <takt/kernels.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "composed_systems.hpp"

namespace {

using takt::ticks;
using kernel_table = takt::task_rows<takt::accelerator_task<ticks>, 4>;

struct observation_summaries {
  int proven = 0;
  int rescued = 0;   ///< proven by a combiner where the method is no proof
  int more = 0;      ///< bounded by a combiner where the method has a proof and no bound, or a longer one
  int lost = 0;      ///< proven by the method alone
  int exceeded = 0;  ///< bounds and deadlines that a run exceeded
  int exact = 0;     ///< bounds that a run reached
};

auto random_kernels(std::mt19937_64& random, bool pinned) -> kernel_table {
  const auto below = [&random](ticks n) { return static_cast<ticks>(random() % static_cast<std::uint64_t>(n)); };
  constexpr std::array<const char*, 4> names{"a", "b", "c", "d"};
  kernel_table out;
  const auto count = static_cast<std::size_t>(2 + below(3));
  for (std::size_t i = 0; i < count; ++i) {
    const ticks wcet = 1 + below(8);
    const ticks period = wcet + below(40) + 2 * static_cast<ticks>(count);
    const ticks wave = below(3);
    const bool one_core = pinned && below(2) == 0;
    out.add({.name = names[i],
             .wcet = wcet,
             .period = period,
             .deadline = below(2) == 0 ? period : period - below(period - wcet + 1),
             .preemption_cost = wave < wcet ? wave : wcet,
             .width = one_core ? takt::kernel_width::one_core : takt::kernel_width::all_cores,
             .core = one_core ? static_cast<std::int32_t>(below(2)) : takt::unassigned_core});
  }
  return out;
}

template <class Rule>
auto watch(const Rule& rule, bool pinned) -> observation_summaries {
  const auto board = takt::platform(takt::pool(takt::accelerator(2, 2), rule));
  std::mt19937_64 random{pinned ? 11U : 7U};
  observation_summaries out;
  const std::uint64_t systems = composed_systems::systems_or(300);
  for (std::uint64_t n = 0; n < systems; ++n) {
    const kernel_table table = random_kernels(random, pinned);
    takt::model_error error;
    const auto known = takt::analysis::detail::judge_by<
        takt::analysis::method_of<std::remove_cvref_t<decltype(board)>, takt::published>>(board, table,
                                                                                          takt::plan<1, 1>{}, error);
    const auto verdict = takt::analyze(board, table, takt::published_methods);
    out.lost += known.schedulable() && !verdict.schedulable() ? 1 : 0;
    if (!verdict.schedulable()) { continue; }
    ++out.proven;
    out.rescued += known.schedulable() ? 0 : 1;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const auto& mine = verdict.tasks[i].bound;
      const auto& its = known.tasks[i].bound;
      out.more += known.schedulable() && mine.exists && (!its.exists || mine.value < its.value) ? 1 : 0;
      out.lost += known.schedulable() && its.exists && (!mine.exists || its.value < mine.value) ? 1 : 0;
    }
    for (const auto pattern : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
      const auto seen = takt::simulate(board, table, verdict.plan,
                                       {.horizon = takt::duration{600}, .releases = pattern, .seed = n + 1});
      for (std::size_t i = 0; i < table.size(); ++i) {
        const auto& bound = verdict.tasks[i].bound;
        const auto& t = seen.tasks[i];
        out.exceeded += seen.error || t.misses > 0 || (bound.exists && t.worst_response > bound.value) ? 1 : 0;
        out.exact += bound.exists && t.worst_response == bound.value ? 1 : 0;
      }
    }
  }
  return out;
}

/// Under EDF combiners bound what demand tests do not; sets with kernels of both widths under `gang` have no other
/// proof.
template <class Rule>
void check(const Rule& rule, bool is_edf, bool rescues) {
  for (const bool pinned : {false, true}) {
    const observation_summaries seen = watch(rule, pinned);
    CAPTURE(pinned);
    CHECK(seen.proven > 0);
    CHECK(seen.lost == 0);
    CHECK(seen.exceeded == 0);
    CHECK(seen.exact > 0);
    if (is_edf) { CHECK(seen.more > 0); }
    if (rescues && pinned) { CHECK(seen.rescued > 0); }
  }
}

auto slots_of(const auto& order) {
  return takt::slots(order, takt::pinned_slot(takt::duration{0}, takt::duration{5}),
                     takt::gang_slot(takt::duration{5}, takt::duration{5}), takt::period(takt::duration{10}));
}

}  // namespace

TEST_CASE("kernels keep the best bounds of all methods, whichever rule they run under") {
  using cost = takt::preemption_cost_model;
  check(takt::nonpreemptive(takt::edf), true, false);
  check(takt::nonpreemptive(takt::deadline_monotonic), false, false);
  check(takt::levels(takt::edf), true, false);
  check(takt::levels(takt::rate_monotonic, cost::overhead), false, false);
  check(takt::levels(takt::fixed_priority, cost::ideal), false, false);
  check(slots_of(takt::edf), true, false);
  check(slots_of(takt::deadline_monotonic), false, false);
  check(takt::gang(takt::edf), true, true);
  check(takt::gang(takt::fixed_priority, takt::strict), false, true);
}
