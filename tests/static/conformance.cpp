// takt's own types model the concepts that they stand for. Held here and not in their headers, whose users would pay
// for it.
// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/methods/demand/blocking.hpp>
#include <takt/analysis/methods/demand/sporadic_demand.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include <takt/analysis/methods/gel/upward.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/backend.hpp>
#include <takt/rules/accelerator/event_driven_gang.hpp>
#include <takt/rules/accelerator/gang_order.hpp>
#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/accelerator/slotted_cores.hpp>
#include <takt/rules/gel.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/locking/token_orders.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/servers/kernel_lanes.hpp>

namespace takt {
namespace {

static_assert(ExactNumber<ticks> && ExactNumber<rational> && ExactNumber<analysis::detail::upward>);

static_assert(takt::detail::KernelLaw<divisible_work> && takt::detail::KernelLaw<measured_times<4>>);
static_assert(knows<kernel_work, kernel_segment<divisible_work>> && !knows<kernel_wcet, copy_segment>);
static_assert(TraceRecorder<null_recorder>);

static_assert(JobPriority<by_given_priority> && JobPriority<by_arrival> && JobPriority<by_period> &&
              JobPriority<by_relative_deadline> && JobPriority<by_absolute_deadline> &&
              JobPriority<by_absolute_deadline_alone> && JobPriority<by_fair_lateness>);
static_assert(JobPriority<takt::detail::by_policy> && JobPriority<by_release> && JobPriority<by_given_points<4>>);
static_assert(takt::detail::GivenPriority<by_given_priority> && TaskLevelPriority<by_relative_deadline> &&
              TaskLevelPriority<by_period> && !TaskLevelPriority<by_absolute_deadline>);

static_assert(LockingProtocol<fifo_mutex<2>> && LockingProtocol<priority_mutex<2>> &&
              LockingProtocol<ordered_mutex<2>> && LockingProtocol<k_fmlp<2, 4>> && LockingProtocol<r2dglp<2, 4>> &&
              LockingProtocol<ck_omlp<2, 4>>);
static_assert(GroupLock<group_lock<2, 2>>);
static_assert(TokenRule<fifo_order_rule> && TokenRule<k_fmlp_order_rule> && TokenRule<r2dglp_order_rule> &&
              TokenRule<ck_omlp_order_rule> && TokenRule<priority_mutex_rule> && TokenRule<priority_inheritance_rule> &&
              TokenRule<priority_ceiling_rule>);

static_assert(GangOrder<backfill_order> && GangOrder<strict_order>);
static_assert(AcceleratorStrategy<level_stack<1>> && AcceleratorStrategy<event_driven_gang<1, 1>> &&
              takt::detail::SlotStrategy<slotted_cores<1, 1>>);
static_assert(AcceleratorBackend<takt::detail::command_list<1>> && AcceleratorBackend<kernel_lanes<ticks, 1, 1>>);

static_assert(analysis::BlockingTerm<analysis::detail::no_blocking<ticks>> &&
              analysis::BlockingTerm<analysis::detail::deadline_blocking<ticks, 2>>);
static_assert(analysis::DemandBound<analysis::sporadic_demand<ticks, 4>> &&
              analysis::DemandBound<analysis::sporadic_demand<rational, 4>>);
static_assert(analysis::SupplyBound<analysis::detail::dedicated_processor<ticks>> &&
              analysis::SupplyBound<analysis::static_slot<ticks>> &&
              analysis::SupplyBound<analysis::static_slot<rational>> &&
              analysis::SupplyBound<analysis::linear_slot<rational>>);

}  // namespace
}  // namespace takt
