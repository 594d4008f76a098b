// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/suspend.hpp>
#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime {

/// A replica held by the thread that acquired it, which also has to give it back, before it ends.
template <class Lock>
class held {
 public:
  held() noexcept = default;
  held(held&& other) noexcept : lock_{other.lock_}, claim_{std::exchange(other.claim_, nullptr)} {}
  held(const held&) = delete;
  auto operator=(const held&) -> held& = delete;
  auto operator=(held&& other) noexcept -> held& {
    if (claim_ != nullptr) {
      detail::or_terminate([this] { release(); });
    }
    lock_ = other.lock_;
    claim_ = std::exchange(other.claim_, nullptr);
    return *this;
  }
  ~held() {
    if (claim_ != nullptr) {
      detail::or_terminate([this] { release(); });
    }
  }

  /// Whether there is something to give back.
  [[nodiscard]] explicit operator bool() const noexcept { return claim_ != nullptr; }
  /// Which of the k units. Pre: held, as for the other queries.
  [[nodiscard]] auto replica() const noexcept -> replica_id { return lock_->replica(*claim_); }
  /// Whether somebody waits for this unit.
  [[nodiscard]] auto contended() const noexcept -> bool { return lock_->contended(*claim_); }
  /// Whether somebody should go first before the next critical section of the same kind.
  [[nodiscard]] auto should_yield() const noexcept -> bool { return lock_->should_yield(*claim_); }
  /// Error: another thread holds it, which then has to release it by the lock's own functions.
  void release() {
    if (claim_ != nullptr) { lock_->release(*std::exchange(claim_, nullptr)); }
  }
  /// Of a group: gives back this lock alone. Error: another thread holds it, or nobody.
  void release(lock_id l) {
    if (claim_ == nullptr) { Lock::refuse_release(); }
    if (lock_->release(*claim_, l)) { claim_ = nullptr; }
  }

 private:
  friend Lock;
  held(Lock& lock, detail::lock_claim& claim) noexcept : lock_{&lock}, claim_{&claim} {}

  Lock* lock_ = nullptr;
  detail::lock_claim* claim_ = nullptr;
};

}  // namespace takt::runtime
