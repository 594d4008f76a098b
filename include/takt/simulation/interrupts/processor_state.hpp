// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>

namespace takt::simulation {

/// A job's thread, a callback thread or a device's thread; see `interrupt_simulator`.
using thread_id = std::size_t;
inline constexpr std::size_t no_thread = static_cast<std::size_t>(-1);

/// What a processor works at, as a trace shows it.
struct processor_activity {
  std::size_t task = no_thread;
  std::uint64_t job = 0;
  std::uint32_t segment = 0;
  bool in_interrupt = false;

  [[nodiscard]] auto idle() const noexcept -> bool { return task == no_thread; }
  [[nodiscard]] friend auto operator==(const processor_activity&, const processor_activity&) noexcept -> bool = default;
};

/// A processor: interrupts first, top halves before all else, then the thread on it. A thread that is interrupted
/// stays, and cannot go on anywhere else before the interrupt has returned.
struct processor_state {
  std::vector<std::size_t> top_halves{};  ///< tasks of the operations, by arrival
  std::size_t soft = no_thread;           ///< task of the bottom half that is done before the interrupt returns
  std::size_t soft_left = 0;              ///< how many more may be
  thread_id thread = no_thread;
  processor_activity activity{};
  ticks since = 0;  ///< of the activity

  [[nodiscard]] auto interrupted() const noexcept -> bool { return !top_halves.empty() || soft != no_thread; }
  /// Task of what is done in interrupt context. Pre: interrupted().
  [[nodiscard]] auto interrupt_work() const noexcept -> std::size_t {
    return top_halves.empty() ? soft : top_halves.front();
  }
};

class processor_bank {
 public:
  processor_bank(std::size_t processors, std::size_t threads) : processors_(processors), last_(threads, no_thread) {}

  [[nodiscard]] auto size() const noexcept -> std::size_t { return processors_.size(); }
  [[nodiscard]] auto all() const noexcept -> std::span<const processor_state> { return processors_; }
  [[nodiscard]] auto operator[](std::size_t i) noexcept -> processor_state& { return processors_[i]; }

  /// Processors that are not interrupted.
  [[nodiscard]] auto room() const -> std::size_t {
    return static_cast<std::size_t>(
        std::ranges::count_if(processors_, [](const processor_state& p) { return !p.interrupted(); }));
  }
  [[nodiscard]] auto holds(thread_id h) const -> bool {
    return std::ranges::any_of(processors_, [h](const processor_state& p) { return p.interrupted() && p.thread == h; });
  }
  /// Gives processors that are not interrupted to the chosen threads: those they ran on last where these are free. Pre:
  /// there is room.
  void place(std::span<const thread_id> chosen) {
    for (processor_state& p : processors_) {
      const bool stays = p.interrupted() || std::ranges::find(chosen, p.thread) != chosen.end();
      if (!stays) { p.thread = no_thread; }
    }
    for (const bool only_last : {true, false}) {
      for (const thread_id h : chosen) { put(h, only_last); }
    }
  }

 private:
  void put(thread_id h, bool only_last) {
    const auto has = [h](const processor_state& p) { return p.thread == h; };
    if (std::ranges::any_of(processors_, has)) { return; }
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      processor_state& p = processors_[i];
      if (p.interrupted() || p.thread != no_thread || (only_last && last_[h] != i)) { continue; }
      p.thread = h;
      last_[h] = i;
      return;
    }
  }

  std::vector<processor_state> processors_;
  std::vector<std::size_t> last_;  ///< by thread, the processor it had last
};

}  // namespace takt::simulation
