// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/analysis/cause_effect/chain_latency.hpp>
#include <takt/core/random.hpp>

namespace {

using takt::chain_latency;
using takt::chain_stage;
using takt::chain_status;
using takt::communication;
using takt::ticks;

constexpr auto let(ticks period) -> chain_stage { return {.period = period, .how = communication::let}; }
constexpr auto implicit(ticks period, ticks response) -> chain_stage {
  return {.period = period, .response = response};
}

template <std::size_t N>
constexpr auto bound(const std::array<chain_stage, N>& stages) -> chain_latency {
  return takt::bound_chain(stages);
}

}  // namespace

TEST_CASE("the five chains of the WATERS 2019 challenge have their exact latencies under LET") {
  // Periods in ms; first read to first output, reaction, age at the output.
  struct expected {
    std::vector<ticks> periods;
    ticks first;
    ticks reaction;
    ticks age;
  };
  const std::vector<expected> chains{{{33, 400, 15, 15, 5}, 875, 908, 903},
                                     {{10, 400, 15, 15, 5}, 845, 855, 850},
                                     {{33, 15, 5}, 65, 98, 93},
                                     {{66, 15, 5}, 98, 164, 159},
                                     {{200, 15, 5}, 230, 430, 425}};
  for (const expected& e : chains) {
    std::vector<chain_stage> stages;
    for (const ticks t : e.periods) { stages.push_back(let(t)); }
    const chain_latency seen = takt::bound_chain(stages);
    CHECK(seen.bounded());
    CHECK(seen.exact);
    CHECK(seen.first_read_to_output == e.first);
    CHECK(seen.reaction == e.reaction);
    CHECK(seen.age_at_output == e.age);
  }
}

TEST_CASE("a chain is bounded in a static_assert") {
  constexpr auto latency = bound(std::array{let(33), let(15), let(5)});
  static_assert(latency.bounded() && latency.exact);
  static_assert(latency.first_read_to_output == 65 && latency.reaction == 98 && latency.age_at_output == 93);
  static_assert(latency.age == 98);
  constexpr auto mixed = bound(std::array{implicit(10, 3), let(20), implicit(5, 5)});
  static_assert(mixed.bounded() && !mixed.exact);
}

TEST_CASE("a stage alone reacts within its period and response, and pieces by different clocks add up") {
  constexpr auto one = bound(std::array{implicit(10, 4)});
  static_assert(one.first_read_to_output == 4 && one.reaction == 14 && one.age_at_output == 4 && one.age == 14);
  chain_stage other = implicit(20, 7);
  other.clock = takt::own_clock;
  const auto two = bound(std::array{implicit(10, 4), other});
  CHECK(two.first_read_to_output == 4 + 27);
  CHECK(two.reaction == 14 + 27);
  CHECK(two.age_at_output == 14 + 7);
  CHECK(two.age == 14 + 27);
  CHECK(two.aligned == 0);
  other.waits_for_producer = true;
  CHECK(bound(std::array{implicit(10, 4), other}).reaction == 10 + 27);
}

TEST_CASE("no chain is bounded above the sum of periods and responses, and common clocks never make it longer") {
  takt::random_stream random{7};
  for (int n = 0; n < 3'000; ++n) {
    std::vector<chain_stage> stages(static_cast<std::size_t>(random.between(1, 5)));
    ticks sum = 0;
    for (chain_stage& s : stages) {
      s = implicit(random.between(1, 40), random.between(0, 60));
      s.offset = random.between(0, 100);
      sum += s.period + s.response;
    }
    const auto common = takt::bound_chain(stages);
    const auto few_jobs = takt::bound_chain(stages, {.most_jobs = 2});
    auto apart = stages;
    for (chain_stage& s : apart) { s.clock = takt::own_clock; }
    const auto own = takt::bound_chain(apart);
    REQUIRE((common.bounded() && own.bounded()));
    CHECK(own.reaction == sum);
    CHECK(own.age == sum);
    CHECK(few_jobs.reaction <= sum);
    CHECK(common.reaction <= few_jobs.reaction);
    CHECK(common.age <= own.age);
    CHECK(common.first_read_to_output <= own.first_read_to_output);
  }
}

TEST_CASE("what is wrong with a chain is named with its stage") {
  using takt::chain_fault;
  const auto fault = [](const std::vector<chain_stage>& s) { return takt::bound_chain(s).fault; };
  CHECK(fault({}) == chain_fault{chain_status::empty, 0});
  CHECK(fault({let(5), implicit(0, 1)}) == chain_fault{chain_status::period_not_positive, 1});
  CHECK(fault({implicit(5, -1)}) == chain_fault{chain_status::response_negative, 0});
  chain_stage late = let(5);
  late.response = 6;
  CHECK(fault({late}) == chain_fault{chain_status::let_interval_exceeded, 0});
  late.let_interval = 6;
  CHECK(fault({late}).status == chain_status::bounded);
  chain_stage waiting = implicit(5, 1);
  waiting.waits_for_producer = true;
  CHECK(fault({waiting}) == chain_fault{chain_status::producer_not_waited_for, 0});
  CHECK(fault({let(5), waiting}) == chain_fault{chain_status::producer_not_waited_for, 1});
  CHECK(fault({implicit(5, 1), waiting}).status == chain_status::bounded);
  CHECK(fault({implicit(ticks{1} << 60, 1)}) == chain_fault{chain_status::overflow, 0});
  CHECK(fault({implicit(5, ticks{1} << 62)}) == chain_fault{chain_status::overflow, 0});
}
