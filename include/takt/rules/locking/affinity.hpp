// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <takt/core/choice.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/advice.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>

namespace takt::inline TAKT_ABI {

// The four heuristics of Elliott 2015, section 3.2.3.2, with the predicted lengths of critical sections as exact
// fractions. They choose only where the bound of the protocol leaves a choice. A sum of predictions that overflows
// counts as longer than every other.

inline constexpr std::int32_t unlimited_queue = std::numeric_limits<std::int32_t>::max();

/// The length of a queue in both measures (Eq. 3.1 and 3.2), holder included.
struct queue_load {
  std::int32_t requests = 0;
  rational predicted{};
};

enum class load_measure : std::uint8_t { requests, predicted_time };
[[nodiscard]] constexpr auto last_of(load_measure) noexcept -> load_measure { return load_measure::predicted_time; }

/// Returns the load of a queue whose requests have these predictions.
[[nodiscard]] constexpr auto load_of(std::span<const rational> predictions) noexcept -> queue_load {
  queue_load load{.requests = static_cast<std::int32_t>(predictions.size()), .predicted = {}};
  for (std::size_t i = 0; i < predictions.size(); ++i) { load.predicted += predictions[i]; }
  return load;
}

/// Returns the shortest queue, of several the one with the lowest index. Pre: there is a queue. `no_replica`
/// where the measure is unknown.
[[nodiscard]] constexpr auto shortest_queue(std::span<const queue_load> queues, load_measure measure) noexcept
    -> replica_id {
  TAKT_EXPECTS(!queues.empty());
  if (!is_known(measure)) { return no_replica; }
  std::size_t best = 0;
  for (std::size_t x = 1; x < queues.size(); ++x) {
    switch (measure) {
      case load_measure::requests: best = queues[x].requests < queues[best].requests ? x : best; break;
      case load_measure::predicted_time: best = queues[x].predicted < queues[best].predicted ? x : best; break;
    }
  }
  return static_cast<replica_id>(best);
}

namespace detail {

/// H2: the queue below the limit in which a request is predicted to be complete first; `own` has the length of its own
/// section for each queue, migration included. Ties: lowest index. `no_replica` when all queues are full. Pre: `own`
/// has the queues.
[[nodiscard]] constexpr auto quickest_queue(std::span<const queue_load> queues, std::span<const rational> own,
                                            std::int32_t limit) noexcept -> replica_id {
  TAKT_EXPECTS(queues.size() <= own.size());
  replica_id best = no_replica;
  rational least;
  for (std::size_t x = 0; x < queues.size(); ++x) {
    if (queues[x].requests >= limit) { continue; }
    const rational response = queues[x].predicted + own[x];
    if (best == no_replica || response < least) {
      best = static_cast<replica_id>(x);
      least = response;
    }
  }
  return best;
}

/// H1, for the first request of a task: among the queues below the limit those of GPUs with the fewest active users,
/// and of these by H2. With fewer than two queues below the limit this is H2 alone. Pre: `users` has the GPUs of
/// `map`, and `own` the queues.
[[nodiscard]] constexpr auto least_used_queue(std::span<const queue_load> queues, std::span<const rational> own,
                                              std::int32_t limit, const token_map& map,
                                              std::span<const std::int32_t> users) noexcept -> replica_id {
  TAKT_EXPECTS(queues.size() <= own.size() && static_cast<std::size_t>(map.gpus) <= users.size());
  const auto users_of = [&](std::size_t x) {
    return users[static_cast<std::size_t>(map.gpu_of(static_cast<replica_id>(x)))];
  };
  replica_id best = no_replica;
  rational least;
  for (std::size_t x = 0; x < queues.size(); ++x) {
    if (queues[x].requests >= limit) { continue; }
    const rational response = queues[x].predicted + own[x];
    const std::int32_t best_users = best == no_replica ? 0 : users_of(static_cast<std::size_t>(best));
    const bool fewer = best == no_replica || users_of(x) < best_users;
    if (fewer || (users_of(x) == best_users && response < least)) {
      best = static_cast<replica_id>(x);
      least = response;
    }
  }
  return best;
}

}  // namespace detail

/// A request that may receive a donation, in the queue it stands in. `complete` is the sum of the predictions up to and
/// including its own.
struct possible_donee {
  request_id request = no_request;
  replica_id queue = no_replica;
  rational complete{};
};

namespace detail {

/// H3: the donee whose GPU is nearest to the one that the donor's task used last; ties go to the earliest predicted
/// completion and then to the smaller number. `distances` are those of each GPU from that one and empty when there is
/// none; `unreachable` is beyond all others. `no_request` without a possible donee. For the donation on request of the
/// R2DGLP, not for donation at release.
/// Differs from the source in its condition: it is needed when all queues are full, not when none is.
[[nodiscard]] constexpr auto nearest_donee(std::span<const possible_donee> eligible,
                                           std::span<const std::int32_t> distances, const token_map& map) noexcept
    -> request_id {
  const auto distance_of = [&](const possible_donee& d) {
    if (distances.empty()) { return std::int32_t{0}; }
    const std::int32_t links = distances[static_cast<std::size_t>(map.gpu_of(d.queue))];
    return links == unreachable ? std::numeric_limits<std::int32_t>::max() : links;
  };
  const possible_donee* best = nullptr;
  for (std::size_t i = 0; i < eligible.size(); ++i) {
    const possible_donee& d = eligible[i];
    if (best == nullptr) {
      best = &d;
      continue;
    }
    const std::int32_t here = distance_of(d);
    const std::int32_t there = distance_of(*best);
    const bool nearer = here < there;
    const bool sooner = here == there && d.complete < best->complete;
    const bool tied = here == there && d.complete == best->complete;
    if (nearer || sooner || (tied && d.request < best->request)) { best = &d; }
  }
  return best == nullptr ? no_request : best->request;
}

}  // namespace detail

enum class steal_objective : std::uint8_t {
  time_saved,     ///< how much earlier a request is predicted to be complete
  shorter_there,  ///< how much shorter its own section is with the idle token, as the source prints it
};
[[nodiscard]] constexpr auto last_of(steal_objective) noexcept -> steal_objective {
  return steal_objective::shorter_there;
}

/// A request in its queue. `own` is the predicted length of its section there (for the holder, what remains of it may
/// stand instead), `there` the one with the idle token.
struct queued_request {
  request_id request = no_request;
  rational own{};
  rational there{};
};

namespace detail {

/// H4: the waiting request that the idle token helps most; ties go to the smaller number. `queues` are those of all
/// other tokens, holders first. `no_request`: none would be complete earlier, and the token had better stay idle.
/// Differs from the source, whose formula keeps exactly the requests that would not gain. `no_request` also where the
/// objective is unknown.
[[nodiscard]] constexpr auto most_helped_request(std::span<const std::span<const queued_request>> queues,
                                                 steal_objective objective = steal_objective::time_saved) noexcept
    -> request_id {
  request_id best = no_request;
  if (!is_known(objective)) { return best; }
  rational most;
  for (std::size_t x = 0; x < queues.size(); ++x) {
    rational complete;
    for (std::size_t i = 0; i < queues[x].size(); ++i) {
      const queued_request& q = queues[x][i];
      complete += q.own;
      if (i == 0 || !(q.there < complete)) { continue; }
      rational gain;
      switch (objective) {
        case steal_objective::time_saved: gain = complete - q.there; break;
        case steal_objective::shorter_there: gain = q.own - q.there; break;
      }
      if (best == no_request || most < gain || (most == gain && q.request < best)) {
        best = q.request;
        most = gain;
      }
    }
  }
  return best;
}

// The same as answers to a protocol, for whoever knows its requests. `known.kept(q, x)`: what q is predicted to take,
// which stands in queue x. `known.taking(r, x)`: what r would take with token x. `known.distances(r)`: of each GPU from
// the one that its task used last, empty without one. `known.map()`: the tokens. `known.users()`: of each GPU.

template <class Protocol, class F>
constexpr void for_each_in_queue(const Protocol& p, replica_id x, F f) {
  for (request_id q = p.queues().head(x); q != no_request; q = p.queues().next(q)) { f(q); }
}

template <class List, class T>
constexpr void append_to(List& list, const T& value) {
  if constexpr (requires { list.unchecked_push_back(value); }) {
    list.unchecked_push_back(value);
  } else {
    list.push_back(value);
  }
}

}  // namespace detail

// What follows asks a protocol's queues. Lists are room to work in that is empty: of queues in `loads`, `own` and
// `queues`, of requests in `eligible` and `all`, which stay where they are.
// Bounds: each queue once, each request once.

/// Chooses by H2, or by H1 for a task without a GPU before.
template <class Protocol, class Known, class Loads, class Times>
[[nodiscard]] constexpr auto queue_by_affinity(const Protocol& p, request_id r, const Known& known, Loads& loads,
                                               Times& own) -> replica_id {
  for (replica_id x = 0; x < p.replicas(); ++x) {
    queue_load load{.requests = p.queues().length(x), .predicted = {}};
    detail::for_each_in_queue(p, x, [&](request_id q) { load.predicted += known.kept(q, x); });
    detail::append_to(loads, load);
    detail::append_to(own, known.taking(r, x));
  }
  const std::span<const queue_load> queues{loads.data(), loads.size()};
  const std::span<const rational> sections{own.data(), own.size()};
  return known.distances(r).empty()
             ? detail::least_used_queue(queues, sections, p.queue_limit(), known.map(), known.users())
             : detail::quickest_queue(queues, sections, p.queue_limit());
}
template <class Protocol, class Known, class Donees>
[[nodiscard]] constexpr auto donee_by_affinity(const Protocol& p, request_id r, const Known& known, Donees& eligible)
    -> request_id {
  for (replica_id x = 0; x < p.replicas(); ++x) {
    rational complete;
    detail::for_each_in_queue(p, x, [&](request_id q) {
      complete += known.kept(q, x);
      if (p.eligible_donee(q)) { detail::append_to(eligible, possible_donee{q, x, complete}); }
    });
  }
  return detail::nearest_donee({eligible.data(), eligible.size()}, known.distances(r), known.map());
}
template <class Protocol, class Known, class Requests, class Queues>
[[nodiscard]] constexpr auto steal_by_affinity(const Protocol& p, replica_id x, const Known& known, Requests& all,
                                               Queues& queues) -> steal_advice {
  for (replica_id y = 0; y < p.replicas(); ++y) {
    if (y == x) { continue; }
    const std::size_t first = all.size();
    detail::for_each_in_queue(
        p, y, [&](request_id q) { detail::append_to(all, queued_request{q, known.kept(q, y), known.taking(q, x)}); });
    detail::append_to(queues, std::span<const queued_request>{all.data() + first, all.size() - first});
  }
  const request_id helped = detail::most_helped_request({queues.data(), queues.size()});
  return {.request = helped, .leave_idle = helped == no_request};
}

}  // namespace takt::inline TAKT_ABI
