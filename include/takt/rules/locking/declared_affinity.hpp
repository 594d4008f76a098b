// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/core/rational.hpp>
#include <takt/core/to_index.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/active_users.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/affinity.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>

namespace takt::inline TAKT_ABI {

/// The heuristics of affinity for an `r2dglp`, from what jobs say of themselves. A section is predicted to take its
/// declared length and the time to move the task's state from the GPU that it used last. Requests of unnamed tasks, or
/// of a number of `MaxTasks` or more, have no GPU of their own. Cost per question: one step per request in a queue.
template <std::size_t MaxTasks, std::size_t MaxGpus, std::size_t MaxTokens>
class declared_affinity {
 public:
  /// Is for one GPU with one token.
  constexpr declared_affinity() noexcept = default;
  /// `per_link`: what it takes to move a task's state over one link; between GPUs without a common hub it goes one link
  /// farther than between any that have one. Pre: the map is valid, has the GPUs of the topology and at most
  /// `MaxTokens` tokens.
  template <std::size_t Gpus, std::size_t Hubs>
  constexpr declared_affinity(const token_map& map, const gpu_topology<Gpus, Hubs>& topology, ticks per_link) noexcept
      : map_{map}, per_link_{per_link} {
    static_assert(Gpus <= MaxGpus);
    TAKT_EXPECTS(map.valid() && map.gpus == topology.gpus() && static_cast<std::size_t>(map.tokens()) <= MaxTokens);
    for (std::int32_t a = 0; a < topology.gpus(); ++a) {
      for (std::int32_t b = 0; b < topology.gpus(); ++b) {
        const std::int32_t links = topology.distance(a, b);
        links_[to_index(a)][to_index(b)] = links;
        farthest_ = links > farthest_ ? links : farthest_;
      }
    }
  }

  template <class Protocol>
  [[nodiscard]] constexpr auto queue(const Protocol& p, request_id r) const noexcept -> replica_id {
    inline_vector<queue_load, MaxTokens> loads;
    inline_vector<rational, MaxTokens> own;
    return queue_by_affinity(p, r, known<Protocol>{this, &p}, loads, own);
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto donee(const Protocol& p, request_id r) const noexcept -> request_id {
    inline_vector<possible_donee, static_cast<std::size_t>(Protocol::capacity())> eligible;
    return donee_by_affinity(p, r, known<Protocol>{this, &p}, eligible);
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto steal(const Protocol& p, replica_id x) const noexcept -> steal_advice {
    inline_vector<queued_request, static_cast<std::size_t>(Protocol::capacity())> all;
    inline_vector<std::span<const queued_request>, MaxTokens> queues;
    return steal_by_affinity(p, x, known<Protocol>{this, &p}, all, queues);
  }

  template <class Protocol>
  constexpr void enqueued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void dequeued(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void acquired(const Protocol& p, request_id r, replica_id x) noexcept {
    if (is_named(p.request(r).task)) { users_.acquired(to_index(p.request(r).task), map_.gpu_of(x)); }
  }
  template <class Protocol>
  constexpr void freed(const Protocol& /*p*/, request_id /*r*/, replica_id /*x*/) noexcept {}
  template <class Protocol>
  constexpr void exited(const Protocol& /*p*/, std::int32_t task) noexcept {
    if (is_named(task)) { users_.exited(to_index(task)); }
  }

 private:
  [[nodiscard]] static constexpr auto is_named(std::int32_t task) noexcept -> bool {
    return task >= 0 && to_index(task) < MaxTasks;
  }
  template <class Protocol>
  [[nodiscard]] constexpr auto last_gpu(const Protocol& p, request_id r) const noexcept -> std::int32_t {
    const std::int32_t task = p.request(r).task;
    return is_named(task) ? users_.preferred(to_index(task)) : no_gpu;
  }
  template <class Protocol>
  struct known {
    const declared_affinity* own;
    const Protocol* p;

    [[nodiscard]] constexpr auto taking(request_id r, replica_id x) const noexcept -> rational {
      const std::int32_t last = own->last_gpu(*p, r);
      const std::int32_t links = last == no_gpu ? 0 : own->links_[to_index(last)][to_index(own->map_.gpu_of(x))];
      return rational{p->request(r).length} +
             rational{own->per_link_} * rational{links == unreachable ? own->farthest_ + 1 : links};
    }
    [[nodiscard]] constexpr auto kept(request_id q, replica_id x) const noexcept -> rational { return taking(q, x); }
    [[nodiscard]] constexpr auto distances(request_id r) const noexcept -> std::span<const std::int32_t> {
      const std::int32_t last = own->last_gpu(*p, r);
      return last == no_gpu ? std::span<const std::int32_t>{}
                            : std::span<const std::int32_t>{own->links_[to_index(last)]};
    }
    [[nodiscard]] constexpr auto map() const noexcept -> const token_map& { return own->map_; }
    [[nodiscard]] constexpr auto users() const noexcept { return own->users_.per_gpu(); }
  };

  token_map map_{};
  ticks per_link_ = 0;
  std::int32_t farthest_ = 0;
  std::array<std::array<std::int32_t, MaxGpus>, MaxGpus> links_{};
  active_users<MaxTasks, MaxGpus> users_;
};

}  // namespace takt::inline TAKT_ABI
