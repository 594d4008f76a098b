// Kernels on an accelerator of two cores and two preemption levels, and in two slots, proven at compile time.
// SPDX-License-Identifier: Apache-2.0
#include <takt/systems/accelerators/analysis/best_levels.hpp>
#include <takt/systems/accelerators/analysis/harmonic_edf.hpp>
#include <takt/systems/accelerators/analysis/single_stream_fixed_priority.hpp>
#include <takt/systems/accelerators/analysis/slot_periodic_edf.hpp>
#include <takt/systems/accelerators/analysis/slot_simulated_edf.hpp>
#include <takt/systems/accelerators/analysis/two_slots.hpp>
#include <takt/systems/accelerators/plans/slot_design.hpp>

#include "../support/accelerator_examples.hpp"

namespace {

using namespace takt::analysis;
using namespace takt_examples;

constexpr takt::accelerator_record board{.cores = 2, .preemption_levels = 2};

constexpr kernels nested =
    set_of({{2, 10, 12, 1, gang}, {3, 20, 30, 1, gang}, {5, 36, 40, 2, gang}, {6, 60, 60, 1, gang}});
static_assert(!takt::validate(nested, board));
static_assert(level_stack_edf(nested, board.preemption_levels).schedulable());
static_assert(level_stack_edf<edf_report::verdict_only>(nested, board.preemption_levels).schedulable());
static_assert(level_stack_fixed_priority(nested, rank(nested), board.preemption_levels).schedulable());
static_assert(takt::analysis::detail::single_stream_edf(nested).slack == 2);
static_assert(single_stream_fixed_priority(nested, rank(nested)).schedulable());
static_assert(best_levels(nested, board, takt::preemption_cost_model::ideal).levels == 1);

constexpr kernels divided = set_of({{2, 10, 10, 0, 0}, {3, 15, 15, 0, 0}, {3, 12, 12, 0, gang}, {1, 10, 10, 0, 1}});
constexpr std::int64_t periods[]{3, 4, 5, 6, 8, 10, 12};
constexpr auto by_supply = [](const kernels& part, const slot& s) { return slot_supply_edf(part, s); };
constexpr auto accepts = [](const kernels& part, const slot& s) {
  return slot_supply_edf<edf_report::verdict_only>(part, s).schedulable();
};
constexpr auto design = takt::detail::search_slots(divided, board, periods, accepts, takt::budget_growth::monotone);
static_assert(design.feasible);
static_assert(takt::analysis::detail::test_slots(divided, board, checked_slots(design.slots), by_supply).schedulable());

constexpr kernels in_phase = set_of({{1, 6, 6}, {2, 10, 12}, {3, 20, 24}, {6, 36, 36}});
static_assert(takt::analysis::detail::slot_simulated_edf(in_phase, slot{0, 9, 12}).schedulable());
static_assert(slot_harmonic_edf(in_phase, slot{0, 9, 12}).schedulable());
static_assert(slot_abstraction_edf(set_of({{4, 5, 10}, {6, 40, 40}}), slot{0, 16, 20}).schedulable());
static_assert(
    takt::analysis::detail::slot_longest_chunk_edf(set_of({{4, 5, 10}, {6, 40, 40}}), slot{0, 16, 20}).schedulable());

constexpr auto placement = takt::place_on_cores(set_of({{3, 10, 10, 0, -1}, {4, 12, 12, 0, -1}}), 2,
                                                takt::worst_fit_core{}, takt::detail::as_given{},
                                                [](const kernels& part) { return accepts(part, design.slots.pinned); });
static_assert(!placement.placed() || placement.cores[0] != placement.cores[1]);

}  // namespace
