// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <takt/analysis/job_count.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/model/kernel_law.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/task_attributes.hpp>

namespace takt::inline TAKT_ABI {

/// Says why a deadline must be missed in some legal run, whatever an analysis can or cannot show. What `value` and
/// `limit` are stands behind each; loads are parts per million of one unit.
enum class miss_reason : std::uint8_t {
  own_time,                 ///< a job alone on the board: its time, its deadline
  synchronous_release,      ///< tasks of one core that never leave it, released together: the response, the deadline
  strict_releases,          ///< strictly periodic tasks of one core: the response of a job, the deadline
  core_overloaded,          ///< the load of a core, what it has
  processors_overloaded,    ///< the load of all of them
  copy_engine_overloaded,   ///< the load of an engine
  more_gpu_tasks_than_sms,  ///< tasks that need a part of a GPU for themselves, parts that there are
  gpu_overloaded,           ///< SM time that kernels ask for, in parts of all SMs
  kernels_overloaded,       ///< load of kernels of which only so many are served at a time
  known_method,             ///< a published method has the proof: no figures
};

[[nodiscard]] constexpr auto name_of(miss_reason r) noexcept -> std::string_view {
  switch (r) {
    case miss_reason::own_time: return "own-time";
    case miss_reason::synchronous_release: return "synchronous-release";
    case miss_reason::strict_releases: return "strict-releases";
    case miss_reason::core_overloaded: return "core-overloaded";
    case miss_reason::processors_overloaded: return "processors-overloaded";
    case miss_reason::copy_engine_overloaded: return "copy-engine-overloaded";
    case miss_reason::more_gpu_tasks_than_sms: return "more-gpu-tasks-than-sms";
    case miss_reason::gpu_overloaded: return "gpu-overloaded";
    case miss_reason::kernels_overloaded: return "kernels-overloaded";
    case miss_reason::known_method: return "known-method";
  }
  return "";
}

template <class Number>
struct proven_miss {
  miss_reason reason{};
  std::uint32_t task = no_index;  ///< in the given order, where one task is to blame
  std::int32_t index = 0;         ///< core, or copy engine
  Number value{};
  Number limit{};             ///< what `value` exceeds
  std::string_view method{};  ///< whose proof it is, where it is a published one
};

template <class Number, std::size_t MaxTasks>
using proven_misses = inline_vector<proven_miss<Number>, 2 * MaxTasks + 16>;  // one per task, one per core, and of all

namespace analysis {

/// Holds what the jobs of a task ask for in some legal run, or less.
template <class Number>
struct task_load {
  std::uint32_t task = no_index;
  Number period{};
  Number deadline{};
  Number jitter{};        ///< between a nominal release, from which deadlines count, and the job
  bool strict = false;    ///< nominal releases are exactly a period apart
  Number offset{};        ///< of the first one, where they are
  bool limited = true;    ///< false: it has no deadline to miss
  bool suspends = false;  ///< its jobs leave their processor
  bool has_kernels = false;
  std::int32_t core = unassigned_core;  ///< on which it stays under every plan, if that is known
  std::int64_t rank = -1;               ///< on its core the lower goes first, under every plan; -1: that is not known
  Number alone{};                       ///< from release to end of a job that has the board to itself
  Number processors{};
  Number held{};  ///< how long a job keeps its processor if nothing interrupts it; at least `processors`
  Number engines[max_copy_engines]{};
  Number kernels{};  ///< on a whole GPU
  Number sms{};      ///< of all SMs at a time
};

/// Holds what a board under its rules has for them, or more.
struct board_supply {
  std::int32_t processors = 0;  ///< 0: no limit is known
  std::int32_t copy_engines = 0;
  std::int64_t parts = 0;    ///< of GPUs, one of which each task with kernels needs for itself; 0: none are handed out
  std::int64_t kernels = 0;  ///< served at a time, each no faster than alone; 0: no limit is known
  bool sms_are_shared_out = false;  ///< kernels run only on SMs of one GPU
};

namespace detail {

inline constexpr std::int64_t million = 1'000'000;

/// Returns time / period in parts per million, rounded down, so that a sum above one million is a proof.
template <class Number>
[[nodiscard]] constexpr auto load_part(const Number& time, const Number& period) -> Number {
  using traits = number_traits<Number>;
  if (!(Number(0) < time) || !(Number(0) < period)) { return Number(0); }
  Number scaled{};
  if (traits::multiply(time, million, scaled)) { return traits::floor_quotient(scaled, period); }
  const Number whole = traits::floor_quotient(time, period);
  if (Number(million) < whole) { return Number(million * million); }
  const Number rest = time - whole * period;
  const Number step = traits::floor_quotient(period, Number(million)) + Number(1);
  return whole * Number(million) + traits::floor_quotient(rest, step);
}

template <class Number, class Part>
[[nodiscard]] constexpr auto load_of(std::span<const task_load<Number>> loads, const Part& part) -> Number {
  Number sum(0);
  for (const auto& t : loads) {
    if (t.limited) { sum = sum + load_part<Number>(part(t), t.period); }
  }
  return sum;
}

inline constexpr std::int64_t most_release_steps = 10'000;

/// Returns whether no task can come before `t` on its core.
template <class Number>
[[nodiscard]] constexpr auto is_first_on_core(std::span<const task_load<Number>> loads, const task_load<Number>& t)
    -> bool {
  for (const auto& other : loads) {
    const bool meets = other.core == t.core || other.core == unassigned_core;
    if (meets && other.task != t.task && (other.rank < 0 || other.rank < t.rank)) { return false; }
  }
  return t.rank >= 0;
}

/// Returns the response of a task released together with those before it on its core, as far as none of them ever
/// leaves it. Only the first of them is sure to keep the core while it polls: what others poll for goes on while they
/// wait. Strict tasks are sure to be released together only where they have one offset.
template <class Number>
[[nodiscard]] constexpr auto response_released_together(std::span<const task_load<Number>> loads,
                                                        const task_load<Number>& t) -> fixed_point<Number> {
  const Number limit = t.deadline - t.jitter;
  const auto is_before = [&](const task_load<Number>& other) {
    return other.core == t.core && !other.suspends && other.rank >= 0 && other.rank < t.rank;
  };
  bool is_fixed = t.strict;
  Number start = t.offset;
  for (const auto& other : loads) {
    if (is_fixed || !other.strict || !is_before(other)) { continue; }
    is_fixed = true;
    start = other.offset;
  }
  const auto response = [&](const Number& x) {
    Number sum = t.processors;
    for (const auto& other : loads) {
      const bool delays = is_before(other) && (!other.strict || other.offset == start);
      const Number each = is_first_on_core(loads, other) ? other.held : other.processors;
      if (!delays || !(Number(0) < each)) { continue; }
      const Number jobs = jobs_released(other.period, x);
      const Number most = number_traits<Number>::floor_quotient(limit, each) + Number(1);
      sum = sum + (most < jobs ? most : jobs) * each;  // beyond the limit in both cases
    }
    return takt::detail::ascent<Number>{sum, x};
  };
  return least_fixed_point(t.processors, limit, response, most_release_steps);
}

template <class Number, class Misses>
constexpr void find_late_jobs(std::span<const task_load<Number>> loads, Misses& out) {
  for (const auto& t : loads) {
    if (!t.limited) { continue; }
    const Number alone = t.alone + t.jitter;
    if (t.deadline < alone) {
      // Bound: of a task one miss is noted, see `proven_misses`; so below.
      out.unchecked_push_back({miss_reason::own_time, t.task, 0, alone, t.deadline});
    } else if (t.rank >= 0 && t.core != unassigned_core && !t.suspends && !(t.strict && Number(0) < t.jitter)) {
      const auto response = response_released_together(loads, t);
      if (response.reason != stop_reason::exceeds_limit) { continue; }
      const Number value = response.value + t.jitter;
      out.unchecked_push_back({miss_reason::synchronous_release, t.task, t.core, value, t.deadline});
    }
  }
}

}  // namespace detail

/// Returns every proof among a few that some legal run misses a deadline. It finds a job that takes too long alone or
/// together with others of its core, and tasks with deadlines that ask for more than there is. None of them does not
/// mean that none is missed. Cost: quadratic in the tasks, and a fixed point for each.
template <class Number, std::size_t N>
[[nodiscard]] constexpr auto find_proven_misses(const inline_vector<task_load<Number>, N>& all,
                                                const board_supply& supply) -> proven_misses<Number, N> {
  using load = task_load<Number>;
  proven_misses<Number, N> out;
  const std::span<const load> loads{all.data(), all.size()};
  const auto add_if_above = [&out](miss_reason reason, std::int64_t index, const Number& value, std::int64_t limit) {
    if (!(Number(limit) < value)) { return; }
    // Bound: one per core that a task names, and few of the board; see `proven_misses`.
    out.unchecked_push_back({reason, no_index, static_cast<std::int32_t>(index), value, Number(limit)});
  };
  detail::find_late_jobs(loads, out);
  const std::size_t late = out.size();
  for (std::size_t k = 0; k < loads.size(); ++k) {
    const std::int32_t core = loads[k].core;
    bool is_first = core != unassigned_core;
    for (std::size_t i = 0; i < k; ++i) { is_first = is_first && loads[i].core != core; }
    if (!is_first) { continue; }
    const Number load_there =
        detail::load_of(loads, [core](const load& t) { return t.core == core ? t.processors : Number(0); });
    add_if_above(miss_reason::core_overloaded, core, load_there, detail::million);
  }
  if (out.size() == late && supply.processors > 0) {
    add_if_above(miss_reason::processors_overloaded, 0,
                 detail::load_of(loads, [](const load& t) { return t.processors; }),
                 supply.processors * detail::million);
  }
  for (std::int32_t e = 0; e < supply.copy_engines && e < max_copy_engines; ++e) {
    add_if_above(miss_reason::copy_engine_overloaded, e,
                 detail::load_of(loads, [e](const load& t) { return t.engines[e]; }), detail::million);
  }
  std::int64_t users = 0;
  for (const load& t : loads) { users += t.limited && t.has_kernels ? 1 : 0; }
  if (supply.parts > 0) { add_if_above(miss_reason::more_gpu_tasks_than_sms, 0, Number(users), supply.parts); }
  if (supply.sms_are_shared_out) {
    add_if_above(miss_reason::gpu_overloaded, 0, detail::load_of(loads, [](const load& t) { return t.sms; }),
                 detail::million);
  }
  if (supply.kernels > 0) {
    add_if_above(miss_reason::kernels_overloaded, 0, detail::load_of(loads, [](const load& t) { return t.kernels; }),
                 supply.kernels * detail::million);
  }
  return out;
}

namespace detail {

/// Returns the largest share of a task on one GPU if every other GPU task has the least; 0 if not even one fits.
template <class Table>
[[nodiscard]] constexpr auto largest_share(const Table& table, const gpu_record& gpu, std::size_t gpus)
    -> std::int32_t {
  const auto others = static_cast<std::int32_t>(gpus > 1 ? 0 : table.gpu_tasks() - 1);
  const std::int32_t units = gpu.budget() / gpu.granularity - others;
  return units < 1 ? 0 : units * gpu.granularity;
}

/// Returns the time of a job of task k that runs alone with a given share.
template <class Table>
[[nodiscard]] constexpr auto time_alone(const Table& table, std::size_t k, const sm_power& power) {
  using number = typename Table::number;
  number sum(0);
  for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
    const auto& s = table.segment(k, j);
    interval<number> time = s.time;
    if (s.where == stage::kernel) { (void)table.kernel_bounds(s, power, time); }
    sum = sum + time.upper;
  }
  return sum;
}

/// Returns the least time alone over every share that any plan could give; 0 where there is none.
template <class Table>
[[nodiscard]] constexpr auto least_time_alone(const Table& table, const platform_record& platform, std::size_t k) ->
    typename Table::number {
  using number = typename Table::number;
  if (!table.has_kernel(k)) { return time_alone(table, k, {}); }
  bool known = false;
  number out(0);
  for (const gpu_record& gpu : platform.gpus) {
    const std::int32_t most = largest_share(table, gpu, platform.gpus.size());
    for (std::int32_t share = gpu.granularity; share <= most; share += gpu.granularity) {
      const number time = time_alone(table, k, gpu.power(share));
      if (!known || time < out) { out = time; }
      known = true;
    }
  }
  return out;
}

/// Returns how long a kernel keeps all SMs at least. The serial part occupies a share of any size, so only the
/// divisible part is work that SMs must absorb.
template <class Table, class Segment>
[[nodiscard]] constexpr auto time_of_all_sms(const Table& table, const Segment& s, const gpu_record& gpu) ->
    typename Table::number {
  using number = typename Table::number;
  const sm_power all = gpu.power(gpu.budget());
  interval<number> on_all{};
  interval<number> serial{};
  if (s.samples > 0 || !table.kernel_bounds(s, all, on_all)) { return number(0); }
  if (!takt::detail::times_at_speed({s.overhead, s.overhead}, all.speed, serial)) { return number(0); }
  const number divisible = on_all.upper - serial.upper - number(1);
  return number(0) < divisible ? divisible : number(0);
}

}  // namespace detail

/// Finds proofs of misses of chains in a table, for all plans, under fixed priorities and with SMs for each task.
/// Pre: the table fits the platform and is in priority order.
template <class Table>
[[nodiscard]] constexpr auto find_proven_misses(const Table& table, const platform_record& platform)
    -> proven_misses<typename Table::number, Table::max_tasks> {
  using number = typename Table::number;
  inline_vector<task_load<number>, Table::max_tasks> loads;
  std::int64_t parts = 0;
  for (const gpu_record& gpu : platform.gpus) {
    TAKT_EXPECTS(gpu.granularity >= 1);
    parts += gpu.budget() / gpu.granularity;
  }
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto& t = table.tasks[k];
    task_load<number> load;
    load.task = t.id;
    load.period = t.period;
    load.deadline = t.deadline;
    load.suspends = t.segment_count > 1;
    load.has_kernels = table.has_kernel(k);
    load.core = t.core;
    load.rank = static_cast<std::int64_t>(k);
    load.alone = detail::least_time_alone(table, platform, k);
    for (std::size_t j = 0; j < t.segment_count; ++j) {
      const auto& s = table.segment(k, j);
      switch (s.where) {
        case stage::cpu: load.processors = load.processors + s.time.upper; break;
        case stage::copy: {
          number& engine = load.engines[platform.engine_of(s.direction)];
          engine = engine + s.time.upper;
          break;
        }
        case stage::kernel:
          if (platform.gpus.size() == 1) { load.sms = load.sms + detail::time_of_all_sms(table, s, platform.gpus[0]); }
          break;
      }
    }
    load.held = load.processors;
    // Bound: one per task, at most `max_tasks`.
    loads.unchecked_push_back(load);
  }
  return find_proven_misses(loads, {.processors = platform.cores,
                                    .copy_engines = platform.copy_engines,
                                    .parts = parts,
                                    .kernels = 0,
                                    .sms_are_shared_out = platform.gpus.size() == 1});
}

}  // namespace analysis

}  // namespace takt::inline TAKT_ABI
