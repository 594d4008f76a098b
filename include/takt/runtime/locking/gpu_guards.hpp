// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <utility>

#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/locking/claim_handle.hpp>
#include <takt/runtime/locking/futex.hpp>
#include <takt/runtime/locking/lock_call.hpp>
#include <takt/runtime/locking/suspend.hpp>

namespace takt::runtime {

namespace detail {

template <class Engine>
constexpr void refuse_engine_without_token() {
  static_assert(sizeof(Engine) == 0,
                "takt: an engine is locked without a token; acquire the job's token and lock the engine through it. "
                "See docs/errors.md#E38");
}

template <class Engine>
constexpr void refuse_engine_of_temporary() {
  static_assert(sizeof(Engine) == 0,
                "takt: an engine is locked through a token that ends at once; keep the token in a variable for as long "
                "as its engines. See docs/errors.md#E40");
}

}  // namespace detail

/// Engines held for one operation, or for the two sides of a peer-to-peer copy. Ends before the token does.
template <class Pool>
class engine_guard : public detail::claim_handle<Pool> {
 public:
  engine_guard() noexcept = default;
  engine_guard(engine_guard&&) noexcept = default;
  engine_guard(const engine_guard&) = delete;
  auto operator=(const engine_guard&) -> engine_guard& = delete;
  auto operator=(engine_guard&&) -> engine_guard& = delete;
  ~engine_guard() {
    if (*this) {
      detail::or_terminate([this] { this->owner_->release_engines(*this->claim_); });
    }
  }

  /// Pre: the operations have ended, as with the destructor. Error: the token is another thread's; still held.
  void release() && {
    if (!*this) { return; }
    this->owner_->release_engines(*this->claim_);
    this->claim_ = nullptr;
  }
  /// Pre: held, as for the other query.
  [[nodiscard]] auto contended() const noexcept -> bool { return this->owner_->contended(*this->claim_); }
  /// Whether somebody should go first before the next operation of the same kind.
  [[nodiscard]] auto should_yield() const noexcept -> bool { return this->owner_->should_yield(*this->claim_); }

 private:
  template <class>
  friend class token_guard;
  using detail::claim_handle<Pool>::claim_handle;
};

/// The token of a job, and with it the rest of the job's GPU section: the only way to engines. Destroying it while an
/// engine is held ends the program with a sentence.
template <class Pool>
class token_guard : public detail::claim_handle<Pool> {
 public:
  token_guard() noexcept = default;
  token_guard(token_guard&&) noexcept = default;
  token_guard(const token_guard&) = delete;
  auto operator=(const token_guard&) -> token_guard& = delete;
  auto operator=(token_guard&&) -> token_guard& = delete;
  ~token_guard() {
    if (*this) {
      detail::or_terminate([this] { this->owner_->release_token(*this->claim_); });
    }
  }

  /// Error: an engine is held.
  void release() && {
    if (!*this) { return; }
    this->owner_->release_token(*this->claim_);
    this->claim_ = nullptr;
  }

  /// Pre: held, as for all below.
  [[nodiscard]] auto gpu() const noexcept -> std::int32_t { return this->owner_->gpu(*this->claim_); }

  [[nodiscard]] auto lock(engine_kind kind, const std::stop_token& stop = {}) & -> engine_guard<Pool> {
    return guard(this->owner_->obtain_engine(*this->claim_, kind, detail::no_deadline, stop));
  }
  /// The engine of copies in this direction.
  [[nodiscard]] auto lock(copy_direction d, const std::stop_token& stop = {}) & -> engine_guard<Pool> {
    return guard(this->owner_->obtain_copy_engine(*this->claim_, d, detail::no_deadline, stop));
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_lock_until(const std::chrono::time_point<Clock, Duration>& time, engine_kind kind,
                                    const std::stop_token& stop = {}) & -> engine_guard<Pool> {
    return guard(this->owner_->obtain_engine(*this->claim_, kind, detail::deadline_at(time), stop));
  }
  /// The engines of one step of a migration to the token's GPU, in one request.
  [[nodiscard]] auto lock_migration(const engine_set& step, const std::stop_token& stop = {}) & -> engine_guard<Pool> {
    return guard(this->owner_->obtain_engines(*this->claim_, step, detail::no_deadline, stop));
  }
  /// Both engines of copies from that GPU of the pool to the token's. Error: the two are no peers.
  [[nodiscard]] auto lock_peer_copy(std::int32_t source, const std::stop_token& stop = {}) & -> engine_guard<Pool> {
    return guard(this->owner_->obtain_peer_copy(*this->claim_, source, detail::no_deadline, stop));
  }

  template <class Engine>
  void lock(Engine /*e*/) && {
    detail::refuse_engine_of_temporary<Engine>();
  }

 private:
  template <class>
  friend class gpu_job;
  using detail::claim_handle<Pool>::claim_handle;

  [[nodiscard]] auto guard(bool held) noexcept -> engine_guard<Pool> {
    return held ? engine_guard<Pool>{*this->owner_, *this->claim_} : engine_guard<Pool>{};
  }
};

/// A job that has not had its token section. Asking for the token consumes it, so that there is no second one.
template <class Pool>
class gpu_job : public detail::claim_handle<Pool> {
 public:
  gpu_job(gpu_job&&) noexcept = default;
  gpu_job(const gpu_job&) = delete;
  auto operator=(const gpu_job&) -> gpu_job& = delete;
  auto operator=(gpu_job&&) -> gpu_job& = delete;
  ~gpu_job() {
    if (*this) {
      detail::or_terminate([this] { this->owner_->end_job(*this->claim_); });
    }
  }

  /// Pre: not consumed. The job is as before when a stop or the time ended the waiting, and the token is none.
  [[nodiscard]] auto acquire_token(const std::stop_token& stop = {}) && -> token_guard<Pool> {
    return guard(this->owner_->obtain_token(*this->claim_, detail::no_deadline, stop));
  }
  template <class Clock, class Duration>
  [[nodiscard]] auto try_acquire_token_until(const std::chrono::time_point<Clock, Duration>& time,
                                             const std::stop_token& stop = {}) && -> token_guard<Pool> {
    return guard(this->owner_->obtain_token(*this->claim_, detail::deadline_at(time), stop));
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
  using detail::claim_handle<Pool>::claim_handle;

  [[nodiscard]] auto guard(bool held) noexcept -> token_guard<Pool> {
    if (!held) { return {}; }
    return {*this->owner_, *std::exchange(this->claim_, nullptr)};
  }
};

}  // namespace takt::runtime
