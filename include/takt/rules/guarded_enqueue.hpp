// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>

namespace takt::inline v0 {

/// Holds the jobs of a GPU node back until they may enter the queue: in the order of the jobs, which may become ready
/// in any order, and not before a given time has passed since the one before entered. A job then enters no later than
/// its nominal release if all jobs become ready by theirs.
///
/// A job can become ready at most `Window - 1` jobs ahead of the next one to enter.
/// Source: Yang et al. 2018, section 4.2. Differs from it: the order of the jobs is kept too, without which a job can
/// be pushed beyond its nominal release by a later one.
template <ExactNumber Number, std::size_t Window>
class guarded_enqueue {
 public:
  constexpr guarded_enqueue() = default;
  constexpr explicit guarded_enqueue(const Number& separation) : separation_{separation} {}

  /// False, and no change, when the job has entered, is ready already, or is too far ahead.
  [[nodiscard]] constexpr auto ready(std::int64_t job) -> bool {
    if (job < next_ || job - next_ >= static_cast<std::int64_t>(Window)) { return false; }
    bool& flag = ready_[slot(job)];
    if (flag) { return false; }
    flag = true;
    return true;
  }

  /// The job that enters next.
  [[nodiscard]] constexpr auto next() const noexcept -> std::int64_t { return next_; }
  [[nodiscard]] constexpr auto next_is_ready() const noexcept -> bool { return ready_[slot(next_)]; }
  /// The next job does not enter before. Pre: one has entered.
  [[nodiscard]] constexpr auto earliest() const -> const Number& { return earliest_; }
  [[nodiscard]] constexpr auto may_enter(const Number& now) const -> bool {
    return next_is_ready() && (next_ == 0 || !(now < earliest_));
  }
  /// The next job enters. False, and no change, when the time of the one after it does not fit. Pre: it may.
  [[nodiscard]] constexpr auto enter(const Number& now) -> bool {
    if (!add_exactly(now, separation_, earliest_)) { return false; }
    ready_[slot(next_)] = false;
    ++next_;
    return true;
  }

 private:
  [[nodiscard]] static constexpr auto slot(std::int64_t job) noexcept -> std::size_t {
    return static_cast<std::size_t>(job) % Window;
  }

  std::array<bool, Window> ready_{};  ///< by number of the job, a ring
  std::int64_t next_ = 0;
  Number separation_{};
  Number earliest_{};
};

}  // namespace takt::inline v0
