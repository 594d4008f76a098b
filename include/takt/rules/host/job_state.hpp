// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::host {

/// What a host knows of a task: its job under way, or else the next.
struct task_state {
  std::uint64_t jobs = 0;    ///< that were started
  ticks nominal = 0;         ///< release of the job under way, or of the next
  ticks release = no_event;  ///< of the next job, if none is under way
  visit_mask done = 0;
  visit_mask asked = 0;
  bool under_way = false;
  bool is_pending = false;  ///< or under way: released, and the job before is over
  bool lends = false;
};

/// And of a visit of the job under way.
struct visit_state {
  ticks ready = 0;
  ticks guard = no_event;
  ticks length = 0;
  bool waits_for_token = false;
  bool held = false;
  bool waits_at_gate = false;  ///< a step before a section that may not ask yet
};

}  // namespace takt::host
