// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <takt/cuda/capabilities.hpp>
#include <takt/cuda/driver_api.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/machine_state.hpp>

namespace takt::cuda {

/// Values of environment variables. Tests put others in their place.
using environment = std::function<std::optional<std::string>(const char* name)>;

[[nodiscard]] inline auto process_environment(const char* name) -> std::optional<std::string> {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>{value};
}

/// Where the findings of `check_cuda_machine` come from.
struct check_sources {
  runtime::machine_sources machine{};
  environment variables = process_environment;
};

/// What the driver and this process's environment mean for timed runs.
[[nodiscard]] inline auto check_driver(const machine_facts& machine, const environment& env = process_environment)
    -> runtime::machine_findings {
  using runtime::severity;
  runtime::machine_findings out;
  const auto version = [](std::int32_t v) { return std::to_string(v / 1'000) + "." + std::to_string(v % 1'000 / 10); };
  constexpr std::int32_t green_streams = 12'050;
  out.push_back({"CUDA driver", "for CUDA " + version(machine.driver_version),
                 "one for CUDA 12.5 or later, which splits SMs for streams",
                 machine.driver_version >= green_streams ? severity::fine : severity::warning});
  for (std::size_t g = 0; g < machine.gpus.size(); ++g) {
    const gpu_facts& f = machine.gpus[g];
    const bool alone = f.mode == compute_mode::exclusive_process;
    out.push_back({"GPU " + std::to_string(g) + " contexts", alone ? "of one process" : "of any process",
                   "of one process (nvidia-smi -c EXCLUSIVE_PROCESS)", alone ? severity::fine : severity::warning});
  }
  const auto judge = [&](const char* name, const char* recommended, severity when_other, auto is_fine) {
    const auto value = env(name);
    out.push_back({name, value.value_or("not set"), recommended, is_fine(value) ? severity::fine : when_other});
  };
  judge("CUDA_MODULE_LOADING", "EAGER, or code is loaded by the first launch", severity::warning,
        [](const auto& v) { return v == "EAGER"; });
  judge("CUDA_DEVICE_MAX_CONNECTIONS", "32: streams above that number share queues of the hardware, above 8 if not set",
        severity::warning, [](const auto& v) { return v == "32"; });
  judge("CUDA_LAUNCH_BLOCKING", "not set: launches would wait", severity::serious,
        [](const auto& v) { return !v || *v == "0"; });
  judge("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "not set: green contexts may exceed their SMs", severity::warning,
        [](const auto& v) { return !v; });
  return out;
}

/// `runtime::check_machine` for the GPUs too, and what the driver adds.
[[nodiscard]] inline auto check_cuda_machine(const machine_facts& machine, const runtime::machine_sources& from = {},
                                             const environment& env = process_environment)
    -> runtime::machine_findings {
  auto out = runtime::check_machine(runtime::parts_used::cpus_and_gpus, from);
  for (auto& f : check_driver(machine, env)) { out.push_back(std::move(f)); }
  return out;
}

}  // namespace takt::cuda
