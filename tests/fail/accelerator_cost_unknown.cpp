// EXPECT: takt: a choice is none of those that its type names
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#ifdef TAKT_FIXED
constexpr auto cost = takt::preemption_cost_model::overhead;
#else
constexpr auto cost = static_cast<takt::preemption_cost_model>(9);
#endif
constexpr auto gpu = takt::platform(takt::pool(takt::accelerator(2), takt::levels(takt::edf, cost)));
