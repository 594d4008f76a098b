// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/host/locked_gpus/affinity_memory.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::host {

/// The heuristics of affinity as advice to a protocol whose clients are tasks. Copies share one memory, which outlives
/// them. Cost per question: one step per request in a queue, no heap.
template <std::size_t MaxReplicas, std::size_t MaxTasks>
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
      case gpu_choice::predicted: return queue_by_affinity<MaxReplicas>(p, r, *memory_);
    }
    return no_replica;
  }

  template <class Protocol>
  [[nodiscard]] auto donee(const Protocol& p, request_id r) const -> request_id {
    if (!predicts(memory_->choice())) { return no_request; }
    return donee_by_affinity(p, r, *memory_);
  }

  template <class Protocol>
  [[nodiscard]] auto steal(const Protocol& p, replica_id x) const -> steal_advice {
    memory_->release_steals();
    if (!predicts(memory_->choice())) { return {}; }
    return steal_by_affinity<MaxReplicas>(p, x, *memory_);
  }

  template <class Protocol>
  void enqueued(const Protocol& /*p*/, request_id r, replica_id x) const {
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

}  // namespace takt::host
