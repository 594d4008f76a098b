// SPDX-License-Identifier: Apache-2.0
// Compiled with several values of TAKT_PRECONDITIONS, and with one of PART_...: see checks_test.py.
#include <cstdlib>

#include <takt/core/inline_vector.hpp>

auto sum_of(const takt::inline_vector<int, 4>& values) -> int;

#ifdef PART_SUM
auto sum_of(const takt::inline_vector<int, 4>& values) -> int {
  int sum = 0;
  for (const int v : values) { sum += v; }
  return sum;
}
#endif

#ifdef PART_HANDLER
// excerpt: handler
extern "C" void takt_precondition_broken(const char* condition, const char* file, unsigned line) {
  std::_Exit(condition != nullptr && file != nullptr && line > 0 ? 7 : 8);  // or what your board does
}
// end of excerpt
#endif

#ifdef PART_MAIN
namespace {

auto too_dear(int x) -> int {
  TAKT_EXPECTS_IN_TESTS(x < 2);
  return x;
}

}  // namespace

/// What it does is the first letter of the argument; without a fault it ends with the sum of one 1.
auto main(int, char** argv) -> int {
  const char what = argv[1][0];
  takt::inline_vector<int, 4> values;
  values.unchecked_push_back(1);
  if (what == 'i') { return values[static_cast<std::size_t>(argv[1][1] - '0')]; }
  if (what == 'f') {
    for (int k = 0; k < 4; ++k) { values.unchecked_push_back(0); }
  }
  if (what == 'e') {
    values.clear();
    return values.back();
  }
  if (what == 'd') { return too_dear(argv[1][1] - '0'); }
  return sum_of(values);
}
#endif
