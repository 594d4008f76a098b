// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/simulation/graph/cpu_cluster.hpp>
#include <takt/simulation/graph/enqueue_guards.hpp>
#include <takt/simulation/graph/graph_agenda.hpp>
#include <takt/simulation/graph/graph_clocks.hpp>
#include <takt/simulation/graph/graph_log.hpp>
#include <takt/simulation/graph/graph_machine.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_result.hpp>
#include <takt/simulation/graph/graph_trace.hpp>
#include <takt/simulation/graph/graph_workload.hpp>
#include <takt/simulation/graph/job_gates.hpp>
#include <takt/simulation/graph/kernel_engine.hpp>

namespace takt::simulation {

/// Virtual time over the clusters and the GPU of a workload that `check_graph_workload` accepts.
///
/// Order within one instant: CPU time and blocks that are due end; invocations are released; everything that this makes
/// active becomes so, through steps without length as well; new kernels and copies enter their queues by graph, number
/// of the job and task; blocks start; CPUs are handed out.
template <ExactNumber Number, StepLengths<Number> Lengths, TraceRecorder Recorder, class Observer,
          std::size_t MaxKernels, std::size_t MaxSms>
class graph_simulator {
 public:
  using releases_type = std::vector<std::vector<Number>>;

  /// All arguments outlive the simulator.
  graph_simulator(const graph_workload<Number>& work, const releases_type& releases, const graph_options& options,
                  const Lengths& lengths, Recorder& recorder, Observer& observer)
      : work_{&work},
        releases_{&releases},
        lengths_{&lengths},
        observer_{&observer},
        options_{options},
        machine_{work, options},
        trace_{work, recorder},
        clocks_{work, releases},
        log_{work, releases} {}

  [[nodiscard]] auto run() -> graph_result<Number> {
    if (!set_up()) { fail(model_fault::malformed); }
    Number next{};
    while (ok() && next_instant(next)) {
      for (std::size_t c = 0; options_.boost_signals && c < machine_.clusters().size(); ++c) {
        if (machine_.clusters()[c].is_inverted()) { log_.inverted(c, next - now_); }
      }
      now_ = next;
      step();
    }
    log_.ended(now_);
    if (unfinished_ > 0) { fail(model_fault::stalled); }
    return log_.result();
  }

 private:
  struct job {
    Number nominal{};
    Number enqueued{};
    std::size_t step = 0;
  };
  using name = graph_job_name;

  [[nodiscard]] auto ok() const -> bool { return log_.result().ok(); }
  void fail(model_fault f) { log_.fail(f); }
  [[nodiscard]] auto sum(const Number& a, const Number& b) -> Number {
    Number out{};
    if (!add_exactly(a, b, out)) { fail(model_fault::time_overflow); }
    return out;
  }
  [[nodiscard]] auto job_of(const name& n) -> job& { return jobs_[gates_.job(n.task, n.number)]; }

  [[nodiscard]] auto set_up() -> bool {
    std::vector<std::size_t> invocations;
    for (const auto& r : *releases_) { invocations.push_back(r.size()); }
    if (!gates_.set_up(*work_, invocations)) { return false; }
    const auto& tasks = work_->tasks;
    jobs_.assign(gates_.jobs(), job{});
    names_.assign(gates_.jobs(), name{});
    unfinished_ = gates_.jobs();
    guards_.set_up(*work_, options_.early_release);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      for (std::size_t j = 0; j < gates_.jobs(t); ++j) { names_[gates_.job(t, j)] = {t, j}; }
      if (tasks[t].clock == no_clock && gates_.jobs(t) > 0 && gates_.is_ready(t, 0)) { ready_.push_back({t, 0}); }
      rules_.emplace_back(tasks[t].period, tasks[t].period);
    }
    const std::size_t all = gates_.jobs();
    ready_.reserve(all);
    starting_.reserve(all);
    entering_.reserve(all);
    agenda_.reserve(3 * all);
    for (std::size_t t = 0; t < tasks.size(); ++t) { machine_.expect(tasks[t].cluster, gates_.jobs(t)); }
    machine_.reserve();
    return true;
  }

  [[nodiscard]] auto next_instant(Number& out) const -> bool {
    bool any = false;
    const auto consider = [&](const Number& time) {
      if (!any || time < out) { out = time; }
      any = true;
    };
    Number time{};
    if (clocks_.next(time)) { consider(time); }
    if (agenda_.next(time)) { consider(time); }
    if (machine_.next_end(time)) { consider(time); }
    return any;
  }

  void step() {
    const auto left = [&](const track& where, std::size_t j, const Number& since) {
      trace_.worked(where, names_[j], jobs_[j].step, since, now_);
    };
    machine_.complete_due(
        now_, left, [&](std::size_t j) { end_step(j); },
        [&](std::uint64_t tag) {
          const auto j = static_cast<std::size_t>(tag);
          log_.kernel_finished(names_[j], jobs_[j].enqueued, now_);
          end_step(j);
        });
    clocks_.release_due(now_, [&](std::size_t t, std::size_t j, const Number& time) {
      job_of({t, j}).nominal = sum(time, work_->tasks[t].offset);
      if (gates_.open(t, j)) { ready_.push_back({t, j}); }
    });
    keep_appointments();
    settle();
    enter_queues();
    const auto started = [&](std::uint64_t tag, const block_group<Number>& g) {
      const auto j = static_cast<std::size_t>(tag);
      trace_.worked({stage::kernel, 0, g.sm, 1}, names_[j], jobs_[j].step, g.start, g.end);
    };
    if (!machine_.dispatch(now_, left, started)) { fail(model_fault::time_overflow); }
    observer_->settled(now_, machine_.gpu());
  }

  void settle() {
    while (!ready_.empty() || !starting_.empty()) {
      const bool ready = !ready_.empty();
      auto& list = ready ? ready_ : starting_;
      const name n = list.back();
      list.pop_back();
      if (ready) {
        become_ready(n);
      } else {
        begin_step(n);
      }
    }
  }
  void keep_appointments() {
    for (graph_appointment<Number> due; agenda_.take_due(now_, due);) {
      if (due.of_guard) {
        pass_guard(due.who.task);
      } else {
        become_due(due.who);
      }
    }
  }

  /// Everything that the job waits for is there.
  void become_ready(const name& n) {
    const auto& t = work_->tasks[n.task];
    job& j = job_of(n);
    if (t.clock == no_clock) {
      node_release<Number> r{};
      if (!rules_[n.task].next(now_, true, r)) { fail(model_fault::time_overflow); }
      j.nominal = r.release;
      if (gates_.open(n.task, n.number + 1)) { ready_.push_back({n.task, n.number + 1}); }
    }
    trace_.happened(mark_kind::release, n, j.nominal);
    if (!options_.early_release && now_ < j.nominal) {
      agenda_.make({j.nominal, n, false});
      return;
    }
    if (t.clock != no_clock && t.parallelism == unrestricted_parallelism && j.nominal < now_) { log_.late(); }
    become_due(n);
  }
  void become_due(const name& n) {
    if (gates_.let(n.task, n.number)) { begin_step(n); }
  }

  void begin_step(const name& n) {
    const auto& t = work_->tasks[n.task];
    job& j = job_of(n);
    const std::size_t which = gates_.job(n.task, n.number);
    for (; j.step < t.steps; ++j.step) {
      const auto& s = work_->steps[t.first_step + j.step];
      if (s.kind == node_kind::junction) { continue; }
      if (s.kind != node_kind::processor) {
        if (!guards_.has(n.task)) {
          entering_.push_back(which);
          return;
        }
        if (!guards_.of(n.task).ready(static_cast<std::int64_t>(n.number))) { fail(model_fault::too_many_kernels); }
        pass_guard(n.task);
        return;
      }
      const Number length = (*lengths_)(n.task, j.step, n.number, s.length);
      if (!(Number(0) < length)) { continue; }
      const auto number = static_cast<std::int64_t>(n.number);
      const auto task = static_cast<std::uint32_t>(n.task);
      const fraction_of<Number> priority = fraction_of<Number>(j.nominal) + t.priority_point;
      if (!is_number(priority)) { fail(model_fault::time_overflow); }
      const job_urgency<Number> urgency{options_.boost_signals && s.signals, priority, t.graph, number, task};
      machine_.ask_cpu(t.cluster, {urgency, which, length});
      return;
    }
    complete(n);
  }
  void end_step(std::size_t which) {
    ++jobs_[which].step;
    begin_step(names_[which]);
  }
  void pass_guard(std::size_t task) {
    auto& g = guards_.of(task);
    if (!g.next_is_ready()) { return; }
    if (!g.may_enter(now_)) {
      agenda_.make({g.earliest(), {task, 0}, true});
      return;
    }
    entering_.push_back(gates_.job(task, static_cast<std::size_t>(g.next())));
    if (!g.enter(now_)) { fail(model_fault::time_overflow); }
    if (g.next_is_ready()) { agenda_.make({g.earliest(), {task, 0}, true}); }
  }

  void complete(const name& n) {
    --unfinished_;
    log_.completed(n, job_of(n).nominal, now_);
    trace_.happened(mark_kind::completion, n, now_);
    gates_.complete(
        n.task, n.number, [&](std::size_t task, std::size_t number) { ready_.push_back({task, number}); },
        [&](std::size_t task, std::size_t number) { starting_.push_back({task, number}); });
  }

  void enter_queues() {
    std::ranges::sort(entering_, {}, [&](std::size_t which) {
      const name& n = names_[which];
      return std::tuple{work_->tasks[n.task].graph, n.number, n.task};
    });
    for (const std::size_t which : entering_) {
      const name& n = names_[which];
      const auto& t = work_->tasks[n.task];
      job& j = jobs_[which];
      const std::size_t position = t.first_step + j.step;
      const auto& s = work_->steps[position];
      const Number length = (*lengths_)(n.task, j.step, n.number, s.length);
      if (!(Number(0) < length)) { fail(model_fault::malformed); }
      if (!ok()) { return; }
      j.enqueued = now_;
      log_.entered(n, j.nominal, now_);
      if (s.kind == node_kind::copy) {
        const auto number = static_cast<std::int64_t>(n.number);
        const auto task = static_cast<std::uint32_t>(n.task);
        machine_.ask_copy({{false, fraction_of<Number>(now_), t.graph, number, task}, which, length});
        continue;
      }
      const std::int32_t stream = options_.per_task_streams ? static_cast<std::int32_t>(position) : own_stream;
      if (!machine_.gpu().enqueue({s.block, s.blocks, stream}, length, which)) {
        fail(machine_.gpu().is_full() ? model_fault::too_many_kernels : model_fault::malformed);
        return;
      }
      observer_->enqueued(now_, static_cast<std::uint64_t>(which), machine_.gpu());
    }
    entering_.clear();
  }

  const graph_workload<Number>* work_;
  const releases_type* releases_;
  const Lengths* lengths_;
  Observer* observer_;
  graph_options options_;
  graph_machine<Number, MaxKernels, MaxSms> machine_;
  graph_trace<Number, Recorder> trace_;
  job_gates gates_;
  std::vector<job> jobs_;
  std::vector<name> names_;  ///< by job
  graph_clocks<Number> clocks_;
  enqueue_guards<Number> guards_;
  std::vector<name> ready_;  ///< jobs that have just become so
  std::vector<name> starting_;
  std::vector<release_rule<Number>> rules_;  ///< by task
  std::vector<std::size_t> entering_;        ///< jobs whose kernels or copies enter their queue now
  graph_agenda<Number> agenda_;
  graph_log<Number> log_;
  std::size_t unfinished_ = 0;
  Number now_{};
};

}  // namespace takt::simulation
