// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/locking/advice.hpp>

TEST_CASE("plain advice leaves every choice to the protocol") {
  constexpr takt::plain_advice advice;
  constexpr int protocol = 0;
  CHECK(advice.queue(protocol, 0) == takt::no_replica);
  CHECK(advice.donee(protocol, 0) == takt::no_request);
}
