// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/core/index_bag.hpp>

namespace {

TEST_CASE("a bag has what was put in and not taken out, whatever comes between") {
  takt::index_bag<4> bag;
  CHECK_FALSE(bag.contains(0));
  bag.insert(2);
  bag.insert(0);
  bag.insert(3);
  bag.erase(2);  // the last one takes its place
  CHECK(bag.contains(0));
  CHECK(bag.contains(3));
  CHECK_FALSE(bag.contains(2));
  bag.erase(2);
  CHECK(bag.size() == 2);
  bag.erase(3);
  bag.erase(0);
  CHECK(bag.size() == 0);
  bag.insert(1);
  CHECK(bag[0] == 1);
  bag.clear();
  CHECK_FALSE(bag.contains(1));
}

}  // namespace
