// EXPECT: precondition_broken
// SPDX-License-Identifier: Apache-2.0
#include <takt/core/inline_vector.hpp>

constexpr auto second(int elements) -> int {
  takt::inline_vector<int, 4> values;
  for (int i = 0; i < elements; ++i) { values.unchecked_push_back(i); }
  return values[1];
}

#ifdef TAKT_FIXED
static_assert(second(2) == 1);
#else
static_assert(second(1) == 0);
#endif
