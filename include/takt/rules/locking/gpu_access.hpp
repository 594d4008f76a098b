// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/inline_vector.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_pool.hpp>

namespace takt::inline TAKT_ABI {

enum class access_status : std::uint8_t {
  accepted,
  pool_mismatch,   ///< the token map fits neither the protocol nor the topology
  second_token,    ///< the client holds a token or waits for one
  second_section,  ///< the client's job has had its token section
  no_token,        ///< an engine, or the end of a token section, without a token
  second_engine,   ///< the client holds an engine or waits for one
  engine_held,     ///< the end of a token section in which the client holds an engine or waits for one
  no_engine,       ///< the end of an engine section that the client is not in
  unknown_engine,  ///< the GPU has no such engine
  other_gpu,       ///< engines to which the token gives no access: of another GPU, or together but not for a migration
  not_waiting,     ///< a withdrawal of what was not requested or is granted already
};

/// `granted`: the clients whose wait, for a token or for engines, ends with the event. Anything but `accepted` changed
/// nothing.
template <std::size_t Clients>
struct access_result {
  access_status status = access_status::accepted;
  inline_vector<request_id, Clients> granted{};

  [[nodiscard]] friend constexpr auto operator==(const access_result&, const access_result&) noexcept -> bool = default;
};

/// Two-level access to the GPUs of a cluster. A job first gets a token, which names a GPU, then engines of this GPU one
/// after another, two at once only for a peer-to-peer copy to it. It gives the token back when it holds no engine, and
/// has one token section. Progress mechanisms watch `tokens()` and `engines()`. Source: Elliott 2015, section 3.2.3.1
/// and figure 3.3.
template <LockingProtocol Protocol, GroupLock Engines, class Topology>
class gpu_access {
 public:
  static constexpr auto clients = static_cast<std::size_t>(Protocol::capacity());
  using answer = access_result<clients>;
  static_assert(static_cast<std::size_t>(Engines::capacity()) == clients);

  constexpr gpu_access(const token_map& map, const Protocol& protocol, const Topology& topology) noexcept
      : tokens_{map, protocol}, topology_{topology} {}

  /// False: every token request is refused. `finding()` besides says what is sound but wasteful.
  [[nodiscard]] constexpr auto fits() const noexcept -> bool {
    return tokens_.fits() && topology_.gpus() == tokens_.map().gpus &&
           static_cast<std::size_t>(topology_.gpus()) * locks_per_gpu <= Engines::list::capacity();
  }
  [[nodiscard]] constexpr auto finding() const noexcept -> token_finding { return tokens_.map().check(topology_); }

  /// The client has a new job. Refused while the last one is in its token section.
  [[nodiscard]] constexpr auto begin_job(request_id c) noexcept -> answer { return of(tokens_.begin_job(c)); }

  [[nodiscard]] constexpr auto request_token(request_id c, const lock_request& q) noexcept -> answer {
    if (!fits()) { return of(access_status::pool_mismatch); }
    return of(tokens_.request(c, q));
  }
  [[nodiscard]] constexpr auto release_token(request_id c) noexcept -> answer {
    if (engines_.holds(c) || engines_.waits(c)) { return of(access_status::engine_held); }
    return of(tokens_.release(c));
  }

  /// Requests an engine of the GPU of c's token.
  [[nodiscard]] constexpr auto request_engine(request_id c, const gpu_engine& e,
                                              const priority_point& effective) noexcept -> answer {
    engine_set one;  // Bound: one engine.
    one.unchecked_push_back(e);
    return request(c, one, e.gpu == tokens_.gpu(c), effective);
  }
  /// Requests the engines of one step of a migration to the GPU of c's token at once. They are both copy engines of a
  /// peer-to-peer copy, or, through system memory, the outgoing one of the other GPU or one of the own.
  [[nodiscard]] constexpr auto request_migration(request_id c, const engine_set& step,
                                                 const priority_point& effective) noexcept -> answer {
    return request(c, step, is_migration_step(step, tokens_.gpu(c)), effective);
  }
  /// Gives back whatever engines c holds. Pre: their operations have ended.
  [[nodiscard]] constexpr auto release_engines(request_id c) noexcept -> answer {
    if (!engines_.holds(c)) { return of(access_status::no_engine); }
    return of(engines_.release(c));
  }

  /// Takes back the request that c waits with, be it for a token or for engines.
  [[nodiscard]] constexpr auto withdraw(request_id c) noexcept -> answer {
    if (engines_.waits(c)) { return of(engines_.withdraw(c)); }
    return of(tokens_.withdraw(c));
  }
  /// Changes the effective priority of a client.
  [[nodiscard]] constexpr auto reprioritize(request_id c, const priority_point& p) noexcept -> answer {
    tokens_.reprioritize(c, p);
    return of(engines_.reprioritize(c, p));
  }

  // Both levels as one lock whose clients ask several times: for their token, later for engines.
  [[nodiscard]] static constexpr auto capacity() noexcept -> request_id { return Protocol::capacity(); }
  [[nodiscard]] constexpr auto waits(request_id c) const noexcept -> bool {
    return tokens_.waits(c) || engines_.waits(c);
  }
  /// Returns whether a client has what it has asked for.
  [[nodiscard]] constexpr auto holds(request_id c) const noexcept -> bool {
    return tokens_.holds(c) && !engines_.waits(c);
  }
  [[nodiscard]] constexpr auto inheritor(request_id c) const noexcept -> request_id {
    return tokens_.waits(c) ? tokens_.inheritor(c) : engines_.inheritor(c);
  }
  // Of the engines alone.
  [[nodiscard]] constexpr auto holds(request_id c, lock_id l) const noexcept -> bool { return engines_.holds(c, l); }
  [[nodiscard]] constexpr auto wanted(request_id c) const noexcept -> const auto& { return engines_.wanted(c); }
  [[nodiscard]] constexpr auto contended(request_id c) const noexcept -> bool { return engines_.contended(c); }

  [[nodiscard]] constexpr auto tokens() const noexcept -> const token_pool<Protocol>& { return tokens_; }
  /// Returns the lock over tokens, for advice and donation, which belong to the protocol.
  [[nodiscard]] constexpr auto tokens() noexcept -> token_pool<Protocol>& { return tokens_; }
  [[nodiscard]] constexpr auto engines() const noexcept -> const Engines& { return engines_; }
  [[nodiscard]] constexpr auto topology() const noexcept -> const Topology& { return topology_; }

 private:
  [[nodiscard]] static constexpr auto of(access_status s) noexcept -> answer { return {s, {}}; }
  [[nodiscard]] static constexpr auto of(token_status s) noexcept -> answer {
    switch (s) {
      case token_status::accepted: return of(access_status::accepted);
      case token_status::map_mismatch: return of(access_status::pool_mismatch);
      case token_status::second_token: return of(access_status::second_token);
      case token_status::second_section: return of(access_status::second_section);
      case token_status::not_held: return of(access_status::no_token);
      case token_status::not_waiting: break;
    }
    return of(access_status::not_waiting);
  }
  [[nodiscard]] static constexpr auto of(const token_result& t) noexcept -> answer {
    answer a = of(t.status);
    if (t.granted != no_request) { a.granted.unchecked_push_back(t.granted); }
    return a;
  }
  [[nodiscard]] static constexpr auto of(const typename Engines::answer& e) noexcept -> answer {
    if (e.status == group_status::accepted) { return {access_status::accepted, e.satisfied}; }
    return of(e.status == group_status::client_busy ? access_status::second_engine : access_status::unknown_engine);
  }

  [[nodiscard]] constexpr auto request(request_id c, const engine_set& engines, bool allowed,
                                       const priority_point& effective) noexcept -> answer {
    if (!tokens_.holds(c)) { return of(access_status::no_token); }
    for (const gpu_engine& e : engines) {
      if (!detail::has_engine(topology_, e)) { return of(access_status::unknown_engine); }
    }
    if (!allowed) { return of(access_status::other_gpu); }
    return of(engines_.issue(c, detail::engine_lock_list<Engines>(engines), effective));
  }
  [[nodiscard]] constexpr auto is_migration_step(const engine_set& step, std::int32_t gpu) const noexcept -> bool {
    if (step.size() == 2) {
      return topology_.contains(step[0].gpu) && step == topology_.peer_copy_engines(step[0].gpu, gpu);
    }
    if (step.empty() || !topology_.contains(step[0].gpu)) { return false; }
    return step[0] == topology_.copy_engine(step[0].gpu, copy_direction::to_host) ||
           step[0] == topology_.copy_engine(gpu, copy_direction::to_device);
  }

  token_pool<Protocol> tokens_;
  Engines engines_;
  Topology topology_;
};

}  // namespace takt::inline TAKT_ABI
