// EXPECT: takt: a table of all sets of co-runners is too large
// TAKT-TEST: WAMP-08 a table of all sets of thirteen tasks does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/prediction/corun/table_predictor.hpp>

#ifdef TAKT_FIXED
const takt::table_predictor<3, 1> table;
#else
const takt::table_predictor<13, 1> table;
#endif
