// SPDX-License-Identifier: Apache-2.0
// Methods of whole kernels, graphs, applications and locked GPUs behind the door of all boards.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/kernels.hpp>
#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::verdict_status;

template <class Rule>
constexpr auto under(const Rule& rule) {
  return takt::platform(takt::pool(takt::accelerator(2, 2), rule));
}

/// Kernels that stop anywhere.
constexpr auto kernels =
    takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(3_ms), takt::preemption_cost(0_ms))),
                   takt::task("b", takt::period(20_ms), takt::kernel(takt::wcet(5_ms), takt::preemption_cost(0_ms))));
/// Kernels of one core and of all that stop at the ends of waves only.
constexpr auto mixed =
    takt::task_set(takt::task("all", takt::period(32_ms), takt::deadline(14_ms),
                              takt::kernel(takt::wcet(3_ms), takt::preemption_cost(1_ms))),
                   takt::task("one", takt::period(42_ms), takt::kernel(takt::wcet(8_ms), takt::on_sm(0))),
                   takt::task("two", takt::period(33_ms), takt::kernel(takt::wcet(7_ms), takt::on_sm(0))));

/// Stream levels under a name of one's own.
struct my_levels : takt::levels_rule<takt::edf_rule> {
  static constexpr std::string_view name = "my levels";
  [[nodiscard]] constexpr auto on(const takt::accelerator_resource& /*r*/) const noexcept -> my_levels { return *this; }
};
/// A state machine that only a method of one's own knows.
struct my_stack : takt::levels_rule<takt::edf_rule> {
  [[nodiscard]] constexpr auto on(const takt::accelerator_resource& /*r*/) const noexcept -> my_stack { return *this; }
  template <std::size_t Capacity>
  [[nodiscard]] constexpr auto make_server(std::int32_t /*units*/) const {
    using strategy = takt::level_stack<Capacity, takt::limited_by_started_jobs>;
    return takt::kernel_server<strategy, 1>{strategy{nesting}, cost};
  }
};
constexpr auto my_board = under(my_stack{});

/// The sum of all kernels, which is right where it is within every deadline.
struct sum_of_kernels {
  static constexpr std::string_view name = "sum of kernels";
  template <class T>
  static constexpr bool judges = takt::AcceleratorTaskSet<T>;

  template <class P, class T, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto judge(const P& /*board*/, const T& tasks, const takt::plan<N, V>& /*p*/) {
    const auto table = tasks.table();
    takt::verdict<takt::ticks, decltype(table)::max_tasks> out;
    out.method = name;
    takt::ticks sum = 0;
    for (const auto& t : table.tasks) { sum += t.wcet; }
    out.status = verdict_status::schedulable;
    for (const auto& t : table.tasks) {
      const bool meets = sum <= t.deadline;
      out.tasks.unchecked_push_back(
          {.name = t.name, .deadline = t.deadline, .bound = {sum, true}, .evaluated = true, .meets = meets});
      if (!meets) { out.status = verdict_status::not_proven; }
    }
    return out;
  }
};

template <class P, class T>
constexpr auto known_alone(const P& board, const T& tasks) {
  return takt::analysis::analyze_by<takt::published>(board, tasks, takt::plan<1, 1>{});
}

/// Knows one board.
template <const auto& Board, class Method>
struct of_board : takt::analysis::method_family {
  template <std::same_as<std::remove_cvref_t<decltype(Board)>> P>
  using on = Method;
};

}  // namespace

TEST_CASE("the method of kernels answers where it is best, by its own name") {
  constexpr auto board = under(takt::levels(takt::deadline_monotonic));
  constexpr auto verdict = takt::analyze(board, kernels, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.method == "level-stack-fixed-priority");
  constexpr auto known = known_alone(board, kernels);
  static_assert(known.method == verdict.method && known.tasks[1].bound.value == verdict.tasks[1].bound.value);
  CHECK(verdict.tasks[0].method == "level-stack-fixed-priority");
}

TEST_CASE("a combiner bounds responses under EDF, of which the demand test says nothing") {
  constexpr auto board = under(takt::nonpreemptive(takt::edf));
  constexpr auto known = known_alone(board, kernels);
  static_assert(known.schedulable() && known.method == "single-stream-edf" && !known.bounded());
  constexpr auto verdict = takt::analyze(board, kernels, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.method == "holistic" && verdict.bounded());
  const auto seen = takt::simulate(board, kernels, verdict.plan,
                                   {.horizon = 400_ms, .releases = takt::release_pattern::adversarial, .seed = 3});
  CHECK(seen.misses() == 0);
  for (std::size_t i = 0; i < 2; ++i) { CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value); }
}

TEST_CASE("a combiner proves gangs of pinned and other kernels that no published test knows") {
  constexpr auto board = under(takt::gang(takt::deadline_monotonic, takt::strict));
  constexpr auto known = known_alone(board, mixed);
  static_assert(known.status == verdict_status::not_proven && known.method == "gang-fixed-priority");
  constexpr auto verdict = takt::analyze(board, mixed, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.method == "holistic");
  static_assert(verdict.plan.feasible && verdict.tasks[1].meets);
  const auto seen = takt::simulate(board, mixed, verdict.plan, {.horizon = 2_s});
  CHECK_FALSE(seen.error);
  CHECK(seen.misses() == 0);
  for (std::size_t i = 0; i < 3; ++i) { CHECK(seen.tasks[i].worst_response <= verdict.tasks[i].bound.value); }
}

TEST_CASE("a proof of a miss stands, and a plan places the kernels for all methods") {
  constexpr auto board = under(takt::gang(takt::edf));
  constexpr auto busy =
      takt::task_set(takt::task("a", takt::period(10_ms), takt::kernel(takt::wcet(6_ms), takt::on_sm(0))),
                     takt::task("b", takt::period(10_ms), takt::kernel(takt::wcet(6_ms), takt::on_sm(0))));
  CHECK(takt::analyze(board, busy, takt::published_methods).status == verdict_status::unschedulable);
  const auto on = [](std::int32_t first, std::int32_t second) {
    takt::plan<2> out;
    out.cores.unchecked_push_back(first);
    out.cores.unchecked_push_back(second);
    return out;
  };
  const auto verdict = takt::analyze(board, busy, on(0, 1), takt::published_methods);
  CHECK(verdict.schedulable());
  CHECK(verdict.tasks[1].bound.value == (6_ms).count());
  CHECK(verdict.plan.cores[1] == 1);
  CHECK(takt::analyze(board, busy, on(0, 2), takt::published_methods).error.fault ==
        takt::model_fault::core_out_of_range);
}

TEST_CASE("a rule is known by its state machine, and one that nobody knows takes a method of one's own") {
  constexpr auto mine = under(my_levels{});
  static_assert(known_alone(mine, kernels).method == "level-stack-edf");
  static_assert(takt::analyze(mine, kernels, takt::published_methods).schedulable());
  constexpr auto verdict = takt::analyze(my_board, kernels, takt::methods<of_board<my_board, sum_of_kernels>>{});
  static_assert(verdict.schedulable() && verdict.method == "sum of kernels");
  const auto seen = takt::simulate(my_board, kernels, takt::plan<1>{}, {.horizon = 400_ms});
  CHECK_FALSE(seen.error);
  CHECK(seen.tasks[0].worst_response <= verdict.tasks[0].bound.value);
}

namespace {

constexpr auto video = takt::graph_set(takt::graph("video", takt::period(33_ms), takt::node("read", takt::cpu(2_ms)),
                                                   takt::node("write", takt::cpu(3_ms)), takt::edge("read", "write")));
constexpr auto fair = takt::platform(takt::pool(takt::processors(2), takt::g_fl));
constexpr auto my_graphs = takt::platform(takt::pool(takt::processors(3), takt::nonpreemptive(takt::g_edf)));

/// Nothing but a name.
struct refuses_graphs {
  static constexpr std::string_view name = "none of my graphs";
  template <class T>
  static constexpr bool judges = takt::GraphSet<T>;

  template <class P, class T, std::size_t N, std::size_t V>
  [[nodiscard]] static constexpr auto judge(const P& /*board*/, const T& /*graphs*/, const takt::plan<N, V>& /*p*/) {
    takt::verdict<takt::ticks, 1> out;
    out.method = name;
    return out;
  }
};

constexpr auto granted = takt::platform(takt::pool(takt::gpu_shares(), takt::shares()));
constexpr auto avionics = takt::application_set(
    takt::application("map", takt::period(1_s), takt::share_priority(2), takt::scaling_wcet(100_ms)),
    takt::application("radar", takt::period(2_s), takt::share_priority(1), takt::scaling_wcet(200_ms)));

template <class P, class T>
constexpr bool proven_either_way =
    takt::analysis::detail::ProvenEitherWay<P, T, takt::analysis::method_of<P, takt::published>>;

}  // namespace

TEST_CASE("the method of graphs answers through the same door, and one of one's own before it") {
  constexpr auto verdict = takt::analyze(fair, video, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.method == "overlapping-nodes");
  static_assert(known_alone(fair, video).tasks[0].bound.value == verdict.tasks[0].bound.value);
  static_assert(!proven_either_way<std::remove_const_t<decltype(fair)>, std::remove_const_t<decltype(video)>>);
  CHECK(takt::analyze(my_graphs, video, takt::methods<of_board<my_graphs, refuses_graphs>>{}).method ==
        "none of my graphs");
  constexpr auto chains = takt::task_set(takt::task("a", takt::period(10_ms), takt::cpu(2_ms)));
  CHECK(takt::analyze(fair, chains, takt::published_methods).method == "holistic");
}

TEST_CASE("the test of shares answers through the same door, and takes a search of one's own") {
  constexpr auto verdict = takt::analyze(granted, avionics, takt::published_methods);
  static_assert(verdict.schedulable() && verdict.method == "sufficient-shares");
  static_assert(!proven_either_way<std::remove_const_t<decltype(granted)>, std::remove_const_t<decltype(avionics)>>);
  constexpr auto least = [](const auto& /*board*/, const auto& /*tasks*/, const auto& test) {
    takt::plan<2> asked;
    return test(asked).plan;
  };
  const auto found = takt::allocate(granted, avionics, least, takt::published_methods);
  CHECK(found.feasible);
  CHECK(found.percents.size() == 2);
  CHECK(found.percents[0] == verdict.plan.percents[0]);
}
