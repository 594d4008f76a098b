// EXPECT: takt: this is no order for the kernels of an accelerator
// SPDX-License-Identifier: Apache-2.0
#include <takt/kernels.hpp>
#include <takt/takt.hpp>

#ifdef TAKT_FIXED
constexpr auto strategy = takt::levels(takt::edf);
#else
constexpr auto strategy = takt::levels(takt::fifo);
#endif
