// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator_kernel.hpp>
#include <takt/model/facts.hpp>
#include <takt/model/gpu_context.hpp>
#include <takt/model/graph/graph_parts.hpp>
#include <takt/model/kernel_facts.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/limited_preemption.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_table.hpp>
#include <takt/model/task_types.hpp>
#include <takt/model/visit.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>

namespace takt::inline TAKT_ABI {

namespace detail {

template <class S>
inline constexpr std::size_t samples_said = 0;
template <class S>
  requires requires(const S& s) { std::remove_cvref_t<decltype(s.law)>::sampled_shares; }
inline constexpr std::size_t samples_said<S> = std::remove_cvref_t<decltype(S::law)>::sampled_shares;

template <class Segments>
inline constexpr std::size_t rows_among = 0;
template <class... S>
inline constexpr std::size_t rows_among<segment_list<S...>> = (std::size_t{knows<wcet_row, S>} + ... + 0);
template <class Segments>
inline constexpr std::size_t samples_among = 0;
template <class... S>
inline constexpr std::size_t samples_among<segment_list<S...>> = (samples_said<S> + ... + 0);

/// Rows and samples that tasks of a type have at most. What was read from a file says so by its capacity.
template <class T>
struct facts_said {
  static constexpr std::size_t rows = rows_among<typename visit_source<T>::segments>;
  static constexpr std::size_t samples = samples_among<typename visit_source<T>::segments>;
};
template <std::size_t N, std::size_t Segments, std::size_t Samples>
struct facts_said<task_table<ticks, N, Segments, Samples>> {
  static constexpr std::size_t rows = 0;
  static constexpr std::size_t samples = Samples;
};
template <std::size_t N, std::size_t V, std::size_t R, std::size_t S>
struct facts_said<runtime_task_set<N, V, R, S>> {
  static constexpr std::size_t rows = R;
  static constexpr std::size_t samples = S;
};
template <class... Parts>
struct facts_said<workload<Parts...>> {
  static constexpr std::size_t rows = (facts_said<Parts>::rows + ... + 0);
  static constexpr std::size_t samples = (facts_said<Parts>::samples + ... + 0);
};

[[nodiscard]] constexpr auto at_least_one(std::size_t n) noexcept -> std::size_t { return n == 0 ? 1 : n; }

}  // namespace detail

/// Run-time tasks with capacity for all that a workload of type `T` says.
template <VisitSource T>
using runtime_task_set_for =
    runtime_task_set<tasks_of<T>, visits_of<T>, detail::at_least_one(detail::facts_said<T>::rows),
                     detail::at_least_one(detail::facts_said<T>::samples)>;

/// Run-time tasks, and what could not be described.
template <class Tasks>
struct runtime_conversion {
  Tasks tasks{};
  model_error error{};
};

namespace detail {

template <class F>
inline constexpr bool is_runtime_fact =
    is_among<F, execution_time, kernel_work, kernel_overhead, kernel_interleave, kernel_grid, kernel_block_length,
             kernel_wcet, kernel_preemption_cost, kernel_pinning, kernel_context, kernel_slice, wcet_row, kernel_launch,
             kernel_await>;
template <KernelLaw Law>
inline constexpr bool is_runtime_fact<kernel_times<Law>> = true;

/// Tells whether a description holds all that the type of a segment says of it.
template <class S>
inline constexpr bool is_describable = true;
template <class Resource, class... Facts>
inline constexpr bool is_describable<visit_segment<Resource, Facts...>> =
    std::same_as<Resource, gpu> ? (is_runtime_fact<Facts> && ...) : (std::same_as<Facts, execution_time> && ...);

/// Returns the position of a type among others, or their number.
template <class T, class... Types>
[[nodiscard]] consteval auto position_among() -> std::uint32_t {
  std::uint32_t at = 0;
  static_cast<void>(((std::same_as<T, Types> ? false : (++at, true)) && ...));
  return at;
}

/// Takes tasks apart into their facts.
template <class Tasks, class... Own>
class runtime_builder {
 public:
  constexpr explicit runtime_builder(runtime_conversion<Tasks>& out) noexcept : out_{&out} {}

  constexpr void open(const flow_attributes& t) {
    if (out_->error) { return; }
    const bool added = out_->tasks.add_task({.name = t.name,
                                             .period = t.period,
                                             .deadline = t.deadline,
                                             .jitter = t.jitter,
                                             .priority = t.priority,
                                             .core = t.is_placed ? t.core : unassigned_core,
                                             .strict = t.strict,
                                             .offset = t.offset});
    if (!added) { out_->error = {.fault = model_fault::too_many_tasks}; }
  }
  template <class S>
  constexpr auto visit(const S& s, visit_mask before) -> visit_mask {
    if (out_->error) { return 0; }
    runtime_visit v{.predecessors = before};
    if constexpr (is_describable<S>) {
      take(s, v);
    } else {
      fail(model_fault::workload_part_unused);
    }
    const std::uint32_t position = out_->tasks.tasks.back().visit_count;
    if (out_->error) { return 0; }
    if (!out_->tasks.add_visit(v)) {
      fail(position < max_visits_of_task ? model_fault::too_many_segments : model_fault::too_many_visits);
      return 0;
    }
    return visit_mask{1} << position;
  }
  /// Adds that job j of `to` waits for job j - `lag` of `from`, each of these.
  constexpr void history(visit_mask from, visit_mask to, std::int32_t lag) {
    const auto task = static_cast<std::uint32_t>(out_->tasks.size() - 1);
    for (std::uint32_t f = 0; f < max_visits_of_task && !out_->error; ++f) {
      for (std::uint32_t t = 0; t < max_visits_of_task && (from >> f & 1U) != 0; ++t) {
        if ((to >> t & 1U) != 0 && !out_->tasks.history.try_push_back({task, f, t, lag})) {
          fail(model_fault::too_large);
        }
      }
    }
  }
  /// Takes what visits of the task opened last say of a scheduler of their own.
  constexpr void say(visit_mask visits, std::int64_t parallelism, ticks point) {
    const runtime_task& t = out_->tasks.tasks.back();
    for (std::uint32_t p = 0; p < t.visit_count && !out_->error; ++p) {
      if ((visits >> p & 1U) == 0) { continue; }
      runtime_visit& v = out_->tasks.visits[t.first_visit + p];
      v.parallelism = parallelism;
      v.point = point;
    }
  }
  /// Mutexes are pools of a platform, and no facts of visits.
  constexpr void hold(mutex_key /*mutex*/, visit_mask /*visits*/) { fail(model_fault::workload_part_unused); }
  constexpr void refuse(const model_error& error) {
    if (out_->error) { return; }
    out_->error = error;
    if (error.task != no_index) { out_->error.task += static_cast<std::uint32_t>(out_->tasks.size()); }
  }

 private:
  constexpr void fail(model_fault fault) {
    if (out_->error) { return; }
    const runtime_task& t = out_->tasks.tasks.back();
    out_->error = fault_at(fault, out_->tasks.size() - 1, t.visit_count);
    out_->error.name = t.name;
  }

  template <class S>
  constexpr void take(const S& s, runtime_visit& v) {
    using wanted = typename resource_of_segment<S>::type;
    if constexpr (std::same_as<wanted, gpu>) {
      v.where = resource_kind::gpu;
      take_facts(s, v);
      return;
    } else if constexpr (std::same_as<S, copy_segment>) {
      v.where = resource_kind::copy_engine;
      v.direction = s.direction;
    } else if constexpr (std::same_as<S, runtime_own>) {
      v.where = resource_kind::own;
      v.own = s.position;
    } else if constexpr (std::same_as<S, limited_cpu_segment>) {
      v.region = s.region.count();
    } else if constexpr (!std::same_as<S, cpu_segment>) {
      v.where = resource_kind::own;
      v.own = position_among<wanted, Own...>();
      if (v.own == sizeof...(Own)) { fail(model_fault::workload_part_unused); }
    }
    if constexpr (knows<execution_time, S>) { take_time(fact<execution_time>(s), v); }
  }

  static constexpr void take_time(const execution_time& f, runtime_visit& v) {
    v.known.add(visit_fact::time);
    v.time = {f.time.lower.count(), f.time.upper.count()};
  }

  template <class S>
  constexpr void take_facts(const S& s, runtime_visit& v) {
    take_law(s, v);
    const auto say = [&]<class F>(std::type_identity<F> /*which*/, const auto& put) {
      if constexpr (knows<F, S>) {
        if (states<F>(s)) { put(fact<F>(s)); }
      }
    };
    say(std::type_identity<execution_time>{}, [&](const execution_time& f) { take_time(f, v); });
    say(std::type_identity<kernel_work>{}, [&](const kernel_work& f) {
      v.known.add(visit_fact::work);
      v.work = {f.time.lower.count(), f.time.upper.count()};
    });
    say(std::type_identity<kernel_overhead>{}, [&](const kernel_overhead& f) {
      v.known.add(visit_fact::overhead);
      v.overhead = f.time.count();
    });
    say(std::type_identity<kernel_interleave>{}, [&](const kernel_interleave& f) {
      v.known.add(visit_fact::interleave);
      v.interleave_numerator = f.numerator;
      v.interleave_denominator = f.denominator;
      v.any_neighbour = f.any_neighbour;
    });
    say(std::type_identity<kernel_grid>{}, [&](const kernel_grid& f) {
      v.known.add(visit_fact::grid);
      v.blocks = f.blocks;
      v.threads = f.threads;
    });
    say(std::type_identity<kernel_block_length>{}, [&](const kernel_block_length& f) {
      v.known.add(visit_fact::block_length);
      v.block_length = f.time.count();
    });
    say(std::type_identity<kernel_wcet>{}, [&](const kernel_wcet& f) {
      v.known.add(visit_fact::wcet);
      v.wcet = f.time.count();
    });
    say(std::type_identity<kernel_preemption_cost>{}, [&](const kernel_preemption_cost& f) {
      v.known.add(visit_fact::preemption_cost);
      v.preemption_cost = f.time.count();
    });
    say(std::type_identity<kernel_pinning>{}, [&](const kernel_pinning& f) {
      if (needs_all_cores(f.width) && f.core == unassigned_core) { return; }
      v.known.add(visit_fact::pinning);
      v.width = f.width;
      v.sm = f.core;
    });
    say(std::type_identity<kernel_context>{}, [&](const kernel_context& f) {
      v.known.add(visit_fact::context);
      v.context = f.number;
    });
    say(std::type_identity<kernel_slice>{}, [&](const kernel_slice& f) {
      v.known.add(visit_fact::slice);
      v.slice = f.time.count();
    });
    say(std::type_identity<wcet_row>{}, [&](const wcet_row& f) {
      v.known.add(visit_fact::wcet_by_share);
      v.row = static_cast<std::uint32_t>(out_->tasks.rows.size());
      if (!out_->tasks.rows.try_push_back(f)) { fail(model_fault::too_large); }
    });
  }

  /// A law of the caller's own is what it says of as many virtual SMs as it uses: see `KernelLaw`.
  template <class S>
  constexpr void take_law(const S& s, runtime_visit& v) {
    if constexpr (HasTimesOnSms<S>) {
      if constexpr (requires { s.law.count; }) {
        take_samples(s.law, s.law.count, v);
      } else {
        take_samples(s.law, std::remove_cvref_t<decltype(s.law)>::sampled_shares, v);
      }
    } else if constexpr (knows<tabulated_times, S>) {
      if (!states<tabulated_times>(s)) { return; }
      const auto rows = fact<tabulated_times>(s);
      v.on_whole_sms = rows.on_whole_sms;
      take_samples(rows, rows.count, v);
    }
  }
  template <class Law>
  constexpr void take_samples(const Law& law, std::size_t count, runtime_visit& v) {
    if (count == 0) { return fail(model_fault::workload_part_unused); }
    v.known.add(visit_fact::times_on_sms);
    v.first_sample = static_cast<std::uint32_t>(out_->tasks.samples.size());
    v.samples = static_cast<std::uint32_t>(count);
    for (std::size_t n = 1; n <= count; ++n) {
      const auto sms = static_cast<std::int32_t>(n);
      const interval<ticks> row{duration{law.lower(sms)}.count(), duration{law.upper(sms)}.count()};
      if (!out_->tasks.samples.try_push_back(row)) { return fail(model_fault::too_large); }
    }
  }

  runtime_conversion<Tasks>* out_;
};

}  // namespace detail

/// Returns what a workload of any spelling says, as values. `Own` are the resources of the caller's own in the order of
/// `hardware::own`. Refused are sections of mutexes, facts and resources that no description holds, and laws without
/// a number of virtual SMs that they use.
template <class... Own, VisitSource T>
[[nodiscard]] constexpr auto to_runtime_tasks(const T& tasks) -> runtime_conversion<runtime_task_set_for<T>> {
  runtime_conversion<runtime_task_set_for<T>> out{};
  detail::runtime_builder<runtime_task_set_for<T>, Own...> sink{out};
  visit_source<T>::each(tasks, sink);
  return out;
}

}  // namespace takt::inline TAKT_ABI
