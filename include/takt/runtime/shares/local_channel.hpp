// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/runtime/timed_condition.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/shares/doorbell.hpp>
#include <takt/runtime/shares/messages.hpp>
#include <takt/runtime/shares/seqpacket.hpp>
#include <takt/runtime/shares/shared_page.hpp>

namespace takt::runtime {

/// Two bounded queues between a client and the service of the same process.
class local_link {
 public:
  local_link(std::shared_ptr<const doorbell> bell, std::shared_ptr<const shared_page> page) noexcept
      : bell_{std::move(bell)}, page_{std::move(page)} {}

  [[nodiscard]] auto page() const noexcept -> const share_page& { return page_->page(); }

  /// For the client: waits for room. False once the link is closed.
  [[nodiscard]] auto send(const share_message& m) -> bool {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return closed_ || !requests_.full(); });
    if (closed_) { return false; }
    requests_.push(m);
    bell_->ring();
    return true;
  }
  /// For the client: waits until the instant. What has been replied before the end is still received.
  [[nodiscard]] auto receive(share_message& out, ticks deadline) -> transfer {
    std::unique_lock lock{mutex_};
    changed_.wait_until(lock, deadline, [this] { return closed_ || !replies_.empty(); });
    const bool was_full = replies_.full();
    if (replies_.pop(out)) {
      if (was_full) { bell_->ring(); }
      return transfer::done;
    }
    return closed_ ? transfer::closed : transfer::would_block;
  }

  /// For the service: neither call waits.
  [[nodiscard]] auto take(share_message& out) -> transfer {
    const std::lock_guard lock{mutex_};
    if (requests_.pop(out)) {
      changed_.notify_all();
      return transfer::done;
    }
    return closed_ ? transfer::closed : transfer::would_block;
  }
  [[nodiscard]] auto reply(const share_message& m) -> transfer {
    const std::lock_guard lock{mutex_};
    if (closed_) { return transfer::closed; }
    if (replies_.full()) { return transfer::would_block; }
    replies_.push(m);
    changed_.notify_all();
    return transfer::done;
  }

  /// For either side.
  void close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    changed_.notify_all();
    bell_->ring();
  }

 private:
  class queue {
   public:
    [[nodiscard]] auto empty() const noexcept -> bool { return count_ == 0; }
    [[nodiscard]] auto full() const noexcept -> bool { return count_ == ring_.size(); }
    /// Pre: not full.
    void push(const share_message& m) noexcept { ring_[(first_ + count_++) % ring_.size()] = m; }
    [[nodiscard]] auto pop(share_message& out) noexcept -> bool {
      if (empty()) { return false; }
      out = ring_[first_];
      first_ = (first_ + 1) % ring_.size();
      --count_;
      return true;
    }

   private:
    std::array<share_message, 16> ring_{};
    std::size_t first_ = 0;
    std::size_t count_ = 0;
  };

  std::shared_ptr<const doorbell> bell_;
  std::shared_ptr<const shared_page> page_;
  inheriting_mutex mutex_;
  timed_condition changed_;
  queue requests_;
  queue replies_;
  bool closed_ = false;
};

/// A client's end of a link; the service notices when it goes.
class local_channel {
 public:
  local_channel() noexcept = default;
  explicit local_channel(std::shared_ptr<local_link> link) noexcept : link_{std::move(link)} {}
  local_channel(const local_channel&) = delete;
  auto operator=(const local_channel&) -> local_channel& = delete;
  local_channel(local_channel&&) noexcept = default;
  auto operator=(local_channel&& other) noexcept -> local_channel& {
    std::swap(link_, other.link_);
    return *this;
  }
  ~local_channel() {
    if (link_) { link_->close(); }
  }

  [[nodiscard]] explicit operator bool() const noexcept { return link_ != nullptr; }
  [[nodiscard]] auto send(const share_message& m) -> bool { return link_ && link_->send(m); }
  [[nodiscard]] auto receive(share_message& out, ticks deadline) -> transfer {
    return link_ ? link_->receive(out, deadline) : transfer::closed;
  }
  /// Nothing without a link.
  [[nodiscard]] auto page() const noexcept -> const share_page* { return link_ ? &link_->page() : nullptr; }

 private:
  std::shared_ptr<local_link> link_;
};

}  // namespace takt::runtime
