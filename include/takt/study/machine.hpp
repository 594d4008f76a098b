// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

#include <sys/utsname.h>

#include <takt/report/text.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Name and processor of this machine in one line.
[[nodiscard]] inline auto machine_words() -> std::string {
  utsname host{};
  if (uname(&host) != 0) { return "unknown"; }
  std::string processor{static_cast<const char*>(host.machine)};
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      processor = line.substr(colon + 2);
      break;
    }
  }
  return report::text(static_cast<const char*>(host.nodename), ", ", processor, ", ",
                      static_cast<const char*>(host.sysname));
}

namespace detail {

/// Returns "2026-11-24T18:54:12Z".
[[nodiscard]] inline auto utc_now() -> std::string {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  (void)gmtime_r(&now, &parts);
  std::array<char, 32> room{};
  return {room.data(), std::strftime(room.data(), room.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::studies
