// EXPECT: takt: the size of a lock is out of range
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/r2dglp.hpp>

#ifdef TAKT_FIXED
constexpr takt::r2dglp<2, 8> tokens{takt::r2dglp_options{.replicas = 2, .cluster = 4}};
#else
constexpr takt::r2dglp<2, 8> tokens{takt::r2dglp_options{.replicas = 3, .cluster = 4}};
#endif
