// EXPECT: takt: a nested lock stands before one that is already held
// TAKT-TEST: GSD-26 a nested lock that stands before one that is held does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/nesting.hpp>

struct plain_lock {
  void lock() {}
  void unlock() {}
};
takt::ordered_lock<1, plain_lock> camera;
takt::ordered_lock<2, plain_lock> map;

void plan() {
#ifdef TAKT_FIXED
  const auto held = takt::no_locks{}.take(camera).take(map);
#else
  const auto held = takt::no_locks{}.take(map).take(camera);
#endif
}
