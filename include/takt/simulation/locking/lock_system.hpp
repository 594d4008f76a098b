// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/simulation/locking/effective_priorities.hpp>
#include <takt/simulation/locking/lock_hooks.hpp>
#include <takt/simulation/locking/lock_result.hpp>
#include <takt/simulation/locking/task_state.hpp>
#include <takt/simulation/locking/workload.hpp>
#include <takt/simulation/locking/workload_check.hpp>

namespace takt::simulation {

/// What jobs hold, wait for and pass on to each other: the locks of a bank, donation at release, and the effective
/// priorities that follow. Knows nothing of time but the instants it is told.
template <class Bank, LockHooks Hooks, class DonationRules>
class lock_system {
 public:
  static constexpr std::size_t max_tasks = Bank::most_clients;

  /// With `donating_clusters` = 0 nobody donates at release.
  lock_system(const lock_workload& workload, Bank& bank, Hooks& hooks, std::int32_t processors,
              std::int32_t donating_clusters, lock_result& out)
      : workload_{&workload},
        bank_{&bank},
        hooks_{&hooks},
        out_{&out},
        donations_(static_cast<std::size_t>(donating_clusters), donation{processors}),
        tasks_(workload.tasks().size()) {
    std::size_t requests = 0;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      tasks_[t].program = workload.program(workload.tasks()[t]);
      tasks_[t].held.reserve(most_nested);
      for (const operation& o : tasks_[t].program) {
        requests += o.what == operation_kind::lock ? o.on.size() * workload.tasks()[t].job_count : 0;
      }
    }
    out.requests.reserve(requests);
  }

  [[nodiscard]] auto tasks() const noexcept -> std::span<const task_state> { return tasks_; }
  [[nodiscard]] auto operator[](request_id t) noexcept -> task_state& { return tasks_[static_cast<std::size_t>(t)]; }
  [[nodiscard]] auto operator[](request_id t) const noexcept -> const task_state& {
    return tasks_[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] auto effective(request_id t) const noexcept -> const priority_point& { return priorities_[t]; }
  [[nodiscard]] auto is_donor(request_id t) const noexcept -> bool {
    return !donations_.empty() && donations_[cluster_of(t)].is_donor(t);
  }
  [[nodiscard]] auto state_of(request_id t) const noexcept -> job_state {
    const task_state& s = (*this)[t];
    if (!s.pending) { return job_state::absent; }
    if (s.suspended) { return job_state::suspended; }
    if (s.waits() && !bank_->options(s.unsatisfied[0].resource).spins) { return job_state::waiting; }
    if (is_donor(t)) { return job_state::donor; }
    const bool gated = !donations_.empty() && s.at_lock() && !donations_[cluster_of(t)].may_issue(t);
    if (gated) { return job_state::gated; }
    return s.chosen ? job_state::scheduled : job_state::ready;
  }
  [[nodiscard]] auto ready(request_id t) const noexcept -> bool {
    const job_state s = state_of(t);
    return s == job_state::ready || s == job_state::scheduled;
  }

  void become_pending(request_id t, std::size_t job, const lock_job& j) {
    task_state& s = (*this)[t];
    s.begin(job, j);
    pending_.push_back(t);
    priorities_.set_base(t, s.base);
    if (!donations_.empty()) { donations_[cluster_of(t)].released(t, s.base); }
    propagate();
  }
  /// Changes the base priority of a pending job; requests keep the one that they were issued with.
  void rank(request_id t, const priority_point& p) {
    (*this)[t].base = p;
    propagate();
  }
  /// Pre: the job holds nothing and waits for nothing.
  void complete(request_id t) {
    (*this)[t].pending = false;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i] != t) { continue; }
      pending_[i] = pending_.back();
      pending_.pop_back();
      break;
    }
    priorities_.forget(t);
    if (!donations_.empty()) { donations_[cluster_of(t)].completed(t); }
    propagate();
  }

  /// Asks for everything on the list at once. The task stands behind the operation already.
  [[nodiscard]] auto issue(request_id t, const operation& o, ticks now) -> model_fault {
    task_state& s = (*this)[t];
    const bool first = !s.has_request();
    for (const operand& x : o.on) {
      resource_id r = 0;
      if (const model_fault f = resolve(s, x, r); f != model_fault::none) { return f; }
      if (find(s.held, r) != nullptr || find(s.unsatisfied, r) != nullptr) { return model_fault::locked_twice; }
      s.unsatisfied.push_back({r, out_->requests.size()});
      out_->requests.push_back({.job = s.job, .resource = r, .issued = now});
      const request_id winner = bank_->issue(r, t, {.priority = s.base, .length = o.time});
      if (first && !donations_.empty()) { donations_[cluster_of(t)].issued(t); }
      if (winner == no_request) {
        bank_->reprioritize(r, t, priorities_[t]);
      } else if (!grant(winner, r, now)) {
        return model_fault::too_many_inserted;
      }
    }
    propagate();
    return model_fault::none;
  }

  [[nodiscard]] auto release(request_id t, const operation& o, ticks now) -> model_fault {
    task_state& s = (*this)[t];
    for (const operand& x : o.on) {
      resource_id r = 0;
      if (const model_fault f = resolve(s, x, r); f != model_fault::none) { return f; }
      const open_request* held = find(s.held, r);
      if (held == nullptr) { return model_fault::unlocked_without_lock; }
      request_outcome& record = out_->requests[held->record];
      record.released = now;
      hooks_->releasing(lock_event{t, s.job, r, record.replica, now, s.used});
      const request_id winner = bank_->release(r, t);
      s.held.erase(s.held.begin() + (held - s.held.data()));
      if (!donations_.empty() && !s.has_request()) { donations_[cluster_of(t)].request_completed(t); }
      if (winner != no_request && !grant(winner, r, now)) { return model_fault::too_many_inserted; }
      propagate();
    }
    return model_fault::none;
  }

 private:
  using donation = priority_donation<max_tasks, DonationRules>;
  static constexpr std::size_t most_nested = 16;

  [[nodiscard]] auto cluster_of(request_id t) const noexcept -> std::size_t {
    return static_cast<std::size_t>(workload_->tasks()[static_cast<std::size_t>(t)].cluster);
  }
  template <class Requests>
  [[nodiscard]] static auto find(const Requests& list, resource_id r) -> const open_request* {
    for (const open_request& q : list) {
      if (q.resource == r) { return &q; }
    }
    return nullptr;
  }

  [[nodiscard]] auto resolve(const task_state& s, const operand& x, resource_id& r) const -> model_fault {
    r = x.resource;
    if (x.of_token) {
      const open_request* token = nullptr;
      for (const open_request& q : s.held) { token = bank_->options(q.resource).is_token_pool ? &q : token; }
      if (token == nullptr) { return model_fault::no_token; }
      r += bank_->options(token->resource).tokens.gpu_of(out_->requests[token->record].replica);
    }
    const bool known = r >= 0 && static_cast<std::size_t>(r) < bank_->size();
    return known ? model_fault::none : model_fault::unknown_resource;
  }

  [[nodiscard]] auto grant(request_id winner, resource_id r, ticks now) -> bool {
    task_state& s = (*this)[winner];
    const open_request q = *find(s.unsatisfied, r);
    std::size_t kept = 0;
    for (const open_request& other : s.unsatisfied) {
      if (other.resource != r) { s.unsatisfied[kept++] = other; }
    }
    s.unsatisfied.resize(kept);
    s.held.push_back(q);
    request_outcome& record = out_->requests[q.record];
    record.satisfied = now;
    record.replica = bank_->replica(r, winner);
    inserted_operations front;
    hooks_->granted(lock_event{winner, s.job, r, record.replica, now, s.used}, front);
    return front.empty() || s.insert(front);
  }

  [[nodiscard]] auto heir_of(request_id t) const -> request_id {
    const task_state& s = (*this)[t];
    if (s.waits()) { return bank_->heir(s.unsatisfied[0].resource, t); }
    return donations_.empty() ? no_request : donations_[cluster_of(t)].donee_of(t);
  }
  [[nodiscard]] auto boosted(const task_state& s, request_id t) const -> bool {
    for (const open_request& q : s.held) {
      if (bank_->boosted(q.resource, t)) { return true; }
    }
    return false;
  }
  /// Tells the graph what has become of the locks, and the locks what has become of the priorities.
  void propagate() {
    const std::span<const request_id> pending{pending_.data(), pending_.size()};
    for (const request_id t : pending) {
      const task_state& s = (*this)[t];
      priorities_.set_base(t, boosted(s, t) ? boosted_priority : s.base);
    }
    priorities_.link(pending, [this](request_id t) { return heir_of(t); });
    priorities_.report_changes([this](request_id t, const priority_point& p) {
      for (const open_request& q : (*this)[t].unsatisfied) { bank_->reprioritize(q.resource, t, p); }
    });
  }

  const lock_workload* workload_;
  Bank* bank_;
  Hooks* hooks_;
  lock_result* out_;
  std::vector<donation> donations_;  ///< one per cluster, or none
  effective_priorities<max_tasks> priorities_;
  std::vector<task_state> tasks_;
  inline_vector<request_id, max_tasks> pending_;
};

}  // namespace takt::simulation
