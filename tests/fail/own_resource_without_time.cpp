// EXPECT: takt: the rule of a pool cannot tell how long this visit takes
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

using namespace takt::literals;

struct npu {};
struct layers {
  static constexpr std::string_view name = "layers";
  std::int32_t count = 0;
};

#ifdef TAKT_FIXED
constexpr auto fact = takt::takes(1_ms);
#else
constexpr auto fact = layers{3};
#endif
constexpr auto tasks = takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(1_ms), takt::visit<npu>(fact)));
constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(npu{}, takt::fifo));
constexpr auto verdict = takt::analyze(board, tasks);
