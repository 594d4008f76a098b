// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/rules/locking/request.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

namespace locking_tests {

enum class event_kind : std::uint8_t { issued, granted, released, withdrawn, reprioritized };

struct event {
  event_kind kind{};
  takt::request_id client = takt::no_request;
  takt::replica_id queue = takt::no_replica;  ///< of an issued request, where the protocol has such queues
  takt::priority_point priority{};
};

/// What happened to a lock, in the order in which its state machine heard of it.
struct recorder {
  static constexpr std::size_t enough = std::size_t{1} << 16;

  std::vector<event> events;

  void add(const event& e) {
    if (events.size() < enough) { events.push_back(e); }
  }
};

/// A protocol that writes down all it is told and answers. With `Alone`, lone requests pass it as they pass `Protocol`.
/// A lock tries out an event on a copy of its own copy: what that writes down counts if it is assigned back.
template <class Protocol, bool Alone>
class recording : public Protocol {
 public:
  explicit recording(recorder& to, const Protocol& protocol = {}) : Protocol{protocol}, to_{&to} {}
  recording(const recording& other) : Protocol{other}, to_{other.to_}, copies_{other.copies_ + 1} {}
  auto operator=(const recording& other) -> recording& {
    Protocol::operator=(other);
    for (const event& e : other.tried_) { to_->add(e); }
    return *this;
  }
  ~recording() = default;

  auto issue(takt::request_id r, const takt::lock_request& q) -> takt::request_id {
    const takt::request_id satisfied = Protocol::issue(r, q);
    takt::replica_id queue = takt::no_replica;
    if constexpr (requires { this->queues().queue_of(r); }) { queue = this->queues().queue_of(r); }
    add({event_kind::issued, r, queue, q.priority});
    return granted(satisfied);
  }
  auto release(takt::request_id r) -> takt::request_id {
    add({.kind = event_kind::released, .client = r});
    return granted(Protocol::release(r));
  }
  auto withdraw(takt::request_id r) -> takt::request_id {
    add({.kind = event_kind::withdrawn, .client = r});
    return granted(Protocol::withdraw(r));
  }
  void reprioritize(takt::request_id r, const takt::priority_point& p) {
    add({event_kind::reprioritized, r, takt::no_replica, p});
    Protocol::reprioritize(r, p);
  }

 private:
  void add(const event& e) {
    if (copies_ > 1) {
      tried_.push_back(e);
    } else {
      to_->add(e);
    }
  }
  auto granted(takt::request_id r) -> takt::request_id {
    if (r != takt::no_request) { add({.kind = event_kind::granted, .client = r}); }
    return r;
  }

  recorder* to_;
  int copies_ = 0;
  std::vector<event> tried_{};
};

}  // namespace locking_tests

template <class Protocol>
inline constexpr bool takt::runtime::lone_requests_pass<locking_tests::recording<Protocol, true>> =
    takt::runtime::lone_requests_pass<Protocol>;
template <class Protocol, bool Alone>
inline constexpr takt::service_order takt::runtime::order_of<locking_tests::recording<Protocol, Alone>> =
    takt::runtime::order_of<Protocol>;
