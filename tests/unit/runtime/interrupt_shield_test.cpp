// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <unistd.h>

#include <takt/systems/locked_gpus/run/interrupt_shield.hpp>
#include <takt/systems/locked_gpus/tasks/study.hpp>
#include "support/traces.hpp"

namespace {

namespace fs = std::filesystem;
using takt::runtime::interrupt_cpus;
using takt::runtime::interrupt_shield;

/// Files as the system has them, with interrupts 40 and 41 of a device.
class machine {
 public:
  machine() {
    fs::create_directories(device() / "msi_irqs");
    for (const char* number : {"40", "41"}) {
      std::ofstream{device() / "msi_irqs" / number} << "msi\n";
      fs::create_directories(root_ / "proc/irq" / number);
      std::ofstream{affinity(number)} << "0-11\n";
    }
  }
  machine(const machine&) = delete;
  auto operator=(const machine&) -> machine& = delete;
  ~machine() { fs::remove_all(root_); }

  [[nodiscard]] auto root() const -> const fs::path& { return root_; }
  [[nodiscard]] auto affinity(const std::string& number) const -> fs::path {
    return root_ / "proc/irq" / number / "smp_affinity_list";
  }
  [[nodiscard]] auto cpus_of(const std::string& number) const -> std::string {
    std::ifstream in{affinity(number)};
    std::string line;
    std::getline(in, line);
    return line;
  }

 private:
  [[nodiscard]] auto device() const -> fs::path { return root_ / "sys/bus/pci/devices/0000:3b:00.0"; }
  fs::path root_ = fs::temp_directory_path() / ("takt_interrupts_" + std::to_string(getpid()));
};

}  // namespace

TEST_CASE("interrupts of a GPU go to the CPUs of its users while the shield lives, and then where they went" *
          takt_tests::traces("GSD-83")) {
  const machine m;
  {
    const interrupt_shield shield{"0000:3b:00.0", {6, 7}, m.root()};
    CHECK(shield.granted());
    CHECK(m.cpus_of("40") == "6,7");
    CHECK(m.cpus_of("41") == "6,7");
  }
  CHECK(m.cpus_of("40") == "0-11");
  CHECK(m.cpus_of("41") == "0-11");
}

TEST_CASE("the CPUs of a GPU's users are those that may run its jobs, in every studied configuration" *
          takt_tests::traces("GSD-83")) {
  using cpus = std::vector<std::int32_t>;
  const auto of = [](const char* name, std::int32_t gpu) {
    return interrupt_cpus(takt::studied_configurations[takt::find_studied(name)].value, gpu);
  };
  CHECK(of("(P,P,1)", 0) == cpus{0});
  CHECK(of("(P,P,1)", 4) == cpus{6});
  CHECK(of("(C,C2,1)", 3) == cpus{0, 1, 2, 3, 4, 5});
  CHECK(of("(C,C2,1)", 4) == cpus{6, 7, 8, 9, 10, 11});
  for (const auto& c : takt::studied_configurations) {
    CAPTURE(c.name());
    for (std::int32_t gpu = 0; gpu < c.value.gpus; ++gpu) {
      const auto served = interrupt_cpus(c.value, gpu);
      CHECK(served.size() == static_cast<std::size_t>(c.value.sharing_cpus(gpu / c.value.gpu_cluster_size)));
    }
  }
}

TEST_CASE("interrupts that the system does not let go are said, and none is left half moved" *
          takt_tests::traces("GSD-83")) {
  const machine m;
  fs::remove(m.affinity("41"));
  fs::create_directory(m.affinity("41"));
  const interrupt_shield refused{"0000:3b:00.0", {6}, m.root()};
  CHECK_FALSE(refused.granted());
  CHECK(refused.problem() ==
        "interrupts: those of 0000:3b:00.0 stay where they are, because number 41 cannot go to CPUs 6");
  CHECK(m.cpus_of("40") == "0-11");
  const interrupt_shield unknown{"0000:00:00.0", {6}, m.root()};
  CHECK(unknown.problem() == "interrupts: none that are message-signalled are known of 0000:00:00.0");
  const interrupt_shield no_index{"0000:3b:00.0", {}, m.root()};
  CHECK_FALSE(no_index.granted());
  CHECK(m.cpus_of("40") == "0-11");
}
