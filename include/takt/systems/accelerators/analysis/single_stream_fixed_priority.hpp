// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/methods/whole_kernels/fixed_priority.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Holds responses of one task among non-preemptive ones.
template <class Number, std::size_t MaxTasks>
class non_preemptive_response {
 public:
  using loads = inline_vector<sporadic_task_load<Number>, MaxTasks>;

  /// `higher` has the tasks above this one.
  constexpr non_preemptive_response(const loads& higher, const sporadic_task_load<Number>& own, const Number& blocking)
      : higher_{&higher}, own_{own}, blocking_{blocking} {}

  /// Returns the worst over all jobs of the longest busy period, which is given up where it has too many steps.
  constexpr auto worst() -> response<Number> {
    if (!find_busy_period()) { return {failure_}; }
    const Number jobs = takt::detail::ceil_quotient(busy_, own_.period);
    Number start = blocking_;
    Number worst(0);
    for (Number k(0); k < jobs; k = k + Number(1)) {
      if (!find_start(k, start)) { return {failure_}; }
      const Number response = start + own_.wcet - k * own_.period;
      if (!is_number(response)) { return {response_state::overflow}; }
      if (worst < response) {
        worst = response;
        latest_job_ = k;
        latest_start_ = start;
      }
      // The next job starts no earlier than this one ends.
      start = start + own_.wcet;
    }
    return {response_state::found, worst};
  }
  /// Says what the response that `worst` found consists of, beside its own kernel: of the first job of a busy period
  /// what goes before it, of a later one its wait from its release to its start.
  constexpr void say(std::uint32_t blocker, parts_of_task<Number>& out) const {
    if (Number(0) < latest_job_) {
      return out.add(term_kind::gpu_interference, no_index, Number(latest_start_ - latest_job_ * own_.period));
    }
    out.add(term_kind::gpu_blocking, blocker, blocking_);
    for (std::size_t j = 0; j < higher_->size(); ++j) {
      const auto& h = (*higher_)[j];
      const Number jobs = number_traits<Number>::floor_quotient(latest_start_, h.period) + Number(1);
      out.add(term_kind::gpu_interference, h.task, Number(jobs * h.wcet));
    }
  }

 private:
  constexpr auto fails(response_state why) -> bool {
    failure_ = why;
    return false;
  }

  constexpr auto find_busy_period() -> bool {
    busy_ = blocking_ + own_.wcet;
    for (; steps_ > 0; --steps_) {
      Number work = blocking_;
      if (!add_jobs(work, takt::detail::ceil_quotient(busy_, own_.period), own_.wcet)) {
        return fails(response_state::overflow);
      }
      for (std::size_t j = 0; j < higher_->size(); ++j) {
        const auto& h = (*higher_)[j];
        if (!add_jobs(work, takt::detail::ceil_quotient(busy_, h.period), h.wcet)) {
          return fails(response_state::overflow);
        }
      }
      if (!(busy_ < work)) { return true; }
      busy_ = work;
    }
    return fails(response_state::given_up);
  }

  /// Finds when job k starts, from a time before that.
  constexpr auto find_start(const Number& k, Number& start) -> bool {
    while (steps_-- > 0) {
      Number work = blocking_;
      if (!add_jobs(work, k, own_.wcet)) { return fails(response_state::overflow); }
      for (std::size_t j = 0; j < higher_->size(); ++j) {
        const auto& h = (*higher_)[j];
        const Number jobs = number_traits<Number>::floor_quotient(start, h.period) + Number(1);
        if (!add_jobs(work, jobs, h.wcet)) { return fails(response_state::overflow); }
      }
      if (!(start < work)) { return true; }
      start = work;
    }
    return fails(response_state::given_up);
  }

  const loads* higher_;
  sporadic_task_load<Number> own_;
  Number blocking_;
  Number busy_{};
  Number latest_job_{};  ///< with the worst response
  Number latest_start_{};
  std::int64_t steps_ = default_iteration_limit;
  response_state failure_ = response_state::given_up;
};

}  // namespace detail

/// Tests fixed priorities on a single stream: one kernel is resident and runs to its end. Exact for sporadic tasks in
/// continuous time, as a supremum; every job of the busy period is looked at, as the first need not be the worst. A
/// response above its deadline is reported too; none exists where the tasks up to this one are overloaded. Source:
/// George et al. 1996, Davis et al. 2007. Pre: `order` names no task twice.
template <class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto single_stream_fixed_priority(const task_rows<accelerator_task<Number>, MaxTasks>& table,
                                                          const rank_order<MaxTasks>& order)
    -> verdict<Number, MaxTasks> {
  TAKT_EXPECTS(detail::names_each_once(order));
  verdict<Number, MaxTasks> out;
  if (!detail::open_verdict(table, order, "single-stream-fixed-priority", out)) { return out; }
  const std::size_t size = order.size();
  detail::lower_blocker<Number> blocking[MaxTasks]{};
  for (std::size_t l = size; l-- > 1;) {
    const Number& wcet = table.tasks[order[l]].wcet;
    blocking[l - 1] = blocking[l].time < wcet
                          ? detail::lower_blocker<Number>{wcet, static_cast<std::uint32_t>(order[l])}
                          : blocking[l];
  }
  sporadic_demand<Number, MaxTasks> up_to;
  inline_vector<detail::sporadic_task_load<Number>, MaxTasks> higher;
  for (std::size_t i = 0; i < size; ++i) {
    const auto& t = table.tasks[order[i]];
    static_cast<void>(up_to.add(t.wcet, t.deadline, t.period));
    const detail::load_comparison load = detail::compare_load(up_to, detail::dedicated_processor<Number>{});
    const auto id = static_cast<std::uint32_t>(order[i]);
    const detail::sporadic_task_load<Number> own{t.wcet, t.period, id};
    if (load == detail::load_comparison::unknown) {
      detail::enter(out, order[i], {detail::response_state::overflow});
    } else if (load == detail::load_comparison::above ||
               (load == detail::load_comparison::equal && Number(0) < blocking[i].time)) {
      detail::enter(out, order[i], {detail::response_state::endless});
    } else {
      detail::non_preemptive_response<Number, MaxTasks> found{higher, own, blocking[i].time};
      detail::enter(out, id, found.worst());
      if (out.tasks[id].bound.exists) {
        out.tasks[id].parts.add(term_kind::gpu, id, t.wcet);
        found.say(blocking[i].by, out.tasks[id].parts);
      }
    }
    // Bound: one per task, at most MaxTasks.
    higher.unchecked_push_back(own);
  }
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis
