// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/helper_threads.hpp>
#include <takt/simulation/calendar.hpp>
#include <takt/simulation/interrupts/bottom_halves.hpp>
#include <takt/simulation/interrupts/interrupt_system.hpp>
#include <takt/simulation/interrupts/job_progress.hpp>
#include <takt/simulation/interrupts/need_accounting.hpp>
#include <takt/simulation/interrupts/processor_state.hpp>
#include <takt/simulation/interrupts/result.hpp>
#include <takt/simulation/interrupts/workload.hpp>

namespace takt::simulation {

/// Virtual time for jobs that use devices: processors that all threads share, the most important ones first, and that
/// interrupts take away from them.
///
/// Order within one instant. What runs on processors ends, by processor, and all that follows; then what runs on
/// engines, by task, and all that follows; then the releases, by task, and all that follows. What follows: interrupts
/// take their processors; the rest goes to the threads of best rank, equal ones by number; the first of them at a step
/// that takes no time does that, and the choice is made anew. So a lock, an issue and the end of a job take a
/// processor, though no time.
///
/// Cost per instant and step: a few passes over tasks and devices.
template <BottomHalfPolicy Policy, TraceRecorder Recorder>
class interrupt_simulator {
 public:
  /// Pre: `check(workload, processors)` finds nothing. Whatever is passed by reference outlives the simulator.
  interrupt_simulator(const interrupt_workload& workload, std::int32_t processors, const Policy& policy,
                      const callback_threads& callbacks, Recorder& recorder)
      : workload_{&workload},
        recorder_{&recorder},
        system_{workload, policy, callbacks, result_},
        processors_{static_cast<std::size_t>(processors), system_.threads()},
        needs_{workload},
        next_job_(workload.tasks().size(), 0) {
    result_.finishes.assign(workload.releases().size(), no_instant);
  }
  interrupt_simulator(const interrupt_simulator&) = delete;
  auto operator=(const interrupt_simulator&) -> interrupt_simulator& = delete;
  ~interrupt_simulator() = default;

  auto run() -> interrupt_result {
    for (ticks next = next_instant(); next < never; next = next_instant()) {
      account(next - now_);
      advance_to(next);
      settle();
      if (interrupts_due()) { settle(); }
      while (releases_due()) { settle(); }
    }
    if (has_more()) { result_.error = {model_fault::never_ends}; }
    result_.end = now_;
    return std::move(result_);
  }

 private:
  // Time.

  [[nodiscard]] auto next_release(std::size_t task) const -> ticks {
    const interrupt_task& t = workload_->tasks()[task];
    return next_job_[task] < t.job_count ? workload_->releases(t)[next_job_[task]] : never;
  }
  [[nodiscard]] auto next_instant() -> ticks {
    ticks next = system_.next_refill(now_);
    for (std::size_t t = 0; t < next_job_.size(); ++t) {
      const job_progress& j = system_[t];
      if (!j.pending) { next = std::min(next, next_release(t)); }
      if (j.stage == operation_stage::engine) { next = std::min(next, j.engine_end); }
    }
    for (const processor_state& p : processors_.all()) {
      if (p.interrupted()) {
        next = std::min(next, now_ + system_[p.interrupt_work()].part_left);
      } else if (p.thread != no_thread) {
        next = std::min(next, now_ + std::min(system_.left(p.thread), system_.allowed(p.thread, now_)));
      }
    }
    return next;
  }
  [[nodiscard]] auto has_more() -> bool {
    for (std::size_t t = 0; t < next_job_.size(); ++t) {
      if (system_[t].pending || next_release(t) != never) { return true; }
    }
    return false;
  }
  void advance_to(ticks next) {
    const ticks before = std::exchange(now_, next);
    for (const processor_state& p : processors_.all()) {
      if (p.interrupted()) {
        system_[p.interrupt_work()].part_left -= next - before;
      } else if (p.thread != no_thread) {
        system_.left(p.thread) -= next - before;
        system_.ran(p.thread, before, next);
      }
    }
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      processor_state& p = processors_[i];
      if (p.interrupted()) {
        if (system_[p.interrupt_work()].part_left == 0) { end_interrupt_part(p); }
      } else if (p.thread != no_thread && system_.left(p.thread) == 0) {
        end_work(p.thread);
      }
    }
  }
  void account(ticks time) {
    if (time == 0) { return; }
    needs_.account(processors_.all(), time);
    result_.doubled += some_rank_runs_twice() ? time : 0;
  }
  [[nodiscard]] auto some_rank_runs_twice() const -> bool {
    const auto lent = [this](std::size_t i) -> std::optional<thread_rank> {
      const processor_state& p = processors_.all()[i];
      if (p.interrupted() || p.thread == no_thread) { return std::nullopt; }
      const thread_rank rank = system_.rank(p.thread);
      return rank.in == thread_class::normal ? std::optional{rank} : std::nullopt;
    };
    for (std::size_t a = 0; a < processors_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (lent(a) && lent(a) == lent(b)) { return true; }
      }
    }
    return false;
  }

  // What happens at an instant.

  auto interrupts_due() -> bool {
    bool any = false;
    for (std::size_t t = 0; t < next_job_.size(); ++t) {
      if (system_[t].stage != operation_stage::engine || system_[t].engine_end != now_) { continue; }
      interrupt(t);
      any = true;
    }
    return any;
  }
  auto releases_due() -> bool {
    bool any = false;
    for (std::size_t t = 0; t < next_job_.size(); ++t) {
      if (system_[t].pending || next_release(t) > now_) { continue; }
      const ticks release = next_release(t);
      system_.release(t, next_job_[t]++);
      note(mark_kind::release, t, release);
      any = true;
    }
    return any;
  }
  void interrupt(std::size_t task) {
    const job_progress& j = system_[task];
    const device_engine& e = workload_->engines()[static_cast<std::size_t>(j.operation.engine)];
    record({task, j.job, j.segment_of(operation_part::engine)}, e.shown, result_.lives[j.life].engine.start);
    system_.end_engine(task, now_);
    const std::int32_t processor = workload_->devices()[system_.device_of(task)].processor;
    processors_[static_cast<std::size_t>(processor)].top_halves.push_back(task);
  }
  void end_interrupt_part(processor_state& p) {
    const std::size_t task = p.interrupt_work();
    if (p.top_halves.empty()) {
      p.soft = no_thread;
      return system_.end_bottom_half(task, now_);
    }
    p.top_halves.erase(p.top_halves.begin());
    const bool in_batch = p.soft != no_thread || p.soft_left > 0;
    if (!in_batch) { p.soft_left = system_.halves_in_interrupt(task); }
    system_.end_top_half(task, now_);
  }
  void end_work(thread_id h) {
    if (!system_.runs_job(h)) { return system_.end_help(h, now_); }
    if (system_[h].next() != nullptr) { return system_.step(h, now_); }
    const std::size_t job = workload_->tasks()[h].first_job + static_cast<std::size_t>(system_[h].job);
    result_.finishes[job] = now_;
    note(mark_kind::completion, h, now_);
    system_.complete(h);
  }

  void settle() {
    while (interrupts_step() || threads_step()) {}
    release_held();
    processors_.place(chosen_);
    for (std::size_t p = 0; p < processors_.size(); ++p) { show(p); }
    needs_.update(system_.jobs(), now_, result_);
  }
  /// False when all that is done in interrupt context takes time.
  auto interrupts_step() -> bool {
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      processor_state& p = processors_[i];
      if (p.top_halves.empty() && p.soft == no_thread && p.soft_left > 0) {
        p.soft = system_.take_half(static_cast<std::int32_t>(i));
        p.soft_left = p.soft == no_thread ? 0 : p.soft_left - 1;
      }
      if (p.interrupted() && system_[p.interrupt_work()].part_left == 0) {
        end_interrupt_part(p);
        return true;
      }
    }
    return false;
  }
  /// A thread that was interrupted at the end of its work does not come back to the processor.
  void release_held() {
    for (std::size_t i = 0; i < processors_.size(); ++i) {
      const thread_id h = processors_[i].thread;
      if (h != no_thread && !system_.could_run(h, now_)) { processors_[i].thread = no_thread; }
    }
  }
  /// Chooses who is to run. False when all of them have work that takes time.
  auto threads_step() -> bool {
    choose();
    for (const thread_id h : chosen_) {
      if (system_.begins_half(h)) {
        system_.begin_half(h);
        return true;
      }
      if (system_.left(h) == 0) {
        end_work(h);
        return true;
      }
    }
    return false;
  }
  void choose() {
    candidates_.clear();
    for (thread_id h = 0; h < system_.threads(); ++h) {
      if (!system_.could_run(h, now_) || processors_.holds(h)) { continue; }
      candidates_.push_back({system_.rank(h), h});
    }
    std::ranges::sort(candidates_, [](const candidate& a, const candidate& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.thread < b.thread;
    });
    chosen_.clear();
    for (std::size_t i = 0; i < std::min(processors_.room(), candidates_.size()); ++i) {
      chosen_.push_back(candidates_[i].thread);
    }
  }

  // What a recorder hears.

  [[nodiscard]] auto activity_of(const processor_state& p) -> processor_activity {
    if (!p.interrupted() && p.thread == no_thread) { return {}; }
    const bool works_at_job = !p.interrupted() && system_.runs_job(p.thread);
    const std::size_t task = p.interrupted() ? p.interrupt_work() : system_.task_of(p.thread);
    const job_progress& j = system_[task];
    if (works_at_job) { return {task, j.job, j.next()->segment}; }
    const operation_part part = j.stage == operation_stage::top_half      ? operation_part::top_half
                                : j.stage == operation_stage::bottom_half ? operation_part::bottom_half
                                                                          : operation_part::callback;
    system_.start_part(task, now_);
    return {task, j.job, j.segment_of(part), p.interrupted()};
  }
  void show(std::size_t i) {
    processor_state& p = processors_[i];
    const processor_activity next = activity_of(p);
    if (next == p.activity) { return; }
    const track where{.where = stage::cpu, .index = static_cast<std::int32_t>(i)};
    if (!p.activity.idle()) { record(p.activity, where, p.since); }
    p.activity = next;
    p.since = now_;
  }
  void record(const processor_activity& a, const track& where, ticks since) {
    if (since == now_) { return; }
    recorder_->record(slice{.task = static_cast<std::uint32_t>(a.task),
                            .segment = a.segment,
                            .job = a.job,
                            .where = where,
                            .start = since,
                            .end = now_});
  }
  void note(mark_kind what, std::size_t task, ticks time) {
    recorder_->record(mark{what, static_cast<std::uint32_t>(task), system_[task].job, time});
  }

  struct candidate {
    thread_rank rank{};
    thread_id thread = 0;
  };

  const interrupt_workload* workload_;
  Recorder* recorder_;
  interrupt_result result_;
  interrupt_system<Policy> system_;
  processor_bank processors_;
  need_accounting needs_;
  std::vector<std::size_t> next_job_;
  std::vector<candidate> candidates_;
  std::vector<thread_id> chosen_;
  ticks now_ = 0;
};

}  // namespace takt::simulation
