// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/lock_log.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/context_server.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/servers/turn_server.hpp>
#include <takt/rules/servers/unit_server.hpp>

namespace takt::inline TAKT_ABI::host {

/// Clusters of processors that share jobs, and the pools of tokens that are locks.
struct cluster_shape {
  std::int32_t processors = 1;  ///< per cluster
  std::int32_t clusters = 1;
  bool donates = false;  ///< at release, in every cluster, as the CK-OMLP needs it
  ticks slice = 0;       ///< above 0: jobs take turns, see `turn_server`
};

/// Gives the engine of composed boards what it runs where tasks on clusters share locks of any kind. There is a station
/// for each cluster, one without waiting for all that jobs do elsewhere, and a pool of tokens for each lock. The locks
/// are those of a bank; their clients are tasks, each of which asks for one once at a time.
///
/// `Jobs` knows the rest: `shape()`, `bank()`, `log()`, `places()` with the point of each task's job, `donates(lock)`,
/// `task_of(section)` and `pool_of(section)`; it hears `granted(task, lock, replica)` and `releasing(task, lock)`. With
/// a `bus()`, `uses_bus(visit)` says who shares it.
template <class Jobs, std::size_t MaxTasks, std::size_t MaxClusters>
class lock_stations {
 public:
  static constexpr bool may_donate = true;
  static constexpr std::size_t max_stations = MaxClusters + 1;
  using donation_rules = typename Jobs::donation_rules;

  /// Pre: outlives it.
  explicit lock_stations(Jobs& jobs) : jobs_{&jobs}, clusters_{static_cast<std::size_t>(jobs.shape().clusters)} {}

  [[nodiscard]] auto clusters() const noexcept -> std::size_t { return clusters_; }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return clusters() + 1; }
  [[nodiscard]] auto units(std::size_t s) const noexcept -> std::int32_t {
    return inherits(s) ? jobs_->shape().processors : 1;
  }
  [[nodiscard]] auto inherits(std::size_t s) const noexcept -> bool { return s < clusters(); }
  [[nodiscard]] auto token_pools() const noexcept -> std::size_t { return jobs_->bank().size(); }
  [[nodiscard]] static auto starts_early(std::size_t /*s*/) noexcept -> bool { return false; }
  /// Returns false where jobs take turns: then it is not known when a job that is told to end had its turn.
  [[nodiscard]] auto serves_bodies(std::size_t /*s*/) const noexcept -> bool { return jobs_->shape().slice == 0; }
  [[nodiscard]] static auto token_is_local(std::size_t /*pool*/) noexcept -> bool { return false; }
  [[nodiscard]] static auto token_has_ceiling(std::size_t /*pool*/) noexcept -> bool { return false; }
  [[nodiscard]] static auto token_inherits(std::size_t /*pool*/) noexcept -> bool { return true; }  // by `inheritor`
  [[nodiscard]] auto token_donates(std::size_t pool) const noexcept -> bool { return jobs_->donates(pool); }
  [[nodiscard]] auto points_change() const noexcept -> bool { return jobs_->shape().slice > 0; }
  [[nodiscard]] auto point(std::size_t s, const job_timing& t, ticks /*release*/, priority_point& out) const noexcept
      -> bool {
    if (inherits(s)) { out = jobs_->places()[t.task].point; }
    return true;
  }

  template <std::size_t Clients>
  class servers_type {
   public:
    explicit servers_type(const lock_stations& from) : jobs_{from.jobs_}, count_{from.clusters()} {
      const cluster_shape& shape = from.jobs_->shape();
      if (shape.slice > 0) {
        turns_.assign(count_, {shape.processors, shape.slice, from.jobs_->places()});
      } else {
        cpus_.assign(count_, unit_server<true, MaxTasks>{shape.processors});
      }
    }

    void arrive(std::size_t s, const visit_request& v) {
      with(*this, s, [&v](auto& server) { server.arrive(v); });
    }
    void decide(std::size_t s, ticks now, const slice_sink& sink) {
      with(*this, s, [&](auto& server) { server.decide(now, sink); });
    }
    void reprioritize(std::size_t s, client who, const priority_point& p) {
      with(*this, s, [&](auto& server) {
        if constexpr (requires { server.reprioritize(who, p); }) { server.reprioritize(who, p); }
      });
    }
    [[nodiscard]] auto next(std::size_t s) const -> ticks {
      ticks at = no_event;
      with(*this, s, [&](const auto& server) { at = server.next(); });
      return at;
    }
    auto fire(std::size_t s, ticks now, const slice_sink& sink) -> client {
      client done = no_client;
      with(*this, s, [&](auto& server) { done = server.fire(now, sink); });
      return done;
    }
    void finish(std::size_t s, client who, ticks now, const slice_sink& sink) {
      with(*this, s, [&](auto& server) { server.finish(who, now, sink); });
    }
    void holders(std::size_t s, const holder_sink& to) const {
      with(*this, s, [&](const auto& server) { server.holders(to); });
    }
    /// Settles how long work on a shared bus takes: that depends on what runs then. Returns whether the result is new.
    auto settle(ticks now) -> bool
      requires requires(Jobs& jobs) { jobs.bus(); }
    {
      if (!jobs_->bus().interferes()) { return false; }
      std::int64_t pieces = 0;
      for_each(now, [&](client v, const ticks& left, bool runs) { pieces += runs && left > 0 && jobs_->uses_bus(v); });
      const std::int64_t before = jobs_->bus().share(pieces);
      if (before == jobs_->bus().factor()) { return false; }
      for_each(now, [&](client v, ticks& left, bool) {
        if (jobs_->uses_bus(v)) { left = jobs_->bus().rescaled(left, before); }
      });
      return true;
    }

   private:
    template <class Self, class F>
    static void with(Self& self, std::size_t s, F f) {
      if (s == self.count_) {
        f(self.elsewhere_);
      } else if (self.cpus_.empty()) {
        f(self.turns_[s]);
      } else {
        f(self.cpus_[s]);
      }
    }

    template <class F>
    void for_each(ticks now, const F& f) {
      for (std::size_t s = 0; s <= count_; ++s) {
        with(*this, s, [&](auto& server) { server.for_each(now, f); });
      }
    }

    Jobs* jobs_;
    std::size_t count_;
    std::vector<unit_server<true, MaxTasks>> cpus_;  // a task is in one place at a time
    std::vector<turn_server<MaxTasks>> turns_;
    dedicated_server<MaxTasks> elsewhere_{};
  };
  template <std::size_t Clients>
  [[nodiscard]] auto servers() const -> servers_type<Clients> {
    return servers_type<Clients>{*this};
  }

  template <std::size_t Clients>
  class locks_type {
   public:
    explicit locks_type(const lock_stations& from)
        : jobs_{from.jobs_}, asking_(jobs_->bank().size() * MaxTasks, no_request) {}

    auto issue(std::size_t pool, request_id r, const lock_request& q) -> request_id {
      const request_id t = task_of(r);
      asking_[pool * MaxTasks + static_cast<std::size_t>(t)] = r;
      jobs_->log().asked(static_cast<std::size_t>(t), id(pool));
      return granted(pool, jobs_->bank().issue(id(pool), t, q));
    }
    auto release(std::size_t pool, request_id r) -> request_id {
      const auto t = static_cast<std::size_t>(task_of(r));
      jobs_->releasing(t, id(pool));
      jobs_->log().given_back(t, id(pool));
      return granted(pool, jobs_->bank().release(id(pool), static_cast<request_id>(t)));
    }
    void reprioritize(std::size_t pool, request_id r, const priority_point& p) {
      jobs_->bank().reprioritize(id(pool), task_of(r), p);
    }
    [[nodiscard]] auto inheritor(std::size_t pool, request_id r) const -> request_id {
      return section_of(pool, jobs_->bank().inheritor(id(pool), task_of(r)));
    }
    [[nodiscard]] auto boosted(std::size_t pool, request_id r) const -> bool {
      return jobs_->bank().boosted(id(pool), task_of(r));
    }
    [[nodiscard]] auto boosts(std::size_t pool) const -> bool {
      return jobs_->bank().options(id(pool)).progress.boosts();
    }
    [[nodiscard]] auto spins(std::size_t pool) const -> bool { return jobs_->bank().options(id(pool)).spins; }
    [[nodiscard]] auto replica(std::size_t pool, request_id r) const -> replica_id {
      return jobs_->bank().replica(id(pool), task_of(r));
    }
    [[nodiscard]] auto pool_of(std::uint32_t section) const -> std::uint32_t { return jobs_->pool_of(section); }

   private:
    [[nodiscard]] static auto id(std::size_t pool) noexcept -> resource_id { return static_cast<resource_id>(pool); }
    [[nodiscard]] auto task_of(request_id r) const -> request_id {
      return static_cast<request_id>(jobs_->task_of(static_cast<std::uint32_t>(r)));
    }
    [[nodiscard]] auto section_of(std::size_t pool, request_id task) const -> request_id {
      return task == no_request ? no_request : asking_[pool * MaxTasks + static_cast<std::size_t>(task)];
    }
    auto granted(std::size_t pool, request_id task) -> request_id {
      if (task != no_request) {
        const replica_id replica = jobs_->bank().replica(id(pool), task);
        jobs_->log().granted(static_cast<std::size_t>(task), id(pool), replica);
        jobs_->granted(static_cast<std::size_t>(task), id(pool), replica);
      }
      return section_of(pool, task);
    }

    Jobs* jobs_;
    std::vector<request_id> asking_;  ///< per pool and task, the section
  };
  template <std::size_t Clients>
  [[nodiscard]] auto locks() const -> locks_type<Clients> {
    return locks_type<Clients>{*this};
  }

 private:
  Jobs* jobs_;
  std::size_t clusters_;
};

}  // namespace takt::inline TAKT_ABI::host
