// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/core/choice.hpp>
#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/located.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_kernel.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

/// The resource of a `runtime_own`. It is no type of a platform: a host of run-time tasks finds the pool by the
/// position in `hardware::own`.
struct own_by_position {};

/// Time on a resource of one's own that run time names by its position in `hardware::own`. Its time is an
/// `execution_time`, as of any segment.
struct runtime_own {
  using resource = own_by_position;
  std::uint32_t position = 0;
  interval<duration> time{};
};
template <>
struct detail::fact_access<execution_time, runtime_own> {
  [[nodiscard]] static constexpr auto get(const runtime_own& s) noexcept -> execution_time { return {s.time}; }
};

namespace detail {

/// A sink that takes token sections: visits of the task opened last, marked as one section of the tokens of their GPU,
/// if that is one of tokens. They may be of processors, too. Called once a task, for each of them, after all its
/// visits.
template <class S>
concept MarksTokenSections = requires(S sink, visit_mask visits) { sink.mark_token_section(visits); };

/// Returns what keeps a visit from being read, by itself.
template <class Tasks>
[[nodiscard]] constexpr auto unreadable_visit(const Tasks& all, const runtime_visit& v) -> model_error {
  if (!is_known(v.where) || !is_known(v.direction) || !is_known(v.width)) {
    return {.fault = model_fault::choice_out_of_range};
  }
  if (v.region != 0 && v.where != resource_kind::processor) { return {.fault = model_fault::workload_part_unused}; }
  if (v.where != resource_kind::gpu) {
    if (v.region < 0) { return {.fault = model_fault::negative_time}; }
    if (v.region > v.time.upper) { return {.fault = model_fault::region_exceeds_time}; }
    if (v.known.has(visit_fact::time)) { return {}; }
    return {.fault = model_fault::visit_time_unknown, .lacks = lacks(visit_fact::time)};
  }
  const bool has_samples =
      v.samples > 0 && v.samples <= all.samples.size() && v.first_sample <= all.samples.size() - v.samples;
  const bool lost = (v.known.has(visit_fact::times_on_sms) && !has_samples) ||
                    (v.known.has(visit_fact::wcet_by_share) && v.row >= all.rows.size());
  return {.fault = lost ? model_fault::malformed : model_fault::none};
}

/// Returns the first edge between jobs that leads to no earlier job, or to no visit.
template <class Tasks>
[[nodiscard]] constexpr auto history_fault(const Tasks& all) -> model_error {
  for (std::uint32_t e = 0; e < all.history.size(); ++e) {
    const runtime_edge& x = all.history[e];
    if (x.task >= all.size()) { return {.fault = model_fault::unknown_node, .edge = e}; }
    const std::uint32_t visits = all.tasks[x.task].visit_count;
    const bool is_known = x.from < visits && x.to < visits;
    if (is_known && x.lag >= 1) { continue; }
    return {.fault = is_known ? model_fault::lag_not_positive : model_fault::unknown_node, .task = x.task, .edge = e};
  }
  return {};
}

/// Returns the first part that a visit table cannot hold, or that refers to nothing. Edges to earlier jobs need no
/// check: a task is proven only if each job ends before the next is released. So no job waits for an earlier one, and
/// limits on how many jobs of a visit run at a time have no effect.
template <class Tasks>
[[nodiscard]] constexpr auto unheld_by_visits(const Tasks& all) -> model_error {
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const runtime_task& t = all.tasks[i];
    if (t.visit_count > max_visits_of_task) { return fault_at(model_fault::too_many_visits, i); }
    if (t.visit_count > all.visits.size() || t.first_visit > all.visits.size() - t.visit_count) {
      return fault_at(model_fault::malformed, i);
    }
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      const runtime_visit& v = all.visit(i, p);
      model_error error = unreadable_visit(all, v);
      if (!error && (v.predecessors >> p) != 0) { error.fault = model_fault::malformed; }
      if (!error && v.parallelism < 0) { error.fault = model_fault::negative_parallelism; }
      if (!error && v.point != 0) { error.fault = model_fault::workload_part_unused; }
      if (error) {
        error.task = i;
        error.visit = p;
        return error;
      }
    }
  }
  return history_fault(all);
}

}  // namespace detail

/// A workload as values: processors, copies, kernels whose facts run time knows, and own resources by position. Where
/// orders go by deadlines, a task without one goes by its period. Priority points are refused: no pool reads them. What
/// only some rules read, such as bytes and memory, is left alone.
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
struct visit_source<runtime_task_set<N, V, R, S>> {
  using segments = detail::segment_list<>;
  static constexpr std::size_t max_tasks = N;
  static constexpr std::size_t max_visits = V;
  static constexpr bool needs_pools = true;

  /// Pre: `all` outlives what the sink keeps of its kernels.
  template <VisitSink Sink>
  static constexpr void each(const runtime_task_set<N, V, R, S>& all, Sink& sink) {
    if (const model_error error = detail::unheld_by_visits(all)) { return sink.refuse(located(error, all.tasks)); }
    for (const runtime_task& t : all.tasks) {
      sink.open({.name = t.name,
                 .period = t.period,
                 .deadline = t.limited ? t.deadline : t.period,
                 .jitter = t.jitter,
                 .priority = t.priority,
                 .core = t.core == unassigned_core ? 0 : t.core,
                 .is_placed = t.core != unassigned_core,
                 .limited = t.limited,
                 .strict = t.strict,
                 .offset = t.offset});
      visit_mask ends[max_visits_of_task]{};
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const runtime_visit& v = all.visits[t.first_visit + p];
        ends[p] = add(all, v, of(ends, v.predecessors), sink);
      }
      if constexpr (detail::MarksTokenSections<Sink>) {
        visit_mask left = marked(all, t);
        while (left != 0) {
          const visit_mask joined = joined_to(all, t, left, left & (~left + 1));
          left &= ~joined;
          sink.mark_token_section(of(ends, joined));
        }
      }
    }
  }

 private:
  [[nodiscard]] static constexpr auto of(const visit_mask* ends, visit_mask positions) -> visit_mask {
    visit_mask out = 0;
    for (std::uint32_t p = 0; p < max_visits_of_task; ++p) { out |= (positions >> p & 1U) != 0 ? ends[p] : 0; }
    return out;
  }

  template <class Sink>
  static constexpr auto add(const runtime_task_set<N, V, R, S>& all, const runtime_visit& v, visit_mask before,
                            Sink& sink) -> visit_mask {
    const interval<duration> time{duration{v.time.lower}, duration{v.time.upper}};
    switch (v.where) {
      case resource_kind::processor:
        return v.region > 0 ? sink.visit(limited_cpu_segment{time, duration{v.region}}, before)
                            : sink.visit(cpu_segment{time}, before);
      case resource_kind::copy_engine: return sink.visit(copy_segment{time, v.direction}, before);
      case resource_kind::gpu: break;
      case resource_kind::own: return sink.visit(runtime_own{v.own, time}, before);
    }
    runtime_kernel k{.visit = &v};
    if (v.known.has(visit_fact::wcet_by_share)) { k.row = &all.rows[v.row]; }
    if (v.known.has(visit_fact::times_on_sms)) { k.samples = all.samples.data() + v.first_sample; }
    return sink.visit(k, before);
  }

  [[nodiscard]] static constexpr auto marked(const runtime_task_set<N, V, R, S>& all, const runtime_task& t)
      -> visit_mask {
    visit_mask out = 0;
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      out |= all.visits[t.first_visit + p].in_section ? visit_mask{1} << p : 0;
    }
    return out;
  }
  /// Returns the marked visits that edges between marked ones join to some.
  [[nodiscard]] static constexpr auto joined_to(const runtime_task_set<N, V, R, S>& all, const runtime_task& t,
                                                visit_mask marked, visit_mask joined) -> visit_mask {
    for (visit_mask last = 0; last != joined;) {
      last = joined;
      for (std::uint32_t p = 0; p < t.visit_count; ++p) {
        const visit_mask own = visit_mask{1} << p;
        const visit_mask before = all.visits[t.first_visit + p].predecessors & marked;
        if ((marked & own) == 0) { continue; }
        if ((joined & own) != 0) { joined |= before; }
        if ((joined & before) != 0) { joined |= own; }
      }
    }
    return joined;
  }
};

}  // namespace takt::inline TAKT_ABI
