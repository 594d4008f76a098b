// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

#include <takt/core/number.hpp>
#include <takt/rules/shares/launch_tokens.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/thread.hpp>
#include <takt/systems/shares/run/share_page.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Says how much of the device a client has used since the last call, in percent. One thread asks it.
template <class M>
concept UtilizationMeter = requires(M& m) {
  { m.used_percent() } -> std::same_as<std::int64_t>;
};

struct launch_gate_options {
  token_capacity capacity{};
  std::int64_t tokens_per_block = 1;
  ticks period = 120'000'000;  ///< from one measurement of the utilization to the next
  ticks poll = 10'000'000;     ///< how soon a waiting launch notices a share that has become greater than 0
};

/// Returns the tokens that a block costs so that a device that runs so many per period is steered in steps of about a
/// percent. The controller's least step is then one percent of what the device uses when it is never idle. Pre:
/// capacity.valid(), blocks_per_period >= 1.
[[nodiscard]] constexpr auto tokens_per_block(const token_capacity& capacity, std::int64_t blocks_per_period) noexcept
    -> std::int64_t {
  TAKT_EXPECTS(capacity.valid() && blocks_per_period >= 1);
  const std::int64_t least_step = capacity.sms * capacity.sms * capacity.threads_per_sm / 512;
  const std::int64_t wanted = std::min(100 * std::max<std::int64_t>(least_step, 1), capacity.total());
  return std::max<std::int64_t>(1, wanted / blocks_per_period);
}

enum class gate_status : std::uint8_t {
  passed,
  timed_out,
  closed,  ///< the service has left, or the gate was shut: nobody says any more what the client may use
};

/// Lets a client's kernels wait for tokens before they are launched. Any thread may call `enter`; a launch that need
/// not wait makes no system call. The rate follows the client's share in the page and the measured utilization, on a
/// thread of the gate.
template <UtilizationMeter Meter>
class launch_gate {
 public:
  static constexpr ticks no_limit = std::numeric_limits<ticks>::max();

  /// Pre: page and meter outlive the gate; application < share_page::capacity; the capacity is valid, the cost
  /// of a block not negative, the times are positive.
  launch_gate(const share_page& page, std::size_t application, Meter& meter, const launch_gate_options& options = {})
      : page_{&page}, application_{application}, meter_{&meter}, options_{options}, tokens_{options.capacity} {
    TAKT_EXPECTS(application < share_page::capacity && options.capacity.valid() && options.tokens_per_block >= 0);
    TAKT_EXPECTS(options.period > 0 && options.poll > 0);
    watcher_ = thread{[this] { watch(); }};
  }
  launch_gate(const launch_gate&) = delete;
  auto operator=(const launch_gate&) -> launch_gate& = delete;
  ~launch_gate() {
    shut();
    watcher_.join();
  }

  /// Suspends the calling thread until a kernel of so many blocks may be launched, or until the instant.
  [[nodiscard]] auto enter(std::int64_t blocks, ticks give_up = no_limit) -> gate_status {
    std::unique_lock lock{mutex_};
    for (;;) {
      if (shut_ || !page_->is_open()) { return gate_status::closed; }
      tokens_.set_limit(page_->read(application_).share());
      if (tokens_.take(cost_of(blocks))) { return gate_status::passed; }
      if (now() >= give_up) { return gate_status::timed_out; }
      const std::uint64_t seen = refills_;
      changed_.wait_until(lock, std::min(give_up, later(now(), options_.poll)),
                          [&] { return shut_ || refills_ != seen; });
    }
  }
  /// Lets nothing pass any more; threads that wait return.
  void shut() {
    const std::lock_guard lock{mutex_};
    shut_ = true;
    changed_.notify_all();
  }

  /// Returns false when the system had no thread to give: then no tokens come.
  [[nodiscard]] auto started() const noexcept -> bool { return watcher_.started(); }
  [[nodiscard]] auto tokens() const -> launch_tokens {
    const std::lock_guard lock{mutex_};
    return tokens_;
  }
  [[nodiscard]] auto refills() const -> std::uint64_t {
    const std::lock_guard lock{mutex_};
    return refills_;
  }

 private:
  [[nodiscard]] auto cost_of(std::int64_t blocks) const noexcept -> std::int64_t {
    const std::int64_t most = 2 * options_.capacity.total();
    const std::int64_t each = std::max<std::int64_t>(options_.tokens_per_block, 0);
    blocks = std::max<std::int64_t>(blocks, 0);
    return each > 0 && blocks > most / each ? most : blocks * each;
  }
  void watch() {
    std::unique_lock lock{mutex_};
    for (ticks next = later(now(), options_.period); !shut_; next = std::max(now(), later(next, options_.period))) {
      changed_.wait_until(lock, next, [this] { return shut_; });
      if (shut_) { return; }
      lock.unlock();
      const std::int64_t used = meter_->used_percent();
      lock.lock();
      tokens_.set_limit(page_->read(application_).share());
      tokens_.refill(used);
      ++refills_;
      changed_.notify_all();
    }
  }

  const share_page* page_;
  std::size_t application_;
  Meter* meter_;
  launch_gate_options options_;
  mutable inheriting_mutex mutex_;
  condition changed_;
  launch_tokens tokens_;
  std::uint64_t refills_ = 0;
  bool shut_ = false;
  thread watcher_;
};

}  // namespace takt::inline TAKT_ABI::runtime
