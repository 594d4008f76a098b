// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include <takt/host/lock_log.hpp>
#include <takt/rules/locking/progress.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>

namespace takt::inline TAKT_ABI::host {

struct resource_options {
  any_progress progress = priority_inheritance{};
  bool spins = false;  ///< whoever waits keeps its processor instead of suspending itself
};

/// The locks of a system. Each is one of the given protocols; a client is a task. Pre: the tasks that ask are below
/// `most_clients`.
template <LockingProtocol... Protocols>
class lock_bank {
 public:
  using any_lock = std::variant<Protocols...>;
  static constexpr std::size_t most_clients = static_cast<std::size_t>(std::min({Protocols::capacity()...}));

  auto add(const any_lock& lock, const resource_options& options = {}) -> resource_id {
    entries_.push_back({lock, options});
    return static_cast<resource_id>(entries_.size() - 1);
  }
  [[nodiscard]] auto size() const noexcept -> std::size_t { return entries_.size(); }
  [[nodiscard]] auto options(resource_id r) const noexcept -> const resource_options& { return at(r).options; }
  /// The lock itself, with its advice. Pre: it is a P.
  template <class P>
  [[nodiscard]] auto lock(resource_id r) -> P& {
    TAKT_EXPECTS(std::holds_alternative<P>(at(r).lock));
    return std::get<P>(at(r).lock);
  }

  auto issue(resource_id r, request_id c, const lock_request& q) -> request_id {
    TAKT_EXPECTS(0 <= c && static_cast<std::size_t>(c) < most_clients);
    return visit(r, [&](auto& l) { return l.issue(c, q); });
  }
  auto release(resource_id r, request_id c) -> request_id {
    return visit(r, [&](auto& l) { return l.release(c); });
  }
  void reprioritize(resource_id r, request_id c, const priority_point& p) {
    visit(r, [&](auto& l) { l.reprioritize(c, p); });
  }
  [[nodiscard]] auto replicas(resource_id r) const -> replica_id {
    return visit(r, [&](const auto& l) { return l.replicas(); });
  }
  [[nodiscard]] auto replica(resource_id r, request_id c) const -> replica_id {
    return visit(r, [&](const auto& l) { return l.replica(c); });
  }
  [[nodiscard]] auto inheritor(resource_id r, request_id c) const -> request_id {
    return visit(r, [&](const auto& l) { return options(r).progress.inheritor(l, c); });
  }
  [[nodiscard]] auto boosted(resource_id r, request_id c) const -> bool {
    return visit(r, [&](const auto& l) { return options(r).progress.boosted(l, c); });
  }

 private:
  struct entry {
    any_lock lock;
    resource_options options;
  };

  /// Pre: a number that `add` gave; so for the one below.
  [[nodiscard]] auto at(resource_id r) noexcept -> entry& {
    TAKT_EXPECTS(0 <= r && static_cast<std::size_t>(r) < entries_.size());
    return entries_[static_cast<std::size_t>(r)];
  }
  [[nodiscard]] auto at(resource_id r) const noexcept -> const entry& {
    TAKT_EXPECTS(0 <= r && static_cast<std::size_t>(r) < entries_.size());
    return entries_[static_cast<std::size_t>(r)];
  }
  template <class F>
  auto visit(resource_id r, F&& f) {
    return std::visit(std::forward<F>(f), at(r).lock);
  }
  template <class F>
  auto visit(resource_id r, F&& f) const {
    return std::visit(std::forward<F>(f), at(r).lock);
  }

  std::vector<entry> entries_;
};

}  // namespace takt::inline TAKT_ABI::host
