// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include <takt/rules/locking/nesting.hpp>
#include "support/traces.hpp"

namespace {

/// Notes its number when it is locked and the negative number when it is unlocked.
class noting_lock {
 public:
  noting_lock(std::vector<int>& notes, int number) : notes_{&notes}, number_{number} {}
  void lock() { notes_->push_back(number_); }
  void unlock() { notes_->push_back(-number_); }

 private:
  std::vector<int>* notes_;
  int number_;
};

struct counting_lock {
  int depth = 0;
  int* most = nullptr;

  constexpr void lock() {
    ++depth;
    *most = std::max(*most, depth);
  }
  constexpr void unlock() { --depth; }
};

using first = takt::ordered_lock<1, noting_lock>;
using second = takt::ordered_lock<2, noting_lock>;
using holding_first = takt::nested_locks<takt::no_locks, first>;

template <class Held, class Lock>
concept TakenFrom = requires(Held&& held, Lock& lock) { std::forward<Held>(held).take(lock); };

static_assert(takt::BasicLock<noting_lock>);
static_assert(!takt::BasicLock<int>);
static_assert(TakenFrom<takt::no_locks&&, first>);
static_assert(TakenFrom<holding_first&&, second>);
static_assert(!TakenFrom<takt::no_locks&, first>, "the earlier set must be given away");
static_assert(!TakenFrom<holding_first&, second>);
static_assert(!std::copyable<takt::no_locks> && !std::is_copy_constructible_v<holding_first>);
static_assert(std::is_nothrow_move_constructible_v<holding_first>);

constexpr auto releases_everything() -> bool {
  int most = 0;
  takt::ordered_lock<0, counting_lock> a{0, &most};
  {
    auto held = takt::no_locks{}.take(a);
    auto moved = std::move(held);
    auto none = std::move(moved).give_back();
    const auto again = std::move(none).take(a);
  }
  const auto once_more = takt::no_locks{}.take(a);
  return most == 1;
}
static_assert(releases_everything());

}  // namespace

TEST_CASE("nested locks are taken in ascending order and released in reverse" * takt_tests::traces("GSD-26")) {
  std::vector<int> notes;
  takt::ordered_lock<1, noting_lock> a{notes, 1};
  takt::ordered_lock<4, noting_lock> b{notes, 4};
  takt::ordered_lock<7, noting_lock> c{notes, 7};
  SUBCASE("at the end of the scope") {
    {
      const auto held = takt::no_locks{}.take(a).take(b).take(c);
      CHECK(notes == std::vector{1, 4, 7});
    }
    CHECK(notes == std::vector{1, 4, 7, -7, -4, -1});
  }
  SUBCASE("or one by one, after which the order starts again from what is left") {
    {
      auto both = takt::no_locks{}.take(a).take(c);
      auto one = std::move(both).give_back();
      CHECK(notes == std::vector{1, 7, -7});
      const auto other = std::move(one).take(b);
      CHECK(notes == std::vector{1, 7, -7, 4});
    }
    CHECK(notes == std::vector{1, 7, -7, 4, -4, -1});
  }
}
