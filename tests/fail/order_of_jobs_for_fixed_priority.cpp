// EXPECT: takt: fixed_priority_rule takes a task-level order
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/tags.hpp>

#ifdef TAKT_FIXED
using order = takt::by_period;
#else
using order = takt::by_absolute_deadline;
#endif
constexpr auto rule = takt::nonpreemptive(takt::fixed_priority_rule<order>{});
