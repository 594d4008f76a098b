// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <takt/runtime/machine_finding.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Returns "0-3,8" for the numbers 0, 1, 2, 3 and 8. Pre: ascending.
[[nodiscard]] inline auto ranges_of(const std::vector<int>& numbers) -> std::string {
  TAKT_EXPECTS_IN_TESTS(std::ranges::is_sorted(numbers));
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) { ++last; }
    out += (out.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) { out += "-" + std::to_string(numbers[last]); }
    i = last + 1;
  }
  return out;
}

/// Returns the CPUs under a root of sysfs, ascending.
[[nodiscard]] inline auto cpus_below(const std::filesystem::path& root) -> std::vector<int> {
  std::vector<int> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{root / "sys/devices/system/cpu", error}) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    const auto parsed =
        std::from_chars(name.data() + std::min<std::size_t>(3, name.size()), name.data() + name.size(), number);
    if (name.starts_with("cpu") && parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size()) {
      out.push_back(number);
    }
  }
  std::ranges::sort(out);
  return out;
}

inline void check_governors(const std::filesystem::path& root, machine_findings& out) {
  std::map<std::string, std::vector<int>> by_governor;
  for (const int cpu : cpus_below(root)) {
    const auto governor =
        read_below(root, "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor");
    if (governor) { by_governor[*governor].push_back(cpu); }
  }
  machine_finding f{"CPU frequency governor", "", "performance", severity::fine};
  for (const auto& [governor, cpus] : by_governor) {
    f.observed += (f.observed.empty() ? "" : "; ") + governor + " on CPU " + ranges_of(cpus);
    if (governor != "performance") { f.level = severity::warning; }
  }
  if (by_governor.empty()) { f = {f.what, "not readable", "a fixed CPU frequency", severity::unknown}; }
  out.push_back(f);
}

inline void check_boost(const std::filesystem::path& root, machine_findings& out) {
  const auto boost = read_below(root, "sys/devices/system/cpu/cpufreq/boost");
  const auto no_turbo = read_below(root, "sys/devices/system/cpu/intel_pstate/no_turbo");
  if (!boost && !no_turbo) { return; }
  const bool on = boost == "1" || no_turbo == "0";
  out.push_back({"CPU frequency boost", on ? "on" : "off", "off", on ? severity::warning : severity::fine});
}

/// Returns the word in parentheses of a line such as "none voluntary (full)".
[[nodiscard]] inline auto chosen_word(const std::string& text) -> std::string {
  const auto open = text.find('(');
  const auto close = text.find(')');
  return open == std::string::npos || close == std::string::npos || close < open
             ? text
             : text.substr(open + 1, close - open - 1);
}

inline void check_preemption(const std::filesystem::path& root, machine_findings& out) {
  machine_finding f{"kernel preemption", "not readable", "a PREEMPT_RT kernel", severity::unknown};
  const std::string version = read_below(root, "proc/sys/kernel/version").value_or("");
  const auto says = [&version](std::string_view word) { return version.find(word) != std::string::npos; };
  if (read_below(root, "sys/kernel/realtime") == "1" || says("PREEMPT_RT")) {
    f = {f.what, "real-time", f.recommended, severity::fine};
  } else if (const auto chosen = read_below(root, "sys/kernel/debug/sched/preempt")) {
    f = {f.what, chosen_word(*chosen), f.recommended, severity::warning};
  } else if (!version.empty()) {
    const char* model = says("PREEMPT_DYNAMIC") ? "chosen at boot" : says("PREEMPT") ? "full" : "none or voluntary";
    f = {f.what, model, f.recommended, severity::warning};
  }
  out.push_back(f);
}

/// Returns whether this process has a capability; none when the kernel does not say.
[[nodiscard]] inline auto has_capability(const std::filesystem::path& root, unsigned bit) -> std::optional<bool> {
  std::istringstream status{read_below(root, "proc/self/status").value_or("")};
  for (std::string key, value; status >> key;) {
    std::uint64_t mask = 0;
    if (key != "CapEff:" || !(status >> value)) { continue; }
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), mask, 16);
    if (parsed.ec == std::errc{}) { return (mask >> bit & 1U) != 0; }
  }
  return std::nullopt;
}

/// Returns the soft limit in a line of /proc/self/limits, as it is written there.
[[nodiscard]] inline auto soft_limit(const std::filesystem::path& root, const std::string& name)
    -> std::optional<std::string> {
  std::istringstream limits{read_below(root, "proc/self/limits").value_or("")};
  for (std::string line; std::getline(limits, line);) {
    if (!line.starts_with(name)) { continue; }
    std::istringstream rest{line.substr(name.size())};
    std::string soft;
    if (rest >> soft) { return soft; }
  }
  return std::nullopt;
}

/// Finds whether the requests of `rights` will be granted.
inline void check_rights(const std::filesystem::path& root, machine_findings& out) {
  constexpr unsigned ipc_lock = 14;
  constexpr unsigned sys_nice = 23;
  const auto real_time = soft_limit(root, "Max realtime priority");
  const auto nice = has_capability(root, sys_nice);
  machine_finding fifo{"SCHED_FIFO", "not readable", "CAP_SYS_NICE or a real-time priority limit (ulimit -r)",
                       severity::unknown};
  if (nice.value_or(false) || (real_time && real_time != "0")) {
    fifo = {fifo.what, "permitted", fifo.recommended, severity::fine};
  } else if (real_time) {
    fifo = {fifo.what, "not permitted", fifo.recommended, severity::warning};
  }
  if (read_below(root, "proc/sys/kernel/sched_rt_runtime_us") == "-1") {
    fifo = {fifo.what, "refused, as nothing keeps real-time threads from starving the machine",
            "a limit in kernel.sched_rt_runtime_us", severity::warning};
  }
  out.push_back(fifo);
  const auto memory = soft_limit(root, "Max locked memory");
  machine_finding lock{"memory lock", "not readable", "CAP_IPC_LOCK or no limit (ulimit -l unlimited)",
                       severity::unknown};
  if (has_capability(root, ipc_lock).value_or(false) || memory == "unlimited") {
    lock = {lock.what, "permitted", lock.recommended, severity::fine};
  } else if (memory) {
    lock = {lock.what, "limited to " + *memory + " bytes", lock.recommended, severity::warning};
  }
  out.push_back(lock);
}

/// Returns the findings on CPUs, kernel and rights of this process that can disturb a timed run.
[[nodiscard]] inline auto check_cpus(const std::filesystem::path& root) -> machine_findings {
  machine_findings out;
  detail::check_governors(root, out);
  detail::check_boost(root, out);
  detail::check_preemption(root, out);
  detail::check_rights(root, out);
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime::detail
