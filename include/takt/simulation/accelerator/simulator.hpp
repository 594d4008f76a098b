// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/accelerator/accelerator_scheduler.hpp>
#include <takt/rules/accelerator/slot_window.hpp>
#include <takt/rules/servers/kernel_lanes.hpp>
#include <takt/simulation/accelerator/options.hpp>
#include <takt/simulation/accelerator/releases.hpp>
#include <takt/simulation/result.hpp>

namespace takt::simulation {

namespace detail {

/// Lanes of the simulated hardware that a strategy can use.
template <class Strategy>
[[nodiscard]] constexpr auto most_lanes() noexcept -> std::size_t {
  if constexpr (requires { Strategy::max_cores; }) {
    return Strategy::max_cores + 1;
  } else {
    return 1;
  }
}

/// Rounded down.
template <ExactNumber Number>
[[nodiscard]] constexpr auto whole_ticks(const Number& time) -> ticks {
  if constexpr (number_traits<Number>::integral) {
    return time;
  } else {
    return time.floor();
  }
}

}  // namespace detail

/// Virtual time over the scheduler of an accelerator.
///
/// Order within one instant: waves that end there have ended; slots close and open; jobs complete, core by core, after
/// all cores together; kernels that were asked to yield do; jobs are released one by one in the given order. After each
/// of these the scheduler decides. Only then do the kernels on top go on or start, but under `race` costs what a
/// completed job leaves on top of its streams starts a wave before the scheduler decides.
template <class Policy, AcceleratorStrategy Strategy, ExactNumber Number, std::size_t MaxTasks, class Releases,
          TraceRecorder Recorder>
class accelerator_simulator {
 public:
  using table_type = accelerator_table<Number, MaxTasks>;
  using result_type = simulation_result<MaxTasks, 0, Number>;

  /// Pre: the table, its cores and the slots are without fault. Everything passed by reference outlives the simulator.
  constexpr accelerator_simulator(const Policy& policy, const Strategy& strategy, const table_type& table,
                                  const Releases& releases, const accelerator_options<Number>& options,
                                  Recorder& recorder)
      : table_{&table},
        releases_{&releases},
        recorder_{&recorder},
        options_{options},
        scheduler_{strategy, policy},
        lanes_{options.costs, strategy.cores()} {
    states_.fill(state{});  // g++-12 may leave default members of array elements zero
    for (std::size_t i = 0; i < table.size(); ++i) {
      states_[i].seen.name = table.tasks[i].name;
      static_cast<void>(scheduler_.add(table.tasks[i]));
      states_[i].comes = releases.job(i, 0, states_[i].next);
    }
    if constexpr (has_slots) { lay_out_slots(); }
  }

  constexpr auto run() -> result_type {
    Number next(0);
    while (!error_ && next_instant(next)) {
      now_ = next;
      lanes_.advance(now_);
      happen();
      if (options_.stop_at_first_miss && any_overdue()) { break; }
      if (options_.has_limit && options_.limit < now_ && incomplete_ > 0) { break; }
      if (!lanes_.dispatch(*recorder_)) { fail({.fault = model_fault::time_overflow}); }
    }
    lanes_.close(*recorder_);
    return result();
  }

 private:
  static constexpr bool has_slots = SlotStrategy<Strategy>;
  static constexpr std::size_t max_lanes = detail::most_lanes<Strategy>();
  using scheduler_type = accelerator_scheduler<Policy, Strategy, Number>;

  struct state {
    planned_job<Number> next{};  ///< the job after the last released one
    planned_job<Number> current{};
    bool comes = false;  ///< there is a next job
    observed_task<Number> seen{};
  };

  [[nodiscard]] static constexpr auto index(kernel_id k) noexcept -> std::size_t { return static_cast<std::size_t>(k); }
  constexpr void fail(const model_error& error) noexcept {
    if (!error_) { error_ = error; }
  }

  [[nodiscard]] constexpr auto next_instant(Number& out) -> bool {
    bool any = lanes_.next_instant(out);
    const auto consider = [&](const Number& time) {
      if (!any || time < out) { out = time; }
      any = true;
    };
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (states_[i].comes) { consider(states_[i].next.release); }
      if (options_.stop_at_first_miss && has_job(i)) { consider(due(i)); }
    }
    if constexpr (has_slots) {
      for (std::size_t i = 0; incomplete_ > 0 && i < max_lanes; ++i) {
        const Number wait = windows_[i].until_edge(now_);
        Number edge(0);
        if (!add_exactly(now_, wait, edge)) { fail({.fault = model_fault::time_overflow}); }
        if (Number(0) < wait) { consider(edge); }
      }
    }
    return any;
  }

  constexpr void happen() {
    if constexpr (has_slots) {
      if (move_slots()) { settle(); }
    }
    for (kernel_id k = lanes_.finished(); k != no_kernel; k = lanes_.finished()) { complete(k); }
    settle();
    for (std::size_t i = 0; i < table_->size(); ++i) {
      while (!error_ && states_[i].comes && !(now_ < states_[i].next.release)) { release(static_cast<kernel_id>(i)); }
    }
  }
  constexpr void settle() {
    for (bool again = true; again;) {
      scheduler_.reschedule(lanes_);
      again = false;
      for (kernel_id k = lanes_.take_leaver(); k != no_kernel; k = lanes_.take_leaver()) {
        scheduler_.yielded(k);
        again = true;
      }
    }
  }

  constexpr void release(kernel_id k) {
    state& s = states_[index(k)];
    const planned_job<Number> j = s.next;
    if (j.release < Number(0)) {
      return fail({.fault = model_fault::negative_time, .task = table_->tasks[index(k)].id});
    }
    note(mark_kind::release, k, s.seen.released, j.release);
    note(mark_kind::deadline, k, s.seen.released, deadline(k, j));
    const bool idle = !has_job(index(k));
    ++s.seen.released;
    ++incomplete_;
    s.comes = releases_->job(index(k), static_cast<std::int64_t>(s.seen.released), s.next);
    if (!idle) { return; }
    activate(k, j);
    settle();
  }
  constexpr void activate(kernel_id k, const planned_job<Number>& j) {
    state& s = states_[index(k)];
    s.current = j;
    const Number cost = options_.free_preemption ? Number(0) : table_->tasks[index(k)].preemption_cost;
    lanes_.load(k, j.work, cost, s.seen.completed);
    if (!scheduler_.activate(k, j.release)) {
      fail({.fault = model_fault::time_overflow, .task = table_->tasks[index(k)].id});
    }
  }
  constexpr void complete(kernel_id k) {
    state& s = states_[index(k)];
    lanes_.remove(k);
    scheduler_.complete(k);
    if (deadline(k, s.current) < now_) { miss(k, s.seen.completed, deadline(k, s.current)); }
    note(mark_kind::completion, k, s.seen.completed, now_);
    note_completion(s.seen, Number(now_ - s.current.release));
    --incomplete_;
    planned_job<Number> waiting{};
    if (has_job(index(k)) && releases_->job(index(k), static_cast<std::int64_t>(s.seen.completed), waiting)) {
      activate(k, waiting);
    }
    if (resumes_before_submission()) { lanes_.resume_beside(k); }
    settle();
  }

  [[nodiscard]] constexpr auto resumes_before_submission() const noexcept -> bool {
    switch (options_.costs) {
      case preemption_cost_model::race: return true;
      case preemption_cost_model::ideal:
      case preemption_cost_model::overhead: return false;
    }
    return false;
  }
  [[nodiscard]] constexpr auto deadline(kernel_id k, const planned_job<Number>& j) -> Number {
    Number at(0);
    if (!add_exactly(j.release, table_->tasks[index(k)].deadline, at)) {
      fail({.fault = model_fault::time_overflow, .task = table_->tasks[index(k)].id});
    }
    return at;
  }
  [[nodiscard]] constexpr auto has_job(std::size_t i) const -> bool {
    return states_[i].seen.completed < states_[i].seen.released;
  }
  /// Pre: has_job(i).
  [[nodiscard]] constexpr auto due(std::size_t i) -> Number {
    return deadline(static_cast<kernel_id>(i), states_[i].current);
  }
  [[nodiscard]] constexpr auto any_overdue() -> bool {
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (has_job(i) && !(now_ < due(i))) { return true; }
    }
    return false;
  }
  constexpr void note(mark_kind what, kernel_id k, std::uint64_t job, const Number& time) {
    if constexpr (number_traits<Number>::integral) {
      recorder_->record(mark{what, table_->tasks[index(k)].id, job, time});
    }
  }
  constexpr void miss(kernel_id k, std::uint64_t job, const Number& at) {
    note_miss(states_[index(k)].seen, detail::whole_ticks(at));
    note(mark_kind::miss, k, job, at);
  }

  constexpr void lay_out_slots() {
    for (std::size_t lane = 0; lane < max_lanes; ++lane) {
      Number guard(0);
      for (std::size_t i = 0; options_.guard_band && i < table_->size(); ++i) {
        const bool here = lanes_.lane_of(scheduler_.core_of(static_cast<kernel_id>(i))) == lane;
        if (here && guard < table_->tasks[i].preemption_cost) { guard = table_->tasks[i].preemption_cost; }
      }
      windows_[lane] = {lane == 0 ? options_.gang_slot : options_.pinned_slot, guard};
    }
    static_cast<void>(move_slots());
  }
  /// True when one opens or closes.
  constexpr auto move_slots() -> bool {
    bool changed = false;
    for (std::int32_t core = any_core; core < scheduler_.streams().cores; ++core) {
      const bool open = windows_[lanes_.lane_of(core)].is_open(now_);
      if (scheduler_.strategy().is_open(core) == open) { continue; }
      scheduler_.set_open(core, open);
      changed = true;
    }
    return changed;
  }

  constexpr auto result() -> result_type {
    result_type out;
    out.error = error_;
    out.end = detail::whole_ticks(now_);
    for (std::size_t i = 0; i < table_->size(); ++i) {
      observed_task<Number>& seen = states_[i].seen;
      seen.unfinished = seen.released - seen.completed;
      for (std::uint64_t j = seen.completed; j < seen.released; ++j) {
        planned_job<Number> late{};
        if (!releases_->job(i, static_cast<std::int64_t>(j), late)) { continue; }
        const Number at = deadline(static_cast<kernel_id>(i), late);
        if (!options_.stop_at_first_miss || !(now_ < at)) { miss(static_cast<kernel_id>(i), j, at); }
      }
      static_cast<void>(out.tasks.push_back(seen));
    }
    return out;
  }

  const table_type* table_;
  const Releases* releases_;
  Recorder* recorder_;
  accelerator_options<Number> options_;
  scheduler_type scheduler_;
  kernel_lanes<Number, MaxTasks, max_lanes> lanes_;
  std::array<state, MaxTasks> states_{};
  std::array<slot_window<Number>, has_slots ? max_lanes : 1> windows_{};
  std::int64_t incomplete_ = 0;
  Number now_ = Number(0);
  model_error error_{};
};

}  // namespace takt::simulation
