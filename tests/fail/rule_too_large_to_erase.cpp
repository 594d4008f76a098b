// EXPECT: takt: a rule in any_rule is trivially copyable and has at most 64 bytes
// SPDX-License-Identifier: Apache-2.0
#include <takt/analysis/any_rule.hpp>

struct heavy : takt::fifo_rule {
#ifdef TAKT_FIXED
  char notes[8]{};
#else
  char notes[80]{};
#endif
};

auto erase(const heavy& rule) -> takt::any_rule<8> { return rule; }
