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
