// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <takt/runtime/machine_finding.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Asks the driver's tool for the members of `gpu_state`, in their order.
inline constexpr const char* gpu_query =
    "nvidia-smi --query-gpu=index,name,persistence_mode,compute_mode,clocks.current.sm,clocks.current.memory,"
    "clocks.applications.graphics,clocks.applications.memory,clocks.max.sm,clocks.max.memory "
    "--format=csv,noheader,nounits";
inline constexpr const char* gpu_process_query =
    "nvidia-smi --query-compute-apps=pid,process_name --format=csv,noheader,nounits";

/// Clocks in MHz. A member without value is one that the driver does not report.
struct gpu_state {
  std::string index;
  std::string name;
  std::optional<std::string> persistence;
  std::optional<std::string> compute_mode;
  std::optional<std::int64_t> sm_clock;
  std::optional<std::int64_t> memory_clock;
  std::optional<std::int64_t> application_sm_clock;
  std::optional<std::int64_t> application_memory_clock;
  std::optional<std::int64_t> largest_sm_clock;
  std::optional<std::int64_t> largest_memory_clock;
};

struct gpu_process {
  std::int64_t id = 0;
  std::string name;
};

/// Returns the cells of the lines of a CSV text, without the blanks around them. Empty lines do not count.
[[nodiscard]] inline auto cells_of(const std::string& text) -> std::vector<std::vector<std::string>> {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::vector<std::string>> out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(blanks) == std::string::npos) { continue; }
    auto& cells = out.emplace_back();
    std::istringstream rest{line};
    for (std::string cell; std::getline(rest, cell, ',');) {
      const auto first = cell.find_first_not_of(blanks);
      const auto last = cell.find_last_not_of(blanks);
      cells.push_back(first == std::string::npos ? std::string{} : cell.substr(first, last - first + 1));
    }
  }
  return out;
}

/// Returns none for "[N/A]", "[Not Supported]" and the like.
[[nodiscard]] inline auto known_text(const std::string& cell) -> std::optional<std::string> {
  return cell.empty() || cell.starts_with('[') || cell == "N/A" ? std::nullopt : std::optional{cell};
}
[[nodiscard]] inline auto known_number(const std::string& cell) -> std::optional<std::int64_t> {
  std::int64_t number = 0;
  const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return parsed.ec == std::errc{} && parsed.ptr == cell.data() + cell.size() ? std::optional{number} : std::nullopt;
}

inline void check_clock(const std::string& what, const std::optional<std::int64_t>& now,
                        const std::optional<std::int64_t>& set, const std::optional<std::int64_t>& largest,
                        const std::string& remedy, machine_findings& out) {
  const auto megahertz = [](const std::optional<std::int64_t>& clock) {
    return clock ? std::to_string(*clock) + " MHz" : std::string{"unknown"};
  };
  machine_finding f{what, megahertz(now) + " now, set to " + megahertz(set) + ", at most " + megahertz(largest), remedy,
                    severity::unknown};
  if (now && set) { f.level = *now == *set ? severity::fine : severity::warning; }
  out.push_back(f);
}

/// Reads the answer to `gpu_query`. A line with too few cells is no GPU.
[[nodiscard]] inline auto parse_gpus(const std::string& text) -> std::vector<gpu_state> {
  constexpr std::size_t asked = 10;
  std::vector<gpu_state> out;
  for (const auto& c : detail::cells_of(text)) {
    if (c.size() != asked || !detail::known_number(c[0])) { continue; }
    const auto clock = [&c](std::size_t i) { return detail::known_number(c[i]); };
    out.push_back({c[0], c[1], detail::known_text(c[2]), detail::known_text(c[3]), clock(4), clock(5), clock(6),
                   clock(7), clock(8), clock(9)});
  }
  return out;
}

/// Reads the answer to `gpu_process_query`.
[[nodiscard]] inline auto parse_gpu_processes(const std::string& text) -> std::vector<gpu_process> {
  std::vector<gpu_process> out;
  for (const auto& c : detail::cells_of(text)) {
    if (const auto id = detail::known_number(c[0])) { out.push_back({*id, c.size() > 1 ? c[1] : std::string{}}); }
  }
  return out;
}

/// Judges what the state of one GPU means for timed runs. A clock is called fixed when it has the value that was set;
/// where the driver does not report what was set, one reading cannot tell. Source: Zou et al. 2021, section 6.4.
inline void judge_gpu(const gpu_state& g, machine_findings& out) {
  const std::string gpu = "GPU " + g.index;
  machine_finding kept{gpu + " persistence mode", g.persistence.value_or("unknown"), "enabled (nvidia-smi -pm 1)",
                       severity::unknown};
  if (g.persistence) { kept.level = *g.persistence == "Enabled" ? severity::fine : severity::warning; }
  out.push_back(kept);
  detail::check_clock(gpu + " SM clock", g.sm_clock, g.application_sm_clock, g.largest_sm_clock,
                      "a fixed one (nvidia-smi --lock-gpu-clocks, --applications-clocks)", out);
  detail::check_clock(gpu + " memory clock", g.memory_clock, g.application_memory_clock, g.largest_memory_clock,
                      "a fixed one (nvidia-smi --lock-memory-clocks, --applications-clocks)", out);
  machine_finding mode{gpu + " compute mode", g.compute_mode.value_or("unknown"),
                       "one process only (nvidia-smi -c EXCLUSIVE_PROCESS)", severity::unknown};
  if (g.compute_mode) {
    mode.level = *g.compute_mode == "Exclusive_Process" ? severity::fine
                 : *g.compute_mode == "Prohibited"      ? severity::serious
                                                        : severity::warning;
  }
  out.push_back(mode);
}

/// Checks fixed clocks, persistence mode, compute mode, and whether this process is the only one with a context.
[[nodiscard]] inline auto check_gpus(const machine_sources& from) -> machine_findings {
  machine_findings out;
  const auto answer = from.run(gpu_query);
  const auto gpus = parse_gpus(answer.value_or(""));
  if (gpus.empty()) {
    out.push_back({"GPU", answer ? "nvidia-smi lists none" : "nvidia-smi does not answer", "a driver with its tool",
                   severity::unknown});
    return out;
  }
  for (const gpu_state& g : gpus) { judge_gpu(g, out); }
  machine_finding alone{"processes on the GPUs", "", "this one only", severity::fine};
  const auto listed = from.run(gpu_process_query);
  if (!listed) { alone = {alone.what, "not readable", alone.recommended, severity::unknown}; }
  for (const gpu_process& p : parse_gpu_processes(listed.value_or(""))) {
    if (p.id == from.own_process) { continue; }
    alone.observed += (alone.observed.empty() ? "" : "; ") + std::to_string(p.id) + " " + p.name;
    alone.level = severity::serious;
  }
  if (alone.observed.empty()) { alone.observed = "no other"; }
  out.push_back(alone);
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
