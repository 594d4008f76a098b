// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime::detail {

/// A claim that is given back once.
template <class Owner>
class claim_handle {
 public:
  claim_handle() noexcept = default;
  claim_handle(Owner& owner, lock_claim& claim) noexcept : owner_{&owner}, claim_{&claim} {}
  claim_handle(claim_handle&& other) noexcept : owner_{other.owner_}, claim_{std::exchange(other.claim_, nullptr)} {}
  claim_handle(const claim_handle&) = delete;
  auto operator=(const claim_handle&) -> claim_handle& = delete;
  auto operator=(claim_handle&&) -> claim_handle& = delete;
  ~claim_handle() = default;

  [[nodiscard]] explicit operator bool() const noexcept { return claim_ != nullptr; }

 protected:
  Owner* owner_ = nullptr;
  lock_claim* claim_ = nullptr;
};

}  // namespace takt::runtime::detail
