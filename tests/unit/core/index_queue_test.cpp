// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/core/index_bag.hpp>
#include <takt/core/index_queue.hpp>
#include <takt/core/index_set.hpp>
#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/wide_natural.hpp>

#include "support/broken_precondition.hpp"

namespace {

using takt_test::breaks_precondition;

TEST_CASE("a queue gives positions back in the order in which they came, from any place") {
  takt::index_queue<3> queue;
  queue.push(7);
  queue.push(5);
  queue.push(6);
  CHECK(queue.take(1) == 5);
  CHECK(queue.size() == 2);
  CHECK(queue[0] == 7);
  CHECK(queue[1] == 6);
  queue.push(5);
  CHECK(queue.take(0) == 7);
  CHECK(queue.take(1) == 5);
  CHECK(queue.take(0) == 6);
  CHECK(queue.size() == 0);
}

#if TAKT_PRECONDITIONS >= 1
TEST_CASE("no container of positions takes more than it holds, or gives what it does not hold") {
  takt::index_queue<2> queue;
  takt::index_set<2> set;
  takt::index_bag<2> bag;
  queue.push(0);
  set.insert(1);
  bag.insert(1);
  CHECK_FALSE(breaks_precondition([&] { queue.push(1); }));
  CHECK(breaks_precondition([&] { static_cast<void>(queue.take(1)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(queue[1]); }));
  CHECK(breaks_precondition([&] {
    queue.push(1);
    queue.push(1);
  }));

  CHECK_FALSE(breaks_precondition([&] { set.insert(0); }));
  CHECK(breaks_precondition([&] { set.insert(1); }));
  CHECK(breaks_precondition([&] { set.insert(2); }));
  CHECK(breaks_precondition([&] { static_cast<void>(set[1]); }));

  CHECK_FALSE(breaks_precondition([&] { bag.insert(0); }));
  CHECK(breaks_precondition([&] { bag.insert(1); }));
  CHECK(breaks_precondition([&] { bag.insert(2); }));
  CHECK(breaks_precondition([&] { static_cast<void>(bag.contains(2)); }));
}

TEST_CASE("numbers refuse what has no answer") {
  takt::random_stream random{1};
  CHECK(random.between(-3, -3) == -3);
  CHECK(breaks_precondition([&] { static_cast<void>(random.between(1, 0)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(random.between(INT64_MIN, 0)); }));
  CHECK(breaks_precondition([&] { static_cast<void>(random.below(0)); }));

  const takt::rational none{1, 0};
  CHECK(none.overflowed());
  CHECK(breaks_precondition([&] { static_cast<void>(none.floor()); }));
  CHECK(breaks_precondition([&] { static_cast<void>(none.ceil()); }));

  using takt::detail::wide_natural;
  const wide_natural large = wide_natural{INT64_MAX} * INT64_MAX * INT64_MAX * INT64_MAX;
  CHECK_FALSE(breaks_precondition([&] { static_cast<void>(large * 8); }));
  CHECK(breaks_precondition([&] { static_cast<void>(large * 32); }));
  CHECK(breaks_precondition([&] { static_cast<void>(wide_natural{1} - wide_natural{2}); }));
}
#endif

}  // namespace
