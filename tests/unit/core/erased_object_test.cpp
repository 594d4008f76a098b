// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <takt/core/erased_object.hpp>

namespace {

using place = takt::detail::erased_object<16>;

struct pair_of_numbers {
  std::int64_t first = 0;
  std::int64_t second = 0;
};
struct alignas(64) aligned_too_far {
  char c = 0;
};

static_assert(place::takes<pair_of_numbers> && place::takes<char>);
static_assert(!place::takes<char[17]>, "too large");
static_assert(!place::takes<std::string>, "more than its bytes");
static_assert(!takt::detail::erased_object<64>::takes<aligned_too_far>);

}  // namespace

TEST_CASE("an erased object is what was put there, and its copies are objects of their own") {
  place a;
  a.put(pair_of_numbers{1, 2});
  CHECK(a.as<pair_of_numbers>().second == 2);
  place b = a;
  b.as<pair_of_numbers>().second = 5;
  const place& seen = b;
  CHECK(seen.as<pair_of_numbers>().second == 5);
  CHECK(a.as<pair_of_numbers>().second == 2);
  a.put('c');
  CHECK(a.as<char>() == 'c');
}

TEST_CASE("an erased object may be made in place") {
  place a;
  a.put_made_by([] { return pair_of_numbers{3, 4}; });
  CHECK(a.as<pair_of_numbers>().first == 3);
}
