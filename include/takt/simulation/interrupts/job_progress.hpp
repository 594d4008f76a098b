// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/simulation/interrupts/workload.hpp>

namespace takt::simulation {

/// Where an operation stands: in one of its parts, or outside of them.
enum class operation_stage : std::uint8_t { none, engine, top_half, bottom_half, callback, over };

enum class waiting_for : std::uint8_t { nothing, engine, operation };

/// What a task's current job and its operation are doing. Neither overlaps with another one of the task.
struct job_progress {
  std::span<const interrupt_step> program;
  std::size_t position = 0;
  ticks remaining = 0;  ///< of the execution that is next
  std::uint64_t job = 0;
  bool pending = false;
  bool holds_engine = false;
  waiting_for waits = waiting_for::nothing;
  operation_stage stage = operation_stage::none;
  device_operation operation{};
  std::uint32_t first_segment = 0;  ///< of the operation
  std::size_t life = 0;             ///< its record
  ticks part_left = 0;              ///< of a part on a processor
  ticks engine_end = 0;

  [[nodiscard]] auto ready() const noexcept -> bool { return pending && waits == waiting_for::nothing; }
  [[nodiscard]] auto suspended() const noexcept -> bool { return waits == waiting_for::operation; }
  [[nodiscard]] auto in_flight() const noexcept -> bool {
    return stage != operation_stage::none && stage != operation_stage::over;
  }
  [[nodiscard]] auto unserved() const noexcept -> bool { return in_flight() && stage != operation_stage::callback; }
  /// Could go on if it, or what wakes it, had a processor.
  [[nodiscard]] auto needs_processor() const noexcept -> bool {
    return ready() || (suspended() && in_flight() && stage != operation_stage::engine);
  }
  /// Null at the end of the program.
  [[nodiscard]] auto next() const noexcept -> const interrupt_step* {
    return position < program.size() ? &program[position] : nullptr;
  }

  void begin() {
    pending = true;
    position = 0;
    arrive();
  }
  void advance() {
    ++position;
    arrive();
  }
  [[nodiscard]] auto segment_of(operation_part p) const noexcept -> std::uint32_t {
    return first_segment + static_cast<std::uint32_t>(p);
  }

 private:
  void arrive() noexcept {
    const interrupt_step* s = next();
    remaining = s != nullptr && s->what == interrupt_step_kind::execute ? s->time : 0;
  }
};

}  // namespace takt::simulation
