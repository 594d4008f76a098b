// EXPECT: takt: code of a graph is called with a const takt::runtime::graph_job
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/takt.hpp>

#include "graphs.hpp"

#ifdef TAKT_FIXED
const auto code = takt::codes<graphs>(takt::bind<"g", "in">(go{}));
#else
const auto code = takt::codes<graphs>(takt::bind<"g", "in">(at{}));
#endif
