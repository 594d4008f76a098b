// SPDX-License-Identifier: Apache-2.0
#include <takt/runtime/thread.hpp>

#include <atomic>

auto main() -> int {
  std::atomic<bool> ran = false;
  takt::runtime::thread other{[&ran] { ran = true; }};
  other.join();
  return ran ? 0 : 1;
}
