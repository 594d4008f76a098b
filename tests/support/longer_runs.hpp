// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/duration.hpp>

namespace takt_tests {

using takt::duration;

/// Whether `run(length)` says once that it saw what it looks for. What threads come to within a length depends on who
/// else uses the machine, so a run that saw nothing is followed by one twice as long, six in all.
template <class Run>
[[nodiscard]] auto seen_in_some_run(duration length, const Run& run) -> bool {
  for (int k = 0; k < 6; ++k, length = duration{2 * length.count()}) {
    if (run(length)) { return true; }
  }
  return false;
}

}  // namespace takt_tests
