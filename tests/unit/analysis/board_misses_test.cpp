// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/board_misses.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <doctest/doctest.h>

#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::miss_reason;
using takt::verdict_status;

[[nodiscard]] constexpr auto board(const auto& rule, std::int32_t cores) {
  return takt::platform(takt::pool(takt::processors(cores), rule), takt::pool(takt::copy_engines(1), takt::fifo));
}
[[nodiscard]] constexpr auto job(const char* name, takt::duration period, takt::duration time) {
  return takt::task(name, takt::period(period), takt::cpu(time));
}
constexpr takt::plan<3> no_plan{};

}  // namespace

TEST_CASE("a typed verdict is unschedulable where a miss is proven under every plan") {
  constexpr auto full = takt::task_set(job("a", 10_ms, 6_ms), job("b", 10_ms, 6_ms));
  static_assert(analyze(board(takt::edf, 1), full, no_plan, takt::published_methods).status ==
                verdict_status::unschedulable);
  CHECK(analyze(board(takt::fixed_priority, 1), full, no_plan, takt::published_methods).status ==
        verdict_status::unschedulable);
  CHECK(analyze(board(takt::nonpreemptive(takt::edf), 1), full, no_plan, takt::published_methods).status ==
        verdict_status::unschedulable);
  CHECK(analyze(board(takt::edf, 2), full, no_plan, takt::published_methods).status != verdict_status::unschedulable);
  CHECK(takt::analysis::detail::misses_on(board(takt::edf, 1), full)[0].reason == miss_reason::core_overloaded);
}

TEST_CASE("so is one of tasks that ask all processors for more than there is, and of a job that is late alone") {
  constexpr auto three = takt::task_set(job("a", 15_ms, 11_ms), job("b", 15_ms, 11_ms), job("c", 15_ms, 11_ms));
  CHECK(analyze(board(takt::g_edf, 2), three, no_plan, takt::published_methods).status ==
        verdict_status::unschedulable);
  CHECK(takt::analysis::detail::misses_on(board(takt::g_edf, 2), three)[0].reason ==
        miss_reason::processors_overloaded);
  constexpr auto late = takt::task_set(
      takt::task("a", takt::period(9_ms), takt::deadline(5_ms), takt::cpu(2_ms), takt::copy(2_ms), takt::cpu(2_ms)));
  CHECK(analyze(board(takt::fixed_priority, 1), late, no_plan, takt::published_methods).status ==
        verdict_status::unschedulable);
  CHECK(takt::analysis::detail::misses_on(board(takt::fixed_priority, 1), late)[0].reason == miss_reason::own_time);
}

TEST_CASE("what is only not proven stays so") {
  // Two of the three share a core under each plan of cores, which one plan alone does not say.
  constexpr auto three = takt::task_set(job("a", 15_ms, 10_ms), job("b", 15_ms, 10_ms), job("c", 15_ms, 10_ms));
  CHECK(analyze(board(takt::g_edf, 2), three, no_plan, takt::published_methods).status == verdict_status::not_proven);
}

TEST_CASE("strictly periodic tasks of a core prove a miss by their own releases only") {
  const auto late = [](takt::duration offset) {
    return takt::task_set(takt::task("a", takt::period(10_ms), takt::deadline(10_ms), takt::priority(0),
                                     takt::strictly_periodic(), takt::cpu(5_ms)),
                          takt::task("b", takt::period(20_ms), takt::deadline(7_ms), takt::priority(1),
                                     takt::strictly_periodic(offset), takt::cpu(5_ms)));
  };
  const auto one = board(takt::fixed_priority, 1);
  const auto found = takt::analysis::detail::misses_on(one, late(12_ms));
  REQUIRE(found.size() == 1);
  CHECK(found[0].reason == miss_reason::strict_releases);
  CHECK(found[0].value == 8'000'000);
  CHECK(takt::analysis::detail::misses_on(one, late(15_ms)).empty());
  CHECK(takt::analysis::detail::misses_on(one, late(20_ms))[0].value == 10'000'000);
  CHECK(takt::analysis::detail::misses_on(one, late(0_ms))[0].reason == miss_reason::synchronous_release);
  CHECK(analyze(one, late(15_ms), no_plan, takt::published_methods).schedulable());
}

TEST_CASE("no miss is lost where each core has one and most of its tasks, too") {
  constexpr std::int32_t cores = 21;
  constexpr std::size_t tasks = 3 * cores;
  takt::runtime_task_set<tasks, tasks> all;
  const auto add = [&](const takt::runtime_task& t, takt::ticks time) {
    takt::runtime_visit v{.where = takt::resource_kind::processor};
    v.known.add(takt::visit_fact::time);
    v.time = {time, time};
    REQUIRE(all.add_task(t));
    REQUIRE(all.add_visit(v));
  };
  for (std::int32_t core = 0; core < cores; ++core) {
    add({.period = 10, .deadline = 5, .core = core}, 6);  // late alone
    // The second one is late at 1, behind the first, and the first at 10, behind the second.
    add({.period = 10, .deadline = 5, .core = core, .strict = true}, 5);
    add({.period = 15, .deadline = 5, .core = core, .strict = true, .offset = 1}, 5);
  }
  const takt::hardware board{.processors = cores, .copy_engines = 1, .gpus = {}, .own = {}};
  const auto found = takt::analysis::detail::misses_within<std::remove_cvref_t<decltype(takt::edf)>>(
      {.processors = cores, .named_cores = true}, all, board);
  std::size_t alone = 0;
  std::size_t overloaded = 0;
  std::size_t strict = 0;
  for (const auto& miss : found) {
    alone += miss.reason == miss_reason::own_time ? 1U : 0U;
    overloaded += miss.reason == miss_reason::core_overloaded ? 1U : 0U;
    strict += miss.reason == miss_reason::strict_releases ? 1U : 0U;
  }
  CHECK(alone == cores);
  CHECK(overloaded == cores);
  CHECK(strict == 2 * cores);
}
