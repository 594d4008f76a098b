// EXPECT: takt: two pools of the platform hold one resource
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

struct npu {
  int count = 1;
};
struct dsp {};

constexpr auto cores = takt::pool(takt::processors(1), takt::fixed_priority);
#ifdef TAKT_FIXED
constexpr auto board = takt::platform(cores, takt::pool(npu{.count = 2}, takt::fifo), takt::pool(dsp{}, takt::fifo));
#else
constexpr auto board = takt::platform(cores, takt::pool(npu{}, takt::fifo), takt::pool(npu{}, takt::fifo));
#endif
