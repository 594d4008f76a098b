// EXPECT: takt: an observation says how long jobs took, and not who ran when
// SPDX-License-Identifier: Apache-2.0
#include <takt/report.hpp>
#include <takt/takt.hpp>

#include "board.hpp"

void picture() {
  const auto tasks = takt::task_set(camera);
#ifdef TAKT_FIXED
  const takt::trace seen;
#else
  const takt::observation<int, int> seen;
#endif
  takt::draw("seen.svg", board, tasks, seen);
}
