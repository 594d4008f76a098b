// SPDX-License-Identifier: Apache-2.0
// Chains whose kernels have shares of a GPU that follow their needs.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <type_traits>

#include <takt/shares.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

namespace {

using namespace takt::literals;
using takt::model_fault;
using takt::ticks;

constexpr ticks ms = 1'000'000;
constexpr auto see_row = takt::scaling_wcet(4_ms, 200);
constexpr auto map_row = takt::scaling_wcet(6_ms);

constexpr auto slowing_down() -> takt::contention_matrix<2> {
  takt::contention_matrix<2> out;
  out.set(0, 1, 100'000);
  return out;
}
/// Deadlines are the times that kernels are meant to have.
constexpr auto kernels =
    takt::application_set(
        takt::application("see", takt::period(33_ms), takt::deadline(12_ms), takt::share_priority(1), see_row),
        takt::application("map", takt::period(50_ms), takt::deadline(20_ms), takt::share_priority(2), map_row))
        .with(slowing_down());
constexpr auto chains = takt::task_set(
    takt::task("see", takt::period(33_ms), takt::deadline(20_ms), takt::cpu(1_ms, 2_ms), takt::kernel(see_row),
               takt::cpu(1_ms)),
    takt::task("map", takt::period(50_ms), takt::deadline(30_ms), takt::kernel(map_row), takt::cpu(3_ms)),
    takt::task("log", takt::period(100_ms), takt::cpu(3_ms)));
constexpr auto processors = takt::pool(takt::processors(2), takt::edf);
template <class Rule>
constexpr auto board_with(const Rule& rule) {
  return takt::platform(processors, takt::pool(takt::gpu_shares(), rule));
}
constexpr auto board = board_with(takt::shares(kernels));

}  // namespace

TEST_CASE("chains whose kernels have shares by need are proven behind guards in a constant expression, and simulated") {
  constexpr auto verdict = takt::analyze(board, chains, takt::published_methods);
  static_assert(verdict.schedulable());
  static_assert(verdict.method == "guarded");
  constexpr auto seen = takt::simulate(board, chains, verdict.plan, {.horizon = 100_ms});
  static_assert(!seen.error && seen.misses() == 0 && seen.tasks[1].completed == 2);
  for (const auto releases : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
    for (const auto lengths : {takt::execution_times::upper, takt::execution_times::random}) {
      const auto run =
          takt::simulate(board, chains, verdict.plan, {.horizon = 3_s, .releases = releases, .execution = lengths});
      REQUIRE_FALSE(run.error);
      CHECK(run.misses() == 0);
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(run.tasks[i].completed > 20);
        CHECK(run.tasks[i].worst_response <= verdict.tasks[i].bound.value);
      }
    }
  }
}

TEST_CASE("a kernel has all of the GPU while nobody else needs it, and gives up what others need") {
  using server = takt::share_server<4, 2>;
  server s{kernels.table(), takt::wamp2s_robust, takt::every_change};
  static_assert(takt::PoolServer<server>);
  struct heard {
    std::array<std::int32_t, 8> percents{};
    std::array<ticks, 8> ends{};
    std::size_t count = 0;
  } said;
  const takt::slice_sink sink{&said, [](void* to, takt::client, std::int32_t percent, ticks, ticks end) {
                                auto& h = *static_cast<heard*>(to);
                                h.percents[h.count] = percent;
                                h.ends[h.count++] = end;
                              }};
  const auto ask = [&s](std::uint32_t who, ticks now, ticks length) {
    s.arrive({who, who, {now + kernels.tasks[who].deadline, 0}, length, length, 0, {{who, 0, 0, 0}}});
  };
  ask(0, 0, 4 * ms);
  s.decide(0, sink);
  CHECK(s.next() == 4 * ms);
  ask(1, 2 * ms, 6 * ms);  // half of the other is done, in 10 ms it is due
  s.decide(2 * ms, sink);
  CHECK(said.count == 1);
  CHECK(said.percents[0] == 100);
  CHECK(said.ends[0] == 2 * ms);
  CHECK(s.next() > 4 * ms);
  // Another kernel of an application waits until the one before has ended.
  ask(0, 3 * ms, 4 * ms);
  s.decide(3 * ms, sink);
  takt::client first = takt::no_client;
  for (ticks now = s.next(); first == takt::no_client; now = s.next()) { first = s.fire(now, sink); }
  CHECK(said.count == 2);
  CHECK(said.percents[1] < 100);
}

TEST_CASE("shares by need prove nothing beyond what is kept for each application") {
  const auto schedulable = [](const auto& given) {
    return takt::analyze(board_with(given), chains, takt::published_methods).schedulable();
  };
  CHECK(schedulable(takt::shares(kernels)));
  CHECK_FALSE(schedulable(takt::shares(kernels, takt::wamp2s_text)));  // no test knows these rules
  auto greedy = kernels;
  greedy.tasks[0].deadline = 5 * ms;  // all but everything
  CHECK_FALSE(schedulable(takt::shares(greedy)));
  auto patient = kernels;
  patient.tasks[1].deadline = 40 * ms;  // more than the job has
  CHECK_FALSE(schedulable(takt::shares(patient)));
  // Two kernels of one application could want its share at once.
  const auto twice = takt::task_set(
      takt::task("see", takt::period(66_ms), takt::kernel(see_row), takt::cpu(1_ms), takt::kernel(see_row)));
  const auto verdict = takt::analyze(board, twice, takt::published_methods);
  CHECK_FALSE(verdict.error);
  CHECK_FALSE(verdict.schedulable());
  CHECK(takt::simulate(board, twice, takt::plan<1, 3>{}, {.horizon = 1_s}).tasks[0].completed == 16);
}

TEST_CASE("shares by need refuse kernels of no application and what they do not follow") {
  const auto fault = [](const auto& given, const auto& tasks) {
    return takt::analyze(given, tasks, takt::published_methods).error.fault;
  };
  const auto stranger = takt::task_set(takt::task("new", takt::period(50_ms), takt::kernel(takt::scaling_wcet(5_ms))));
  CHECK(fault(board, stranger) == model_fault::visit_time_unknown);
  auto rules = takt::wamp2s_robust;
  rules.actuation = ms;
  CHECK(fault(board_with(takt::shares(kernels, rules)), chains) == model_fault::option_unused);
  rules = {};
  rules.fit = static_cast<takt::sum_test>(7);
  CHECK(fault(board_with(takt::shares(kernels, rules)), chains) == model_fault::choice_out_of_range);
  auto wrong = kernels;
  wrong.tasks[0].period = 0;
  CHECK(fault(board_with(takt::shares(wrong)), chains) == model_fault::period_not_positive);
  auto large = kernels;
  large.tasks[1].memory = takt::memory_units{3};
  const auto small =
      takt::platform(processors, takt::pool(takt::gpu_shares(takt::memory_units{2}), takt::shares(large)));
  CHECK(fault(small, chains) == model_fault::memory_exceeded);
}

TEST_CASE("applications of one row are told apart by the position of their tasks") {
  static constexpr auto twins = takt::application_set(
      takt::application("a", takt::period(20_ms), takt::deadline(20_ms), takt::share_priority(1), map_row),
      takt::application("b", takt::period(30_ms), takt::deadline(30_ms), takt::share_priority(2), map_row));
  const auto alone = takt::platform(takt::pool(takt::gpu_shares(), takt::shares(twins)));
  static_assert(!takt::SharePlatform<std::remove_const_t<decltype(alone)>>);  // whose method reads no rule's own set
  const auto verdict = takt::analyze(alone, twins, takt::published_methods);
  CHECK(verdict.schedulable());
  CHECK(verdict.method == "guarded");
  const auto seen = takt::simulate(alone, twins, verdict.plan, {.horizon = 600_ms});
  CHECK(seen.misses() == 0);
  CHECK(seen.completed() == 50);
}
