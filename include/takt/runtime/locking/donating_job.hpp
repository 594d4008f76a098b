// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <system_error>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/runtime/locking/claim_handle.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/lock_call.hpp>

namespace takt::runtime {

/// Tells a cluster that a request of a job is complete.
template <class Cluster>
class donated_request_end : public detail::claim_handle<Cluster> {
 public:
  donated_request_end() noexcept = default;
  donated_request_end(donated_request_end&&) noexcept = default;
  donated_request_end(const donated_request_end&) = delete;
  auto operator=(const donated_request_end&) -> donated_request_end& = delete;
  auto operator=(donated_request_end&&) -> donated_request_end& = delete;
  ~donated_request_end() { finish(); }

  void finish() noexcept {
    if (*this) { this->owner_->complete_request(*std::exchange(this->claim_, nullptr)); }
  }

 private:
  template <class>
  friend class donating_job;
  using detail::claim_handle<Cluster>::claim_handle;
};

/// What a job holds of a lock. Ends before the job does.
template <class Cluster, class Hold>
struct donated {
  donated_request_end<Cluster> after;  ///< destroyed last
  Hold held;

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(held); }
};

/// A pending job of a cluster with priority donation, on the thread that announced it.
template <class Cluster>
class donating_job : public detail::claim_handle<Cluster> {
 public:
  donating_job(donating_job&&) noexcept = default;
  donating_job(const donating_job&) = delete;
  auto operator=(const donating_job&) -> donating_job& = delete;
  auto operator=(donating_job&&) -> donating_job& = delete;
  ~donating_job() {
    if (*this) { this->owner_->end_job(*this->claim_); }
  }

  /// Acquires a lock of the cluster's domain, at the job's priority. `what` is what the lock's own `acquire` takes.
  /// Error: the lock's, and `invalid_argument` for one of another domain.
  template <class Lock, class... What>
  [[nodiscard]] auto acquire(Lock& lock, const What&... what) -> donated<Cluster, typename Lock::hold> {
    return after_gate(lock, detail::no_deadline, {}, [&] { return lock.acquire(what..., call()); });
  }
  /// Nothing is held when a stop ended the waiting.
  template <class Lock, class... What>
  [[nodiscard]] auto acquire(const std::stop_token& stop, Lock& lock, const What&... what)
      -> donated<Cluster, typename Lock::hold> {
    return after_gate(lock, detail::no_deadline, stop, [&] { return lock.acquire(stop, what..., call()); });
  }
  template <class Clock, class Duration, class Lock, class... What>
  [[nodiscard]] auto try_acquire_until(const std::chrono::time_point<Clock, Duration>& time, Lock& lock,
                                       const What&... what) -> donated<Cluster, typename Lock::hold> {
    return after_gate(lock, detail::deadline_at(time), {},
                      [&] { return lock.try_acquire_until(time, what..., call()); });
  }

 private:
  friend Cluster;
  using detail::claim_handle<Cluster>::claim_handle;

  [[nodiscard]] auto call() const noexcept -> lock_call {
    return {.priority = this->claim_->request.priority.point, .spins = this->claim_->spins};
  }
  template <class Lock, class Acquire>
  auto after_gate(Lock& lock, ticks deadline, const std::stop_token& stop, Acquire acquire)
      -> donated<Cluster, typename Lock::hold> {
    if (&lock.domain() != &this->owner_->domain()) {
      throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                              "takt: a lock belongs to another domain than the job's cluster"};
    }
    donated<Cluster, typename Lock::hold> result{};
    if (!this->owner_->pass_gate(*this->claim_, deadline, stop)) { return result; }
    donated_request_end<Cluster> after{*this->owner_, *this->claim_};
    auto held = acquire();
    if (!held) { return result; }
    return {std::move(after), std::move(held)};
  }
};

}  // namespace takt::runtime
