// EXPECT: takt: a queue limit below ceil\(cluster / replicas\) has no bound
// TAKT-TEST: GSD-65 a constant queue limit without a bound does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/rules/locking/r2dglp.hpp>

#ifdef TAKT_FIXED
constexpr takt::r2dglp<2, 8> tokens{takt::r2dglp_options{.replicas = 2, .cluster = 4, .queue_limit = 2}};
#else
constexpr takt::r2dglp<2, 8> tokens{takt::r2dglp_options{.replicas = 2, .cluster = 4, .queue_limit = 1}};
#endif
