// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <takt/runtime/cpu_state.hpp>
#include <takt/runtime/gpu_state.hpp>
#include <takt/runtime/machine_finding.hpp>

namespace takt::inline TAKT_ABI::runtime {

enum class parts_used : std::uint8_t { cpus, cpus_and_gpus };

/// All that a timed run on these parts of the machine should be told before it starts, fine or not.
/// Cost: reads some twenty small files; with GPUs two calls of the driver's tool, seconds where it must be woken.
[[nodiscard]] inline auto check_machine(parts_used used, const machine_sources& from = {}) -> machine_findings {
  machine_findings out = detail::check_cpus(from.root);
  switch (used) {
    case parts_used::cpus: break;
    case parts_used::cpus_and_gpus:
      for (machine_finding& f : detail::check_gpus(from)) { out.push_back(std::move(f)); }
      break;
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::runtime
