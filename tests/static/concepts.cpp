// Models and non-models of every concept that users meet.
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <chrono>
#include <string>

namespace {

using namespace takt;

struct fpga_law {
  static constexpr std::size_t sampled_shares = 3;
  [[nodiscard]] static constexpr auto lower(std::int32_t) -> duration { return duration{1}; }
  [[nodiscard]] static constexpr auto upper(std::int32_t) -> duration { return duration{2}; }
};
struct law_without_upper {
  [[maybe_unused]] static constexpr std::size_t sampled_shares = 3;
  [[nodiscard]] static constexpr auto lower(std::int32_t) -> duration { return duration{1}; }
};
struct law_of_strings : fpga_law {
  [[nodiscard]] static auto upper(std::int32_t) -> std::string { return {}; }
};
static_assert(takt::detail::KernelLaw<divisible_work>);
static_assert(takt::detail::KernelLaw<measured_times<1>>);
static_assert(takt::detail::KernelLaw<fpga_law>);
static_assert(!takt::detail::KernelLaw<law_without_upper>);
static_assert(!takt::detail::KernelLaw<law_of_strings>);
static_assert(!takt::detail::KernelLaw<int>);

struct other_segment {
  static constexpr stage where = stage::copy;
};
struct unplaced_segment {};
struct misplaced_segment {
  static constexpr const char* where = "cpu";
};
static_assert(Segment<cpu_segment>);
static_assert(Segment<limited_cpu_segment>);
static_assert(Segment<copy_segment>);
static_assert(Segment<kernel_segment<divisible_work>>);
static_assert(Segment<kernel_segment<fpga_law>>);
static_assert(Segment<other_segment>);
static_assert(!Segment<unplaced_segment>);
static_assert(!Segment<misplaced_segment>);
static_assert(!Segment<period_attribute>);
static_assert(!Segment<duration>);

static_assert(TaskAttribute<period_attribute>);
static_assert(TaskAttribute<deadline_attribute>);
static_assert(TaskAttribute<priority_attribute>);
static_assert(TaskAttribute<core_attribute>);
static_assert(TaskAttribute<preemption_attribute>);
static_assert(!TaskAttribute<cpu_segment>);
static_assert(!TaskAttribute<int>);

constexpr auto one = takt::task("one", takt::period(duration{10}), takt::cpu(duration{1}));
static_assert(Task<decltype(takt::task("one", takt::period(duration{10}), takt::cpu(duration{1})))>);
static_assert(!Task<cpu_segment>);
// What the published methods do not read keeps a task from them.
constexpr auto limited =
    takt::task("limited", takt::period(duration{10}), takt::cpu(duration{1}, nonpreemptive_region(duration{1})));
constexpr auto cooperative_task = takt::task("cooperative", takt::period(duration{10}),
                                             preemptible(task_preemption::cooperative), takt::cpu(duration{1}));
static_assert(!takt::detail::has_own_visits<std::remove_const_t<decltype(one)>>);
static_assert(takt::detail::has_own_visits<std::remove_const_t<decltype(limited)>>);
static_assert(takt::detail::has_own_visits<std::remove_const_t<decltype(cooperative_task)>>);
static_assert(!Task<task_attributes>);

static_assert(TaskSet<decltype(takt::task_set(one))>);
static_assert(TaskSet<task_table<ticks, 3, 9>>);
static_assert(!TaskSet<task_table<rational, 3, 9>>, "a table of another number type is not one of ticks");
static_assert(!TaskSet<decltype(one)>);

static_assert(RuleTag<fixed_priority_rule<by_given_priority>>);
static_assert(RuleTag<takt::detail::whole_gpu_rule>);
static_assert(!RuleTag<int>);

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));
static_assert(Pool<decltype(takt::pool(takt::processors(1), takt::fixed_priority))>);
static_assert(!Pool<processors_resource>);
static_assert(Platform<decltype(takt::platform(takt::pool(takt::processors(1), takt::fixed_priority)))>);
static_assert(!Platform<platform_record>);
static_assert(board.record().cores == 1);

static_assert(ExactNumber<ticks>);
static_assert(ExactNumber<rational>);
static_assert(!ExactNumber<double>);
static_assert(!ExactNumber<int>);
static_assert(!ExactNumber<duration>);

static_assert(WholeNanoseconds<std::chrono::nanoseconds>);
static_assert(WholeNanoseconds<std::chrono::hours>);
static_assert(!WholeNanoseconds<std::chrono::duration<double>>, "a fraction would be cut");
static_assert(!WholeNanoseconds<std::chrono::duration<int, std::pico>>, "a picosecond is not a whole nanosecond");
static_assert(!WholeNanoseconds<int>);

template <class Cpu, class Copy, class Gpu>
using composition = takt::platform<resource_pool<processors_resource, Cpu>, resource_pool<copy_engines_resource, Copy>,
                                   resource_pool<virtual_sms_resource, Gpu>>;
using fixed = fixed_priority_rule<by_given_priority>;
using rate = fixed_priority_rule<by_period>;

static_assert(DedicatedGpuPlatform<composition<fixed, nonpreemptive_rule<fixed>, federated_rule<false>>>);
static_assert(DedicatedGpuPlatform<composition<rate, nonpreemptive_rule<rate>, federated_rule<true>>>);
static_assert(DedicatedGpuPlatform<composition<rate, nonpreemptive_rule<fixed>, federated_rule<true>>>,
              "priorities as given are those that the processors make");
static_assert(!KnownComposition<composition<fixed, nonpreemptive_rule<rate>, federated_rule<true>>>, "two orders");
static_assert(takt::detail::BusyWaitingPlatform<
              composition<busy_waiting_rule<fixed>, nonpreemptive_rule<fixed>, federated_rule<false>>>);
static_assert(takt::detail::SerializedGpuPlatform<
              composition<fixed, nonpreemptive_rule<fixed>, serialized_rule<federated_rule<false>>>>);
static_assert(
    LockedGpuPlatform<composition<fixed, nonpreemptive_rule<fixed>, serialized_rule<takt::detail::whole_gpu_rule>>>);
static_assert(
    !KnownComposition<composition<nonpreemptive_rule<fixed>, nonpreemptive_rule<fixed>, federated_rule<false>>>);
static_assert(!KnownComposition<composition<fixed, fixed, federated_rule<false>>>);
static_assert(!KnownComposition<composition<fixed, nonpreemptive_rule<fixed>, takt::detail::whole_gpu_rule>>);

}  // namespace
