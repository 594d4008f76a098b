// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/rules/locking/request_queues.hpp>
#include <takt/rules/priority_server.hpp>
#include <takt/rules/rank_set.hpp>

namespace takt::inline TAKT_ABI {

/// One unit served in the order of requests. Hosts drive it like `priority_server`.
template <std::size_t Capacity>
class fifo_server {
 public:
  /// Pre: r neither waits nor runs.
  constexpr void request(rank r) noexcept {
    TAKT_EXPECTS(r != running_ && queue_.queue_of(r) == no_replica);
    queue_.append(0, r);
  }
  /// The holder is done. Pre: somebody runs.
  constexpr void complete() noexcept {
    TAKT_EXPECTS(running_ != nobody);
    running_ = nobody;
  }
  [[nodiscard]] constexpr auto running() const noexcept -> rank { return running_; }

  constexpr auto decide() noexcept -> dispatch {
    if (running_ != nobody || queue_.length(0) == 0) { return {}; }
    running_ = queue_.head(0);
    queue_.remove(running_);
    return {.started = running_};
  }

 private:
  request_queues<1, Capacity> queue_;
  rank running_ = nobody;
};

}  // namespace takt::inline TAKT_ABI
