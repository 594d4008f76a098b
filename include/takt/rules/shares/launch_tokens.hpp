// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

/// Says what a token stands for on a device: the pool holds one per thread that its SMs can host, times a factor.
struct token_capacity {
  std::int64_t sms = 1;
  std::int64_t threads_per_sm = 2048;
  std::int64_t factor = 32;

  /// Bounds under which nothing here can overflow.
  [[nodiscard]] constexpr auto valid() const noexcept -> bool {
    return sms >= 1 && sms <= 4096 && threads_per_sm >= 1 && threads_per_sm <= 4096 && factor >= 1 && factor <= 1024;
  }
  [[nodiscard]] constexpr auto total() const noexcept -> std::int64_t { return sms * threads_per_sm * factor; }

  [[nodiscard]] friend constexpr auto operator==(const token_capacity&, const token_capacity&) noexcept
      -> bool = default;
};

/// Sets how many tokens a client gets per period so that its measured utilization approaches a limit. It gives more
/// while that is not above, less while it is, in steps that grow with the distance. Steps of less than five points'
/// worth are never made, so it moves around the limit and does not stay on it.
///
/// Differs from WAMP2S: the paper assumes the controller of GaiaGPU and does not print it.
class share_feedback {
 public:
  /// Pre: capacity.valid(), 0 <= refill <= capacity.total().
  constexpr explicit share_feedback(const token_capacity& capacity, std::int64_t refill = 0) noexcept
      : capacity_{capacity}, refill_{refill} {
    TAKT_EXPECTS(capacity.valid() && 0 <= refill && refill <= capacity.total());
  }

  /// Learns from one period. `limit` and `used` in percent; what lies outside 0 to 100 counts as the nearer end.
  constexpr void observe(std::int64_t limit, std::int64_t used) noexcept {
    limit = percent(limit);
    used = percent(used);
    const std::int64_t distance = limit < used ? used - limit : limit - used;
    const std::int64_t step = step_for(limit, distance < least_distance ? least_distance : distance);
    const std::int64_t raised = refill_ + step < capacity_.total() ? refill_ + step : capacity_.total();
    const std::int64_t lowered = refill_ > step ? refill_ - step : 0;
    refill_ = used <= limit ? raised : lowered;
  }
  /// Starts from so many tokens per period. Pre: as for the constructor.
  constexpr void restart(std::int64_t refill) noexcept {
    TAKT_EXPECTS(0 <= refill && refill <= capacity_.total());
    refill_ = refill;
  }

  [[nodiscard]] constexpr auto refill() const noexcept -> std::int64_t { return refill_; }
  [[nodiscard]] constexpr auto capacity() const noexcept -> const token_capacity& { return capacity_; }

  [[nodiscard]] friend constexpr auto operator==(const share_feedback&, const share_feedback&) noexcept
      -> bool = default;

 private:
  static constexpr std::int64_t least_distance = 5;

  [[nodiscard]] static constexpr auto percent(std::int64_t value) noexcept -> std::int64_t {
    return value < 0 ? 0 : value > 100 ? 100 : value;
  }
  [[nodiscard]] constexpr auto step_for(std::int64_t limit, std::int64_t distance) const noexcept -> std::int64_t {
    const std::int64_t step = capacity_.sms * capacity_.sms * capacity_.threads_per_sm / 256 * distance / 10;
    return distance > limit / 2 ? step * distance * 2 / (limit + 1) : step;
  }

  token_capacity capacity_;
  std::int64_t refill_;
};

/// The tokens of one client. A launch takes one per block and may overdraw, so no kernel is too large; the next
/// launch then waits until the debt is paid. The limit is the client's share; at 0 nothing may start and nothing is
/// learnt.
class launch_tokens {
 public:
  /// Pre: capacity.valid().
  constexpr explicit launch_tokens(const token_capacity& capacity) noexcept : feedback_{capacity} {
    TAKT_EXPECTS(capacity.valid());
  }

  /// The rate follows a changed limit in proportion at once, and feedback corrects it from there.
  constexpr void set_limit(std::int64_t limit) noexcept {
    limit = limit < 0 ? 0 : limit > 100 ? 100 : limit;
    if (limit == limit_) { return; }
    if (limit == 0) {
      resume_at_ = limit_;
      pool_ = pool_ > 0 ? 0 : pool_;
    } else {
      const std::int64_t before = limit_ > 0 ? limit_ : resume_at_;
      const std::int64_t total = feedback_.capacity().total();
      const std::int64_t scaled = before > 0 ? feedback_.refill() * limit / before : 0;
      feedback_.restart(scaled < total ? scaled : total);
    }
    limit_ = limit;
  }

  [[nodiscard]] constexpr auto may_launch() const noexcept -> bool { return limit_ > 0 && pool_ >= 0; }
  /// False, and nothing taken, when the client may not launch. Fewer than no blocks count as none; more than the pool
  /// holds count as what it holds twice over, which bounds the debt.
  constexpr auto take(std::int64_t blocks) noexcept -> bool {
    if (!may_launch()) { return false; }
    const std::int64_t most = 2 * feedback_.capacity().total();
    pool_ -= blocks < 0 ? 0 : blocks > most ? most : blocks;
    return true;
  }

  /// A period has ended in which the client used so many percent of the device.
  constexpr void refill(std::int64_t used) noexcept {
    if (limit_ == 0) { return; }
    feedback_.observe(limit_, used);
    const std::int64_t total = feedback_.capacity().total();
    pool_ = pool_ + feedback_.refill() < total ? pool_ + feedback_.refill() : total;
  }

  [[nodiscard]] constexpr auto limit() const noexcept -> std::int64_t { return limit_; }
  [[nodiscard]] constexpr auto pool() const noexcept -> std::int64_t { return pool_; }
  [[nodiscard]] constexpr auto feedback() const noexcept -> const share_feedback& { return feedback_; }

  [[nodiscard]] friend constexpr auto operator==(const launch_tokens&, const launch_tokens&) noexcept -> bool = default;

 private:
  share_feedback feedback_;
  std::int64_t pool_ = 0;
  std::int64_t limit_ = 0;
  std::int64_t resume_at_ = 0;
};

}  // namespace takt::inline TAKT_ABI
