// EXPECT: takt: two pieces of code are bound to one segment
// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/graph/bind_graphs.hpp>
#include <takt/takt.hpp>

#include "graphs.hpp"

#ifdef TAKT_FIXED
const auto code = takt::codes<graphs>(takt::bind_input<"g">(go{}));
#else
const auto code = takt::codes<graphs>(takt::bind_input<"g">(go{}), takt::bind_input<"g">(go{}));
#endif
