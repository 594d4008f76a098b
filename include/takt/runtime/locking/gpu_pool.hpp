// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include <takt/core/number.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/locking/gpu_access.hpp>
#include <takt/rules/locking/group_request.hpp>
#include <takt/rules/locking/protocol.hpp>
#include <takt/rules/locking/request.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/lock_claim.hpp>
#include <takt/runtime/locking/lock_core.hpp>
#include <takt/runtime/locking/lock_domain.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

template <class Engine>
constexpr void refuse_engine_without_token() {
  static_assert(sizeof(Engine) == 0,
                "takt: an engine is locked without a token; acquire the job's token and lock the engine through it. "
                "See docs/errors.md#E38");
}

/// Error: anything but `accepted`.
inline void require(access_status s) {
  const auto refuse = [](const char* sentence, std::errc code = std::errc::operation_not_permitted) {
    throw std::system_error{std::make_error_code(code), sentence};
  };
  switch (s) {
    case access_status::accepted: return;
    case access_status::pool_mismatch:
      return refuse("takt: the map of tokens fits neither the protocol nor the topology", std::errc::invalid_argument);
    case access_status::second_token: return refuse("takt: the job has a token");
    case access_status::second_section: return refuse("takt: the job has had its token section");
    case access_status::no_token: return refuse("takt: the job has no token");
    case access_status::second_engine: return refuse("takt: the job holds an engine already");
    case access_status::engine_held:
      return refuse("takt: a token is given back while its job holds an engine", std::errc::device_or_resource_busy);
    case access_status::no_engine: return refuse("takt: the job holds no engine");
    case access_status::unknown_engine: return refuse("takt: the GPU has no such engine", std::errc::invalid_argument);
    case access_status::other_gpu:
      return refuse("takt: the token gives no access to these engines", std::errc::invalid_argument);
    case access_status::not_waiting: return refuse("takt: the job does not wait");
  }
}

/// Names both engines of a copy to the token's GPU from this one.
struct peer_of {
  std::int32_t source = 0;
};

}  // namespace detail

/// Is the meter of a job that has no budget; `budget_meter` is another.
struct no_budget {
  static constexpr void check() noexcept {}
  static constexpr void enter_engine() noexcept {}
  static constexpr void leave_engine() noexcept {}
};
inline constexpr no_budget unlimited{};

/// Engines held for one operation, or for the two sides of a peer-to-peer copy. Ends before the token does. Its time
/// drains the budget of the job; the destructor cannot tell of an overrun, so the next call under the token does.
template <class Pool, class Meter = const no_budget>
class engine_guard : public detail::claim_guard<engine_guard<Pool, Meter>, Pool> {
  using guard = detail::claim_guard<engine_guard, Pool>;

 public:
  engine_guard() noexcept = default;
  engine_guard(engine_guard&&) noexcept = default;
  engine_guard(const engine_guard&) = delete;
  auto operator=(const engine_guard&) -> engine_guard& = delete;
  auto operator=(engine_guard&&) -> engine_guard& = delete;
  ~engine_guard() {
    detail::or_terminate([this] { end(); });
  }

  /// Pre: the operations have ended, as with the destructor. Error: `budget_exhausted`, and then the engine is free;
  /// the token is another thread's, and then it is still held.
  void release() && {
    if (!*this) { return; }
    end();
    meter_->check();
  }
  /// Pre: held, as for the other query.
  [[nodiscard]] auto contended() const noexcept -> bool {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return this->owner_->contended(*this->claim_);
  }
  /// Returns whether another request should go first before the next operation of the same kind.
  [[nodiscard]] auto should_yield() const noexcept -> bool {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return this->owner_->should_yield(*this->claim_);
  }

 private:
  template <class, class>
  friend class token_guard;
  friend guard;
  engine_guard(Pool& pool, detail::lock_claim& claim, Meter& meter) noexcept : guard{pool, claim}, meter_{&meter} {
    meter.enter_engine();
  }
  static void give_back(Pool& pool, detail::lock_claim& claim) { pool.release_engines(claim); }
  void end() {
    if (!*this) { return; }
    guard::end();
    meter_->leave_engine();
  }

  Meter* meter_ = nullptr;
};

template <class Pool>
class gpu_job;

/// The token of a job, and with it the rest of the job's GPU section: the only way to engines. Destroying it while an
/// engine is held ends the program with a sentence. With a `budget_meter` every call may end with `budget_exhausted`,
/// before it has done anything but what is said here; the guards on the way give back engine and token.
template <class Pool, class Meter = const no_budget>
class token_guard : public detail::claim_guard<token_guard<Pool, Meter>, Pool> {
  using guard = detail::claim_guard<token_guard, Pool>;

 public:
  using engine = engine_guard<Pool, Meter>;

  token_guard() noexcept = default;
  /// Asks for the token of the job, or takes over one that it has. Pre: the meter is that of the same job and outlives
  /// the token. There is no token, and the job is as before, when a stop ended the waiting.
  token_guard(gpu_job<Pool>&& job, Meter& meter, const std::stop_token& stop = {})
      : token_guard{(meter.check(), std::move(job)).acquire_token(stop), meter, nullptr} {}
  token_guard(token_guard<Pool>&& token, Meter& meter) : token_guard{std::move(token), meter, nullptr} {
    meter.check();
  }

  /// Error: an engine is held; `budget_exhausted`, and then the token is free.
  void release() && {
    this->end();
    if (meter_ != nullptr) { meter_->check(); }
  }

  /// Pre: held, as for all below.
  [[nodiscard]] auto gpu() const noexcept -> std::int32_t {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return this->owner_->gpu(*this->claim_);
  }

  [[nodiscard]] auto lock(engine_kind kind, const std::stop_token& stop = {}) & -> engine {
    return obtain(kind, detail::no_deadline, stop);
  }
  /// Acquires the engine of copies in this direction.
  [[nodiscard]] auto lock(copy_direction d, const std::stop_token& stop = {}) & -> engine {
    return obtain(d, detail::no_deadline, stop);
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_lock_until(const std::chrono::time_point<Clock, Duration>& time, engine_kind kind,
                                    const std::stop_token& stop = {}) & -> engine {
    return obtain(kind, detail::deadline_at(time), stop);
  }
  /// Acquires the engines of one step of a migration to the token's GPU, in one request.
  [[nodiscard]] auto lock_migration(const engine_set& step, const std::stop_token& stop = {}) & -> engine {
    return obtain(step, detail::no_deadline, stop);
  }
  /// Acquires both engines of copies from that GPU of the pool to the token's. Error: the two are no peers.
  [[nodiscard]] auto lock_peer_copy(std::int32_t source, const std::stop_token& stop = {}) & -> engine {
    return obtain(detail::peer_of{source}, detail::no_deadline, stop);
  }

  template <class E>
  void lock(E /*engine*/) && {
    static_assert(sizeof(E) == 0,
                  "takt: an engine is locked through a token that ends at once; keep the token in a variable for as "
                  "long as its engines. See docs/errors.md#E40");
  }

 private:
  template <class, class>
  friend class token_guard;
  friend gpu_job<Pool>;
  friend guard;
  token_guard(Pool& pool, detail::lock_claim& claim) noexcept : guard{pool, claim}, meter_{&unlimited} {}
  /// Nothing is checked.
  token_guard(token_guard<Pool>&& token, Meter& meter, std::nullptr_t) noexcept : meter_{&meter} {
    this->owner_ = token.owner_;
    this->claim_ = std::exchange(token.claim_, nullptr);
  }
  static void give_back(Pool& pool, detail::lock_claim& claim) { pool.end_job(claim); }

  template <class What>
  auto obtain(const What& what, ticks deadline, const std::stop_token& stop) -> engine {
    TAKT_EXPECTS(this->claim_ != nullptr);
    meter_->check();
    return this->owner_->obtain(*this->claim_, what, deadline, stop) ? engine{*this->owner_, *this->claim_, *meter_}
                                                                     : engine{};
  }

  Meter* meter_ = nullptr;
};

/// A job that has not had its token section. Asking for the token consumes it, so that there is no second one.
template <class Pool>
class gpu_job : public detail::claim_guard<gpu_job<Pool>, Pool> {
  using guard = detail::claim_guard<gpu_job, Pool>;

 public:
  /// Pre: not consumed. The job is as before when a stop or the time ended the waiting, and the token is none.
  [[nodiscard]] auto acquire_token(const std::stop_token& stop = {}) && -> token_guard<Pool> {
    TAKT_EXPECTS(this->claim_ != nullptr);
    return token(detail::no_deadline, stop);
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_acquire_token_until(const std::chrono::time_point<Clock, Duration>& time,
                                             const std::stop_token& stop = {}) && -> token_guard<Pool> {
    return token(detail::deadline_at(time), stop);
  }

  template <class... Stop>
  auto acquire_token(const Stop&... /*stop*/) & -> token_guard<Pool> {
    static_assert(sizeof...(Stop) > 1,
                  "takt: a job keeps its name while it asks for a token and could ask for a second; write "
                  "std::move(job).acquire_token(). See docs/errors.md#E39");
    return {};
  }
  template <class Engine>
  void lock(Engine /*e*/) {
    detail::refuse_engine_without_token<Engine>();
  }

 private:
  friend Pool;
  friend guard;
  using guard::guard;
  static void give_back(Pool& pool, detail::lock_claim& claim) { pool.end_job(claim); }

  [[nodiscard]] auto token(ticks deadline, const std::stop_token& stop) -> token_guard<Pool> {
    TAKT_EXPECTS(this->claim_ != nullptr);
    if (!this->owner_->obtain(*this->claim_, this->claim_->request, deadline, stop)) { return {}; }
    return {*this->owner_, *std::exchange(this->claim_, nullptr)};
  }
};

/// Offers the GPUs of a cluster to threads. A job gets a token, which names a GPU, and with the token the GPU's
/// engines, one at a time; only the copies of a migration take two. The types keep the order: an engine comes from a
/// token, a token from a job that has had none. Error: `std::system_error`, as for `protocol_lock`, and
/// `operation_not_permitted`, `invalid_argument` or `device_or_resource_busy` with a sentence for what `gpu_access`
/// refuses.
template <LockingProtocol Protocol, GroupLock Engines, class Topology = gpu_topology<1, 1>>
class gpu_pool final : public detail::lock_core<gpu_access<Protocol, Engines, Topology>> {
 public:
  using job = gpu_job<gpu_pool>;
  using token = token_guard<gpu_pool>;
  using engine = engine_guard<gpu_pool>;

  /// Error: the three do not fit together.
  gpu_pool(const token_map& map, const Protocol& protocol, const Topology& topology)
      : gpu_pool{nullptr, access{map, protocol, topology}} {}
  gpu_pool(lock_domain& domain, const token_map& map, const Protocol& protocol, const Topology& topology)
      : gpu_pool{&domain, access{map, protocol, topology}} {}

  /// Begins a job of the calling thread, which can have one at a time in a pool.
  [[nodiscard]] auto begin_job(const lock_call& call = {}) -> job {
    return {*this, core::begin(call, [](access& a, const lock_claim& c) { return a.begin_job(c.client); })};
  }

  /// Tells the protocol's heuristics that no job of the task (`lock_call::task`) will ask again.
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
  template <class>
  friend class gpu_job;
  template <class, class>
  friend class token_guard;
  template <class, class>
  friend class engine_guard;
  using access = gpu_access<Protocol, Engines, Topology>;
  using answer = typename access::answer;
  using core = detail::lock_core<access>;
  using lock_claim = detail::lock_claim;
  using domain_turn = detail::domain_turn;

  gpu_pool(lock_domain* domain, const access& machine) : core{domain, machine} {
    if (!machine.fits()) { detail::require(access_status::pool_mismatch); }
  }

  [[nodiscard]] static auto ask(access& a, const lock_claim& c, const lock_request& q) -> answer {
    return a.request_token(c.client, q);
  }
  [[nodiscard]] static auto ask(access& a, const lock_claim& c, engine_kind kind) -> answer {
    return a.request_engine(c.client, {a.tokens().gpu(c.client), kind}, c.request.priority);
  }
  [[nodiscard]] static auto ask(access& a, const lock_claim& c, copy_direction d) -> answer {
    return ask(a, c, a.topology().copy_engine(a.tokens().gpu(c.client), d).kind);
  }
  [[nodiscard]] static auto ask(access& a, const lock_claim& c, const engine_set& step) -> answer {
    return a.request_migration(c.client, step, c.request.priority);
  }
  [[nodiscard]] static auto ask(access& a, const lock_claim& c, const detail::peer_of& peer) -> answer {
    const Topology& topology = a.topology();
    const std::int32_t own = a.tokens().gpu(c.client);
    if (!topology.contains(peer.source) || !topology.peers(peer.source, own)) {
      throw std::system_error{std::make_error_code(std::errc::invalid_argument),
                              "takt: a peer copy to GPU " + std::to_string(own) + " from GPU " +
                                  std::to_string(peer.source) + "; from another of 0 to " +
                                  std::to_string(topology.gpus() - 1) + " below the same hub"};
    }
    return ask(a, c, topology.peer_copy_engines(peer.source, own));
  }
  /// Asks for it and waits. Returns false if it was not granted in time.
  template <class What>
  auto obtain(lock_claim& c, const What& what, ticks deadline, const std::stop_token& stop) -> bool {
    core::check_owner(c);
    const auto issue = [&what](access& a, const lock_claim& of) {
      const answer out = ask(a, of, what);
      detail::require(out.status);
      return out;
    };
    {
      domain_turn t{*core::domain_};
      if (core::enter(c, t, issue)) { return true; }
    }
    return core::wait(c, deadline, stop, [](domain_turn&) {});
  }

  void release_engines(lock_claim& c) {
    core::check_owner(c);
    domain_turn t{*core::domain_};
    core::hand_on(t, core::machine_.release_engines(c.client));
  }
  /// With its token section. Error: it holds an engine.
  void end_job(lock_claim& c) {
    core::check_owner(c);
    {
      domain_turn t{*core::domain_};
      if (core::machine_.tokens().holds(c.client)) {
        const answer out = core::machine_.release_token(c.client);
        detail::require(out.status);
        core::hand_on(t, out);
      }
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
    detail::or_terminate([&] {
      release_engines(c);
      end_job(c);
    });
    core::count_abandoned();
  }
};

}  // namespace takt::inline TAKT_ABI::runtime
