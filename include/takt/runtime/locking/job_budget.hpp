// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <takt/core/hosted.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <concepts>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include <sys/syscall.h>
#include <unistd.h>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/rules/budget.hpp>
#include <takt/runtime/clock.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Tells how long the calling thread has been on a CPU, and the time.
template <class C>
concept BudgetClock = requires(C c) {
  { c.cpu_time() } -> std::same_as<ticks>;
  { c.wall_time() } -> std::same_as<ticks>;
};

struct thread_clocks {
  [[nodiscard]] static auto cpu_time() noexcept -> ticks { return thread_time(); }
  [[nodiscard]] static auto wall_time() noexcept -> ticks { return now(); }
};

}  // namespace detail

/// Is thrown when a job has used more than its budget, and holds no engine.
class budget_exhausted : public std::runtime_error {
 public:
  budget_exhausted(duration budget, duration overrun)
      : runtime_error{"takt: a job has used its budget of " + std::to_string(budget.count()) + " ns and " +
                      std::to_string(overrun.count()) + " ns more"},
        overrun_{overrun} {}
  /// Returns how far the job was over its budget when that was noticed.
  [[nodiscard]] auto overrun() const noexcept -> duration { return overrun_; }

 private:
  duration overrun_;
};

/// Meters what a job may use on CPUs and GPU engines together, and what it has used. That is its thread's CPU time and,
/// while it holds an engine, the time that passes. Waiting for tokens and engines costs nothing, unless it is done
/// busily. A budget that is used up to its end is not overrun.
///
/// The overrun is told once, by an exception, and only from calls without an engine. These are the calls of a
/// `token_guard` with this meter, the release of an engine, `check`, and `budget_alarm::compute`, which it ends.
/// Source: Elliott 2015, section 3.2.4.
template <detail::BudgetClock Clock = detail::thread_clocks>
class budget_meter {
 public:
  /// Meters a job of the calling thread, which alone uses it. Error: `std::invalid_argument` for less than 1 ns.
  explicit budget_meter(duration budget, const Clock& clock = {})
      : clock_{clock}, account_{takt::overrun_policy::signal, budget_of(budget)}, since_{clock_.cpu_time()} {}
  budget_meter(const budget_meter&) = delete;
  auto operator=(const budget_meter&) -> budget_meter& = delete;
  ~budget_meter() = default;

  /// Charges what was used until now. Error: `budget_exhausted`; `std::logic_error` within a computation that the
  /// budget may end.
  void check() {
    if (computes_) {
      throw std::logic_error{
          "takt: a computation that its budget may end asks for its account, a token or an engine; "
          "these come before it"};
    }
    charge(time());
    if (!is_due_ || engines_ > 0) { return; }
    is_due_ = false;
    throw budget_exhausted{duration{account_.budget().refill}, duration{account_.overrun()}};
  }
  /// Returns the account as of the last call of this job.
  [[nodiscard]] auto account() const noexcept -> const budget_account& { return account_; }

  /// The job has got an engine, or both of a peer-to-peer copy.
  void enter_engine() noexcept {
    charge(time());
    ++engines_;
    account_.engine_locked();
    since_ = time();
  }
  /// Pre: the job has entered one. An overrun is told by the next `check`.
  void leave_engine() noexcept {
    TAKT_EXPECTS(engines_ > 0);
    charge(time());
    --engines_;
    note(account_.engine_unlocked());
    since_ = time();
  }

 private:
  friend class budget_alarm;

  [[nodiscard]] auto was_told() const noexcept -> bool { return account_.overrun() > 0 && !is_due_ && engines_ == 0; }
  [[nodiscard]] auto holds_engine() const noexcept -> bool { return engines_ > 0; }
  /// Returns when the budget ends, on the clock that drains it. Pre: `check` has been called without anything after it.
  [[nodiscard]] auto overruns_at() const noexcept -> ticks { return later(since_, later(account_.budget().left, 1)); }

  [[nodiscard]] static auto budget_of(duration budget) -> job_budget {
    if (budget.count() < 1) {
      throw std::invalid_argument{"takt: the budget of a job is " + std::to_string(budget.count()) +
                                  " ns; at least 1 ns"};
    }
    return {.refill = budget.count(), .period = 1, .left = budget.count()};
  }
  [[nodiscard]] auto time() noexcept -> ticks { return engines_ > 0 ? clock_.wall_time() : clock_.cpu_time(); }
  void charge(ticks until) noexcept {
    budget_actions todo;
    // Refused only beyond an overrun that has been noted already.
    (void)account_.charge(std::max<ticks>(0, (duration{until} - duration{since_}).count()), todo);
    note(todo);
    since_ = until;
  }
  void note(const budget_actions& todo) noexcept { is_due_ = is_due_ || !todo.empty(); }

  Clock clock_;
  budget_account account_;
  ticks since_;
  std::int32_t engines_ = 0;
  bool is_due_ = false;
  bool computes_ = false;  ///< within `budget_alarm::compute`
};

namespace detail {

/// Holds for code that may be left at any instruction, for good. The compiler checks only that it throws nothing; the
/// rest is a promise. While it runs it owns nothing (no object with a destructor, no lock, no guard). It calls nothing
/// that allocates, locks or keeps a state. What it has written by then may be there or not, unless it is atomic.
template <class F>
concept Abandonable = std::is_nothrow_invocable_r_v<void, F&>;

/// No timer is set for less time: a thread that loses its CPU again and again is not kept busy by signals.
inline constexpr ticks least_alarm = 50'000;

/// One computation at a time of one thread.
struct budgeted_computation {
  timer_t timer{};
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;  ///< of `limit`
  ticks limit = 0;
  bool holds_engine = false;
  std::atomic<bool> over{false};
  sigjmp_buf begin{};

  void set_timer(ticks in) const noexcept {
    const itimerspec at{.it_interval = {},
                        .it_value = {.tv_sec = static_cast<time_t>(in / 1'000'000'000),
                                     .tv_nsec = static_cast<long>(in % 1'000'000'000)}};
    (void)timer_settime(timer, 0, &at, nullptr);
  }
  [[nodiscard]] auto left() const noexcept -> ticks { return limit - read_clock(clock); }
};

inline constinit thread_local std::atomic<budgeted_computation*> this_computation{nullptr};

/// The timer counts time that passes, of which a thread cannot use more than there is: the budget is over when it rings
/// or later. A signal that comes from elsewhere finds some budget left.
inline void on_budget_signal(int /*signal*/) {
  const int error = errno;
  budgeted_computation* c = this_computation.load(std::memory_order_relaxed);
  if (c != nullptr && !c->over.load(std::memory_order_relaxed)) {
    if (const ticks left = c->left(); left > 0) {
      c->set_timer(std::max(left, least_alarm));
    } else {
      c->over.store(true, std::memory_order_relaxed);
      if (!c->holds_engine) {
        this_computation.store(nullptr, std::memory_order_relaxed);
        siglongjmp(c->begin, 1);
      }
    }
  }
  errno = error;
}

/// Error: the signal has another handler.
inline void handle_budget_signal(int signal) {
  static std::mutex one_at_a_time;
  const std::lock_guard turn{one_at_a_time};
  struct sigaction there{};
  if (sigaction(signal, nullptr, &there) != 0) {
    throw std::system_error{errno, std::generic_category(),
                            "takt: signal " + std::to_string(signal) + " cannot tell of overruns"};
  }
  if (there.sa_handler == &on_budget_signal) { return; }
  if (there.sa_handler != SIG_DFL) {
    throw std::system_error{std::make_error_code(std::errc::device_or_resource_busy),
                            "takt: signal " + std::to_string(signal) + " has a handler already; choose another"};
  }
  struct sigaction ours{};
  ours.sa_handler = &on_budget_signal;
  ours.sa_flags = SA_RESTART;
  (void)sigaction(signal, &ours, nullptr);
}

}  // namespace detail

/// Raises the overrun of a budget while its job computes. A timer signals the thread and the computation is left where
/// it is. Then `budget_exhausted` is raised in its caller, whose guards give back what they hold. While the job holds
/// an engine the signal only sets `over`; the overrun is raised once the engine is free. Outside `compute` there is no
/// signal. Source: Elliott 2015, section 3.2.4 and figure 3.6.
class budget_alarm {
 public:
  /// Belongs to the calling thread, which alone uses it; the meter outlives it. The first alarm installs the signal's
  /// handler for the process. Error: `std::system_error`: the signal has a handler, or the system gives no timer.
  explicit budget_alarm(budget_meter<>& meter, int signal = SIGRTMAX - 1) : meter_{&meter}, signal_{signal} {
    detail::handle_budget_signal(signal);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    if (timer_create(CLOCK_MONOTONIC, &event, &computation_.timer) != 0) {
      throw std::system_error{errno, std::generic_category(), "takt: the system gives no timer for a budget"};
    }
    was_blocked_ = mask(SIG_UNBLOCK);
  }
  budget_alarm(const budget_alarm&) = delete;
  auto operator=(const budget_alarm&) -> budget_alarm& = delete;
  ~budget_alarm() {
    (void)timer_delete(computation_.timer);
    if (was_blocked_) { (void)mask(SIG_BLOCK); }
  }

  /// Runs `f` to its end, or until the budget is used up. Error: `budget_exhausted`, unless an engine is held or the
  /// overrun has been told before; `std::logic_error` in another thread, and within a computation.
  template <detail::Abandonable F>
  void compute(F&& f) {
    if (std::this_thread::get_id() != owner_) { throw std::logic_error{"takt: the alarm of another thread"}; }
    meter_->check();
    computation_.over.store(meter_->was_told(), std::memory_order_relaxed);
    computation_.limit = meter_->overruns_at();
    computation_.holds_engine = meter_->holds_engine();
    computation_.clock = computation_.holds_engine ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    run(f);
    meter_->check();
  }
  /// Returns whether the budget is used up, for code under an engine, which is not left.
  [[nodiscard]] auto over() const noexcept -> bool { return computation_.over.load(std::memory_order_relaxed); }

 private:
  /// Lasts from before a computation that may be left until after it, however it ends.
  class scope {
   public:
    scope(budget_meter<>& meter, detail::budgeted_computation& c) noexcept : meter_{&meter}, computation_{&c} {
      meter.computes_ = true;
    }
    scope(const scope&) = delete;
    auto operator=(const scope&) -> scope& = delete;
    ~scope() {
      detail::this_computation.store(nullptr, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
      computation_->set_timer(0);
      meter_->computes_ = false;
    }

   private:
    budget_meter<>* meter_;
    detail::budgeted_computation* computation_;
  };

  /// Blocks or unblocks the signal. True: it was blocked.
  [[nodiscard]] auto mask(int how) const noexcept -> bool {
    sigset_t ours;
    sigset_t before;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, signal_);
    (void)pthread_sigmask(how, &ours, &before);
    return sigismember(&before, signal_) == 1;
  }
  /// Is a function of its own, so that a jump back finds nothing that has changed.
  template <class F>
  [[gnu::noinline]] void run(F& f) {
    const scope s{*meter_, computation_};
    if (sigsetjmp(computation_.begin, 1) != 0) { return; }
    detail::this_computation.store(&computation_, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    computation_.set_timer(std::max<ticks>(1, computation_.left()));
    f();
  }

  budget_meter<>* meter_;
  int signal_;
  bool was_blocked_ = false;
  std::thread::id owner_ = std::this_thread::get_id();
  detail::budgeted_computation computation_;
};

}  // namespace takt::inline TAKT_ABI::runtime
