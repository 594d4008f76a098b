// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/rules/helper_registry.hpp>
#include <takt/rules/helper_threads.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/lock_claim.hpp>

namespace takt::inline TAKT_ABI::runtime {

namespace detail {

/// Says how the system schedules a thread.
struct thread_scheduling {
  int policy = SCHED_OTHER;
  int priority = 0;  ///< real-time; above all others for SCHED_DEADLINE

  [[nodiscard]] friend auto operator==(const thread_scheduling&, const thread_scheduling&) noexcept -> bool = default;
};

/// Holds for the threads of a process. `schedule` is false where the system refuses.
template <class T>
concept ProcessThreads = requires(T t, pid_t thread, const thread_scheduling& how) {
  { t.self() } -> std::same_as<pid_t>;
  { t.all() } -> std::same_as<std::vector<pid_t>>;
  { t.scheduling(thread) } -> std::same_as<thread_scheduling>;
  { t.schedule(thread, how) } -> std::same_as<bool>;
};

/// Lists the threads of this process, as Linux does.
struct linux_threads {
  [[nodiscard]] static auto self() noexcept -> pid_t { return static_cast<pid_t>(syscall(SYS_gettid)); }
  [[nodiscard]] static auto all() -> std::vector<pid_t> {
    std::vector<pid_t> out;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/task"}) {
      out.push_back(static_cast<pid_t>(std::stol(entry.path().filename().string())));
    }
    return out;
  }
  [[nodiscard]] static auto scheduling(pid_t thread) noexcept -> thread_scheduling {
    sched_param p{};
    const int policy = sched_getscheduler(thread);
    if (policy < 0 || sched_getparam(thread, &p) != 0) { return {}; }
    return {policy, detail::has_deadlines(policy) ? sched_get_priority_max(SCHED_FIFO) : p.sched_priority};
  }
  [[nodiscard]] static auto schedule(pid_t thread, const thread_scheduling& how) noexcept -> bool {
    const sched_param p{.sched_priority = how.priority};
    return sched_setscheduler(thread, how.policy, &p) == 0;
  }
};

}  // namespace detail

/// Knows threads that a GPU runtime has started in this process, and the tasks whose jobs they serve. While a job waits
/// for an operation on an engine that it holds, the helpers of its task run at its priority. Threads are found when a
/// task takes helpers and at `look_for_threads`; until then a new one helps no task.
///
/// All functions may be called from any thread. Error: `std::system_error` with `resource_unavailable_try_again` for
/// more threads than there is room for. Source: Elliott 2015, sections 3.2.5.2 and 3.3.5.
template <std::size_t MaxThreads, detail::ProcessThreads System = detail::linux_threads>
class inheriting_helpers {
 public:
  class lent_priority;

  explicit inheriting_helpers(std::size_t tasks, const System& system = {}) : system_{system}, jobs_(tasks) {}
  inheriting_helpers(const inheriting_helpers&) = delete;
  auto operator=(const inheriting_helpers&) -> inheriting_helpers& = delete;
  ~inheriting_helpers() = default;

  /// The calling thread runs jobs, and so is no helper of a task any more.
  void run_jobs() {
    const std::lock_guard turn{mutex_};
    find_threads();
    register_job_thread();
  }
  /// The calling thread runs the task's jobs. Error: `std::out_of_range` for another task than 0 to tasks - 1.
  void set_helper_threads(std::int32_t task, helper_scope scope) {
    check(task);
    const std::lock_guard turn{mutex_};
    find_threads();
    register_job_thread();
    helpers_.take(task, scope);
  }
  /// Makes threads that have started helpers of the task that wants these; removes threads that have ended.
  void look_for_threads() {
    const std::lock_guard turn{mutex_};
    find_threads();
  }
  /// Returns the task of which a thread is a helper, or `helps_nobody`.
  [[nodiscard]] auto helped_by(pid_t thread) -> std::int32_t {
    const std::lock_guard turn{mutex_};
    return helpers_.helped_by(place_of(thread));
  }
  /// Returns how often the system has refused to change a priority.
  [[nodiscard]] auto refusals() -> std::int64_t {
    const std::lock_guard turn{mutex_};
    return refusals_;
  }

  /// Until it is destroyed, the task's helpers run at least at the real-time priority that the calling thread has now,
  /// inherited or not. Pre: that thread runs the task's jobs, holds the engine, and does nothing but wait for its
  /// operation meanwhile. Error: `std::out_of_range`, as above.
  template <class Pool, class Meter>
  [[nodiscard]] auto lend_priority(std::int32_t task, const engine_guard<Pool, Meter>& held) -> lent_priority {
    TAKT_EXPECTS(static_cast<bool>(held));
    check(task);
    return {*this, task};
  }

  class lent_priority {
   public:
    lent_priority(const lent_priority&) = delete;
    auto operator=(const lent_priority&) -> lent_priority& = delete;
    ~lent_priority() { lender_->take_back(task_); }

   private:
    friend inheriting_helpers;
    lent_priority(inheriting_helpers& helpers, std::int32_t task) : lender_{&helpers}, task_{task} {
      helpers.lend(task);
    }

    inheriting_helpers* lender_;
    std::int32_t task_;
  };

 private:
  static constexpr pid_t nobody = 0;

  struct member {
    pid_t thread = nobody;
    detail::thread_scheduling own{};
    bool raised = false;
  };

  void check(std::int32_t task) const {
    if (task < 0 || static_cast<std::size_t>(task) >= jobs_.size()) {
      throw std::out_of_range{"takt: the task of helper threads is " + std::to_string(task) + "; 0 to " +
                              std::to_string(static_cast<std::int64_t>(jobs_.size()) - 1)};
    }
  }

  /// Returns `MaxThreads` for a thread that is not known.
  [[nodiscard]] auto place_of(pid_t thread) const noexcept -> std::size_t {
    return static_cast<std::size_t>(std::ranges::find(members_, thread, &member::thread) - members_.begin());
  }
  void find_threads() {
    const std::vector<pid_t> all = system_.all();
    for (std::size_t n = 0; n < MaxThreads; ++n) {
      if (members_[n].thread == nobody || std::ranges::find(all, members_[n].thread) != all.end()) { continue; }
      members_[n] = {};
      helpers_.end(n);
    }
    for (const pid_t thread : all) {
      if (place_of(thread) < MaxThreads) { continue; }
      const std::size_t n = place_of(nobody);
      if (n == MaxThreads) {
        throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again),
                                "takt: the process has " + std::to_string(all.size()) + " threads; at most " +
                                    std::to_string(MaxThreads) + " fit among the helpers"};
      }
      members_[n].thread = thread;
      (void)helpers_.start(n);
    }
  }
  void register_job_thread() {
    const std::size_t n = place_of(system_.self());
    if (n == MaxThreads) { return; }
    restore(members_[n]);
    helpers_.end(n);
    (void)helpers_.start(n, true);
  }

  void lend(std::int32_t task) {
    const std::lock_guard turn{mutex_};
    const detail::thread_scheduling now = system_.scheduling(system_.self());
    jobs_[static_cast<std::size_t>(task)] = {
        .suspended = true, .holds_engine_lock = true, .effective = {.point = -now.priority}};
    for (std::size_t n = 0; n < MaxThreads && now.priority > 0; ++n) { raise(n, task); }
  }
  void take_back(std::int32_t task) noexcept {
    const std::lock_guard turn{mutex_};
    jobs_[static_cast<std::size_t>(task)] = {};
    for (std::size_t n = 0; n < MaxThreads; ++n) {
      if (helpers_.helped_by(n) == task) { restore(members_[n]); }
    }
  }
  void raise(std::size_t n, std::int32_t task) {
    member& m = members_[n];
    if (helpers_.helped_by(n) != task || m.raised) { return; }
    m.own = system_.scheduling(m.thread);
    const thread_rank own{.in = thread_class::callback, .point = -m.own.priority};
    const thread_rank lent = helpers_.rank_of(n, own, jobs_);
    if (lent.point >= own.point) { return; }  // the system runs it at a better one already
    m.raised = system_.schedule(m.thread, {SCHED_FIFO, static_cast<int>(-lent.point)});
    if (!m.raised) { ++refusals_; }
  }
  void restore(member& m) noexcept {
    if (m.raised && !system_.schedule(m.thread, m.own)) { ++refusals_; }
    m.raised = false;
  }

  inheriting_mutex mutex_;
  System system_;
  std::vector<helped_job> jobs_;
  std::array<member, MaxThreads> members_{};
  helper_registry<MaxThreads> helpers_;
  std::int64_t refusals_ = 0;
};

}  // namespace takt::inline TAKT_ABI::runtime
