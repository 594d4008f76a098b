// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Returns the CPUs on which jobs that use a GPU may run, by number: those that the analysis charges for its
/// interrupts. Pre: `fault_of(c)` finds nothing; the GPU is one of `c`.
[[nodiscard]] inline auto interrupt_cpus(const gpusync_configuration& c, std::int32_t gpu)
    -> std::vector<std::int32_t> {
  TAKT_EXPECTS(fault_of(c) == model_fault::none && 0 <= gpu && gpu < c.gpus);
  std::vector<std::int32_t> out;
  for (std::int32_t cpu = 0; cpu < c.cpus; ++cpu) {
    if (c.serves(gpu / c.gpu_cluster_size, cpu / c.cpu_cluster_size)) { out.push_back(cpu); }
  }
  return out;
}

/// Sends the message-signalled interrupts of a device to some CPUs only, until its end; then to those of before. When
/// the system refuses one of them, all are left as they were. A process that is killed leaves them there. Source:
/// Elliott 2015, section 3.2.5.1.
class interrupt_shield {
 public:
  /// A PCI address such as "0000:3b:00.0"; `root` is where /proc and /sys are.
  interrupt_shield(const std::string& device, const std::vector<std::int32_t>& cpus, std::filesystem::path root = "/")
      : root_{std::move(root)} {
    if (cpus.empty()) {
      problem_ = "interrupts: no CPU to take those of " + device;
      return;
    }
    std::string list;
    for (const std::int32_t cpu : cpus) { list += (list.empty() ? "" : ",") + std::to_string(cpu); }
    const auto numbers = interrupts_of(device);
    if (numbers.empty()) { problem_ = "interrupts: none that are message-signalled are known of " + device; }
    for (const std::string& number : numbers) {
      if (!move(number, list)) {
        problem_ = "interrupts: those of " + device + " stay where they are, because number " + number +
                   " cannot go to CPUs " + list;
        give_back();
        return;
      }
    }
  }
  interrupt_shield(const interrupt_shield&) = delete;
  auto operator=(const interrupt_shield&) -> interrupt_shield& = delete;
  ~interrupt_shield() { give_back(); }

  [[nodiscard]] auto granted() const noexcept -> bool { return problem_.empty(); }
  /// Returns a sentence; empty when granted.
  [[nodiscard]] auto problem() const noexcept -> const std::string& { return problem_; }

 private:
  struct moved {
    std::filesystem::path file;
    std::string before;
  };

  [[nodiscard]] auto interrupts_of(const std::string& device) const -> std::vector<std::string> {
    std::vector<std::string> out;
    std::error_code none;
    const auto folder = root_ / "sys/bus/pci/devices" / device / "msi_irqs";
    for (const auto& entry : std::filesystem::directory_iterator{folder, none}) {
      out.push_back(entry.path().filename().string());
    }
    std::ranges::sort(out);
    return out;
  }
  [[nodiscard]] static auto write(const std::filesystem::path& file, const std::string& text) -> bool {
    std::ofstream out{file, std::ios::in | std::ios::out};
    out << text << std::flush;
    return out.good();
  }
  [[nodiscard]] auto move(const std::string& number, const std::string& list) -> bool {
    const auto file = root_ / "proc/irq" / number / "smp_affinity_list";
    std::ifstream in{file};
    std::string before;
    if (!std::getline(in, before) || !write(file, list + "\n")) { return false; }
    moved_.push_back({file, before});
    return true;
  }
  void give_back() {
    for (const moved& m : moved_) { static_cast<void>(write(m.file, m.before + "\n")); }
    moved_.clear();
  }

  std::filesystem::path root_;
  std::vector<moved> moved_;
  std::string problem_;
};

}  // namespace takt::inline TAKT_ABI::runtime
