// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI::runtime {

enum class severity : std::uint8_t {
  fine,
  unknown,  ///< the machine does not say
  warning,  ///< times vary more than they need to
  serious,  ///< times of this run say little about the workload alone
};

/// One thing about the machine that can disturb a timed run.
struct machine_finding {
  std::string what;
  std::string observed;
  std::string recommended;
  severity level = severity::unknown;
};

using machine_findings = std::vector<machine_finding>;

[[nodiscard]] inline auto sentence(const machine_finding& f) -> std::string {
  return f.what + ": " + f.observed + (f.level == severity::fine ? "" : ", better " + f.recommended);
}

/// Returns what a run or a report should say of them: a sentence for each that is not fine, or that all are.
[[nodiscard]] inline auto notes_on(const machine_findings& findings) -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const machine_finding& f : findings) {
    if (f.level != severity::fine) { out.push_back("machine: " + sentence(f)); }
  }
  if (out.empty()) { out.emplace_back("machine: nothing found that disturbs timed runs"); }
  return out;
}

/// Returns what a command prints, or none when it cannot be run or fails.
[[nodiscard]] inline auto run_command(const std::string& command) -> std::optional<std::string> {
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) { return std::nullopt; }
  std::string out;
  std::array<char, 4'096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    out.append(buffer.data(), n);
  }
  return pclose(pipe) == 0 ? std::optional{std::move(out)} : std::nullopt;
}

/// Says where findings come from. Tests put recorded text in its place.
struct machine_sources {
  std::filesystem::path root = "/";  ///< of /proc and /sys
  std::function<std::optional<std::string>(const std::string&)> run = run_command;
  std::int64_t own_process = getpid();
};

namespace detail {

/// A file below the root without its last line end; none when it cannot be read.
[[nodiscard]] inline auto read_below(const std::filesystem::path& root, const std::string& path)
    -> std::optional<std::string> {
  std::ifstream file{root / path};
  if (!file) { return std::nullopt; }
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  while (text.ends_with('\n')) { text.pop_back(); }
  return text.empty() ? std::nullopt : std::optional{std::move(text)};
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::runtime
