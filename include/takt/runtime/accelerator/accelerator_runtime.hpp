// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>

#include <takt/core/choice.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/accelerator_fault.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/accelerator_scheduler.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/runtime/accelerator/accelerator_options.hpp>
#include <takt/runtime/accelerator/concepts.hpp>
#include <takt/runtime/accelerator/launch_inbox.hpp>
#include <takt/runtime/accelerator/registered_kernel.hpp>
#include <takt/runtime/accelerator/slot_clock.hpp>
#include <takt/runtime/timed_condition.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/run.hpp>
#include <takt/runtime/run_end.hpp>
#include <takt/runtime/run_result.hpp>
#include <takt/runtime/start_line.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::runtime {

/// Wall time over the scheduler of an accelerator.
///
/// One thread owns all queues. It sleeps until the next release, deadline or slot edge, all of them absolute instants
/// that no delay shifts, or until the device's threads leave a notice; it never waits for the device. Whatever has
/// happened by then it tells the scheduler, slot edges after completions and before releases, and only then lets it
/// decide, so that jobs of one instant compete by priority. Calls of the device are made without any lock.
///
/// The life cycle: `add` and `pin`; `start`; then for each job, at its release, the scheduler's `activate` (the
/// `subscribe` of Zahaf and Lipari 2020) and `reschedule` (`resched`), which submits it to a stream; at the notice of
/// its end its response is taken; `stop` and `drain`. Tasks know nothing of policy, strategy and device.
/// Source: Zahaf and Lipari 2020, sections 5 and 7.2.
template <class Policy, AcceleratorStrategy Strategy, AcceleratorDevice D>
  requires AcceleratorPolicy<Policy>
class accelerator_runtime {
 public:
  static constexpr std::size_t max_tasks = Strategy::max_tasks;
  using kernel = typename D::kernel;

  /// The device outlives the runtime, and is its own while it runs.
  accelerator_runtime(const Policy& policy, const Strategy& strategy, D& device, accelerator_options options = {})
    requires(!SlotStrategy<Strategy>)
      : device_{&device}, options_{std::move(options)}, scheduler_{strategy, policy} {
    kernels_.reserve(max_tasks);
  }
  /// Pre: the slots are without fault.
  accelerator_runtime(const Policy& policy, const Strategy& strategy, D& device, const accelerator_slots& slots,
                      accelerator_options options = {})
    requires SlotStrategy<Strategy>
      : device_{&device}, options_{std::move(options)}, reserved_{slots}, scheduler_{strategy, policy} {
    kernels_.reserve(max_tasks);
  }
  accelerator_runtime(const accelerator_runtime&) = delete;
  auto operator=(const accelerator_runtime&) -> accelerator_runtime& = delete;
  ~accelerator_runtime() { drain(0); }

  /// Registers a kernel whose jobs run `body`, first released so long after the start. It needs all cores unless its
  /// task names one. `no_kernel` when its times are wrong or too long, there is no room or no such core. Pre: not
  /// started.
  auto add(const accelerator_task<ticks>& t, kernel body, ticks offset = 0) -> kernel_id {
    const kernel_id k = enlist(t, offset);
    if (k != no_kernel) { kernels_.back()->bind(std::move(body)); }
    return k;
  }
  /// Registers a kernel that only takes time: in waves of its preemption cost.
  auto add_timed(const accelerator_task<ticks>& t, ticks offset = 0) -> kernel_id { return enlist(t, offset); }
  /// The kernel wants this core only (the `allocate_to_sm` of the paper). False: no such core. Pre: not started.
  [[nodiscard]] auto pin(kernel_id k, std::int32_t core) noexcept -> bool { return scheduler_.pin(k, core); }

  /// Streams and threads are made, and jobs released within the window. False, and nothing runs, when the device or
  /// the system lacks what that needs, or a choice of the options is unknown. Once.
  [[nodiscard]] auto start(const run_window& window) -> bool {
    if (!is_known(options_.overrun) || !is_known(options_.lengths)) { return false; }
    window_ = window;
    stop_at_ = window.stop;
    if constexpr (has_slots) { lay_out_slots(); }
    inbox_.reserve(kernels_.size());
    notices_.reserve(kernels_.size());
    const auto post = [](void* inbox, kernel_id k, launch_end how) { static_cast<launch_inbox*>(inbox)->post(k, how); };
    for (const auto& k : kernels_) { k->begin(window.start); }
    if (!device_->serves(scheduler_.streams())) { return false; }
    opened_ = open_ = true;
    const bool ready = device_->open({.streams = scheduler_.streams(),
                                      .kernels = kernels_.size(),
                                      .trace_capacity = options_.trace_capacity,
                                      .ended = {post, &inbox_}});
    if (ready) {
      thread_ = thread{[this] {
        serve();
        end();
      }};
    }
    if (!thread_.started()) { close(); }
    return thread_.started();
  }
  /// No releases from now on. Any thread may call it, hooks included.
  void stop() {
    bring_forward(stop_at_, now());
    inbox_.wake();
  }
  /// Suspends the calling thread until the instant, or until nothing is or will be under way, as after a fault of the
  /// device. Not for hooks. Pre: started.
  void sleep_until(ticks time) {
    std::unique_lock lock{mutex_};
    changed_.wait_until(lock, time, [this] { return over_; });
  }
  /// Waits until there are no more releases and all jobs are complete, or until an instant at which what is left is
  /// abandoned. Not for hooks.
  void drain(ticks until = never) {
    bring_forward(cut_at_, until);
    inbox_.wake();
    thread_.join();
    close();
  }

  /// The thread that decides. Pre: started and not drained.
  [[nodiscard]] auto native_handle() const noexcept -> pthread_t { return thread_.native_handle(); }

  /// What was seen, without what the operating system granted. Pre: drained.
  [[nodiscard]] auto result() const -> run_result {
    run_result out;
    out.error = error_;
    detail::summarize(kernels_, out);
    out.end = std::max<ticks>(0, std::min<ticks>(stop_at_, cut_at_) - window_.start);
    (void)report_fault(*device_, out);
    return out;
  }
  /// Tells what happened to the jobs, and what ran where as far as the device knows. Entries that did not fit.
  /// Pre: drained.
  template <TraceRecorder Recorder>
  auto replay(Recorder& recorder) const -> std::uint64_t {
    for (const auto& k : kernels_) { k->log().replay(recorder); }
    return opened_ ? device_->replay(recorder, window_.start) : 0;
  }

 private:
  static constexpr bool has_slots = SlotStrategy<Strategy>;
  using registered = registered_kernel<kernel>;

  [[nodiscard]] auto at(kernel_id k) noexcept -> registered& { return *kernels_[static_cast<std::size_t>(k)]; }

  auto enlist(const accelerator_task<ticks>& t, ticks offset) -> kernel_id {
    accelerator_table<ticks, 1> alone;
    alone.add(t);
    const ticks longest = std::max({t.period, t.wcet, offset});
    if (attribute_fault(alone) || longest > longest_accelerator_time || offset < 0) { return no_kernel; }
    const kernel_id k = scheduler_.add(t);
    if (k != no_kernel) { kernels_.push_back(std::make_unique<registered>(t, k, offset, options_)); }
    return k;
  }

  static void bring_forward(std::atomic<ticks>& instant, ticks to) {
    ticks planned = instant;
    while (to < planned && !instant.compare_exchange_weak(planned, to)) {}
  }
  void close() {
    if (std::exchange(open_, false)) { device_->close(); }
  }

  void serve() {
    for (ticks time = window_.start; !done();) {
      const ticks before = time;
      time = inbox_.wait_until(next_instant(), notices_);
      if (device_failed()) {
        // Which of the notices are of void results is not known, so none counts.
        bring_forward(stop_at_, time);
        bring_forward(cut_at_, time);
      } else {
        for (const launch_notice& n : notices_) { take(n); }
      }
      if (cut_at_ <= time) { return leave_unfinished(std::max<ticks>(cut_at_, before)); }
      if (time < window_.start) { continue; }
      if constexpr (has_slots) { move_slots(time); }
      for (std::size_t i = 0; i < kernels_.size(); ++i) { let_pass(static_cast<kernel_id>(i), time); }
      scheduler_.reschedule(*device_);
    }
  }
  [[nodiscard]] auto device_failed() const -> bool {
    if constexpr (FallibleDevice<D>) {
      return device_->failed();
    } else {
      return false;
    }
  }
  void end() {
    const std::lock_guard lock{mutex_};
    over_ = true;
    changed_.notify_all();
  }
  void leave_unfinished(ticks end) {
    for (const auto& k : kernels_) { k->leave_unfinished(end, stop_at_); }
  }

  [[nodiscard]] auto idle() const noexcept -> bool {
    return std::ranges::none_of(kernels_, [](const auto& k) { return k->jobs().incomplete(); });
  }
  /// Nothing is under way, and nothing will be.
  [[nodiscard]] auto done() const noexcept -> bool {
    const ticks stop = stop_at_;
    return idle() && std::ranges::none_of(kernels_, [stop](const auto& k) { return k->next_release() < stop; });
  }
  [[nodiscard]] auto next_instant() const noexcept -> ticks {
    ticks next = cut_at_;
    for (const auto& k : kernels_) { next = std::min(next, k->next_instant(stop_at_)); }
    if constexpr (has_slots) {
      for (std::size_t lane = 0; !idle() && lane < slots_.size(); ++lane) { next = std::min(next, next_edge(lane)); }
    }
    return next;
  }

  void take(const launch_notice& n) {
    if (n.how == launch_end::yielded) { return scheduler_.yielded(n.kernel); }
    scheduler_.complete(n.kernel);
    if (at(n.kernel).complete(n.time)) { activate(n.kernel); }
  }
  /// Deadlines and releases up to now.
  void let_pass(kernel_id k, ticks time) {
    at(k).pass_deadlines(time);
    while (at(k).next_release() <= time && at(k).next_release() < stop_at_) {
      if (at(k).release()) { activate(k); }
      at(k).pass_deadlines(time);
    }
  }
  void activate(kernel_id k) {
    device_->load(k, at(k).next_body(), at(k).jobs().current());
    const ticks release = at(k).jobs().release_of(at(k).jobs().current()) - window_.start;
    if (scheduler_.activate(k, release)) { return; }
    error_ = {.fault = model_fault::time_overflow, .task = static_cast<std::uint32_t>(k)};
    bring_forward(cut_at_, 0);
  }

  [[nodiscard]] static auto core_of(std::size_t lane) noexcept -> std::int32_t {
    return static_cast<std::int32_t>(lane) + any_core;
  }
  /// Pre: the slots have been moved.
  [[nodiscard]] auto next_edge(std::size_t lane) const noexcept -> ticks {
    return later(window_.start, slots_[lane].next_edge(slots_moved_));
  }
  void lay_out_slots() {
    for (std::int32_t core = any_core; core < scheduler_.streams().cores; ++core) {
      ticks guard = 0;
      for (std::size_t i = 0; reserved_.guard_band && i < kernels_.size(); ++i) {
        const bool here = scheduler_.core_of(static_cast<kernel_id>(i)) == core;
        if (here) { guard = std::max(guard, kernels_[i]->task().preemption_cost); }
      }
      slots_.emplace_back(core == any_core ? reserved_.gang : reserved_.pinned, guard);
    }
  }
  void move_slots(ticks time) {
    slots_moved_ = time - window_.start;
    for (std::size_t lane = 0; lane < slots_.size(); ++lane) {
      const bool open = slots_[lane].is_open(slots_moved_);
      if (scheduler_.strategy().is_open(core_of(lane)) != open) { scheduler_.set_open(core_of(lane), open); }
    }
  }

  D* device_;
  accelerator_options options_;
  accelerator_slots reserved_{};  ///< of strategies with slots
  accelerator_scheduler<Policy, Strategy> scheduler_;
  std::vector<std::unique_ptr<registered>> kernels_;
  std::vector<slot_clock> slots_;
  std::vector<launch_notice> notices_;
  launch_inbox inbox_;
  run_window window_{};
  ticks slots_moved_ = 0;  ///< since the start
  inheriting_mutex mutex_;
  timed_condition changed_;
  bool over_ = false;
  std::atomic<ticks> stop_at_ = never;
  std::atomic<ticks> cut_at_ = never;
  model_error error_{};
  bool opened_ = false;  ///< ever
  bool open_ = false;
  thread thread_;
};

}  // namespace takt::runtime
