// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/budget.hpp>
#include <takt/simulation/gpusync/affinity_memory.hpp>
#include <takt/simulation/gpusync/engine_layout.hpp>
#include <takt/simulation/gpusync/section_work.hpp>
#include <takt/simulation/gpusync/system.hpp>
#include <takt/simulation/gpusync/token_section.hpp>
#include <takt/simulation/locking/lock_hooks.hpp>
#include <takt/simulation/locking/task_state.hpp>
#include <takt/simulation/locking/workload.hpp>

namespace takt::simulation {

/// Leads every job through its token section: the grant of the token decides whether the state of the task has to come
/// along, and each grant of an engine puts that step and the request for the next in front of the job's program, so a
/// section may have any number of steps.
///
/// Budgets cover a job's time on CPUs and engines. Where it `signals`, a job whose budget a step uses up leaves out the
/// steps after it, all but those that save its state. Where it `releases_early`, a job goes on with the budgets of its
/// task's next jobs, whose sections are left out, so that the task gets no more than its share in the long run; the job
/// keeps its priority meanwhile, which the source lowers.
///
template <std::size_t MaxTasks, SectionWork Work>
class section_hooks {
 public:
  /// `budgets` is empty or has one per task. All that is passed by reference outlives the hooks.
  section_hooks(const gpu_system& system, const lock_workload& workload, std::vector<affinity_memory<MaxTasks>>& pools,
                const Work& work, overrun_policy policy, std::span<const ticks> budgets)
      : system_{&system},
        workload_{&workload},
        pools_{&pools},
        work_{&work},
        layout_{system},
        policy_{policy},
        budgets_{budgets},
        runs_(system.programs.size()) {}

  void granted(const lock_event& e, inserted_operations& front) {
    if (layout_.is_pool(e.resource)) { return begin(e, front); }
    run& r = runs_[static_cast<std::size_t>(e.task)];
    if (--r.grants_due > 0) { return; }
    const section_step& step = r.steps[r.next];
    if (ordered(step) && !r.has_first) {  // the first of two engines
      r.has_first = true;
      return lock(r, engines_of(e.task, r, step), 1, 1, front);
    }
    perform(e, r, front);
  }
  void releasing(const lock_event& e) {
    if (!layout_.is_pool(e.resource)) { return; }
    run& r = runs_[static_cast<std::size_t>(e.task)];
    affinity_memory<MaxTasks>& memory = memory_of(e.resource);
    if (policy_.releases_early) { charge(e.used + (policy_.signals ? 0 : program(e.task).cpu_after), r); }
    r.seen.cost = e.used - r.used_at_grant;
    if (!r.seen.skipped) { memory.observe(e.task, r.seen.distance, r.seen.cost); }
    sections_.push_back(r.seen);
  }
  /// In the order in which their tokens were given back.
  [[nodiscard]] auto sections() noexcept -> std::vector<token_section>& { return sections_; }

 private:
  struct run {
    std::vector<section_step> steps;
    std::size_t next = 0;
    std::size_t saving = 0;  ///< the first step that saves the state
    std::int32_t grants_due = 0;
    bool has_first = false;
    ticks used_at_grant = 0;
    ticks charged = 0;
    budget_account budget{overrun_policy::none, {}};
    std::int64_t jobs_left_out = 0;  ///< of those whose budgets an earlier job took
    token_section seen{};
  };

  [[nodiscard]] auto memory_of(resource_id pool) -> affinity_memory<MaxTasks>& {
    return (*pools_)[static_cast<std::size_t>(pool)];
  }
  [[nodiscard]] auto program(request_id t) const -> const section_program& {
    return system_->programs[static_cast<std::size_t>(t)];
  }

  void begin(const lock_event& e, inserted_operations& front) {
    affinity_memory<MaxTasks>& memory = memory_of(e.resource);
    const section_program& p = program(e.task);
    run& r = runs_[static_cast<std::size_t>(e.task)];
    const std::int32_t from = memory.last_gpu(e.task);
    const std::int32_t gpu = memory.map().gpu_of(e.replica);
    const rational predicted = memory.prediction(e.task, e.replica);
    r.seen = {.task = static_cast<std::size_t>(e.task),
              .job = e.job,
              .gpu = gpu,
              .came_from = from,
              .distance = memory.distance_to(e.task, gpu),
              .predicted = predicted,
              .has_prediction = rational{} < predicted};
    memory.acquired(e.task, gpu);
    memory.release_over();
    r.used_at_grant = e.used;
    r.next = 0;
    r.has_first = false;
    start_budget(e, p, r);
    r.steps.clear();
    if (r.seen.skipped) { return; }
    plan(p, r);
    execute(p.cpu_first, e, 0, front);
    if (r.steps.empty()) { return execute(p.cpu_last, e, 1, front); }
    request_next(e.task, r, front);
  }

  /// The steps of this job.
  void plan(const section_program& p, run& r) {
    const work_item job{r.seen.task, number(r), 0};
    const auto add = [&](section_engine engine, ticks worst) {
      const ticks time = work_->time({job.task, job.job, r.steps.size() + 2}, worst);
      r.steps.push_back({engine, time});
    };
    std::span<const ticks> saved;  // what the job leaves in system memory
    switch (system_->migration) {
      case migration_path::none: break;
      case migration_path::system_memory:
        saved = p.state_out;
        if (!r.seen.migrated()) { break; }
        for (const ticks t : p.state_in) { add(section_engine::copy_in, t); }
        break;
      case migration_path::peer_to_peer:
        if (!r.seen.migrated()) { break; }
        for (const ticks t : p.state_peer[static_cast<std::size_t>(r.seen.distance)]) { add(section_engine::peer, t); }
        break;
    }
    const std::int32_t repetitions = work_->repetitions(job);
    for (const section_step& s : p.steps) {
      for (std::int32_t i = 0; i < (s.engine == section_engine::execution ? repetitions : 1); ++i) {
        add(s.engine, s.time);
      }
    }
    r.saving = r.steps.size();
    for (const ticks t : saved) { add(section_engine::copy_out, t); }
  }
  [[nodiscard]] auto number(const run& r) const -> std::size_t {
    return r.seen.job - workload_->tasks()[r.seen.task].first_job;
  }

  void start_budget(const lock_event& e, const section_program& p, run& r) {
    if (!policy_.limits()) { return; }
    r.charged = 0;
    if (policy_.releases_early && r.jobs_left_out < r.budget.budget().skipped_jobs) {
      ++r.jobs_left_out;
      r.seen.skipped = true;
      return;
    }
    r.jobs_left_out = 0;
    // Where a job is told, what comes after the section, without an engine, is put aside.
    const ticks refill = budgets_[r.seen.task] - (policy_.signals ? p.cpu_after : 0);
    r.budget = budget_account{policy_, {.refill = refill, .period = 1, .left = refill}};
    if (policy_.signals) { static_cast<void>(drain(e.used + p.cpu_first, r)); }
  }
  auto charge(ticks used, run& r) -> budget_actions {
    budget_actions todo;
    static_cast<void>(r.budget.charge(used - r.charged, todo));
    r.charged = used;
    return todo;
  }
  /// True when the job is told that its budget is used up.
  auto drain(ticks used, run& r) -> bool {
    r.budget.engine_locked();
    charge(used, r);
    return !r.budget.engine_unlocked().empty();
  }

  void request_next(request_id t, run& r, inserted_operations& front) {
    execute_exactly(system_->costs.before_lock, front);
    const section_step& step = r.steps[r.next];
    const engine_pair engines = engines_of(t, r, step);
    r.has_first = false;
    const bool one_by_one = ordered(step);
    lock(r, engines, 0, one_by_one ? 1 : engines.size(), front);
  }
  static void lock(run& r, const engine_pair& engines, std::size_t first, std::size_t count,
                   inserted_operations& front) {
    operation o{.what = operation_kind::lock};
    for (std::size_t i = first; i < first + count; ++i) { o.on.push_back({engines[i]}); }
    r.grants_due = static_cast<std::int32_t>(count);
    front.push_back(o);
  }

  /// All engines of the step are held.
  void perform(const lock_event& e, run& r, inserted_operations& front) {
    const section_program& p = program(e.task);
    const section_step step = r.steps[r.next];
    if (step.engine == section_engine::execution) { r.seen.execution += step.time; }
    execute_exactly(system_->costs.after_grant, front);
    front.push_back({.what = operation_kind::suspend, .time = step.time});
    execute_exactly(system_->costs.after_wait, front);
    operation unlock{.what = operation_kind::unlock};
    for (const resource_id x : engines_of(e.task, r, step)) { unlock.on.push_back({x}); }
    front.push_back(unlock);
    execute_exactly(system_->costs.after_unlock, front);
    ++r.next;
    const bool told = policy_.signals && drain(e.used + step.time, r);
    if (told && r.next < r.saving) {
      r.next = r.saving;
      r.seen.stopped = true;
    }
    if (r.next < r.steps.size()) { return request_next(e.task, r, front); }
    if (!r.seen.stopped) { execute(p.cpu_last, e, 1, front); }
  }

  [[nodiscard]] auto engines_of(request_id t, const run& r, const section_step& step) const -> engine_pair {
    engine_pair out = layout_.engines(program(t).gpu_cluster, step.engine, r.seen.gpu, r.seen.came_from);
    if (ordered(step) && out[1] < out[0]) {
      const resource_id last = out[0];
      out[0] = out[1];
      out[1] = last;
    }
    return out;
  }
  [[nodiscard]] auto ordered(const section_step& step) const noexcept -> bool {
    return step.engine == section_engine::peer && !system_->peer_engines_together;
  }

  void execute(ticks worst, const lock_event& e, std::size_t piece, inserted_operations& front) {
    const run& r = runs_[static_cast<std::size_t>(e.task)];
    execute_exactly(work_->time({r.seen.task, number(r), piece}, worst), front);
  }
  static void execute_exactly(ticks time, inserted_operations& front) {
    if (time > 0) { front.push_back({.what = operation_kind::execute, .time = time}); }
  }

  const gpu_system* system_;
  const lock_workload* workload_;
  std::vector<affinity_memory<MaxTasks>>* pools_;
  const Work* work_;
  engine_layout layout_;
  overrun_policy policy_;
  std::span<const ticks> budgets_;
  std::vector<run> runs_;
  std::vector<token_section> sections_;
};

}  // namespace takt::simulation
