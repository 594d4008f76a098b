// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include <takt/core/expects.hpp>

namespace takt::inline TAKT_ABI {

template <class L>
concept BasicLock = requires(L l) {
  l.lock();
  l.unlock();
};

/// A lock with its place in the order in which all tasks take nested locks. It can be taken through `no_locks` and
/// `nested_locks` only.
template <std::int32_t Place, BasicLock L>
class ordered_lock {
 public:
  static constexpr std::int32_t place = Place;

  template <class... Args>
    requires std::constructible_from<L, Args...>
  constexpr explicit ordered_lock(Args&&... args) noexcept(noexcept(L(std::forward<Args>(args)...)))
      : lock_(std::forward<Args>(args)...) {}

 private:
  template <class Below, class Lock>
  friend class nested_locks;
  friend class no_locks;

  L lock_;
};

template <class Below, class Lock>
class nested_locks;

/// Holds what a job holds before its first lock. A job has one of these and passes it on. Each `take` consumes what it
/// is called on, so no code can go on from an earlier set while a later lock is held. As every job takes its locks in
/// the same order, no circle of jobs can wait for each other.
/// Source: Elliott 2015, section 2.1.6.2, "Totally-Ordered Nested Requests"; Havender 1968.
class no_locks {
 public:
  constexpr no_locks() noexcept = default;
  constexpr no_locks(no_locks&&) noexcept = default;
  constexpr auto operator=(no_locks&&) noexcept -> no_locks& = default;
  no_locks(const no_locks&) = delete;
  auto operator=(const no_locks&) -> no_locks& = delete;
  constexpr ~no_locks() = default;

  /// Waits for the lock and holds it until the result is destroyed or gives it back.
  template <std::int32_t Place, class L>
  [[nodiscard]] constexpr auto take(ordered_lock<Place, L>& lock) && -> nested_locks<no_locks, ordered_lock<Place, L>> {
    lock.lock_.lock();
    return {std::move(*this), lock};
  }
};

/// The locks that a job holds: `Lock` and, taken before it, those of `Below`. They are released in reverse order.
template <class Below, class Lock>
class nested_locks {
 public:
  constexpr nested_locks(nested_locks&& other) noexcept
      : below_{std::move(other.below_)}, lock_{std::exchange(other.lock_, nullptr)} {}
  auto operator=(nested_locks&&) -> nested_locks& = delete;
  nested_locks(const nested_locks&) = delete;
  auto operator=(const nested_locks&) -> nested_locks& = delete;
  constexpr ~nested_locks() {
    if (lock_ != nullptr) { lock_->lock_.unlock(); }
  }

  /// Does the same as above. Pre: `*this` has not been moved from.
  template <std::int32_t Place, class L>
  [[nodiscard]] constexpr auto take(ordered_lock<Place, L>& lock) && {
    static_assert(Place > Lock::place,
                  "takt: a nested lock stands before one that is already held; take locks in the order of their "
                  "places. See docs/errors.md#E36");
    TAKT_EXPECTS(lock_ != nullptr);
    lock.lock_.lock();
    return nested_locks<nested_locks, ordered_lock<Place, L>>{std::move(*this), lock};
  }

  /// Releases the last lock only. Pre: `*this` has not been moved from.
  [[nodiscard]] constexpr auto give_back() && -> Below {
    TAKT_EXPECTS(lock_ != nullptr);
    std::exchange(lock_, nullptr)->lock_.unlock();
    return std::move(below_);
  }

 private:
  template <class, class>
  friend class nested_locks;
  friend class no_locks;

  constexpr nested_locks(Below&& below, Lock& lock) noexcept : below_{std::move(below)}, lock_{&lock} {}

  Below below_;
  Lock* lock_;
};

}  // namespace takt::inline TAKT_ABI
