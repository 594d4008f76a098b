// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <takt/cuda/driver_api.hpp>
#include <takt/runtime/inheriting_mutex.hpp>

namespace takt::inline TAKT_ABI::cuda {

/// Says what follows when a launch has ended.
enum class launch_next : std::uint8_t {
  done,     ///< nothing is left of the job
  yielded,  ///< it stopped because it was asked to, which only the kernels of an accelerator are
  again,    ///< the next launch may do what is left
  failed,   ///< no launch will do what is left
};

/// Holds what a kernel says when a launch has ended: what follows, and how the job ran beside its plan.
struct launch_report {
  launch_next next = launch_next::done;
  result fault = result::success;  ///< what to report where the job is not done and not gone on with
  std::uint32_t launches = 1;      ///< of the job so far
  std::uint32_t claimed = 0;       ///< blocks that were at work
  std::uint32_t expected = 0;      ///< as many there were to be

  [[nodiscard]] constexpr auto is_overrun() const noexcept -> bool { return launches > 1 || claimed < expected; }
};

/// Records how jobs ran that were done.
class overrun_record {
 public:
  void note(const launch_report& r) {
    const std::lock_guard lock{mutex_};
    ++jobs_;
    overruns_ += r.is_overrun() ? 1U : 0U;
    relaunches_ += r.launches > 1 ? r.launches - 1U : 0U;
    const bool is_least = r.claimed < r.expected &&
                          (least_.expected == 0 ||
                           std::uint64_t{r.claimed} * least_.expected < std::uint64_t{least_.claimed} * r.expected);
    if (is_least) { least_ = r; }
  }
  /// Returns a sentence about the jobs of `whom` that took another launch or had fewer blocks at work than planned.
  /// None where there was no such job since the last call.
  [[nodiscard]] auto take(const std::string& whom) -> std::optional<std::string> {
    const std::lock_guard lock{mutex_};
    std::optional<std::string> out;
    if (overruns_ > 0) {
      out = whom + ": " + std::to_string(overruns_) + " of " + std::to_string(jobs_) + " kernels overran";
    }
    if (out && least_.expected > 0) {
      *out +=
          ", blocks at work at the least: " + std::to_string(least_.claimed) + " of " + std::to_string(least_.expected);
    }
    if (out && relaunches_ > 0) { *out += ", further launches: " + std::to_string(relaunches_); }
    jobs_ = overruns_ = relaunches_ = 0;
    least_ = {};
    return out;
  }

 private:
  runtime::inheriting_mutex mutex_;
  std::uint64_t jobs_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t relaunches_ = 0;
  launch_report least_{};
};

}  // namespace takt::inline TAKT_ABI::cuda
