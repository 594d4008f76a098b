// SPDX-License-Identifier: Apache-2.0
// Fixed priorities in an order of one's own, wherever the library's orders can stand.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <takt/allocation/allocate.hpp>
#include <takt/allocation/analyze.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/rules/tags.hpp>
#include <takt/simulation/simulate.hpp>
#include <takt/systems/methods.hpp>

namespace {

using namespace takt::literals;
using takt::job_timing;
using takt::priority_point;
using takt::ticks;

/// The task with the least time between deadline and next release first.
// excerpt: own order
struct by_gap {
  static constexpr bool task_level = true;
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {t.period - t.deadline, t.task};
    // end of excerpt
    return true;
  }
};

struct with_claim {
  static constexpr bool task_level = true;
};
struct reads_release : with_claim {
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    out = {t.period + release, t.task};
    return true;
  }
};
struct reads_length : with_claim {
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {t.deadline - t.wcet, t.task};
    return true;
  }
};
struct reads_priority : with_claim {
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {t.priority, t.task};
    return true;
  }
};
struct ties : with_claim {
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks /*release*/, priority_point& out) noexcept
      -> bool {
    out = {t.period, 0};
    return true;
  }
};
struct has_state : by_gap {
  int weight = 0;
};
struct claims_nothing {
  [[nodiscard]] static constexpr auto point(const job_timing& t, ticks release, priority_point& out) noexcept -> bool {
    return takt::by_period::point(t, release, out);
  }
};

static_assert(takt::TaskLevelPriority<by_gap>);
static_assert(!takt::TaskLevelPriority<reads_release>);
static_assert(!takt::TaskLevelPriority<reads_length>);
static_assert(!takt::TaskLevelPriority<reads_priority>, "without takes_priorities");
static_assert(!takt::TaskLevelPriority<ties>);
static_assert(!takt::TaskLevelPriority<has_state>);
static_assert(!takt::TaskLevelPriority<claims_nothing>);

// excerpt: own order as rule
constexpr takt::fixed_priority_rule<by_gap> gap_order{};
// end of excerpt

static_assert(takt::nonpreemptive(takt::fixed_priority).name == "non-preemptive fixed priority");
static_assert(takt::nonpreemptive(takt::edf).name == "non-preemptive EDF");

constexpr auto board_under(const auto& order) {
  return takt::platform(takt::pool(takt::processors(1), order),
                        takt::pool(takt::copy_engines(1), takt::nonpreemptive(order)),
                        takt::pool(takt::virtual_sms(4, 2), takt::federated));
}
constexpr auto chain(const char* name, takt::duration every, takt::duration by, auto... more) {
  return takt::task(name, takt::period(every), takt::deadline(by), more..., takt::cpu(1_ms), takt::copy(1_ms),
                    takt::kernel(takt::work(4_ms), takt::interleave(1)), takt::copy(1_ms), takt::cpu(1_ms));
}
/// By their gaps: c, a, b.
constexpr auto plain = takt::task_set(chain("a", 50_ms, 40_ms), chain("b", 60_ms, 30_ms), chain("c", 70_ms, 70_ms));
constexpr auto numbered =
    takt::task_set(chain("a", 50_ms, 40_ms, takt::priority(1)), chain("b", 60_ms, 30_ms, takt::priority(2)),
                   chain("c", 70_ms, 70_ms, takt::priority(0)));

TEST_CASE("chains are proven and simulated under an order of one's own as under the same priorities") {
  constexpr auto own =
      takt::analysis::analyze_by<takt::published>(board_under(gap_order), plain, takt::dedicate(1, 1, 1));
  constexpr auto given =
      takt::analysis::analyze_by<takt::published>(board_under(takt::fixed_priority), numbered, takt::dedicate(1, 1, 1));
  static_assert(own.schedulable() && given.schedulable());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(own.tasks[i].name == given.tasks[i].name);
    CHECK(own.tasks[i].bound.value == given.tasks[i].bound.value);
  }
  const auto monotonic = takt::analysis::analyze_by<takt::published>(board_under(takt::deadline_monotonic), plain,
                                                                     takt::dedicate(1, 1, 1));
  CHECK(own.tasks[2].bound.value != monotonic.tasks[2].bound.value);
  const auto seen = takt::simulate(board_under(gap_order), plain, own.plan, {.horizon = 3_s});
  const auto same = takt::simulate(board_under(takt::fixed_priority), numbered, given.plan, {.horizon = 3_s});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(seen.tasks[i].worst_response == same.tasks[i].worst_response);
    CHECK(seen.tasks[i].worst_response <= own.tasks[i].bound.value);
  }
}

/// Rules of one's own that do what known ones do.
struct gap_first {
  using is_takt_rule = void;
  static constexpr std::string_view name = "smallest gap first";
  static constexpr bool preemptive = true;
  static constexpr bool partitioned = true;
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_gap { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> takt::unit_server<true, Capacity> {
    return takt::unit_server<true, Capacity>{units};
  }
};
struct in_turn {
  using is_takt_rule = void;
  static constexpr std::string_view name = "in turn";
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> takt::by_arrival { return {}; }
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> takt::unit_server<false, Capacity> {
    return takt::unit_server<false, Capacity>{units};
  }
};
struct gap_spinning {
  using is_takt_rule = void;
  using inner_rule = gap_first;
  static constexpr bool keeps_core_while_suspended = true;
  [[nodiscard]] static constexpr auto job_order(std::int32_t /*units*/) noexcept -> by_gap { return {}; }
};
struct own_parts : takt::federated_rule<false> {
  static constexpr std::string_view name = "parts";
};
struct one_by_one {
  using is_takt_rule = void;
  using inner_rule = own_parts;
  static constexpr bool serializes_device_use = true;
};

static_assert(takt::FixedPriority<gap_first> &&
              takt::detail::NonpreemptiveFixedPriority<takt::nonpreemptive_rule<gap_first>>);
static_assert(takt::FirstComeFirstServed<in_turn> && takt::BusyWaiting<gap_spinning> &&
              takt::detail::Federated<own_parts>);
static_assert(takt::detail::SerializedFederated<one_by_one> && !takt::detail::SerializedWholeGpu<one_by_one>);
static_assert(!takt::BusyWaiting<gap_first> && !takt::FixedPriority<gap_spinning> && !takt::FixedPriority<in_turn>);

/// What differs from them in its server, its view or its units is another rule.
struct with_another_server : gap_first {
  template <std::size_t Capacity>
  [[nodiscard]] static constexpr auto make_server(std::int32_t units) noexcept -> takt::unit_server<false, Capacity> {
    return takt::unit_server<false, Capacity>{units};
  }
};
struct with_a_view : gap_first {
  [[nodiscard]] static constexpr auto view(const takt::cpu_segment& s) -> takt::interval<ticks> {
    return {0, 2 * s.time.upper.count()};
  }
};
struct global : gap_first {
  static constexpr bool partitioned = false;
};
struct slower_parts : own_parts {
  template <takt::TimedOnSms K>
  [[nodiscard]] static constexpr auto view(const K& kernel, const takt::visit_placement& at) -> takt::visit_view {
    takt::visit_view out = takt::time_on_share(kernel, at);
    ++out.time.upper;
    return out;
  }
};
struct partitioned_turns : in_turn {
  static constexpr bool partitioned = true;
};
static_assert(!takt::FixedPriority<with_another_server> && !takt::FixedPriority<with_a_view>);
static_assert(!takt::FixedPriority<global> && !takt::detail::Federated<slower_parts>);
static_assert(!takt::FirstComeFirstServed<partitioned_turns>);
static_assert(!takt::FixedPriority<decltype(takt::clustered(gap_first{}, 2))>);
static_assert(!takt::detail::Federated<decltype(takt::clustered(takt::federated, 2))>);

TEST_CASE("published methods and their hosts take rules of one's own that do what they know") {
  const auto board_of = [](const auto& cpu, const auto& copies, const auto& gpu) {
    return takt::platform(takt::pool(takt::processors(1), cpu), takt::pool(takt::copy_engines(1), copies),
                          takt::pool(takt::virtual_sms(4, 2), gpu));
  };
  const auto compare = [](const auto& own, const auto& known, const takt::plan<3>& p) {
    const auto a = takt::analysis::analyze_by<takt::published>(own, plain, p);
    const auto b = takt::analysis::analyze_by<takt::published>(known, plain, p);
    CHECK(a.method == b.method);
    CHECK(a.status == b.status);
    const auto seen = takt::simulate(own, plain, a.plan, {.horizon = 3_s});
    const auto same = takt::simulate(known, plain, b.plan, {.horizon = 3_s});
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(a.tasks[i].bound.value == b.tasks[i].bound.value);
      CHECK(seen.tasks[i].worst_response == same.tasks[i].worst_response);
    }
  };
  using takt::nonpreemptive;
  compare(board_of(gap_first{}, nonpreemptive(gap_first{}), own_parts{}),
          board_of(gap_order, nonpreemptive(gap_order), takt::federated), takt::dedicate(1, 1, 1));
  compare(board_of(gap_spinning{}, nonpreemptive(gap_first{}), own_parts{}),
          board_of(takt::busy_waiting(gap_order), nonpreemptive(gap_order), takt::federated), takt::dedicate(1, 1, 1));
  compare(board_of(gap_first{}, nonpreemptive(gap_first{}), one_by_one{}),
          board_of(gap_order, nonpreemptive(gap_order), takt::serialized(takt::federated)), takt::dedicate(1, 1, 1));
  compare(board_of(gap_first{}, in_turn{}, takt::locked(takt::k_fmlp_order, 2)),
          board_of(gap_order, takt::fifo, takt::locked(takt::k_fmlp_order, 2)), {});
}

TEST_CASE("a plan whose priorities are against an order of one's own does not fit") {
  takt::plan<3> p = takt::dedicate(1, 1, 1);
  for (const std::int32_t priority : {1, 2, 0}) { p.priorities.unchecked_push_back(priority); }
  CHECK(takt::analysis::analyze_by<takt::published>(board_under(gap_order), plain, p).schedulable());
  p.priorities[0] = 3;
  CHECK(takt::analysis::analyze_by<takt::published>(board_under(gap_order), plain, p).error.fault ==
        takt::model_fault::plan_does_not_fit);
}

TEST_CASE("copy engines in another order than the processors have no bound") {
  using own = takt::fixed_priority_rule<by_gap>;
  static_assert(takt::detail::CopiesInPriorityOrder<takt::nonpreemptive_rule<own>, own>);
  static_assert(!takt::detail::CopiesInPriorityOrder<takt::nonpreemptive_rule<own>, takt::fixed_priority_rule<>>);
  static_assert(!takt::detail::CopiesInPriorityOrder<takt::nonpreemptive_rule<takt::edf_rule>, own>);
}

TEST_CASE("kernels of an accelerator are ranked by an order of one's own") {
  constexpr auto kernels =
      takt::task_set(takt::task("a", takt::period(50_ms), takt::deadline(40_ms), takt::kernel(takt::wcet(4_ms))),
                     takt::task("b", takt::period(60_ms), takt::deadline(30_ms), takt::kernel(takt::wcet(4_ms))),
                     takt::task("c", takt::period(70_ms), takt::deadline(70_ms), takt::kernel(takt::wcet(4_ms))));
  const auto ranks = [&](const auto& rule) {
    const auto verdict =
        takt::analysis::analyze_by<takt::published>(takt::platform(takt::pool(takt::accelerator(2, 2), rule)), kernels);
    return std::vector<std::int32_t>(verdict.plan.priorities.begin(), verdict.plan.priorities.end());
  };
  const std::vector<std::int32_t> by_gaps{1, 2, 0};
  CHECK(ranks(takt::nonpreemptive(gap_order)) == by_gaps);
  CHECK(ranks(takt::nonpreemptive(gap_first{})) == by_gaps);
  CHECK(ranks(takt::levels(gap_first{})) == by_gaps);
}

}  // namespace
