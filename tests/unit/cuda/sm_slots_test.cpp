// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include <takt/cuda/pinning.hpp>
#include "support/traces.hpp"

namespace cuda = takt::cuda;

TEST_CASE("isolated slots are whole SMs, shared slots lay the ranges of tasks side by side on them" *
          takt_tests::traces("RTGPU-12")) {
  constexpr auto whole = cuda::isolated_slots(2, 3, 4);
  static_assert(whole.total() == 12);
  static_assert(whole.at(1) == 0 && whole.at(2) == 4 && whole.at(4) == 4 && whole.at(5) == 0);

  constexpr takt::gpu_record shared{.sms = 4, .virtual_per_sm = 2, .shared = true};
  constexpr auto first = cuda::detail::slots_of(shared, {0, 0, 3});
  constexpr auto second = cuda::detail::slots_of(shared, {0, 3, 5});
  static_assert(first.at(0) == 2 && first.at(1) == 1 && first.at(2) == 0);
  static_assert(second.at(1) == 1 && second.at(2) == 2 && second.at(3) == 2);
  for (std::uint32_t sm = 0; sm < cuda::max_sms; ++sm) { CHECK(first.at(sm) + second.at(sm) == (sm < 4 ? 2 : 0)); }

  constexpr takt::gpu_record isolated{.sms = 4, .virtual_per_sm = 2};
  static_assert(cuda::detail::slots_of(isolated, {0, 1, 2}) == cuda::isolated_slots(1, 2, 2));
}

TEST_CASE("slots out of range are none") {
  CHECK(cuda::isolated_slots(0, 256, 32).total() == 256 * 32);
  CHECK(cuda::isolated_slots(1, 256, 1).total() == 0);
  CHECK(cuda::isolated_slots(-1, 2, 1).total() == 0);
  CHECK(cuda::isolated_slots(0, 2, 33).total() == 0);
  CHECK(cuda::isolated_slots(std::numeric_limits<std::int32_t>::max(), 1, 1).total() == 0);
  CHECK(cuda::shared_slots(0, 512, 2).total() == 512);
  CHECK(cuda::shared_slots(1, 512, 2).total() == 0);
  CHECK(cuda::shared_slots(0, 4, 0).total() == 0);
  CHECK(cuda::sm_slots{}.at(256) == 0);
}

TEST_CASE("blocks and chunks cover every element where sizes do not divide" * takt_tests::traces("GSD-50")) {
  for (std::int64_t count = 0; count < 70; ++count) {
    for (std::int64_t length = 1; length < 20; ++length) {
      const auto work = cuda::divide_work(count, length);
      REQUIRE(work);
      CHECK(work->chunks == cuda::detail::grid_for(count, length));
      std::int64_t covered = 0;
      for (std::uint32_t c = 0; c < work->chunks; ++c) {
        CHECK(work->first(c) == covered);
        CHECK(work->last(c) > covered);
        covered = work->last(c);
      }
      CHECK(covered == count);
    }
  }
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(cuda::detail::grid_for(largest, 1'024) == largest / 1'024 + 1);
  CHECK(cuda::divide_work(largest, largest)->last(0) == largest);
}

TEST_CASE("work that cannot be divided is refused") {
  CHECK_FALSE(cuda::divide_work(-1, 1));
  CHECK_FALSE(cuda::divide_work(1, 0));
  CHECK_FALSE(cuda::divide_work(std::int64_t{1} << 32U, 1));
  CHECK_FALSE(cuda::divide_work(std::int64_t{1} << 31U, 1));
  CHECK(cuda::divide_work((std::int64_t{1} << 31U) - 1, 1));
}
