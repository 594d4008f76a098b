// EXPECT: takt: nonpreemptive\(...\) takes a preemptive rule
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/tags.hpp>

#ifdef TAKT_FIXED
constexpr auto rule = takt::nonpreemptive(takt::edf);
#else
constexpr auto rule = takt::nonpreemptive(takt::fifo);
#endif
