// SPDX-License-Identifier: Apache-2.0
// Chains of typed tasks that hold tokens and may take no time at all anywhere: what is proven of them is held against
// the simulator of chains and against the engine, on the same board.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/analysis/any_board.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "property/composed_systems.hpp"

namespace {

using composed_systems::draws;
using takt::duration;
using takt::ticks;

struct chain_times {
  explicit chain_times(draws& d) : core{static_cast<std::int32_t>(d.between(0, 1))} {
    for (std::size_t i = 0; i < upper.size(); ++i) {
      upper[i] = d.one_in(2) ? 0 : d.between(1, 6);
      lower[i] = d.one_in(2) ? upper[i] : d.between(0, upper[i]);
      sum += upper[i];
    }
    work = d.one_in(3) ? 1 : d.between(1, 20);
    period = (sum + work + 1) * d.between(2, 12) / 2 + d.between(0, 5);
    deadline = period - (d.one_in(2) ? d.between(0, period / 8) : 0);
  }
  [[nodiscard]] auto cpu(std::size_t i) const { return takt::cpu(duration{lower[i]}, duration{upper[i]}); }
  [[nodiscard]] auto copy(std::size_t i, takt::copy_direction to) const {
    return takt::copy(duration{lower[i]}, duration{upper[i]}, to);
  }
  [[nodiscard]] auto kernel() const { return takt::kernel(takt::work(duration{0}, duration{work})); }
  template <class... Segments>
  [[nodiscard]] auto task(const char* name, std::int32_t on, const Segments&... chain) const {
    return takt::task(name, takt::period(duration{period}), takt::deadline(duration{deadline}), takt::on_core(on),
                      chain...);
  }

  std::int32_t core;
  std::array<ticks, 7> upper{};
  std::array<ticks, 7> lower{};
  ticks sum = 0;
  ticks work = 0;
  ticks period = 1;
  ticks deadline = 1;
};

struct tally {
  std::uint64_t proven = 0;
  std::uint64_t reached = 0;
  std::uint64_t exceeded = 0;
};

template <class Seen, class Verdict>
void hold_to(const Seen& seen, const Verdict& v, tally& out) {
  REQUIRE_FALSE(seen.error);
  out.exceeded += seen.misses();
  for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
    const ticks bound = v.tasks[i].bound.value;
    out.exceeded += seen.tasks[i].worst_response > bound ? 1U : 0U;
    out.reached += seen.tasks[i].worst_response == bound ? 1U : 0U;
  }
}

template <class Order>
void examine(const Order& order, std::int32_t most_cores, std::uint64_t systems, tally& chains, tally& pools) {
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    draws d{seed};
    const auto cores = static_cast<std::int32_t>(d.between(1, most_cores));
    const auto tokens = static_cast<std::int32_t>(d.between(1, 3));
    const auto board = takt::platform(takt::pool(takt::processors(cores), takt::deadline_monotonic),
                                      takt::pool(takt::copy_engines(1), takt::fifo),
                                      takt::pool(takt::virtual_sms(6, 1), takt::locked(order, tokens)));
    const chain_times a{d};
    const chain_times b{d};
    const chain_times c{d};
    const chain_times e{d};
    const auto on = [cores](const chain_times& t) { return cores == 1 ? 0 : t.core; };
    const auto set = takt::task_set(
        a.task("a", on(a), a.cpu(0), a.copy(1, takt::to_device), a.kernel(), a.copy(2, takt::to_host), a.cpu(3)),
        b.task("b", on(b), b.cpu(0), b.kernel(), b.cpu(3), b.copy(1, takt::to_device), b.kernel(), b.cpu(4)),
        c.task("c", on(c), c.cpu(0), c.copy(1, takt::to_device), c.kernel(), c.cpu(3)), e.task("e", on(e), e.cpu(0)));
    const auto verdict = takt::analyze(board, set, takt::plan<4>{}, takt::published_methods);
    REQUIRE_FALSE(verdict.error);
    if (!verdict.schedulable()) { continue; }
    ++chains.proven;
    ++pools.proven;
    const auto values = takt::erase<32>(board);
    const auto described = takt::to_runtime_tasks(set);
    REQUIRE_FALSE(described.error);
    for (const auto releases : {takt::release_pattern::sporadic, takt::release_pattern::adversarial}) {
      for (const auto execution : {takt::execution_times::upper, takt::execution_times::random}) {
        const takt::simulation_options how{
            .horizon = duration{3000}, .releases = releases, .execution = execution, .seed = seed};
        hold_to(takt::simulate(board, set, takt::plan<4>{}, how), verdict, chains);
        hold_to(takt::simulate(values, described.tasks, takt::plan<4>{}, how), verdict, pools);
      }
    }
  }
}

}  // namespace

TEST_CASE("tasks that ask for tokens without having taken time keep their bounds, typed and as values") {
  const std::uint64_t systems = composed_systems::systems_or(400);
  const auto each = [&](const auto& order, std::int32_t most_cores) {
    tally chains;
    tally pools;
    examine(order, most_cores, systems, chains, pools);
    MESSAGE(order.name << ": " << chains.proven << " of " << systems << " proven, reached " << chains.reached
                       << " in chains and " << pools.reached << " in pools, exceeded " << chains.exceeded << " and "
                       << pools.exceeded);
    CHECK(chains.proven > systems / 8);
    CHECK(chains.reached > 0);
    CHECK(pools.reached > 0);
    CHECK(chains.exceeded == 0);
    CHECK(pools.exceeded == 0);
  };
  each(takt::k_fmlp_order, 2);
  each(takt::r2dglp_order, 1);
  each(takt::ck_omlp_order, 2);
}
