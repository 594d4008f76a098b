// EXPECT: takt: code is bound to a graph, a node or a segment that the set does not have
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/takt.hpp>

#include "graphs.hpp"

#ifdef TAKT_FIXED
const auto code = takt::codes<graphs>(takt::bind<"g", "in">(go{}));
#else
const auto code = takt::codes<graphs>(takt::bind<"g", "no">(go{}));
#endif
