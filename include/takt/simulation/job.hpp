// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/stage.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt::simulation {

/// A task and the job of it that is alive, if any. Its next job waits for that one.
struct job {
  std::uint32_t position = 0;  ///< of the current segment, in the steps of all tasks
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  std::uint32_t id = 0;
  std::uint32_t core = 0;    ///< among the cores that have tasks
  std::int32_t engine = 0;   ///< of the current segment, if it is a copy
  stage where = stage::cpu;  ///< of the current segment
  bool alive = false;
  bool late = false;       ///< its miss has been counted
  bool claims = false;     ///< holds, or waits for, its core until it completes
  bool holds_off = false;  ///< has a copy or a kernel to start as soon as it runs, or has a token
  ticks release = 0;
  ticks next_release = never;  ///< of the job that waits, or comes next
  ticks ready = 0;             ///< since when the current segment could have started
  ticks started = 0;           ///< since when the current copy or kernel has been under way
  ticks remaining = 0;         ///< of the current segment
  ticks deadline = 0;
  std::uint64_t number = 0;
  std::uint64_t misses = 0;
  ticks first_miss = no_instant;
  ticks worst = 0;
  ticks best = std::numeric_limits<ticks>::max();
  ticks total = 0;
};

}  // namespace takt::simulation
