// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/servers/context_server.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/rules/servers/unit_server.hpp>
#include <takt/simulation/gpusync/affinity_memory.hpp>
#include <takt/simulation/gpusync/engine_layout.hpp>
#include <takt/simulation/gpusync/job_releases.hpp>
#include <takt/simulation/gpusync/run_system.hpp>
#include <takt/simulation/gpusync/system.hpp>

namespace takt::simulation {

/// Whether the job of a task that has the token now came to another GPU, and how far it is from the one before.
struct gpusync_move {
  bool moved = false;
  std::int32_t distance = 0;
};

/// CPU clusters and locked GPUs as the engine of composed boards sees them: a station for each CPU cluster, one for all
/// that engines of GPUs do, and as pools of tokens those of the GPU clusters and then a mutex for each engine, in the
/// order of `engine_layout`. The locks, with their heuristics, are those of `run_gpu_system`.
template <std::size_t MaxTasks>
class gpusync_stations {
 public:
  static constexpr bool may_donate = true;
  static constexpr std::size_t max_stations = max_gpusync_cpus + 1;

  /// All outlives it. `points` has one rule per task, `sections` the task of each section of the table; a run keeps
  /// what it learns in `memories`, one per GPU cluster, and `moves`, one per task.
  gpusync_stations(const gpu_system& system, std::span<const detail::point_rule> points,
                   std::span<const std::uint32_t> sections, std::vector<affinity_memory<MaxTasks>>& memories,
                   std::span<gpusync_move> moves)
      : system_{&system}, points_{points}, sections_{sections}, memories_{&memories}, moves_{moves}, layout_{system} {}

  [[nodiscard]] auto engines() const noexcept -> std::uint32_t { return static_cast<std::uint32_t>(system_->clusters); }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return engines() + 1; }
  [[nodiscard]] auto units(std::size_t s) const noexcept -> std::int32_t {
    return inherits(s) ? system_->processors : 1;
  }
  [[nodiscard]] auto inherits(std::size_t s) const noexcept -> bool { return s < engines(); }
  [[nodiscard]] auto token_pools() const noexcept -> std::size_t { return static_cast<std::size_t>(layout_.size()); }
  [[nodiscard]] static auto starts_early(std::size_t /*s*/) noexcept -> bool { return false; }
  [[nodiscard]] static auto token_is_local(std::size_t /*pool*/) noexcept -> bool { return false; }
  [[nodiscard]] static auto token_has_ceiling(std::size_t /*pool*/) noexcept -> bool { return false; }
  [[nodiscard]] static auto token_inherits(std::size_t /*pool*/) noexcept -> bool { return true; }  // by `heir`
  [[nodiscard]] auto token_donates(std::size_t pool) const noexcept -> bool {
    return pool < system_->pools.size() && system_->donation_at_release;
  }
  [[nodiscard]] auto point(std::size_t s, const job_timing& t, ticks release, priority_point& out) const noexcept
      -> bool {
    if (!inherits(s)) { return true; }
    out.tie = t.task;
    return points_[static_cast<std::size_t>(t.task)].point(release, out.point);
  }

  template <std::size_t Clients>
  class servers_type {
   public:
    explicit servers_type(const gpusync_stations& from)
        : cpus_(from.engines(), unit_server<true, Clients>{from.system_->processors}) {}

    void arrive(std::size_t s, const visit_request& v) {
      with(s, [&v](auto& server) { server.arrive(v); });
    }
    void decide(std::size_t s, ticks now, const slice_sink& sink) {
      with(s, [&](auto& server) { server.decide(now, sink); });
    }
    void reprioritize(std::size_t s, client who, const priority_point& p) { cpus_[s].reprioritize(who, p); }
    [[nodiscard]] auto next(std::size_t s) const -> ticks {
      return s < cpus_.size() ? cpus_[s].next() : engines_.next();
    }
    auto fire(std::size_t s, ticks now, const slice_sink& sink) -> client {
      client done = no_client;
      with(s, [&](auto& server) { done = server.fire(now, sink); });
      return done;
    }

   private:
    template <class F>
    void with(std::size_t s, F f) {
      if (s < cpus_.size()) {
        f(cpus_[s]);
      } else {
        f(engines_);
      }
    }

    std::vector<unit_server<true, Clients>> cpus_;
    dedicated_server<Clients> engines_{};  // who holds an engine's lock has it alone
  };
  template <std::size_t Clients>
  [[nodiscard]] auto servers() const -> servers_type<Clients> {
    return servers_type<Clients>{*this};
  }

  /// Clients of the engine are sections, those of the locks are tasks, of which each asks for a lock once at a time.
  template <std::size_t Clients>
  class locks_type {
   public:
    explicit locks_type(const gpusync_stations& from)
        : from_{&from},
          bank_{detail::make_bank<MaxTasks, r2dglp_rules>(*from.system_, *from.memories_)},
          asking_(bank_.size() * MaxTasks, no_request) {}

    auto issue(std::size_t pool, request_id r, const lock_request& q) -> request_id {
      asking_[pool * MaxTasks + static_cast<std::size_t>(task_of(r))] = r;
      return granted(pool, bank_.issue(id(pool), task_of(r), q));
    }
    void used(std::size_t pool, request_id r, ticks time) {
      if (!is_pool(pool)) { return; }
      const request_id t = task_of(r);
      (*from_->memories_)[pool].observe(t, from_->moves_[static_cast<std::size_t>(t)].distance, time);
    }
    auto release(std::size_t pool, request_id r) -> request_id {
      return granted(pool, bank_.release(id(pool), task_of(r)));
    }
    void reprioritize(std::size_t pool, request_id r, const priority_point& p) {
      bank_.reprioritize(id(pool), task_of(r), p);
    }
    [[nodiscard]] auto heir(std::size_t pool, request_id r) const -> request_id {
      return section_of(pool, bank_.heir(id(pool), task_of(r)));
    }
    [[nodiscard]] auto replica(std::size_t pool, request_id r) const -> replica_id {
      return bank_.replica(id(pool), task_of(r));
    }

   private:
    [[nodiscard]] static auto id(std::size_t pool) noexcept -> resource_id { return static_cast<resource_id>(pool); }
    [[nodiscard]] auto is_pool(std::size_t pool) const -> bool { return from_->layout_.is_pool(id(pool)); }
    [[nodiscard]] auto task_of(request_id r) const -> request_id {
      return static_cast<request_id>(from_->sections_[static_cast<std::size_t>(r)]);
    }
    [[nodiscard]] auto section_of(std::size_t pool, request_id task) const -> request_id {
      return task == no_request ? no_request : asking_[pool * MaxTasks + static_cast<std::size_t>(task)];
    }
    auto granted(std::size_t pool, request_id task) -> request_id {
      if (task != no_request && is_pool(pool)) {
        affinity_memory<MaxTasks>& memory = (*from_->memories_)[pool];
        const std::int32_t gpu = memory.map().gpu_of(bank_.replica(id(pool), task));
        const std::int32_t last = memory.last_gpu(task);
        from_->moves_[static_cast<std::size_t>(task)] = {last != no_gpu && last != gpu, memory.distance_to(task, gpu)};
        memory.acquired(task, gpu);
        memory.release_over();
      }
      return section_of(pool, task);
    }

    const gpusync_stations* from_;
    detail::gpu_bank<MaxTasks, r2dglp_rules> bank_;
    std::vector<request_id> asking_;  ///< per pool and task, the section
  };
  template <std::size_t Clients>
  [[nodiscard]] auto locks() const -> locks_type<Clients> {
    return locks_type<Clients>{*this};
  }

 private:
  const gpu_system* system_;
  std::span<const detail::point_rule> points_;
  std::span<const std::uint32_t> sections_;
  std::vector<affinity_memory<MaxTasks>>* memories_;
  std::span<gpusync_move> moves_;
  engine_layout layout_;
};

}  // namespace takt::simulation
