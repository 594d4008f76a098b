// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <string>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

struct memory_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Returns the memory that is mapped, as the kernel lists it.
[[nodiscard]] inline auto mapped_memory() -> std::vector<memory_range> {
  std::vector<memory_range> out;
  std::ifstream maps{"/proc/self/maps"};
  maps >> std::hex;
  memory_range next;
  for (char dash = 0; maps >> next.begin >> dash >> next.end;) {
    std::string rest;
    std::getline(maps, rest);
    if (!rest.starts_with(" ---")) { out.push_back(next); }
  }
  return out;
}

/// Returns the part of the stack that the calling thread has not reached, but for what a function of a run may need.
[[nodiscard]] inline auto unused_stack() -> memory_range {
  constexpr std::size_t kept = std::size_t{1} << 20;
  pthread_attr_t about;
  if (pthread_getattr_np(pthread_self(), &about) != 0) { return {}; }
  void* lowest = nullptr;
  std::size_t bytes = 0;
  const bool is_known = pthread_attr_getstack(&about, &lowest, &bytes) == 0;
  (void)pthread_attr_destroy(&about);
  const auto begin = reinterpret_cast<std::uintptr_t>(lowest);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (!is_known || here < begin + kept || here > begin + bytes) { return {}; }
  constexpr std::uintptr_t page = 4096;
  return {begin, (here - kept) / page * page};
}

inline void lock_range(std::uintptr_t begin, std::uintptr_t end) {
  // What cannot be locked, such as pages of the kernel, does not count in mlockall, either.
  if (begin < end) { (void)mlock(reinterpret_cast<const void*>(begin), end - begin); }
}

/// Locks all memory of the process that is there now, but for the stack that the calling thread does not use. That may
/// have room for far more than a run, and would take it from others. Returns whether it did; munlockall undoes it.
[[nodiscard]] inline auto lock_used_memory() -> bool {
#ifdef MCL_ONFAULT
  if (mlockall(MCL_CURRENT | MCL_ONFAULT) != 0) { return mlockall(MCL_CURRENT) == 0; }
  const detail::memory_range spared = detail::unused_stack();
  for (const detail::memory_range& m : detail::mapped_memory()) {
    detail::lock_range(m.begin, std::min(m.end, std::max(m.begin, spared.begin)));
    detail::lock_range(std::max(m.begin, spared.end), m.end);
  }
  return true;
#else
  return mlockall(MCL_CURRENT) == 0;
#endif
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
