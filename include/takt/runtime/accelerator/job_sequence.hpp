// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <takt/core/number.hpp>
#include <takt/runtime/accelerator/slot_clock.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::runtime {

/// What becomes of a release.
enum class arrival : std::uint8_t { starts, waits, dropped };

/// The jobs of one kernel in time: released at first + k period exactly, served one after the other. Jobs are numbered
/// from 0, without those that are dropped.
class job_sequence {
 public:
  /// Pre: period >= 1, 1 <= deadline <= period.
  job_sequence(ticks first, ticks period, ticks deadline, backlog_handling overrun) noexcept
      : next_release_{first}, period_{period}, deadline_{deadline}, overrun_{overrun} {}

  [[nodiscard]] auto next_release() const noexcept -> ticks { return next_release_; }
  /// The next release takes place.
  auto release() noexcept -> arrival {
    const bool idle = completed_ == released_;
    const ticks release = next_release_;
    next_release_ = later(release, period_);
    if (!idle && drops_release(overrun_)) { return arrival::dropped; }
    if (idle) { current_release_ = release; }
    ++released_;
    return idle ? arrival::starts : arrival::waits;
  }
  /// The current job is complete. Whether the next one starts in its place. Pre: there is one.
  auto complete() noexcept -> bool {
    current_release_ = later(current_release_, period_);
    ++completed_;
    watched_ = std::max(watched_, completed_);
    return completed_ < released_;
  }

  /// Jobs that were released and not dropped.
  [[nodiscard]] auto released() const noexcept -> std::uint64_t { return released_; }
  [[nodiscard]] auto incomplete() const noexcept -> bool { return completed_ < released_; }
  /// The job that is served. Pre, here and below: `incomplete()`.
  [[nodiscard]] auto current() const noexcept -> std::uint64_t { return completed_; }
  [[nodiscard]] auto release_of(std::uint64_t job) const noexcept -> ticks {
    return later(current_release_, static_cast<ticks>(job - completed_) * period_);
  }
  [[nodiscard]] auto deadline_of(std::uint64_t job) const noexcept -> ticks {
    return later(release_of(job), deadline_);
  }

  /// The first incomplete job whose deadline nobody has called missed, if any: `deadline_of` or `never`.
  [[nodiscard]] auto watched() const noexcept -> std::uint64_t { return watched_; }
  [[nodiscard]] auto next_deadline() const noexcept -> ticks {
    return watched_ < released_ ? deadline_of(watched_) : never;
  }
  /// The deadline of the watched job has passed.
  void pass_deadline() noexcept { ++watched_; }

 private:
  ticks next_release_;
  ticks period_;
  ticks deadline_;
  backlog_handling overrun_;
  ticks current_release_ = 0;
  std::uint64_t released_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t watched_ = 0;
};

}  // namespace takt::runtime
