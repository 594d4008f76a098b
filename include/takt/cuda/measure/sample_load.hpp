// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Holds the calls for what is at work beside samples.
///
/// - `start()`: sets it going; false when that failed. Called once between two stops.
/// - `steps()`: how far it is. Grows as long as it is at work, and once it has ended never again before a start.
/// - `stop()`: ends it, and waits until it has.
struct load_calls {
  std::function<bool()> start;
  std::function<std::uint64_t()> steps;
  std::function<void()> stop;
};

/// Takes samples beside a load, and none that the load was not beside from their beginning to their end.
class sample_load {
 public:
  /// `patience`: how long the load may take to a next step.
  explicit sample_load(load_calls load, std::function<ticks()> clock = runtime::now, ticks patience = 1'000'000'000)
      : load_{std::move(load)}, clock_{std::move(clock)}, patience_{patience} {}
  sample_load(const sample_load&) = delete;
  auto operator=(const sample_load&) -> sample_load& = delete;
  ~sample_load() { stop(); }

  /// Waits until the load is at work, and sees how long its steps usually are. False, with a fault, when it is not.
  [[nodiscard]] auto start() -> bool {
    stop();
    runs_ = true;
    if (!load_.start()) { return give_up("the load could not be started"); }
    if (!wait_for(1)) { return give_up("the load did not begin to work"); }
    constexpr std::uint64_t watched = 8;
    const std::uint64_t first = load_.steps();
    const ticks begin = clock_();
    if (!wait_for(first + watched)) { return give_up("the load stood still before any sample"); }
    step_ = std::max<ticks>(1, (clock_() - begin) / static_cast<ticks>(watched));
    return true;
  }
  void stop() {
    if (std::exchange(runs_, false)) { load_.stop(); }
  }

  /// Returns the sample's time. None, with a fault, when the load made less than a quarter of its usual steps
  /// meanwhile, or none afterwards. As it cannot come back by itself, a step afterwards says that it was there all the
  /// time. None, without a fault, when the sample has none. Pre: started.
  template <class Sample>
  [[nodiscard]] auto beside(Sample sample) -> std::optional<ticks> {
    TAKT_EXPECTS(runs_);
    fault_.clear();
    const std::uint64_t before = load_.steps();
    const ticks begin = clock_();
    const std::optional<ticks> time = sample();
    const ticks length = clock_() - begin;
    const std::uint64_t after = load_.steps();
    if (!time) { return std::nullopt; }
    const auto usual = static_cast<std::uint64_t>(std::max<ticks>(0, length / step_));
    if (after - before < usual / 4) {
      fault_ = "the load made " + std::to_string(after - before) + " steps beside a sample, where " +
               std::to_string(usual) + " are usual";
      return std::nullopt;
    }
    if (!wait_for(after + 1)) {
      fault_ = "the load had ended before a sample did";
      return std::nullopt;
    }
    return time;
  }
  [[nodiscard]] auto fault() const -> const std::string& { return fault_; }

 private:
  [[nodiscard]] auto give_up(const char* why) -> bool {
    fault_ = why;
    stop();
    return false;
  }
  [[nodiscard]] auto wait_for(std::uint64_t steps) -> bool {
    const ticks begin = clock_();
    while (load_.steps() < steps) {
      if (clock_() - begin > patience_) { return false; }
      std::this_thread::sleep_for(std::chrono::microseconds{5});
    }
    return true;
  }

  load_calls load_;
  std::function<ticks()> clock_;
  ticks patience_;
  ticks step_ = 1;
  bool runs_ = false;
  std::string fault_;
};

}  // namespace takt::inline TAKT_ABI::cuda
