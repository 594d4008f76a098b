// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/rules/locking/critical_section_fusion.hpp>
#include <takt/systems/locked_gpus/simulation/copy_contention.hpp>
#include <takt/systems/rtgpu/analysis/copy_chunk_blocking.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

using takt::priority_point;
using takt::service_order;
using takt::should_yield;
using takt::ticks;
using takt::analysis::copy_chunk_blocking;
using takt::simulation::chunked_copy;
using takt::simulation::copy_outcome;
using takt::simulation::simulate_copy_contention;

namespace {

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_COPY_RUNS", 500); }

[[nodiscard]] auto random_copies(takt::random_stream& random) -> std::vector<chunked_copy> {
  std::vector<chunked_copy> copies;
  const auto n = random.between(1, 5);
  for (std::int32_t i = 0; i < n; ++i) {
    chunked_copy c{.start = random.below(20), .priority = {random.below(4), i}, .chunks = {}};
    const ticks longest = random.between(1, 5);
    for (auto left = random.below(6); left > 0; --left) { c.chunks.push_back(random.between(0, longest)); }
    copies.push_back(c);
  }
  return copies;
}

[[nodiscard]] auto longest_chunks_below(const std::vector<chunked_copy>& copies, std::size_t i) -> std::vector<ticks> {
  std::vector<ticks> out;
  for (const auto& c : copies) {
    const bool lower = copies[i].priority < c.priority;
    if (lower && !c.chunks.empty()) { out.push_back(std::ranges::max(c.chunks)); }
  }
  return out;
}

void check_engine(const std::vector<chunked_copy>& copies, const takt::simulation::copy_contention_result& result,
                  bool fused) {
  std::vector<std::vector<ticks>> transferred(copies.size());
  ticks free = 0;
  for (const auto& s : result.slices) {
    REQUIRE(s.start >= free);
    REQUIRE(s.start >= copies[s.copy].start);
    transferred[s.copy].push_back(s.end - s.start);
    free = s.end;
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    REQUIRE(transferred[i] == copies[i].chunks);
    const auto chunks = static_cast<std::int64_t>(copies[i].chunks.size());
    REQUIRE(result.copies[i].acquisitions <= chunks);
    REQUIRE((fused || result.copies[i].acquisitions == chunks));
  }
}

}  // namespace

TEST_CASE("under first come, first served a contended lock is yielded, under priorities to a better waiter" *
          takt_tests::traces("GSD-79")) {
  constexpr std::array<priority_point, 2> waiters{{{5, 0}, {9, 1}}};
  constexpr std::span<const priority_point> nobody{};
  static_assert(should_yield(service_order::first_come, {1, 2}, waiters));
  static_assert(!should_yield(service_order::first_come, {9, 2}, nobody));
  static_assert(should_yield(service_order::priority, {6, 2}, waiters));
  static_assert(!should_yield(service_order::priority, {4, 2}, waiters));
  static_assert(!should_yield(service_order::priority, {9, 2}, nobody));
  CHECK(should_yield(service_order::priority, {5, 1}, waiters));
  // A holder that counted what it inherits through this lock would never yield.
  const priority_point inherited = std::min(priority_point{6, 2}, waiters[0]);
  CHECK_FALSE(should_yield(service_order::priority, inherited, waiters));
}

TEST_CASE("two copies of five chunks: one section per chunk without fusion, one in all with it" *
          takt_tests::traces("GSD-75 GSD-79")) {
  const std::vector<chunked_copy> copies{{.start = 0, .priority = {2, 0}, .chunks = {4, 4, 4, 4, 4}},
                                         {.start = 1, .priority = {1, 1}, .chunks = {4, 4, 4, 4, 4}}};
  const auto apart = simulate_copy_contention(copies, service_order::priority, false);
  REQUIRE(apart);
  CHECK(apart->copies[1] == copy_outcome{40, 5, 19});
  CHECK(apart->copies[0].acquisitions == 5);
  const auto fused = simulate_copy_contention(copies, service_order::priority, true);
  REQUIRE(fused);
  CHECK(fused->copies[1] == copy_outcome{24, 1, 3});
  CHECK(fused->copies[0].completion == 40);
  const auto in_turn = simulate_copy_contention(copies, service_order::first_come, true);
  REQUIRE(in_turn);
  CHECK(in_turn->copies[1].acquisitions == 5);
}

TEST_CASE("chunks are never cut, and waiting for lower copies stays within its bound" *
          takt_tests::traces("GSD-51 GSD-79")) {
  takt::random_stream random{79};
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    const auto copies = random_copies(random);
    for (const auto order : {service_order::first_come, service_order::priority}) {
      for (const bool fused : {false, true}) {
        const auto result = simulate_copy_contention(copies, order, fused);
        REQUIRE(result);
        check_engine(copies, *result, fused);
        for (std::size_t i = 0; i < copies.size(); ++i) {
          ticks bound = 0;
          const auto chunks = static_cast<std::int64_t>(copies[i].chunks.size());
          REQUIRE(copy_chunk_blocking(order, fused, chunks, longest_chunks_below(copies, i), bound));
          REQUIRE(result->copies[i].behind_lower <= bound);
        }
      }
    }
  }
}

TEST_CASE("the bound for chunks is one lower chunk per chunk, or one in all with fusion") {
  constexpr std::array<ticks, 3> lower{3, 7, 5};
  ticks bound = 0;
  CHECK(copy_chunk_blocking(service_order::priority, false, 6, lower, bound));
  CHECK(bound == 42);
  CHECK(copy_chunk_blocking(service_order::priority, true, 6, lower, bound));
  CHECK(bound == 7);
  CHECK(copy_chunk_blocking(service_order::first_come, true, 6, lower, bound));
  CHECK(bound == 90);
  CHECK(copy_chunk_blocking(service_order::priority, true, 0, lower, bound));
  CHECK(bound == 0);

  constexpr std::array<ticks, 2> long_ones{std::numeric_limits<ticks>::max(), 1};
  CHECK_FALSE(copy_chunk_blocking(service_order::first_come, false, 1, long_ones, bound));
  CHECK_FALSE(copy_chunk_blocking(service_order::priority, false, -1, lower, bound));
  constexpr std::array<ticks, 1> negative{-1};
  CHECK_FALSE(copy_chunk_blocking(service_order::priority, false, 1, negative, bound));
}

TEST_CASE("a simulation of copies refuses negative times and times that run over") {
  constexpr ticks forever = std::numeric_limits<ticks>::max();
  const auto refused = [](const chunked_copy& c) {
    return !simulate_copy_contention(std::vector{c}, service_order::first_come, false);
  };
  CHECK(refused({.start = -1, .priority = {}, .chunks = {}}));
  CHECK(refused({.start = 0, .priority = {}, .chunks = {-1}}));
  CHECK(refused({.start = forever, .priority = {}, .chunks = {1}}));
  CHECK(refused({.start = 0, .priority = {}, .chunks = {forever, forever}}));
  const auto empty = simulate_copy_contention(std::vector{chunked_copy{.start = 7, .priority = {}, .chunks = {}}},
                                              service_order::first_come, false);
  REQUIRE(empty);
  CHECK(empty->copies[0] == copy_outcome{7, 0, 0});
}
