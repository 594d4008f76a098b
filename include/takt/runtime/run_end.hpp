// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <takt/runtime/concepts.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/machine_state.hpp>

namespace takt::runtime {

/// What has failed, and where; empty if nothing has.
template <class D>
[[nodiscard]] auto failure_of(const D& device) -> std::string {
  if constexpr (FallibleDevice<D>) {
    if (device.failed()) { return device.fault_sentence(); }
  }
  return {};
}

/// What can disturb timed runs with this device.
template <class D>
[[nodiscard]] auto findings_of(const D& device) -> machine_findings {
  if constexpr (ExaminedDevice<D>) {
    return device.findings();
  } else {
    return check_machine(parts_used::cpus);
  }
}

}  // namespace takt::runtime
