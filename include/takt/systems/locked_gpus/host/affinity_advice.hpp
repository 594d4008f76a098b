// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/to_index.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/prediction/gpu_cost_predictor.hpp>
#include <takt/rules/locking/active_users.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI::host::detail {

/// Holds the room in which questions about queues are answered, so that no answer needs memory of its own.
class affinity_workspace {
 public:
  affinity_workspace(std::size_t replicas, std::size_t tasks) {
    loads_.reserve(replicas);
    own_.reserve(replicas);
    donees_.reserve(tasks);
    queued_.reserve(tasks);
    queues_.reserve(replicas);
  }
  [[nodiscard]] auto loads() -> auto& { return emptied(loads_); }
  [[nodiscard]] auto own() -> auto& { return emptied(own_); }
  [[nodiscard]] auto donees() -> auto& { return emptied(donees_); }
  [[nodiscard]] auto queued() -> auto& { return emptied(queued_); }
  [[nodiscard]] auto queues() -> auto& { return emptied(queues_); }

 private:
  template <class T>
  [[nodiscard]] static auto emptied(std::vector<T>& all) -> std::vector<T>& {
    all.clear();
    return all;
  }
  std::vector<queue_load> loads_;
  std::vector<rational> own_;
  std::vector<possible_donee> donees_;
  std::vector<queued_request> queued_;
  std::vector<std::span<const queued_request>> queues_;
};

/// Holds what is known of the tasks of one GPU cluster. This is the GPU that each used last, how long its sections
/// took, and the prediction that its request in a queue counts with. Clients are tasks.
template <std::size_t MaxTasks>
class affinity_memory {
 public:
  /// Pre: the system has at most `MaxTasks` programs.
  affinity_memory(const gpu_system& system, const simulated_pool& pool, std::uint64_t seed)
      : map_{pool.tokens},
        choice_{system.choice},
        distances_{system.distances},
        predictor_{system.predictor},
        random_{seed},
        workspace_{static_cast<std::size_t>(pool.tokens.tokens()), MaxTasks} {
    TAKT_EXPECTS(system.programs.size() <= MaxTasks);
    for (std::size_t t = 0; t < system.programs.size(); ++t) {
      longest_[t] = system.programs[t].longest_section;
      own_[t] = system.programs[t].own_gpu;
    }
  }

  [[nodiscard]] auto map() const noexcept -> const token_map& { return map_; }
  [[nodiscard]] auto choice() const noexcept -> gpu_choice { return choice_; }
  [[nodiscard]] auto workspace() noexcept -> affinity_workspace& { return workspace_; }
  [[nodiscard]] auto random() noexcept -> random_stream& { return random_; }
  [[nodiscard]] auto users() const noexcept -> std::span<const std::int32_t> { return users_.per_gpu(); }
  /// Returns the queue of the GPU that the task has for itself, or `no_replica`.
  [[nodiscard]] auto own_queue(request_id t) const noexcept -> replica_id {
    return own_[to_index(t)] == no_gpu ? no_replica : map_.first_of(own_[to_index(t)]);
  }
  /// Returns the GPU that the task used last; `no_gpu` before its first token.
  [[nodiscard]] auto last_gpu(request_id t) const noexcept -> std::int32_t { return users_.preferred(to_index(t)); }
  /// Returns distances of each GPU from the one that the task used last; empty when there is none.
  [[nodiscard]] auto distances(request_id t) const noexcept -> std::span<const std::int32_t> {
    const std::int32_t last = last_gpu(t);
    if (last == no_gpu) { return {}; }
    return std::span{distances_}.subspan(to_index(last * map_.gpus), to_index(map_.gpus));
  }
  [[nodiscard]] auto distance_to(request_id t, std::int32_t gpu) const noexcept -> std::int32_t {
    const auto from = distances(t);
    return from.empty() ? 0 : from[to_index(gpu)];
  }
  /// Predicts a section of t with token x, if it came next.
  [[nodiscard]] auto taking(request_id t, replica_id x) const noexcept -> rational {
    return predictor_.predict(to_index(t), to_index(distance_to(t, map_.gpu_of(x))), longest_[to_index(t)]);
  }
  /// Returns what the request of t counts with in the queue that it stands in.
  [[nodiscard]] auto kept(request_id t, replica_id /*x*/) const noexcept -> const rational& {
    return kept_[to_index(t)];
  }

  /// Pre: t stands in queue x. A request that enters a queue while another is released counts with what is known when
  /// that release is over, see `release_over`.
  void entered(request_id t, replica_id x) {
    TAKT_EXPECTS(0 <= t && to_index(t) < MaxTasks && 0 <= x && x < map_.tokens());
    if (releasing_) {
      late_.unchecked_push_back({t, x});  // Bound: each task once while one is released.
    } else {
      kept_[to_index(t)] = taking(t, x);
    }
  }
  void release_begins() noexcept { releasing_ = true; }
  /// From here on requests are moved from queue to queue, and none comes from outside.
  void release_steals() noexcept { releasing_ = false; }
  void release_over() noexcept {
    releasing_ = false;
    for (const late_entry& e : late_) { kept_[to_index(e.task)] = taking(e.task, e.queue); }
    late_.clear();
  }

  void observe(request_id t, std::int32_t distance, ticks cost) {
    static_cast<void>(predictor_.observe(to_index(t), to_index(distance), cost));
  }
  void acquired(request_id t, std::int32_t gpu) { users_.acquired(to_index(t), gpu); }

 private:
  struct late_entry {
    request_id task = no_request;
    replica_id queue = no_replica;
  };

  token_map map_;
  gpu_choice choice_;
  std::span<const std::int32_t> distances_;
  gpu_cost_predictor<MaxTasks, distance_limit> predictor_;
  active_users<MaxTasks, static_cast<std::size_t>(max_gpusync_gpus)> users_;
  std::array<rational, MaxTasks> kept_{};
  std::array<ticks, MaxTasks> longest_{};
  std::array<std::int32_t, MaxTasks> own_{};
  inline_vector<late_entry, MaxTasks> late_;
  bool releasing_ = false;
  random_stream random_;
  affinity_workspace workspace_;
};

/// Offers the heuristics of affinity as advice to a protocol whose clients are tasks. Copies share one memory, which
/// outlives them. Cost per question: one step per request in a queue, no heap.
template <std::size_t MaxTasks>
class affinity_advice {
 public:
  using memory = affinity_memory<MaxTasks>;

  constexpr affinity_advice() noexcept = default;
  constexpr explicit affinity_advice(memory& m) noexcept : memory_{&m} {}

  template <class Protocol>
  [[nodiscard]] auto queue(const Protocol& p, request_id r) const -> replica_id {
    if (const replica_id own = memory_->own_queue(r); own != no_replica) { return own; }
    switch (memory_->choice()) {
      case gpu_choice::shortest_queue: return no_replica;
      case gpu_choice::random: return any_queue(p);
      case gpu_choice::predicted:
        return queue_by_affinity(p, r, *memory_, memory_->workspace().loads(), memory_->workspace().own());
    }
    return no_replica;
  }

  template <class Protocol>
  [[nodiscard]] auto donee(const Protocol& p, request_id r) const -> request_id {
    if (!predicts(memory_->choice())) { return no_request; }
    return donee_by_affinity(p, r, *memory_, memory_->workspace().donees());
  }

  template <class Protocol>
  [[nodiscard]] auto steal(const Protocol& p, replica_id x) const -> steal_advice {
    memory_->release_steals();
    if (!predicts(memory_->choice())) { return {}; }
    return steal_by_affinity(p, x, *memory_, memory_->workspace().queued(), memory_->workspace().queues());
  }

  template <class Protocol>
  void enqueued(const Protocol& p, request_id r, replica_id x) const {
    TAKT_EXPECTS(p.queues().queue_of(r) == x);
    memory_->entered(r, x);
  }
  template <class Protocol>
  void dequeued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) const noexcept {}
  template <class Protocol>
  void acquired(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) const noexcept {}
  template <class Protocol>
  void freed(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) const noexcept {
    memory_->release_begins();
  }

 private:
  template <class Protocol>
  [[nodiscard]] auto any_queue(const Protocol& p) const -> replica_id {
    replica_id chosen = no_replica;
    ticks open = 0;
    for (replica_id x = 0; x < p.replicas(); ++x) {
      if (p.queues().length(x) >= p.queue_limit()) { continue; }
      ++open;
      if (memory_->random().chance(1, open)) { chosen = x; }
    }
    return chosen;
  }

  memory* memory_ = nullptr;
};

}  // namespace takt::inline TAKT_ABI::host::detail
