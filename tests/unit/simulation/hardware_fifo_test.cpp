// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/hardware_fifo.hpp>
#include <takt/simulation/hardware_fifo.hpp>
#include "support/traces.hpp"

using takt::simulation::issue_mode;
using takt::simulation::operation_times;
using takt::simulation::simulate_hardware_fifo;
using takt::simulation::timed_operation;

namespace {

constexpr std::int32_t kernels = 0;
constexpr std::int32_t copies = 1;

/// By the definition: an operation starts after the one before it in the queue has started and after those before it
/// on its stream and on its engine have ended.
[[nodiscard]] auto stalled_times(const std::vector<timed_operation>& operations) -> std::vector<operation_times> {
  std::vector<operation_times> out;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    takt::ticks start = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool stream = operations[j].stream == operations[i].stream;
      const bool engine = operations[j].engine == operations[i].engine;
      start = std::max({start, out[j].start, stream || engine ? out[j].end : 0});
    }
    out.push_back({start, start + operations[i].length});
  }
  return out;
}

[[nodiscard]] auto random_operations(takt::random_stream& random) -> std::vector<timed_operation> {
  std::vector<timed_operation> out;
  for (auto n = random.between(1, 12); n > 0; --n) {
    out.push_back({static_cast<std::int32_t>(random.below(4)), static_cast<std::int32_t>(random.below(3)),
                   random.between(0, 20)});
  }
  return out;
}

void check_nothing_is_cut(const std::vector<timed_operation>& operations,
                          const takt::inline_vector<operation_times, 64>& times) {
  REQUIRE(times.size() == operations.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    REQUIRE(times[i].end - times[i].start == operations[i].length);
    for (std::size_t j = 0; j < i; ++j) {
      const bool same_stream = operations[i].stream == operations[j].stream;
      const bool apart = times[j].end <= times[i].start || times[i].end <= times[j].start;
      REQUIRE((apart || operations[i].engine != operations[j].engine));
      REQUIRE((!same_stream || times[j].end <= times[i].start));
    }
  }
}

}  // namespace

TEST_CASE("a stalled queue ends the published example at 30, one operation in flight per stream at 25" *
          takt_tests::traces("GSD-55")) {
  constexpr std::array<timed_operation, 3> example{{{0, kernels, 15}, {0, copies, 10}, {1, copies, 5}}};
  constexpr auto stalled = simulate_hardware_fifo(example, issue_mode::at_once);
  REQUIRE(stalled);
  CHECK((*stalled)[0] == operation_times{0, 15});
  CHECK((*stalled)[1] == operation_times{15, 25});
  CHECK((*stalled)[2] == operation_times{25, 30});
  const auto fixed = simulate_hardware_fifo(example, issue_mode::one_per_stream);
  REQUIRE(fixed);
  CHECK((*fixed)[0] == operation_times{0, 15});
  CHECK((*fixed)[1] == operation_times{15, 25});
  CHECK((*fixed)[2] == operation_times{0, 5});
}

TEST_CASE("operations of random streams run to their end, and the stalled queue follows its definition" *
          takt_tests::traces("GSD-51 GSD-55")) {
  takt::random_stream random{55};
  for (int round = 0; round < 2'000; ++round) {
    const auto operations = random_operations(random);
    const auto stalled = simulate_hardware_fifo(operations, issue_mode::at_once);
    const auto fixed = simulate_hardware_fifo(operations, issue_mode::one_per_stream);
    REQUIRE(stalled);
    REQUIRE(fixed);
    check_nothing_is_cut(operations, *stalled);
    check_nothing_is_cut(operations, *fixed);
    const auto naive = stalled_times(operations);
    REQUIRE(std::ranges::equal(*stalled, naive));
  }
}

TEST_CASE("an engine gives its operation up to nobody until it is complete" * takt_tests::traces("GSD-51")) {
  takt::hardware_fifo<4> fifo;
  REQUIRE(fifo.issue({0, 0, 2}));
  REQUIRE(fifo.issue({1, 1, 2}));
  CHECK(fifo.dispatch().id == 0);
  CHECK(fifo.running(2).id == 0);
  CHECK(fifo.dispatch() == takt::no_operation);
  CHECK(fifo.running(2).id == 0);
  CHECK(fifo.complete(2).id == 0);
  CHECK(fifo.running(2) == takt::no_operation);
  CHECK(fifo.dispatch().id == 1);
}

TEST_CASE("the hardware queue is a ring that refuses what does not fit") {
  takt::hardware_fifo<2> fifo;
  CHECK_FALSE(fifo.issue({0, 2, 0}));
  CHECK_FALSE(fifo.issue({0, 0, -1}));
  REQUIRE(fifo.issue({0, 0, 1}));
  for (std::int32_t i = 0; i < 10; ++i) {
    REQUIRE(fifo.issue({i + 1, i % 2, 1}));
    CHECK_FALSE(fifo.issue({-1, 1, 1}));
    CHECK(fifo.waiting() == 2);
    CHECK(fifo.dispatch().id == i);
    CHECK(fifo.dispatch() == takt::no_operation);
    CHECK(fifo.complete(1).id == i);
  }
}

TEST_CASE("a simulation of the hardware queue refuses what it cannot represent") {
  constexpr takt::ticks forever = std::numeric_limits<takt::ticks>::max();
  for (const auto mode : {issue_mode::at_once, issue_mode::one_per_stream}) {
    const std::array<timed_operation, 2> second_of_stream{{{0, 0, 1}, {0, 64, 1}}};
    CHECK_FALSE(simulate_hardware_fifo(second_of_stream, mode));
    const std::array<timed_operation, 1> negative{{{0, 0, -1}}};
    CHECK_FALSE(simulate_hardware_fifo(negative, mode));
    const std::array<timed_operation, 2> endless{{{0, 0, forever / 2}, {0, 0, forever / 2}}};
    CHECK_FALSE(simulate_hardware_fifo(endless, mode));
    const std::array<timed_operation, 3> many{};
    CHECK_FALSE(simulate_hardware_fifo<2>(many, mode));
    CHECK(simulate_hardware_fifo(std::span<const timed_operation>{}, mode)->empty());
  }
}
