// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::simulation::detail {

inline constexpr std::size_t no_thread = static_cast<std::size_t>(-1);

/// Says what a processor works at, as a trace shows it.
struct processor_activity {
  std::size_t task = no_thread;
  std::uint64_t job = 0;
  std::uint32_t segment = 0;
  bool in_interrupt = false;

  [[nodiscard]] auto idle() const noexcept -> bool { return task == no_thread; }
  [[nodiscard]] friend auto operator==(const processor_activity&, const processor_activity&) noexcept -> bool = default;
};

/// Interrupts first, top halves before all else, then the thread on it. A thread that is interrupted stays, and cannot
/// go on anywhere else before the interrupt has returned.
struct processor_state {
  std::vector<std::size_t> top_halves{};  ///< tasks of the operations, by arrival
  std::size_t soft = no_thread;           ///< task of the bottom half that is done before the interrupt returns
  std::size_t soft_left = 0;              ///< how many more may be
  std::size_t thread = no_thread;
  processor_activity activity{};
  ticks since = 0;  ///< of the activity

  [[nodiscard]] auto interrupted() const noexcept -> bool { return !top_halves.empty() || soft != no_thread; }
  /// Returns the task of what is done in interrupt context. Pre: interrupted().
  [[nodiscard]] auto interrupt_work() const noexcept -> std::size_t {
    TAKT_EXPECTS(interrupted());
    return top_halves.empty() ? soft : top_halves.front();
  }
};

/// Gives processors that are not interrupted to the chosen threads: those they ran on `last` where these are free. Pre:
/// there is room.
inline void place(std::span<const std::size_t> chosen, std::span<processor_state> processors,
                  std::span<std::size_t> last) {
  TAKT_EXPECTS(std::ranges::count_if(processors, [](const processor_state& p) { return !p.interrupted(); }) >=
               std::ssize(chosen));
  for (processor_state& p : processors) {
    const bool stays = p.interrupted() || std::ranges::find(chosen, p.thread) != chosen.end();
    if (!stays) { p.thread = no_thread; }
  }
  for (const bool only_last : {true, false}) {
    for (const std::size_t h : chosen) {
      if (std::ranges::find(processors, h, &processor_state::thread) != processors.end()) { continue; }
      for (std::size_t i = 0; i < processors.size(); ++i) {
        processor_state& p = processors[i];
        if (p.interrupted() || p.thread != no_thread || (only_last && last[h] != i)) { continue; }
        p.thread = h;
        last[h] = i;
        break;
      }
    }
  }
}

}  // namespace takt::inline TAKT_ABI::simulation::detail
