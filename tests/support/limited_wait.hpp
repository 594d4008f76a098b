// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace takt_tests {

/// Waits for another thread or process until a condition holds. After a minute without it the program is aborted,
/// which the test case in which it happens is reported for: others may still wait for what was not done.
template <class Condition>
void await(Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) {
      static_cast<void>(std::fputs("a test waited for a minute in vain\n", stderr));
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

}  // namespace takt_tests
