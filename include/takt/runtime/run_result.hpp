// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/observation.hpp>
#include <takt/runtime/machine_finding.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds what the operating system let the run have.
struct system_grant {
  bool real_time = false;
  bool pinned = false;
  bool memory_locked = false;
  ticks clock_resolution = 0;
};

/// Holds what a run saw, and how far it can be trusted. Times count from its start; `end` is what was asked for, or
/// less after a fault of the device or where the run was stopped. The response of a segment counts from the end of the
/// one before. That of a node of a graph counts from its nominal release: it is below 0 if all jobs ended before.
struct run_result : observation<std::vector<observed_task<ticks, std::string>>, std::vector<ticks>> {
  std::optional<violation> first_violation;
  /// Says from when to when bounds were void, as far as it was noticed; in order, apart. On a board of pools a job
  /// was above its bound, or what was to happen happened a period or more later. Of graphs, jobs of nodes or
  /// invocations were above their bounds, inputs came after nominal releases, or invocations a period or more later.
  std::vector<host::time_span> void_bounds;
  bool stopped = false;       ///< before its time: it was asked to, or by a violation
  std::string device_fault;   ///< what failed, and where; empty unless the device did
  machine_findings findings;  ///< if they were asked for, fine ones too
  system_grant granted{};
  std::vector<std::string> notes;  ///< sentences on how far the run can be trusted
};

}  // namespace takt::inline TAKT_ABI::runtime
