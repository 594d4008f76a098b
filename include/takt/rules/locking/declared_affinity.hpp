// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/active_users.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>

namespace takt {

/// The heuristics of affinity for an `r2dglp`, from what jobs say of themselves: a section is predicted to take its
/// declared length and the time to move the task's state from the GPU that it used last. Requests of unnamed tasks, or
/// of a number of `MaxTasks` or more, have no GPU of their own. Cost per question: one step per request in a queue.
template <std::size_t MaxTasks, std::size_t MaxGpus, std::size_t MaxTokens>
class declared_affinity {
 public:
  /// One GPU with one token.
  constexpr declared_affinity() noexcept = default;
  /// `per_link`: what it takes to move a task's state over one link; between GPUs without a common hub it goes one link
  /// farther than between any that have one. Pre: the map is valid and has the GPUs of the topology.
  template <std::size_t Gpus, std::size_t Hubs>
  constexpr declared_affinity(const token_map& map, const gpu_topology<Gpus, Hubs>& topology, ticks per_link) noexcept
      : map_{map}, per_link_{per_link} {
    static_assert(Gpus <= MaxGpus);
    for (std::int32_t a = 0; a < topology.gpus(); ++a) {
      for (std::int32_t b = 0; b < topology.gpus(); ++b) {
        const std::int32_t links = topology.distance(a, b);
        links_[index(a)][index(b)] = links;
        farthest_ = links > farthest_ ? links : farthest_;
      }
    }
  }

  template <class Protocol>
  [[nodiscard]] constexpr auto queue(const Protocol& p, request_id r) const noexcept -> replica_id {
    inline_vector<queue_load, MaxTokens> loads;
    inline_vector<rational, MaxTokens> own;
    for (replica_id x = 0; x < p.replicas(); ++x) {
      queue_load load{.requests = p.queues().length(x), .predicted = {}};
      for_each_in(p, x, [&](request_id q) { load.predicted += prediction(p, q, x); });
      loads.push_back(load);
      own.push_back(prediction(p, r, x));
    }
    const std::span<const queue_load> queues{loads.data(), loads.size()};
    const std::span<const rational> sections{own.data(), own.size()};
    return last_gpu(p, r) == no_gpu ? least_used_queue(queues, sections, p.queue_limit(), map_, users_.per_gpu())
                                    : quickest_queue(queues, sections, p.queue_limit());
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto donee(const Protocol& p, request_id r) const noexcept -> request_id {
    inline_vector<possible_donee, static_cast<std::size_t>(Protocol::capacity())> eligible;
    for (replica_id x = 0; x < p.replicas(); ++x) {
      rational complete;
      for_each_in(p, x, [&](request_id q) {
        complete += prediction(p, q, x);
        if (p.eligible_donee(q)) { eligible.push_back({q, x, complete}); }
      });
    }
    const std::int32_t last = last_gpu(p, r);
    const auto distances = last == no_gpu ? std::span<const std::int32_t>{} : std::span{links_[index(last)]};
    return nearest_donee({eligible.data(), eligible.size()}, distances, map_);
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto steal(const Protocol& p, replica_id x) const noexcept -> steal_advice {
    inline_vector<queued_request, static_cast<std::size_t>(Protocol::capacity())> all;
    inline_vector<std::span<const queued_request>, MaxTokens> queues;
    for (replica_id y = 0; y < p.replicas(); ++y) {
      if (y == x) { continue; }
      const std::size_t first = all.size();
      for_each_in(p, y, [&](request_id q) { all.push_back({q, prediction(p, q, y), prediction(p, q, x)}); });
      queues.push_back({all.data() + first, all.size() - first});
    }
    const request_id helped = most_helped_request({queues.data(), queues.size()});
    return {.request = helped, .leave_idle = helped == no_request};
  }

  template <class Protocol>
  constexpr void enqueued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void dequeued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void acquired(const Protocol& p, request_id r, replica_id x) noexcept {
    if (is_named(p.request(r).task)) { users_.acquired(index(p.request(r).task), map_.gpu_of(x)); }
  }
  template <class Protocol>
  constexpr void freed(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void exited(const Protocol& /*p*/, std::int32_t task) noexcept {
    if (is_named(task)) { users_.exited(index(task)); }
  }

 private:
  [[nodiscard]] static constexpr auto index(std::int32_t i) noexcept -> std::size_t {
    return static_cast<std::size_t>(i);
  }
  [[nodiscard]] static constexpr auto is_named(std::int32_t task) noexcept -> bool {
    return task >= 0 && index(task) < MaxTasks;
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto last_gpu(const Protocol& p, request_id r) const noexcept -> std::int32_t {
    const std::int32_t task = p.request(r).task;
    return is_named(task) ? users_.preferred(index(task)) : no_gpu;
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto prediction(const Protocol& p, request_id r, replica_id x) const noexcept -> rational {
    const std::int32_t last = last_gpu(p, r);
    const std::int32_t links = last == no_gpu ? 0 : links_[index(last)][index(map_.gpu_of(x))];
    return rational{p.request(r).length} + rational{per_link_} * rational{links == unreachable ? farthest_ + 1 : links};
  }
  template <class Protocol, class F>
  static constexpr void for_each_in(const Protocol& p, replica_id x, F f) {
    for (request_id q = p.queues().head(x); q != no_request; q = p.queues().next(q)) { f(q); }
  }

  token_map map_{};
  ticks per_link_ = 0;
  std::int32_t farthest_ = 0;
  std::array<std::array<std::int32_t, MaxGpus>, MaxGpus> links_{};
  active_users<MaxTasks, MaxGpus> users_;
};

}  // namespace takt
