// SPDX-License-Identifier: Apache-2.0
// The engine of composed boards and the simulator of chains see the same on boards that both can run.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/random.hpp>
#include <takt/rules/flatten.hpp>
#include <takt/simulation.hpp>
#include <takt/simulation/simulate_composed.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/draws.hpp"

namespace {

using takt::duration;
using takt::ticks;

/// Even numbers, so that nothing happens at an odd horizon.
class even_times {
 public:
  explicit even_times(std::uint64_t seed) : random_{seed} {}
  auto operator()(ticks most) -> duration { return duration{2 * random_.between(0, most / 2)}; }
  auto number(std::int32_t from, std::int32_t to) -> std::int32_t {
    return static_cast<std::int32_t>(random_.between(from, to));
  }

 private:
  takt::random_stream random_;
};

/// What both saw of a set on a board, under one plan. False where they differ.
template <class P, class T, std::size_t N>
auto agree(const P& board, const T& set, const takt::plan<N>& plan, const takt::simulation_options& how) -> bool {
  const auto known = takt::simulate(board, set, plan, how);
  if (known.error) { return false; }
  takt::plan<T::max_tasks, T::max_segments> own;
  takt::detail::copy_decisions(plan, own);
  const auto flat = takt::detail::board_flattener<P, T::max_tasks, T::max_segments>{board, own}.run(set);
  if (flat.error) { return false; }
  takt::simulation::optional_choices choices{how, {flat.table.tasks.data(), flat.table.size()}};
  using stations = std::remove_cvref_t<decltype(flat.stations)>;
  takt::host::engine<stations, T::max_tasks, T::max_segments, takt::simulation::optional_choices> engine{
      flat.table, flat.stations, choices};
  const auto seen = engine.run(how.horizon.count());
  bool same = seen.tasks.size() == known.tasks.size();
  for (std::size_t i = 0; same && i < seen.tasks.size(); ++i) {
    const auto& a = seen.tasks[i];
    const auto& b = known.tasks[i];
    same = a.released == b.released && a.completed == b.completed && a.misses == b.misses &&
           a.worst_response == b.worst_response && a.best_response == b.best_response &&
           a.total_response == b.total_response;
    for (std::size_t s = 0; same && s < a.visit_count; ++s) {
      same = seen.visit_response(i, s) == known.visit_response(i, s);
    }
  }
  return same;
}

}  // namespace

TEST_CASE("the engine and the simulator of chains agree on every response of random sets") {
  using namespace takt;
  const std::uint64_t systems = takt_tests::systems_or(20'000);
  std::uint64_t differing = 0;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    even_times t{seed};
    const auto period_of = [&t](ticks least) { return period(t(120) + duration{least}); };
    const auto direction = t.number(0, 1) == 0 ? to_device : to_host;
    const auto set = task_set(
        task("a", period_of(60), priority(t.number(0, 2) * 3), on_core(t.number(0, 1)), cpu(t(8)),
             copy(t(6), to_device), kernel(work(t(16) + duration{2})), copy(t(6), to_host), cpu(t(8))),
        task("b", period_of(40), priority(t.number(0, 2) * 3 + 1), on_core(t.number(0, 1)), cpu(t(8)),
             copy(t(8), direction), kernel(work(t(20) + duration{2})), cpu(t(6))),
        task("c", period_of(30), priority(t.number(0, 2) * 3 + 2), on_core(t.number(0, 1)), cpu(t(12) + duration{2})));
    const auto board =
        platform(pool(processors(2), fixed_priority), pool(copy_engines(t.number(1, 2)), nonpreemptive(fixed_priority)),
                 pool(virtual_sms(6, 1), federated));
    const std::array offsets{t(60), t(60), t(60)};
    const auto horizon = duration{static_cast<ticks>(2'000 + seed % 2)};  // releases are even
    const simulation_options how{.horizon = horizon, .offsets = offsets};
    if (!agree(board, set, dedicate(t.number(1, 3), t.number(1, 3), 0), how)) { ++differing; }
  }
  CHECK(differing == 0);
}

namespace {

/// Systems that differ under tokens, of so many. Times are so long that no two things happen at one instant.
template <class Order>
auto differing_under(const Order& order, std::uint64_t systems) -> std::uint64_t {
  using namespace takt;
  std::uint64_t differing = 0;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    random_stream random{seed};
    const auto t = [&random](std::int64_t most) { return duration{random.between(1, most * 1'000'000'000)}; };
    const auto period_of = [&t](std::int64_t least) { return period(t(60) + duration{least * 1'000'000'000}); };
    const auto core = [&random] { return on_core(static_cast<std::int32_t>(random.between(0, 1))); };
    const auto set = task_set(
        task("a", period_of(40), priority(static_cast<std::int32_t>(random.between(0, 2) * 4)), on_core(0), cpu(t(4)),
             copy(t(3), to_device), kernel(work(t(16))), copy(t(3), to_host), cpu(t(4))),
        task("b", period_of(40), priority(static_cast<std::int32_t>(random.between(0, 2) * 4 + 1)), on_core(0),
             cpu(t(4)), copy(t(4), to_device), kernel(work(t(20))), cpu(t(3)), kernel(work(t(8))), cpu(t(2))),
        task("c", period_of(40), priority(static_cast<std::int32_t>(random.between(0, 2) * 4 + 2)), on_core(1),
             cpu(t(2)), kernel(work(t(12))), copy(t(5), to_host), cpu(t(4))),
        task("d", period_of(30), priority(static_cast<std::int32_t>(random.between(0, 2) * 4 + 3)), core(), cpu(t(6))));
    const auto board = platform(
        pool(processors(2), fixed_priority), pool(copy_engines(static_cast<std::int32_t>(random.between(1, 2))), fifo),
        pool(virtual_sms(6, 1), locked(order, static_cast<std::int32_t>(random.between(1, 3)))));
    const std::array offsets{t(30), t(30), t(30), t(30)};
    const simulation_options how{.horizon = duration{900'000'000'001}, .offsets = offsets};
    differing += agree(board, set, plan<4>{}, how) ? 0U : 1U;
  }
  return differing;
}

}  // namespace

TEST_CASE("the engine and the simulator of chains agree on boards with tokens under every protocol") {
  const std::uint64_t systems = takt_tests::systems_or(2'000);
  CHECK(differing_under(takt::k_fmlp_order, systems) == 0);
  CHECK(differing_under(takt::r2dglp_order, systems) == 0);
  CHECK(differing_under(takt::ck_omlp_order, systems) == 0);
}
