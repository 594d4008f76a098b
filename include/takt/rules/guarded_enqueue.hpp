// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI {

/// Holds the jobs of a GPU node back until they may enter the queue. They enter in their order, though they may
/// become ready in any. None enters before a given time has passed since the one before, but for this a job waits
/// until its nominal release at most. A job then enters no later than its nominal release if all jobs become ready by
/// theirs.
///
/// While jobs are in time, those that enter are the separation apart, which the bounds of all others in the queue
/// assume. A job that became ready late enters at once, and so does the next one whose nominal release has passed. So
/// what is held up is made up for, and no lag lasts. From a late entry on these bounds are void until the queue has
/// been empty.
///
/// A job can become ready at most `Window - 1` jobs ahead of the next one to enter. Source: Yang et al. 2018, section
/// 4.2. Differs from it in two points. The order of the jobs is kept too: else a later job can push one beyond its
/// nominal release. Late jobs are not kept apart: else the greatest lag that there ever was would stay.
template <ExactNumber Number, std::size_t Window>
class guarded_enqueue {
 public:
  constexpr guarded_enqueue() = default;
  constexpr explicit guarded_enqueue(const Number& separation) : separation_{separation} {}

  /// Releases of jobs do not decrease. False, and no change, when the job has entered, is ready already, or is too far
  /// ahead.
  [[nodiscard]] constexpr auto ready(std::int64_t job, const Number& nominal_release) -> bool {
    if (job < next_ || job - next_ >= static_cast<std::int64_t>(Window)) { return false; }
    waiting& own = waiting_[slot(job)];
    if (own.ready) { return false; }
    own = {true, nominal_release};
    return true;
  }

  /// Returns the job that enters next.
  [[nodiscard]] constexpr auto next() const noexcept -> std::int64_t { return next_; }
  [[nodiscard]] constexpr auto next_is_ready() const noexcept -> bool { return waiting_[slot(next_)].ready; }
  /// Returns the instant before which the next job does not enter. Pre: it is ready, and one has entered.
  [[nodiscard]] constexpr auto earliest() const -> const Number& {
    TAKT_EXPECTS(next_is_ready() && next_ > 0);
    const Number& release = waiting_[slot(next_)].release;
    return release < earliest_ ? release : earliest_;
  }
  [[nodiscard]] constexpr auto may_enter(const Number& now) const -> bool {
    return next_is_ready() && (next_ == 0 || !(now < earliest()));
  }
  /// The next job enters. False, and no change, when the time of the one after it does not fit. Pre: it may.
  [[nodiscard]] constexpr auto enter(const Number& now) -> bool {
    TAKT_EXPECTS(may_enter(now));
    if (!add_exactly(now, separation_, earliest_)) { return false; }
    waiting_[slot(next_)].ready = false;
    ++next_;
    return true;
  }

 private:
  struct waiting {
    bool ready = false;
    Number release{};  ///< nominal
  };
  [[nodiscard]] static constexpr auto slot(std::int64_t job) noexcept -> std::size_t {
    return static_cast<std::size_t>(job) % Window;
  }

  std::array<waiting, Window> waiting_{};  ///< by number of the job, a ring
  std::int64_t next_ = 0;
  Number separation_{};
  Number earliest_{};
};

}  // namespace takt::inline TAKT_ABI
