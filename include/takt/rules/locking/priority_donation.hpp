// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/to_index.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI {

/// The printed rules lack both; without the first no bound holds (docs/errata.md).
struct donation_rules {
  static constexpr bool gate = true;         ///< P1: requests are issued by jobs among the best only
  static constexpr bool end_on_rise = true;  ///< P7b: a donee that rises among the best needs its donor no longer
};

/// Priority donation in a cluster of c CPUs. A job whose release pushes one with an incomplete request out of the c
/// best pending ones lends it its priority. The lender does not run until that request is complete. So a job with an
/// incomplete request is always among the c best pending jobs or has a donor there. A job donates at most once, from
/// its release on. Jobs are numbers below `Jobs`; the best are counted by base priority, waiting and suspended jobs
/// included.
/// Cost: a pass over the jobs per call.
/// Source: Elliott 2015, section 2.1.6.1; Brandenburg and Anderson 2013, of whose rules the former omits P1 and P7b.
template <std::size_t Jobs, class Rules = donation_rules>
class priority_donation {
 public:
  constexpr priority_donation() noexcept : priority_donation(1) {}
  /// Pre: cpus >= 1.
  constexpr explicit priority_donation(std::int32_t cpus) noexcept : cpus_{cpus} {
    TAKT_EXPECTS(cpus >= 1);
    donee_.fill(no_request);
    donor_.fill(no_request);
  }

  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return static_cast<request_id>(Jobs); }
  [[nodiscard]] constexpr auto cpus() const noexcept -> std::int32_t { return cpus_; }

  /// The job becomes pending. Returns its donee, or `no_request`. Pre: it is not pending.
  constexpr auto released(request_id job, const priority_point& p) noexcept -> request_id {
    TAKT_EXPECTS(is_job(job) && !is_pending(job));
    pending_[to_index(job)] = true;
    priority_[to_index(job)] = p;
    if (!among_best(job)) { return no_request; }
    const request_id pushed_out = of_rank(cpus_);
    if (pushed_out == no_request) { return no_request; }
    request_id donee = donee_of(pushed_out);
    if (donee != no_request) {
      donee_[to_index(pushed_out)] = no_request;
    } else if (incomplete_[to_index(pushed_out)] && donor_of(pushed_out) == no_request) {
      donee = pushed_out;
    }
    if (donee == no_request) { return no_request; }
    donee_[to_index(job)] = donee;
    donor_[to_index(donee)] = job;
    return donee;
  }

  /// Pre: `may_issue(job)`.
  constexpr void issued(request_id job) noexcept {
    TAKT_EXPECTS(is_job(job) && may_issue(job));
    incomplete_[to_index(job)] = true;
  }

  /// The last incomplete request of the job is complete or withdrawn. Returns the job that donates no longer, or
  /// `no_request`.
  constexpr auto request_completed(request_id job) noexcept -> request_id {
    incomplete_[to_index(job)] = false;
    return end_donation_to(job);
  }

  /// The job is not pending any more. Returns the job that donates no longer because its donee has risen, or
  /// `no_request`. Pre: the job is pending, has no incomplete request and is no donor; one that is aborted as a donor
  /// stays until its donation ends.
  constexpr auto completed(request_id job) noexcept -> request_id {
    TAKT_EXPECTS(is_job(job) && is_pending(job) && !has_request(job) && !is_donor(job));
    pending_[to_index(job)] = false;
    if constexpr (!Rules::end_on_rise) { return no_request; }
    for (request_id i = 0; i < capacity(); ++i) {
      if (donor_of(i) != no_request && among_best(i)) { return end_donation_to(i); }
    }
    return no_request;
  }

  /// Returns whether the job may issue a request. One that has an incomplete request already may nest another.
  [[nodiscard]] constexpr auto may_issue(request_id job) const noexcept -> bool {
    if (is_donor(job)) { return false; }
    return !Rules::gate || incomplete_[to_index(job)] || among_best(job);
  }
  /// Returns whether the job is pending and fewer than c pending jobs are more important.
  [[nodiscard]] constexpr auto among_best(request_id job) const noexcept -> bool {
    return pending_[to_index(job)] && better_than(job) < cpus_;
  }
  [[nodiscard]] constexpr auto donee_of(request_id job) const noexcept -> request_id { return donee_[to_index(job)]; }
  [[nodiscard]] constexpr auto donor_of(request_id job) const noexcept -> request_id { return donor_[to_index(job)]; }
  /// A donor does not run.
  [[nodiscard]] constexpr auto is_donor(request_id job) const noexcept -> bool { return donee_of(job) != no_request; }
  [[nodiscard]] constexpr auto is_pending(request_id job) const noexcept -> bool { return pending_[to_index(job)]; }
  [[nodiscard]] constexpr auto has_request(request_id job) const noexcept -> bool { return incomplete_[to_index(job)]; }

  [[nodiscard]] friend constexpr auto operator==(const priority_donation&, const priority_donation&) noexcept
      -> bool = default;

 private:
  [[nodiscard]] static constexpr auto is_job(request_id job) noexcept -> bool { return job >= 0 && job < capacity(); }
  [[nodiscard]] constexpr auto better_than(request_id job) const noexcept -> std::int32_t {
    std::int32_t better = 0;
    for (request_id i = 0; i < capacity(); ++i) {
      if (!pending_[to_index(i)] || i == job) { continue; }
      const auto order = priority_[to_index(i)] <=> priority_[to_index(job)];
      better += order < 0 || (order == 0 && i < job) ? 1 : 0;
    }
    return better;
  }
  /// Returns the pending job with exactly `place` better ones.
  [[nodiscard]] constexpr auto of_rank(std::int32_t place) const noexcept -> request_id {
    for (request_id i = 0; i < capacity(); ++i) {
      if (pending_[to_index(i)] && better_than(i) == place) { return i; }
    }
    return no_request;
  }
  constexpr auto end_donation_to(request_id donee) noexcept -> request_id {
    const request_id donor = donor_[to_index(donee)];
    if (donor == no_request) { return no_request; }
    donor_[to_index(donee)] = no_request;
    donee_[to_index(donor)] = no_request;
    return donor;
  }

  std::int32_t cpus_;
  std::array<bool, Jobs> pending_{};
  std::array<bool, Jobs> incomplete_{};
  std::array<priority_point, Jobs> priority_{};
  std::array<request_id, Jobs> donee_{};
  std::array<request_id, Jobs> donor_{};
};

}  // namespace takt::inline TAKT_ABI
