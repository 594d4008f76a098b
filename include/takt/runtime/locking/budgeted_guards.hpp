// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <utility>

#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/runtime/locking/budget_meter.hpp>
#include <takt/runtime/locking/gpu_guards.hpp>
#include <takt/runtime/locking/suspend.hpp>

namespace takt::runtime {

template <class Pool, BudgetClock Clock>
class budgeted_token;

/// An `engine_guard` whose time drains the budget of the job. The destructor cannot tell of an overrun, so the next
/// call under the token does.
template <class Pool, BudgetClock Clock>
class budgeted_engine {
 public:
  budgeted_engine() noexcept = default;
  budgeted_engine(budgeted_engine&&) noexcept = default;
  budgeted_engine(const budgeted_engine&) = delete;
  auto operator=(const budgeted_engine&) -> budgeted_engine& = delete;
  auto operator=(budgeted_engine&&) -> budgeted_engine& = delete;
  ~budgeted_engine() {
    detail::or_terminate([this] { give_back(); });
  }

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(engine_); }
  /// Pre: the operations have ended, as with the destructor. Error: `budget_exhausted`, and then the engine is free;
  /// the token is another thread's, and then it is still held.
  void release() && {
    if (!engine_) { return; }
    give_back();
    meter_->check();
  }
  /// Pre: held, as for the other query.
  [[nodiscard]] auto contended() const noexcept -> bool { return engine_.contended(); }
  /// Whether somebody should go first before the next operation of the same kind.
  [[nodiscard]] auto should_yield() const noexcept -> bool { return engine_.should_yield(); }

 private:
  friend budgeted_token<Pool, Clock>;
  budgeted_engine(engine_guard<Pool>&& engine, budget_meter<Clock>& meter) noexcept
      : engine_{std::move(engine)}, meter_{&meter} {
    if (engine_) { meter.enter_engine(); }
  }
  void give_back() {
    if (!engine_) { return; }
    std::move(engine_).release();
    meter_->leave_engine();
  }

  engine_guard<Pool> engine_;
  budget_meter<Clock>* meter_ = nullptr;
};

/// A `token_guard` of a job with a budget. Every call may end with `budget_exhausted`, before it has done anything but
/// what is said here; the guards on the way give back engine and token.
template <class Pool, BudgetClock Clock>
class budgeted_token {
 public:
  using engine = budgeted_engine<Pool, Clock>;

  /// Asks for the token of the job, or takes over one that it has. Pre: the meter is that of the same job and outlives
  /// the token. There is no token, and the job is as before, when a stop ended the waiting.
  budgeted_token(gpu_job<Pool>&& job, budget_meter<Clock>& meter, const std::stop_token& stop = {})
      : token_{checked(meter, std::move(job)).acquire_token(stop)}, meter_{&meter} {}
  budgeted_token(token_guard<Pool>&& token, budget_meter<Clock>& meter) : token_{std::move(token)}, meter_{&meter} {
    meter.check();
  }
  budgeted_token(budgeted_token&&) noexcept = default;
  budgeted_token(const budgeted_token&) = delete;
  auto operator=(const budgeted_token&) -> budgeted_token& = delete;
  auto operator=(budgeted_token&&) -> budgeted_token& = delete;
  ~budgeted_token() = default;

  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(token_); }
  /// Error: an engine is held; `budget_exhausted`, and then the token is free.
  void release() && {
    std::move(token_).release();
    meter_->check();
  }

  /// Pre: held, as for all below.
  [[nodiscard]] auto gpu() const noexcept -> std::int32_t { return token_.gpu(); }

  [[nodiscard]] auto lock(engine_kind kind, const std::stop_token& stop = {}) & -> engine {
    meter_->check();
    return {token_.lock(kind, stop), *meter_};
  }
  [[nodiscard]] auto lock(copy_direction d, const std::stop_token& stop = {}) & -> engine {
    meter_->check();
    return {token_.lock(d, stop), *meter_};
  }
  template <class TimeClock, class Duration>
  [[nodiscard]] auto try_lock_until(const std::chrono::time_point<TimeClock, Duration>& time, engine_kind kind,
                                    const std::stop_token& stop = {}) & -> engine {
    meter_->check();
    return {token_.try_lock_until(time, kind, stop), *meter_};
  }
  [[nodiscard]] auto lock_migration(const engine_set& step, const std::stop_token& stop = {}) & -> engine {
    meter_->check();
    return {token_.lock_migration(step, stop), *meter_};
  }
  [[nodiscard]] auto lock_peer_copy(std::int32_t source, const std::stop_token& stop = {}) & -> engine {
    meter_->check();
    return {token_.lock_peer_copy(source, stop), *meter_};
  }

  template <class Engine>
  void lock(Engine /*e*/) && {
    detail::refuse_engine_of_temporary<Engine>();
  }

 private:
  static auto checked(budget_meter<Clock>& meter, gpu_job<Pool>&& job) -> gpu_job<Pool>&& {
    meter.check();
    return std::move(job);
  }

  token_guard<Pool> token_;
  budget_meter<Clock>* meter_;
};

}  // namespace takt::runtime
