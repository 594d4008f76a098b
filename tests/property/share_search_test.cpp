// SPDX-License-Identifier: Apache-2.0
// Plans that are looked for on composed boards: how many more sets are proven than under an even split, and whether
// runs under them keep the bounds.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <takt/core/random.hpp>
#include <takt/simulation.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "support/draws.hpp"

namespace {

using takt::duration;
using takt::ticks;
using takt_tests::systems_or;

/// Kernels of very different length, and a short task without.
auto uneven_set(std::uint64_t seed) {
  takt::random_stream random{seed};
  const auto time = [&random](ticks least, ticks most) { return duration{random.between(least, most)}; };
  const auto chain = [&](const char* name, ticks longest) {
    const ticks work = random.between(10, longest);
    const duration period{(work + 30) * random.between(5, 13) / 10};
    const duration first = time(1, 8);
    const duration in = time(1, 4);
    const duration out = time(1, 3);
    const duration last = time(1, 6);
    return takt::task(name, takt::period(period), takt::cpu(first), takt::copy(in),
                      takt::kernel(takt::work(duration{work}), takt::interleave(1), takt::overhead(duration{work / 8})),
                      takt::copy(out), takt::cpu(last));
  };
  const auto a = chain("a", 80);
  const auto b = chain("b", 160);
  const auto c = chain("c", 240);
  const duration period = time(30, 100);
  return takt::task_set(a, b, c, takt::task("d", takt::period(period), takt::cpu(time(1, 9))));
}

struct count_of_proofs {
  std::uint64_t even = 0;
  std::uint64_t found = 0;
  std::uint64_t lost = 0;
  std::uint64_t exceeded = 0;
};

template <class Board>
auto count(const Board& board, std::uint64_t systems) -> count_of_proofs {
  count_of_proofs out;
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    const auto set = uneven_set(seed);
    using set_type = std::remove_const_t<decltype(set)>;
    std::uint64_t asked = 0;
    const takt::detail::plan_test<Board, set_type, takt::published> test{board, set, asked};
    const bool even = takt::share_search{.rounds = 0}.find(board, set, test).schedulable();
    const auto verdict = takt::analyze(board, set, takt::published_methods);
    REQUIRE_FALSE(verdict.error);
    out.even += even ? 1U : 0U;
    out.found += verdict.schedulable() ? 1U : 0U;
    out.lost += even && !verdict.schedulable() ? 1U : 0U;
    if (even || !verdict.schedulable()) { continue; }
    CHECK(takt::analyze(board, set, verdict.plan, takt::published_methods).schedulable());
    CHECK(takt::allocate(board, set, takt::published_methods).shares.size() == 4);
    for (const auto releases : {takt::release_pattern::periodic, takt::release_pattern::adversarial}) {
      const auto seen =
          takt::simulate(board, set, verdict.plan, {.horizon = duration{5000}, .releases = releases, .seed = seed});
      REQUIRE_FALSE(seen.error);
      for (std::size_t i = 0; i < seen.tasks.size(); ++i) {
        out.exceeded += seen.tasks[i].worst_response > verdict.tasks[i].bound.value ? 1U : 0U;
      }
    }
  }
  MESSAGE(out.even << " of " << systems << " sets proven under an even split, " << out.found << " by a search");
  return out;
}

}  // namespace

TEST_CASE("a search of shares and priorities proves more sets than an even split, and runs keep its bounds") {
  using namespace takt;
  const std::uint64_t systems = systems_or(500);
  const auto edf_cores = count(
      platform(pool(processors(1), edf), pool(copy_engines(1), fifo), pool(virtual_sms(6, 1), federated)), systems);
  const auto given = count(
      platform(pool(processors(1), fixed_priority), pool(copy_engines(1), fifo), pool(virtual_sms(6, 1), federated)),
      systems);
  const auto shared =
      count(platform(pool(processors(1), nonpreemptive(fixed_priority)), pool(copy_engines(2), nonpreemptive(edf)),
                     pool(virtual_sms(8, 2), federated_virtual)),
            systems);
  const auto two = count(platform(pool(processors(1), edf), pool(copy_engines(1), fifo),
                                  pool(virtual_sms(2, 1), federated), pool(virtual_sms(6, 1, 2), federated)),
                         systems);
  for (const auto& c : {edf_cores, given, shared, two}) {
    CHECK(c.lost == 0);
    CHECK(c.exceeded == 0);
    CHECK(c.found > c.even);
  }
  CHECK(given.found * 2 > given.even * 3);
}

TEST_CASE("equal questions of a search get equal answers") {
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                    takt::pool(takt::copy_engines(1), takt::fifo),
                                    takt::pool(takt::virtual_sms(6, 1), takt::federated));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto first = takt::analyze(board, uneven_set(seed), takt::published_methods).plan;
    const auto second = takt::analyze(board, uneven_set(seed), takt::published_methods).plan;
    for (std::size_t i = 0; i < first.shares.size(); ++i) { CHECK(first.shares[i] == second.shares[i]); }
    for (std::size_t i = 0; i < first.priorities.size(); ++i) { CHECK(first.priorities[i] == second.priorities[i]); }
  }
}
