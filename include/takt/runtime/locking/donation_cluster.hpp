// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <system_error>
#include <utility>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/lock_claim.hpp>
#include <takt/runtime/locking/lock_core.hpp>
#include <takt/runtime/locking/lock_domain.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Guards what a job holds of a lock, within its request to the cluster. It ends before the job does.
template <class Cluster, class Hold>
class donated : public detail::claim_guard<donated<Cluster, Hold>, Cluster> {
  using guard = detail::claim_guard<donated, Cluster>;

 public:
  Hold held{};  ///< given back before the request is complete

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(held); }

 private:
  template <class>
  friend class donating_job;
  friend guard;
  using guard::guard;
  static void give_back(Cluster& cluster, detail::lock_claim& claim) noexcept { cluster.complete_request(claim); }
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
    if (!this->owner_->pass_gate(*this->claim_, deadline, stop)) { return {}; }
    donated<Cluster, typename Lock::hold> result{*this->owner_, *this->claim_};
    result.held = acquire();
    if (!result) { return {}; }
    return result;
  }
};

namespace detail {

/// Presents the jobs of a cluster as the clients of a lock. A job holds it while it may go on, and waits while it
/// donates its priority or its first request is held back.
template <std::size_t Jobs>
class donation_gate : public priority_donation<Jobs> {
  using rule = priority_donation<Jobs>;

 public:
  struct answer {
    inline_vector<request_id, Jobs> satisfied{};
  };
  using rule::rule;

  auto begin(request_id j, const priority_point& p) noexcept -> answer {
    (void)rule::released(j, p);
    at(j) = {.what = waiting_for::donee};
    return freed();
  }
  /// Another request of the job within one passes at once.
  auto ask(request_id j) noexcept -> answer {
    ++at(j).requests;
    if (at(j).requests == 1) { at(j).what = waiting_for::gate; }
    return freed();
  }
  auto complete(request_id j) noexcept -> answer {
    if (--at(j).requests == 0) { (void)rule::request_completed(j); }
    return freed();
  }
  auto end(request_id j) noexcept -> answer {
    if (at(j).requests > 0) { (void)rule::request_completed(j); }
    (void)rule::completed(j);
    at(j) = {};
    return freed();
  }
  /// Pre: it stands at the gate.
  auto withdraw(request_id j) noexcept -> answer {
    TAKT_EXPECTS(at(j).what == waiting_for::gate);
    at(j) = {};
    return {};
  }
  void reprioritize(request_id /*j*/, const priority_point& /*p*/) const noexcept {}

  [[nodiscard]] auto holds(request_id j) const noexcept -> bool {
    return places_[static_cast<std::size_t>(j)].what == waiting_for::nothing;
  }
  [[nodiscard]] auto inheritor(request_id j) const noexcept -> request_id { return rule::donee_of(j); }

 private:
  enum class waiting_for : std::uint8_t { nothing, donee, gate };
  struct place {
    waiting_for what = waiting_for::nothing;
    std::int32_t requests = 0;  ///< incomplete ones
  };

  [[nodiscard]] auto at(request_id j) noexcept -> place& { return places_[static_cast<std::size_t>(j)]; }
  /// Returns the jobs that go on from now on.
  auto freed() noexcept -> answer {
    answer out;
    for (request_id j = 0; j < rule::capacity(); ++j) {
      switch (at(j).what) {
        case waiting_for::nothing: continue;
        case waiting_for::donee:
          if (rule::is_donor(j)) { continue; }
          break;
        case waiting_for::gate:
          if (!rule::may_issue(j)) { continue; }
          rule::issued(j);
          break;
      }
      at(j).what = waiting_for::nothing;
      out.satisfied.unchecked_push_back(j);  // Bound: each job once, at most Jobs.
    }
    return out;
  }

  std::array<place, Jobs> places_{};
};

}  // namespace detail

/// Holds the jobs on c CPUs of their own, with priority donation. `ck_omlp` needs it to keep jobs
/// running that hold or await a replica. Threads announce their jobs here and ask for the locks of the
/// domain through them. A thread whose job donates its priority is suspended in `begin_job`; one that
/// is not among the c best pending jobs waits before its request is issued. Error: as for
/// `protocol_lock`.
template <std::size_t Jobs>
class donation_cluster final : public detail::lock_core<detail::donation_gate<Jobs>> {
 public:
  using job = donating_job<donation_cluster>;

  /// Pre: cpus >= 1.
  explicit donation_cluster(lock_domain& domain, std::int32_t cpus = 1) : core{&domain, gate{cpus}} {
    TAKT_EXPECTS(cpus >= 1);
  }

  /// Returns when the job may run. Cost: suspended while it donates, at most for one request of another job.
  [[nodiscard]] auto begin_job(const lock_call& call = {}) -> job {
    lock_claim& c =
        core::begin(call, [](gate& g, const lock_claim& of) { return g.begin(of.client, of.request.priority); });
    while (!detail::suspend(c, detail::no_deadline, {})) {}
    return {*this, c};
  }

 private:
  friend job;
  template <class, class>
  friend class donated;
  using gate = detail::donation_gate<Jobs>;
  using core = detail::lock_core<gate>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;

  /// Returns when the job may issue a request, which counts as incomplete from then on. False: not in time.
  auto pass_gate(lock_claim& c, ticks deadline, const std::stop_token& stop) -> bool {
    {
      domain_turn t{*core::domain_};
      core::pause(c);
      core::hand_on(t, core::machine_.ask(c.client));
      if (core::machine_.holds(c.client)) { return true; }
    }
    return core::wait(c, deadline, stop, [](domain_turn&) {});
  }
  void complete_request(lock_claim& c) noexcept {
    domain_turn t{*core::domain_};
    core::hand_on(t, core::machine_.complete(c.client));
  }
  void end_job(lock_claim& c) noexcept {
    {
      domain_turn t{*core::domain_};
      core::hand_on(t, core::machine_.end(c.client));
      core::dismiss(c, t);
    }
    detail::this_thread.give_back(c);
  }
  void abandon(lock_claim& c) noexcept override {
    end_job(c);
    core::count_abandoned();
  }
};

}  // namespace takt::inline TAKT_ABI::runtime
