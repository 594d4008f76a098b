// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/rational.hpp>
#include <takt/host/locked_gpus/affinity_memory.hpp>
#include <takt/model/gpu_topology.hpp>
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
      case gpu_choice::predicted: return predicted_queue(p, r);
    }
    return no_replica;
  }

  template <class Protocol>
  [[nodiscard]] auto donee(const Protocol& p, request_id r) const -> request_id {
    if (!predicts(memory_->choice())) { return no_request; }
    auto& eligible = memory_->room().donees;
    eligible.clear();
    for (replica_id x = 0; x < p.replicas(); ++x) {
      rational complete;
      for_each_in(p, x, [&](request_id q) {
        complete += memory_->kept_prediction(q);
        if (p.eligible_donee(q)) { eligible.push_back({q, x, complete}); }
      });
    }
    return nearest_donee(eligible, memory_->distances_from_last(r), memory_->map());
  }

  template <class Protocol>
  [[nodiscard]] auto steal(const Protocol& p, replica_id x) const -> steal_advice {
    memory_->release_steals();
    if (!predicts(memory_->choice())) { return {}; }
    auto& all = memory_->room().queued;
    auto& queues = memory_->room().queues;
    all.clear();
    queues.clear();
    for (replica_id y = 0; y < p.replicas(); ++y) {
      if (y == x) { continue; }
      const std::size_t first = all.size();
      for_each_in(p, y,
                  [&](request_id q) { all.push_back({q, memory_->kept_prediction(q), memory_->prediction(q, x)}); });
      queues.emplace_back(all.data() + first, all.size() - first);
    }
    const request_id helped = most_helped_request(queues);
    return {.request = helped, .leave_idle = helped == no_request};
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
  [[nodiscard]] auto predicted_queue(const Protocol& p, request_id r) const -> replica_id {
    auto& queues = memory_->room().loads;
    auto& own = memory_->room().own;
    queues.clear();
    own.clear();
    for (replica_id x = 0; x < p.replicas(); ++x) {
      queues.push_back({.requests = p.queues().length(x)});
      for_each_in(p, x, [&](request_id q) { queues.back().predicted += memory_->kept_prediction(q); });
      own.push_back(memory_->prediction(r, x));
    }
    if (memory_->last_gpu(r) != no_gpu) { return quickest_queue(queues, own, p.queue_limit()); }
    return least_used_queue(queues, own, p.queue_limit(), memory_->map(), memory_->users());
  }

  template <class Protocol, class F>
  static void for_each_in(const Protocol& p, replica_id x, F f) {
    for (request_id q = p.queues().head(x); q != no_request; q = p.queues().next(q)) { f(q); }
  }
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
