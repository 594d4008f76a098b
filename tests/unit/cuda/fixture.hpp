// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <takt/cuda/device_kernel.hpp>

#include "support/fake_cuda_driver.hpp"

namespace cuda_tests {

/// The kernel for lengths, in host time.
inline void add_occupy(fake_cuda_driver& d) {
  d.add_kernel(occupy_name, {8, 8, 8}, [&d](const fake_launch& l) {
    auto left = l.argument<std::uint64_t>(0);
    const auto wave = l.argument<std::uint64_t>(1);
    auto* words = reinterpret_cast<yield_words*>(l.argument<std::uintptr_t>(2));
    const std::uint64_t piece = std::max<std::uint64_t>(wave, 1);
    while (left > 0 && !d.lost()) {
      std::this_thread::sleep_for(std::chrono::nanoseconds{std::min(left, piece)});
      left -= std::min(left, piece);
      if (words != nullptr && std::atomic_ref{words->yield_asked}.load() != 0) { break; }
    }
    if (words != nullptr) { std::atomic_ref{words->left}.store(left); }
  });
}

inline auto streams_used(const fake_cuda_driver& d, const std::string& call) -> std::set<stream_handle> {
  std::set<stream_handle> out;
  for (const fake_call& c : d.calls()) {
    if (c.name == call) { out.insert(c.stream); }
  }
  return out;
}

}  // namespace cuda_tests
