// EXPECT: takt: the plan decides something that this platform does not use
// SPDX-License-Identifier: Apache-2.0
#include <takt/takt.hpp>

#include <takt/systems/methods.hpp>

#include "board.hpp"

constexpr auto with_percents() {
  auto out = takt::dedicate(1);
#ifndef TAKT_FIXED
  out.percents.unchecked_push_back(50);
#endif
  return out;
}
constexpr auto verdict = takt::analyze(board, takt::task_set(camera), with_percents(), takt::published_methods);
