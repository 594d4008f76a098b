// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/model_error.hpp>
#include <takt/simulation/result.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Says from when a part first ran to its end; in between others may have run.
struct part_times {
  ticks start = no_instant;
  ticks end = no_instant;

  [[nodiscard]] friend constexpr auto operator==(const part_times&, const part_times&) noexcept -> bool = default;
};

/// Records the life of an operation. Its job asks for the engine, issues it and suspends itself. The engine works and
/// interrupts, the halves of the interrupt are handled, the callback wakes the job, and the job goes on. Source:
/// Elliott 2015, section 2.4.5, Fig. 2.26.
struct operation_life {
  std::size_t task = 0;
  std::uint64_t job = 0;  ///< counts from 0 per task
  std::int32_t engine_number = 0;
  ticks requested = no_instant;
  part_times engine{};  ///< from the issue to the interrupt
  part_times top_half{};
  part_times bottom_half{};
  part_times callback{};  ///< its end is the wake-up
  ticks resumed = no_instant;

  [[nodiscard]] friend constexpr auto operator==(const operation_life&, const operation_life&) noexcept
      -> bool = default;
};

/// Describes an interval of time in which a job is ready, or is woken as soon as a processor has handled the rest of
/// its operation. It tells how much of it a processor spent on less important jobs while none worked for this one.
struct processor_need {
  std::size_t task = 0;
  std::uint64_t job = 0;
  ticks from = 0;
  ticks to = 0;
  ticks behind_interrupts = 0;  ///< what is done in interrupt context: top halves, and bottom halves at once
  ticks behind_threads = 0;     ///< everything else

  [[nodiscard]] friend constexpr auto operator==(const processor_need&, const processor_need&) noexcept
      -> bool = default;
};

struct interrupt_result {
  model_error error{};
  ticks end = 0;                        ///< the last instant at which anything happened
  std::vector<ticks> finishes{};        ///< per job of the workload; `no_instant` of those that never end
  std::vector<operation_life> lives{};  ///< in the order in which engines were asked for
  std::vector<processor_need> needs{};  ///< in the order of their ends
  ticks doubled = 0;                    ///< time in which two processors ran threads at the rank of one job

  [[nodiscard]] auto behind_threads(std::size_t task) const -> ticks {
    ticks sum = 0;
    for (const processor_need& n : needs) { sum += n.task == task ? n.behind_threads : 0; }
    return sum;
  }
  [[nodiscard]] auto behind_interrupts(std::size_t task) const -> ticks {
    ticks sum = 0;
    for (const processor_need& n : needs) { sum += n.task == task ? n.behind_interrupts : 0; }
    return sum;
  }
};

}  // namespace takt::inline TAKT_ABI::simulation
