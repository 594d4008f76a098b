// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <takt/model/observation.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/concepts.hpp>
#include <takt/runtime/machine_state.hpp>
#include <takt/runtime/run_result.hpp>

namespace takt::runtime {

/// What has failed, and where; empty if nothing has.
template <class D>
[[nodiscard]] auto failure_of(const D& device) -> std::string {
  if constexpr (FallibleDevice<D>) {
    if (device.failed()) { return device.fault_sentence(); }
  }
  return {};
}

namespace detail {

/// Asks the operating system for something if that is wanted, and says in the notes if it is not.
template <class Request>
[[nodiscard]] auto ask(bool wanted, const char* what, run_result& result, Request request) -> bool {
  if (!wanted) { result.notes.push_back(std::string{what} + ": left as it is, as asked"); }
  return wanted && request();
}

inline void note_clock(run_result& result) {
  result.granted.clock_resolution = clock_resolution();
  result.notes.push_back("clock: CLOCK_MONOTONIC, resolution " + std::to_string(result.granted.clock_resolution) +
                         "ns");
}

}  // namespace detail

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
