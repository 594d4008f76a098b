// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/budget.hpp>
#include <takt/systems/locked_gpus/host/affinity_advice.hpp>
#include <takt/systems/locked_gpus/host/engine_layout.hpp>
#include <takt/systems/locked_gpus/host/job_chain.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

namespace takt::inline TAKT_ABI::host {

/// Says what jobs may use, and what is done about more. It is not bandwidth inheritance.
struct budget_rules {
  overrun_policy policy{};
  std::span<const ticks> budgets{};  ///< one per task
};

namespace detail {

/// Leads every job through its chain: how long each visit is, which operations of a GPU it makes, and on which engines.
/// The grant of the token decides whether the state of the task has to come along.
///
/// Budgets cover a job's time on CPUs and engines. Where it `signals`, a job whose budget a step uses up leaves out the
/// steps after it, all but those that save its state. Where it `releases_early`, a job goes on with the budgets of its
/// task's next jobs, whose sections are left out. So the task gets no more than its share in the long run. The job
/// keeps its priority meanwhile, which the source lowers.
template <std::size_t MaxTasks, SectionWork Work>
class section_jobs {
 public:
  /// The number of the work that a job does before its section, where that varies.
  static constexpr std::size_t piece_before = std::numeric_limits<std::uint16_t>::max();

  /// All that is passed by reference outlives it. `varies`: what jobs run before their sections is a piece of work too.
  section_jobs(const gpu_system& system, std::vector<affinity_memory<MaxTasks>>& pools, const Work& work,
               const budget_rules& budgets, bool varies)
      : system_{&system},
        pools_{&pools},
        work_{&work},
        layout_{system},
        budgets_{budgets},
        varies_{varies},
        runs_(system.programs.size()) {
    for (std::size_t t = 0; t < runs_.size(); ++t) {
      const section_program& p = system.programs[t];
      std::size_t moves = p.state_in.size() + p.state_out.size();
      for (const auto& chunks : p.state_peer) { moves = std::max(moves, chunks.size()); }
      runs_[t].steps.reserve(p.steps.size() + moves);
    }
  }

  void began(std::size_t task, std::size_t job) {
    run& r = runs_[task];
    r.number = job;
    r.used = 0;
  }
  [[nodiscard]] auto length(std::size_t task, gpu_visit v) -> ticks {
    const ticks time = time_of(task, v);
    runs_[task].used += time;
    return time;
  }
  /// Returns whether a visit uses the bus. CPU time and copies do; kernels have their GPU's memory; steps do not.
  [[nodiscard]] auto uses_bus(std::size_t task, gpu_visit v) const -> bool {
    const run& r = runs_[task];
    switch (v) {
      case gpu_visit::before:
      case gpu_visit::first:
      case gpu_visit::last:
      case gpu_visit::end: return true;
      case gpu_visit::work: return r.steps[r.next].engine != section_engine::execution;
      case gpu_visit::ask:
      case gpu_visit::lead:
      case gpu_visit::launch:
      case gpu_visit::notification:
      case gpu_visit::go_on: return false;
    }
    return false;
  }
  [[nodiscard]] auto skips(std::size_t task, gpu_visit v) const -> bool {
    const run& r = runs_[task];
    switch (v) {
      case gpu_visit::before:
      case gpu_visit::first:
      case gpu_visit::last:
      case gpu_visit::end: return false;
      case gpu_visit::lead: return !goes_on(r) || !ordered(r.steps[r.next]);
      case gpu_visit::ask:
      case gpu_visit::launch:
      case gpu_visit::work:
      case gpu_visit::notification:
      case gpu_visit::go_on: return !goes_on(r);
    }
    return false;
  }
  /// Moves on, and returns whether the job makes another operation. Pre: it has ended one, or has none to make.
  [[nodiscard]] auto again(std::size_t task) -> bool {
    run& r = runs_[task];
    if (!goes_on(r)) { return false; }
    ++r.next;
    if (r.told && r.next < r.saving) {
      r.next = r.saving;
      r.seen.stopped = true;
    }
    return goes_on(r);
  }
  /// Returns engines of the operation that comes next: one engine, or two in the order in which they are asked for.
  [[nodiscard]] auto engines_of(std::size_t task) const -> engine_pair {
    const run& r = runs_[task];
    const section_step& step = r.steps[r.next];
    engine_pair out = layout_.engines(system_->programs[task].gpu_cluster, step.engine, r.seen.gpu, r.seen.came_from);
    if (ordered(step) && out[1] < out[0]) { std::swap(out[0], out[1]); }
    return out;
  }

  /// The job gets a token of its GPU cluster.
  void granted(std::size_t task, std::size_t job, replica_id token) {
    const section_program& p = system_->programs[task];
    affinity_memory<MaxTasks>& memory = memory_of(task);
    const auto t = static_cast<request_id>(task);
    run& r = runs_[task];
    const std::int32_t gpu = memory.map().gpu_of(token);
    const rational predicted = memory.taking(t, token);
    r.seen = {.task = task,
              .job = job,
              .gpu = gpu,
              .came_from = memory.last_gpu(t),
              .distance = memory.distance_to(t, gpu),
              .predicted = predicted,
              .has_prediction = rational{} < predicted};
    memory.acquired(t, gpu);
    memory.release_over();
    r.used_at_grant = r.used;
    r.next = 0;
    r.told = false;
    start_budget(p, r);
    r.steps.clear();
    if (!r.seen.skipped) { plan(p, r); }
  }
  /// It gives it back.
  void releasing(std::size_t task) {
    run& r = runs_[task];
    if (budgets_.policy.releases_early) {
      charge(r.used + (budgets_.policy.signals ? 0 : system_->programs[task].cpu_after), r);
    }
    r.seen.cost = r.used - r.used_at_grant;
    if (!r.seen.skipped) { memory_of(task).observe(static_cast<request_id>(task), r.seen.distance, r.seen.cost); }
    sections_.push_back(r.seen);
  }
  /// Lists sections in the order in which their tokens were given back.
  [[nodiscard]] auto sections() noexcept -> std::vector<token_section>& { return sections_; }

 private:
  struct run {
    std::vector<section_step> steps;
    std::size_t number = 0;  ///< of the job
    std::size_t next = 0;
    std::size_t saving = 0;  ///< the first step that saves the state
    ticks used = 0;          ///< by the job so far, and what it has just begun
    ticks used_at_grant = 0;
    ticks charged = 0;
    bool told = false;  ///< that its budget is used up with the operation under way
    budget_account budget{overrun_policy::none, {}};
    std::int64_t jobs_left_out = 0;  ///< of those whose budgets an earlier job took
    token_section seen{};
  };

  [[nodiscard]] auto memory_of(std::size_t task) -> affinity_memory<MaxTasks>& {
    return (*pools_)[static_cast<std::size_t>(system_->programs[task].gpu_cluster)];
  }
  [[nodiscard]] static auto goes_on(const run& r) -> bool { return r.next < r.steps.size(); }
  [[nodiscard]] auto ordered(const section_step& step) const noexcept -> bool {
    return step.engine == section_engine::peer && !system_->peer_engines_together;
  }

  [[nodiscard]] auto time_of(std::size_t task, gpu_visit v) -> ticks {
    const section_program& p = system_->programs[task];
    const request_costs& costs = system_->costs;
    run& r = runs_[task];
    const auto piece = [&](std::size_t number, ticks worst) { return work_->time({task, r.number, number}, worst); };
    switch (v) {
      case gpu_visit::before: {
        const ticks own = varies_ && p.cpu_before > 0 ? piece(piece_before, p.cpu_before) : p.cpu_before;
        return own + (p.gpu_cluster == no_cluster ? p.cpu_after : costs.before_lock);
      }
      case gpu_visit::first: return r.seen.skipped ? 0 : piece(0, p.cpu_first);
      case gpu_visit::ask: return costs.before_lock;
      case gpu_visit::lead: return 0;
      case gpu_visit::launch: launch(r); return costs.after_grant;
      case gpu_visit::work: return r.steps[r.next].time;
      case gpu_visit::notification: return costs.after_wait;
      case gpu_visit::go_on: return costs.after_unlock;
      case gpu_visit::last: return costs.after_grant + (r.seen.skipped || r.seen.stopped ? 0 : piece(1, p.cpu_last));
      case gpu_visit::end: return costs.after_unlock + p.cpu_after;
    }
    return 0;
  }
  /// All engines of the operation are held.
  void launch(run& r) {
    const section_step& step = r.steps[r.next];
    if (step.engine == section_engine::execution) { r.seen.execution += step.time; }
    r.told = budgets_.policy.signals && drain(r.used + step.time, r);
  }

  /// The operations of this job.
  void plan(const section_program& p, run& r) {
    const work_item job{r.seen.task, r.number, 0};
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

  void start_budget(const section_program& p, run& r) {
    const overrun_policy& policy = budgets_.policy;
    if (!policy.limits()) { return; }
    r.charged = 0;
    if (policy.releases_early && r.jobs_left_out < r.budget.budget().skipped_jobs) {
      ++r.jobs_left_out;
      r.seen.skipped = true;
      return;
    }
    r.jobs_left_out = 0;
    // Where a job is told, what comes after the section, without an engine, is put aside.
    const ticks refill = budgets_.budgets[r.seen.task] - (policy.signals ? p.cpu_after : 0);
    r.budget = budget_account{policy, {.refill = refill, .period = 1, .left = refill}};
    if (policy.signals) { static_cast<void>(drain(r.used + p.cpu_first, r)); }
  }
  void charge(ticks used, run& r) {
    budget_actions todo;
    static_cast<void>(r.budget.charge(used - r.charged, todo));
    r.charged = used;
  }
  /// Returns true when the job is told that its budget is used up.
  auto drain(ticks used, run& r) -> bool {
    r.budget.engine_locked();
    charge(used, r);
    return !r.budget.engine_unlocked().empty();
  }

  const gpu_system* system_;
  std::vector<affinity_memory<MaxTasks>>* pools_;
  const Work* work_;
  engine_layout layout_;
  budget_rules budgets_;
  bool varies_;
  std::vector<run> runs_;
  std::vector<token_section> sections_;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
