// EXPECT: takt: too many applications for training beside every subset
// TAKT-TEST: WAMP-13 training beside every subset of forty applications does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/prediction/corun/training_workloads.hpp>

#ifdef TAKT_FIXED
constexpr takt::training_workloads<20> workloads{20, 0, 1, 1};
#else
constexpr takt::training_workloads<40> workloads{40, 0, 1, 1};
#endif
