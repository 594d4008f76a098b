// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/lock_claim.hpp>
#include <takt/runtime/locking/lock_domain.hpp>

namespace takt::runtime {

/// Tells a cluster that a request of a job is complete.
template <class Cluster>
class donated_request_end : public detail::claim_guard<donated_request_end<Cluster>, Cluster> {
  using guard = detail::claim_guard<donated_request_end, Cluster>;

 private:
  template <class>
  friend class donating_job;
  friend guard;
  using guard::guard;
  static void give_back(Cluster& cluster, detail::lock_claim& claim) noexcept { cluster.complete_request(claim); }
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
class donating_job : public detail::claim_guard<donating_job<Cluster>, Cluster> {
  using guard = detail::claim_guard<donating_job, Cluster>;

 public:
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
  friend guard;
  using guard::guard;
  static void give_back(Cluster& cluster, detail::lock_claim& claim) noexcept { cluster.end_job(claim); }

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

/// The jobs on c CPUs of their own, with priority donation: what `ck_omlp` needs to keep those who hold or await a
/// replica running. Threads announce their jobs here and ask for the locks of the domain through them. A thread whose
/// job donates its priority is suspended in `begin_job`; one that is not among the c best pending jobs waits before its
/// request is issued.
/// Error: `std::system_error`, as for `protocol_lock`. A cluster that is destroyed with jobs ends the program with a
/// sentence.
template <std::size_t Jobs>
class donation_cluster final : public detail::any_lock {
 public:
  using job = donating_job<donation_cluster>;

  /// Pre: cpus >= 1.
  explicit donation_cluster(lock_domain& domain, std::int32_t cpus = 1) noexcept : domain_{&domain}, rule_{cpus} {}
  donation_cluster(const donation_cluster&) = delete;
  auto operator=(const donation_cluster&) -> donation_cluster& = delete;
  ~donation_cluster() {
    const domain_turn last{*domain_};
    for (const place& p : places_) {
      if (p.claim != nullptr) { detail::terminate("takt: a donation cluster is destroyed while it has jobs"); }
    }
  }

  /// Returns when the job may run. Cost: suspended while it donates, at most for one request of another job.
  [[nodiscard]] auto begin_job(const lock_call& call = {}) -> job {
    lock_claim& c = detail::this_thread.take();
    c.lock = this;
    c.request = {.priority = {detail::point_of(call)}};
    c.spins = call.spins;
    try {
      domain_turn t{*domain_};
      admit(c, t);
      (void)rule_.released(c.client, c.request.priority);
      pause(c, waiting_for::donee);
      review(t);
    } catch (...) {
      detail::this_thread.give_back(c);
      throw;
    }
    while (!detail::suspend(c, detail::no_deadline, {})) {}
    return {*this, c};
  }

  [[nodiscard]] auto domain() noexcept -> lock_domain& { return *domain_; }

 private:
  friend job;
  friend donated_request_end<donation_cluster>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;

  enum class waiting_for : std::uint8_t { nothing, donee, gate };

  struct place {
    lock_claim* claim = nullptr;
    waiting_for what = waiting_for::nothing;
    std::int32_t requests = 0;  ///< incomplete ones
  };

  [[nodiscard]] auto at(request_id j) noexcept -> place& { return places_[static_cast<std::size_t>(j)]; }

  void admit(lock_claim& c, domain_turn& t) {
    if (detail::this_thread.find(this, &c) != nullptr) {
      throw std::system_error{std::make_error_code(std::errc::resource_deadlock_would_occur),
                              "takt: the thread has a job in the cluster already"};
    }
    for (request_id j = 0; j < static_cast<request_id>(Jobs); ++j) {
      if (at(j).claim != nullptr) { continue; }
      t.join(c);
      c.client = j;
      at(j) = {.claim = &c};
      return;
    }
    throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                            "takt: more jobs than the donation cluster has room for"};
  }

  /// Pre: the job's thread is the calling one, which looks for its turn next.
  void pause(lock_claim& c, waiting_for what) noexcept {
    at(c.client).what = what;
    c.turn.store(static_cast<std::uint32_t>(detail::turn::waiting), std::memory_order_relaxed);
  }

  /// Lets go on whom the last event has freed, and moves the priorities of donors to their donees.
  void review(domain_turn& t) noexcept {
    for (request_id j = 0; j < static_cast<request_id>(Jobs); ++j) {
      place& p = at(j);
      if (p.what == waiting_for::nothing) { continue; }
      if (p.what == waiting_for::donee ? rule_.is_donor(j) : !rule_.may_issue(j)) { continue; }
      if (p.what == waiting_for::gate) { issue(j); }
      p.what = waiting_for::nothing;
      t.grant(*p.claim);
    }
    for (const place& p : places_) {
      if (p.claim != nullptr && t.heir_of(*p.claim) != node_of_donee(p)) { t.unlink(*p.claim); }
    }
    for (const place& p : places_) {
      if (p.claim != nullptr && p.claim->edge == no_edge) { (void)t.link(*p.claim, node_of_donee(p)); }
    }
  }
  [[nodiscard]] auto node_of_donee(const place& p) noexcept -> priority_node {
    const request_id donee = rule_.donee_of(p.claim->client);
    return donee == no_request ? -1 : at(donee).claim->node;
  }
  void issue(request_id j) noexcept {
    rule_.issued(j);
    at(j).requests = 1;
  }

  /// Returns when the job may issue a request, which counts as incomplete from then on. False: not in time.
  auto pass_gate(lock_claim& c, ticks deadline, const std::stop_token& stop) -> bool {
    {
      domain_turn t{*domain_};
      if (at(c.client).requests > 0) {
        ++at(c.client).requests;
        return true;
      }
      pause(c, waiting_for::gate);
      review(t);
    }
    if (detail::suspend(c, deadline, stop)) { return true; }
    const domain_turn t{*domain_};
    if (detail::is_granted(c)) { return true; }
    at(c.client).what = waiting_for::nothing;
    return false;
  }
  void complete_request(lock_claim& c) noexcept {
    domain_turn t{*domain_};
    if (--at(c.client).requests > 0) { return; }
    (void)rule_.request_completed(c.client);
    review(t);
  }
  void end_job(lock_claim& c) noexcept {
    {
      domain_turn t{*domain_};
      if (at(c.client).requests > 0) { (void)rule_.request_completed(c.client); }
      (void)rule_.completed(c.client);
      at(c.client) = {};
      review(t);
      t.leave(c);
      c.client = no_request;
    }
    detail::this_thread.give_back(c);
  }

  void reprioritize(lock_claim& /*c*/, const priority_point& /*p*/, domain_turn& /*t*/) noexcept override {}
  void abandon(lock_claim& c) noexcept override { end_job(c); }

  lock_domain* domain_;
  priority_donation<Jobs> rule_;
  std::array<place, Jobs> places_{};
};

}  // namespace takt::runtime
