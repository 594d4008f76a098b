// EXPECT: takt: code of a kernel of a graph is called for each block
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/takt.hpp>

#include "graphs.hpp"

#ifdef TAKT_FIXED
const auto code = takt::codes<graphs>(takt::bind<"g", "n", "kernel">(at{}));
#else
const auto code = takt::codes<graphs>(takt::bind<"g", "n", "kernel">(go{}));
#endif
