// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <system_error>

#include <takt/core/number.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/locking/gpu_access.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/runtime/locking/access_machine.hpp>
#include <takt/runtime/locking/gpu_guards.hpp>
#include <takt/runtime/locking/lock_call.hpp>
#include <takt/runtime/locking/lock_core.hpp>
#include <takt/runtime/locking/lock_domain.hpp>
#include <takt/runtime/locking/lock_group.hpp>
#include <takt/runtime/locking/thread_record.hpp>

namespace takt::runtime {

/// The GPUs of a cluster for threads: a job gets a token, which names a GPU, and with the token the GPU's engines, one
/// at a time; only the copies of a migration take two. The types keep the order: an engine comes from a token, a token
/// from a job that has had none.
/// Error: `std::system_error`, as for `protocol_lock`, and `operation_not_permitted`, `invalid_argument` or
/// `device_or_resource_busy` with a sentence for what `gpu_access` refuses.
template <LockingProtocol Protocol, GroupLock Engines, class Topology>
class gpu_pool final : public detail::lock_core<detail::access_machine<gpu_access<Protocol, Engines, Topology>>> {
 public:
  using job = gpu_job<gpu_pool>;
  using token = token_guard<gpu_pool>;
  using engine = engine_guard<gpu_pool>;

  /// Error: the three do not fit together.
  gpu_pool(const token_map& map, const Protocol& protocol, const Topology& topology)
      : core{nullptr, machine{access{map, protocol, topology}}} {
    require_fit();
  }
  gpu_pool(lock_domain& domain, const token_map& map, const Protocol& protocol, const Topology& topology)
      : core{&domain, machine{access{map, protocol, topology}}} {
    require_fit();
  }

  /// Of the calling thread, which can have one at a time in a pool.
  [[nodiscard]] auto begin_job(const lock_call& call = {}) -> job {
    lock_claim& c = core::prepare(call);
    domain_turn t{*core::domain_};
    try {
      core::admit_new(c, t);
    } catch (...) {
      detail::this_thread.give_back(c);
      throw;
    }
    (void)core::machine_.begin_job(c.client);
    return {*this, c};
  }

  /// No job of the task (`lock_call::task`) will ask again: tells the protocol's heuristics.
  void task_exited(std::int32_t task)
    requires requires(Protocol p) { p.exited(task); }
  {
    const domain_turn t{*core::domain_};
    core::machine_.tokens().protocol().exited(task);
  }

  template <class Engine>
  void lock(Engine /*e*/) {
    detail::refuse_engine_without_token<Engine>();
  }

 private:
  friend job;
  friend token;
  friend engine;
  using access = gpu_access<Protocol, Engines, Topology>;
  using machine = detail::access_machine<access>;
  using core = detail::lock_core<machine>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;

  void require_fit() const {
    if (!core::machine_.fits()) { detail::require(access_status::pool_mismatch); }
  }

  /// Issues what `ask(machine, claim)` asks for and waits for it. False: not granted in time.
  template <class Ask>
  auto obtain(lock_claim& c, ticks deadline, const std::stop_token& stop, Ask ask) -> bool {
    core::check_owner(c);
    const auto issue = [&](machine& m, const lock_claim& of) {
      const auto answer = ask(m, of);
      detail::require(answer.status);
      return answer;
    };
    {
      domain_turn t{*core::domain_};
      if (core::enter(c, t, issue)) { return true; }
    }
    return core::wait(c, deadline, stop, [](domain_turn&) {});
  }
  auto obtain_token(lock_claim& c, ticks deadline, const std::stop_token& stop) -> bool {
    return obtain(c, deadline, stop,
                  [](machine& m, const lock_claim& of) { return m.request_token(of.client, of.request); });
  }
  auto obtain_engine(lock_claim& c, engine_kind kind, ticks deadline, const std::stop_token& stop) -> bool {
    return obtain(c, deadline, stop, [kind](machine& m, const lock_claim& of) {
      return m.request_engine(of.client, {m.tokens().gpu(of.client), kind}, of.request.priority);
    });
  }
  auto obtain_copy_engine(lock_claim& c, copy_direction d, ticks deadline, const std::stop_token& stop) -> bool {
    return obtain_engine(c, core::machine_.topology().copy_engine(gpu(c), d).kind, deadline, stop);
  }
  auto obtain_peer_copy(lock_claim& c, std::int32_t source, ticks deadline, const std::stop_token& stop) -> bool {
    const Topology& topology = core::machine_.topology();
    const std::int32_t own = gpu(c);
    if (!topology.contains(source) || !topology.peers(source, own)) {
      throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                              "takt: a peer copy to GPU " + std::to_string(own) + " from GPU " +
                                  std::to_string(source) + "; from another of 0 to " +
                                  std::to_string(topology.gpus() - 1) + " below the same hub"};
    }
    return obtain_engines(c, topology.peer_copy_engines(source, own), deadline, stop);
  }
  auto obtain_engines(lock_claim& c, const engine_set& step, ticks deadline, const std::stop_token& stop) -> bool {
    return obtain(c, deadline, stop, [&step](machine& m, const lock_claim& of) {
      return m.request_migration(of.client, step, of.request.priority);
    });
  }

  void release_engines(lock_claim& c) {
    core::check_owner(c);
    domain_turn t{*core::domain_};
    core::hand_on(t, core::machine_.release_engines(c.client));
  }
  /// Ends the job too. Error: it holds an engine.
  void release_token(lock_claim& c) {
    core::check_owner(c);
    {
      domain_turn t{*core::domain_};
      const auto answer = core::machine_.release_token(c.client);
      detail::require(answer.status);
      core::hand_on(t, answer);
      core::dismiss(c, t);
    }
    detail::this_thread.give_back(c);
  }
  /// Pre: it has no token.
  void end_job(lock_claim& c) {
    core::check_owner(c);
    {
      domain_turn t{*core::domain_};
      core::dismiss(c, t);
    }
    detail::this_thread.give_back(c);
  }

  [[nodiscard]] auto gpu(const lock_claim& c) noexcept -> std::int32_t {
    const domain_turn t{*core::domain_};
    return core::machine_.tokens().gpu(c.client);
  }
  [[nodiscard]] auto contended(const lock_claim& c) noexcept -> bool {
    const domain_turn t{*core::domain_};
    return core::machine_.contended(c.client);
  }
  [[nodiscard]] auto should_yield(const lock_claim& c) noexcept -> bool {
    domain_turn t{*core::domain_};
    return core::should_yield(c, t, order_of<Engines>);
  }

  void abandon(lock_claim& c) noexcept override {
    {
      domain_turn t{*core::domain_};
      core::hand_on(t, core::machine_.release_engines(c.client));
      core::hand_on(t, core::machine_.release_token(c.client));
      core::dismiss(c, t);
    }
    detail::this_thread.give_back(c);
    core::count_abandoned();
  }
};

}  // namespace takt::runtime
