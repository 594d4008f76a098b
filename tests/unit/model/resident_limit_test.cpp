// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

#include <takt/model/occupancy.hpp>
#include "support/traces.hpp"

TEST_CASE("a number of virtual SMs per SM becomes a block size of which so many fit, and no more" *
          takt_tests::traces("RTGPU-11")) {
  constexpr takt::sm_limits pascal{};
  static_assert(takt::residents_by_size(pascal, 2).threads == 1024);
  static_assert(takt::residents_by_size(pascal, 4).threads == 512);
  static_assert(takt::residents_by_size(pascal, 3).threads == 672);
  static_assert(takt::residents_by_size({.threads = 1536}, 2).threads == 768);
  static_assert(takt::residents_by_size({.threads = 1024}, 1).threads == 1024);
  // A block of 1024 threads leaves room for a second one.
  static_assert(takt::residents_by_size(pascal, 1).per_sm == 0);
  static_assert(takt::residents_by_size(pascal, 0).per_sm == 0);
  static_assert(takt::residents_by_size(pascal, 65).per_sm == 0);
  // 64 registers for each of 1024 threads are all that the SM has.
  static_assert(takt::residents_by_size(pascal, 2, {.registers_per_thread = 64}).per_sm == 0);

  for (std::int32_t threads : {1024, 1536, 2048}) {
    for (std::int32_t v = 1; v <= 32; ++v) {
      const auto shape = takt::residents_by_size({.threads = threads}, v);
      if (shape.per_sm == 0) { continue; }
      CHECK(takt::resident_blocks({.threads = threads}, {.threads = shape.threads}) == v);
    }
  }
}

TEST_CASE("shared memory holds the number of blocks down where their size does not") {
  constexpr takt::sm_limits ampere{.shared_memory = 167'936};
  constexpr auto one = takt::residents_by_memory(ampere, 1, {.threads = 1024}, 1'024, 166'912);
  static_assert(one.per_sm == 1 && one.shared_memory == 166'912);
  for (std::int32_t v = 1; v <= 16; ++v) {
    for (std::int32_t own : {0, 100, 4'096}) {
      const auto shape = takt::residents_by_memory(ampere, v, {.threads = 128, .shared_memory = own}, 1'024, 166'912);
      if (shape.per_sm == 0) { continue; }
      const takt::block_needs block{.threads = 128, .shared_memory = shape.shared_memory + own + 1'024};
      CHECK(takt::resident_blocks(ampere, block) == v);
    }
  }
  CHECK(takt::residents_by_memory(ampere, 8, {.threads = 128, .shared_memory = 4'096}, 1'024, 166'912).per_sm == 8);
  CHECK(takt::residents_by_memory(ampere, 4, {.threads = 1024}, 1'024, 166'912).per_sm == 0);
  CHECK(takt::residents_by_memory(ampere, 1, {.threads = 128}, 1'024, 49'152).per_sm == 0);
  CHECK(takt::residents_by_memory(ampere, 2, {.threads = 128, .shared_memory = 100'000}, 1'024, 166'912).per_sm == 0);
}
