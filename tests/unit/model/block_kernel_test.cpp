// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/model/block_kernel.hpp>

TEST_CASE("blocks of a kernel that is alone run in as many rounds as the SMs have places for them, rounded up") {
  constexpr takt::block_gpu gpu{.sms = 3, .threads_per_sm = 256, .block_slots = 4};
  CHECK(takt::blocks_per_sm(gpu, 128) == 2);
  CHECK(takt::blocks_per_sm(gpu, 64) == 4);
  CHECK(takt::blocks_per_sm(gpu, 32) == 4);
  CHECK(takt::blocks_per_sm({.sms = 3, .threads_per_sm = 256}, 32) == 8);
  CHECK(takt::rounds_alone(gpu, 1, 128) == 1);
  CHECK(takt::rounds_alone(gpu, 6, 128) == 1);
  CHECK(takt::rounds_alone(gpu, 7, 128) == 2);
  CHECK(takt::rounds_alone(gpu, 25, 32) == 3);
}
