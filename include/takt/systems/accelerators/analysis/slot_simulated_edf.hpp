// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/core/choice.hpp>

namespace takt::inline TAKT_ABI::analysis {

/// Holds what became of every job of a hyper-period. Tasks stand as in the part.
template <ExactNumber Number, std::size_t MaxTasks>
struct slot_run {
  verdict_status status = verdict_status::not_proven;
  model_error error{};
  std::int64_t misses = 0;                                ///< jobs that ended late, or not at all
  inline_vector<response_bound<Number>, MaxTasks> worst;  ///< over the jobs that ended

  [[nodiscard]] constexpr auto schedulable() const noexcept -> bool { return status == verdict_status::schedulable; }
};

/// Says how far a run goes on after a miss.
enum class run_extent : std::uint8_t {
  hyper_period,  ///< to the end of all jobs, for the response times
  first_miss,    ///< the verdict is then known
};
[[nodiscard]] constexpr auto last_of(run_extent) noexcept -> run_extent { return run_extent::first_miss; }

namespace detail {

[[nodiscard]] constexpr auto goes_on_after_miss(run_extent extent) noexcept -> bool {
  switch (extent) {
    case run_extent::hyper_period: return true;
    case run_extent::first_miss: return false;
  }
  return false;
}

template <class Number, std::size_t MaxTasks>
class slot_runner {
 public:
  constexpr slot_runner(const task_rows<accelerator_task<Number>, MaxTasks>& part, const slot_reservation<Number>& slot)
      : part_{&part}, slot_{slot} {
    for (const auto& t : part.tasks) {
      const Number deadline = t.deadline;
      longest_ = longest_ < deadline ? deadline : longest_;
      // Bound: one per task, at most MaxTasks.
      out_.worst.unchecked_push_back({});
    }
  }

  constexpr auto run(run_extent extent, std::int64_t limit) -> slot_run<Number, MaxTasks> {
    Number last{};
    if (!horizon(last)) {
      out_.status = verdict_status::overflow;
      return out_;
    }
    while (out_.misses == 0 || goes_on_after_miss(extent)) {
      if (limit-- == 0) { return out_; }
      release_due();
      const std::size_t job = most_urgent();
      if (job == part_->size()) {
        if (!(next_release() < end_)) { break; }
        now_ = next_release();
        continue;
      }
      if (last < now_) {
        for (std::size_t i = 0; i < part_->size(); ++i) { out_.misses += released_[i] - ended_[i]; }
        break;
      }
      advance(job);
      if (!is_number(now_) || !is_number(left_[job])) {
        out_.status = verdict_status::overflow;
        return out_;
      }
    }
    out_.status = out_.misses == 0 ? verdict_status::schedulable : verdict_status::unschedulable;
    return out_;
  }

 private:
  [[nodiscard]] constexpr auto horizon(Number& last) -> bool {
    end_ = slot_.period;
    for (std::size_t i = 0; i < part_->size(); ++i) {
      if (!common_multiple(Number(end_), part_->tasks[i].period, end_)) { return false; }
    }
    Number four{};
    return number_traits<Number>::multiply(slot_.period, 4, four) && add_exactly(end_, four, last) &&
           add_exactly(last, longest_, last) && add_exactly(last, end_, four);
  }
  /// Returns the release of job `count` of task i. Those from the end of the hyper-period on are not looked at.
  [[nodiscard]] constexpr auto release_of(std::size_t i, std::int64_t count) const -> Number {
    return Number(count) * part_->tasks[i].period;
  }
  [[nodiscard]] constexpr auto next_release() const -> Number {
    Number next = end_;
    for (std::size_t i = 0; i < part_->size(); ++i) {
      const Number r = release_of(i, released_[i]);
      next = r < next ? r : next;
    }
    return next;
  }
  constexpr void release_due() {
    for (std::size_t i = 0; i < part_->size(); ++i) {
      for (Number r = release_of(i, released_[i]); r < end_ && !(now_ < r); r = release_of(i, released_[i])) {
        if (released_[i]++ == ended_[i]) { left_[i] = part_->tasks[i].wcet; }
      }
    }
  }
  /// Returns the pending job with the least (absolute deadline, release, position), or the number of tasks.
  [[nodiscard]] constexpr auto most_urgent() const -> std::size_t {
    std::size_t best = part_->size();
    Number best_due{};
    Number best_release{};
    for (std::size_t i = 0; i < part_->size(); ++i) {
      if (ended_[i] == released_[i]) { continue; }
      const Number release = release_of(i, ended_[i]);
      const Number due = release + part_->tasks[i].deadline;
      if (best == part_->size() || due < best_due || (due == best_due && release < best_release)) {
        best = i;
        best_due = due;
        best_release = release;
      }
    }
    return best;
  }
  /// Goes to the next release, edge of the slot or end of the job.
  constexpr void advance(std::size_t i) {
    const Number passed = now_ + slot_.period - slot_.offset;
    const Number phase = passed - number_traits<Number>::floor_quotient(passed, slot_.period) * slot_.period;
    const bool open = phase < slot_.budget;
    Number until = now_ + ((open ? slot_.budget : slot_.period) - phase);
    if (next_release() < until && next_release() < end_) { until = next_release(); }
    if (open) {
      const Number done = now_ + left_[i];
      until = done < until ? done : until;
      left_[i] = left_[i] - (until - now_);
      if (left_[i] == Number(0)) { end_job(i, until); }
    }
    now_ = until;
  }
  constexpr void end_job(std::size_t i, const Number& at) {
    const Number response = at - release_of(i, ended_[i]);
    response_bound<Number>& worst = out_.worst[i];
    if (!worst.exists || worst.value < response) { worst = {response, true}; }
    if (part_->tasks[i].deadline < response) { ++out_.misses; }
    ++ended_[i];
    left_[i] = part_->tasks[i].wcet;
  }

  const task_rows<accelerator_task<Number>, MaxTasks>* part_;
  slot_reservation<Number> slot_;
  slot_run<Number, MaxTasks> out_{};
  Number now_{};
  Number end_{};
  Number longest_{};
  std::int64_t released_[MaxTasks]{};
  std::int64_t ended_[MaxTasks]{};
  Number left_[MaxTasks]{};
};

inline constexpr std::int64_t default_event_limit = 10'000'000;

/// Tests EDF with free preemption inside a slot, run over one hyper-period of tasks that are strictly periodic and
/// start with the slot table. Exact for them, and `unschedulable` is a proof: EDF is optimal on one core with fixed
/// gaps, and with deadline <= period no work crosses the hyper-period unless a deadline was missed. Late jobs keep
/// running. Error: `not_proven` after `limit` events. Cost: tasks per release, slot edge and completion.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_simulated_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                                const slot_reservation<Number>& slot,
                                                run_extent extent = run_extent::hyper_period,
                                                std::int64_t limit = default_event_limit)
    -> slot_run<Number, MaxTasks> {
  if (!is_known(extent)) {
    slot_run<Number, MaxTasks> out;
    out.status = verdict_status::invalid_model;
    out.error = {.fault = model_fault::choice_out_of_range};
    static_cast<void>(out.worst.resize(part.size()));
    return out;
  }
  edf_verdict<Number> entry;
  if (detail::settle_at_entry(part, slot, entry)) {
    slot_run<Number, MaxTasks> out;
    out.status = entry.reason == edf_reason::load_exceeds_supply ? verdict_status::unschedulable : entry.status;
    out.error = entry.error;
    static_cast<void>(out.worst.resize(part.size()));
    return out;
  }
  return detail::slot_runner<Number, MaxTasks>{part, slot}.run(extent, limit);
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
