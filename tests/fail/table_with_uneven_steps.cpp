// EXPECT: takt: steps of the share do not divide 100
// TAKT-TEST: WAMP-08 a table with a step of a third of the GPU does not compile
// SPDX-License-Identifier: Apache-2.0
#include <takt/prediction/corun/table_predictor.hpp>

#ifdef TAKT_FIXED
const takt::table_predictor<3, 4> table;
#else
const takt::table_predictor<3, 3> table;
#endif
