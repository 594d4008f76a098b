// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/known/chains/classical_rta.hpp>
#include <takt/core/checked.hpp>
#include <takt/core/fixed_point.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/platform_record.hpp>
#include <takt/model/stage.hpp>

namespace takt {

/// Why a deadline must be missed in some legal run, whatever an analysis can or cannot show.
enum class miss_reason : std::uint8_t {
  own_time,             ///< a job alone on the platform takes longer than its deadline; `value` is that time
  synchronous_release,  ///< tasks without suspensions released together on one core; `value` is the response
  core_overloaded,      ///< demand above 1 on a core; `value` in parts per million
  copy_engine_overloaded,
  gpu_overloaded,           ///< kernels need more SM time than all SMs have
  more_gpu_tasks_than_sms,  ///< no dedication exists; `value` is the number of tasks with kernels
};

template <class Number>
struct proven_miss {
  miss_reason reason{};
  std::uint32_t task = nowhere;  ///< in the given order, where one task is to blame
  std::int32_t index = 0;        ///< core, engine or GPU
  Number value{};
};

template <class Number, std::size_t MaxTasks>
using proven_misses = inline_vector<proven_miss<Number>, 2 * MaxTasks + 16>;

namespace analysis {

namespace detail {

inline constexpr std::int64_t million = 1'000'000;

/// Adds time / period in parts per million, rounded down, so that a sum above one million is a proof.
template <class Number>
constexpr void add_demand(const Number& time, const Number& period, Number& sum) {
  Number scaled{};
  if (number_traits<Number>::multiply(time, million, scaled)) {
    sum = sum + number_traits<Number>::floor_quotient(scaled, period);
  }
}

/// Largest share that task k could have on one GPU if every other GPU task had the least; 0 if not even one fits.
template <class Table>
[[nodiscard]] constexpr auto largest_share(const Table& table, const gpu_record& gpu, std::size_t gpus)
    -> std::int32_t {
  const auto others = static_cast<std::int32_t>(gpus > 1 ? 0 : table.gpu_tasks() - 1);
  const std::int32_t units = gpu.budget() / gpu.granularity - others;
  return units < 1 ? 0 : units * gpu.granularity;
}

/// Time of a job of task k that runs alone with a given share.
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

/// The least time alone over every share that any plan could give.
template <class Table>
[[nodiscard]] constexpr auto least_time_alone(const Table& table, const platform_record& platform, std::size_t k,
                                              typename Table::number& out) -> bool {
  if (!table.has_kernel(k)) {
    out = time_alone(table, k, {});
    return true;
  }
  bool known = false;
  for (std::size_t g = 0; g < platform.gpus.size(); ++g) {
    const gpu_record& gpu = platform.gpus[g];
    const std::int32_t most = largest_share(table, gpu, platform.gpus.size());
    for (std::int32_t share = gpu.granularity; share <= most; share += gpu.granularity) {
      const auto time = time_alone(table, k, gpu.power(share));
      if (!known || time < out) { out = time; }
      known = true;
    }
  }
  return known;
}

template <class Table>
[[nodiscard]] constexpr auto nobody_suspends_above(const Table& table, std::size_t k) -> bool {
  for (std::size_t i = 0; i <= k; ++i) {
    if (table.tasks[i].core == table.tasks[k].core && table.tasks[i].segment_count > 1) { return false; }
  }
  return true;
}

}  // namespace detail

/// Every proof, valid for all plans, that dedicated SMs and fixed priorities must miss a deadline of this table in some
/// legal run. Empty does not mean that none is missed. Pre: the table fits the platform and is in priority order.
template <class Table>
[[nodiscard]] constexpr auto find_proven_misses(const Table& table, const platform_record& platform)
    -> proven_misses<typename Table::number, Table::max_tasks> {
  using number = typename Table::number;
  proven_misses<number, Table::max_tasks> out;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const auto& t = table.tasks[k];
    number alone(0);
    if (detail::least_time_alone(table, platform, k, alone) && t.deadline < alone) {
      out.push_back({miss_reason::own_time, t.id, 0, alone});
    } else if (detail::nobody_suspends_above(table, k)) {
      const auto response = classical_response(table, k, [](std::size_t) { return number(0); });
      if (response.reason == stop_reason::exceeds_limit) {
        out.push_back({miss_reason::synchronous_release, t.id, t.core, response.value});
      }
    }
  }
  const number full(detail::million);
  const auto demand = [&](auto selects) {
    number sum(0);
    for (std::size_t k = 0; k < table.size(); ++k) {
      number time(0);
      for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
        if (selects(table.tasks[k], table.segment(k, j))) { time = time + table.segment(k, j).time.upper; }
      }
      detail::add_demand(time, table.tasks[k].period, sum);
    }
    return sum;
  };
  for (std::int32_t c = 0; c < platform.cores && out.size() + 8 < out.capacity(); ++c) {
    const number sum = demand([c](const auto& t, const auto& s) { return t.core == c && s.where == stage::cpu; });
    if (full < sum) { out.push_back({miss_reason::core_overloaded, nowhere, c, sum}); }
  }
  for (std::int32_t e = 0; e < platform.copy_engines; ++e) {
    const number sum = demand([e, &platform](const auto&, const auto& s) {
      return s.where == stage::copy && platform.engine_of(s.direction) == e;
    });
    if (full < sum) { out.push_back({miss_reason::copy_engine_overloaded, nowhere, e, sum}); }
  }
  if (platform.gpus.empty()) { return out; }
  std::int64_t units = 0;
  for (const gpu_record& gpu : platform.gpus) { units += gpu.budget() / gpu.granularity; }
  const auto gpu_tasks = static_cast<std::int64_t>(table.gpu_tasks());
  if (gpu_tasks > units) { out.push_back({miss_reason::more_gpu_tasks_than_sms, nowhere, 0, number(gpu_tasks)}); }
  if (platform.gpus.size() == 1) {
    number sum(0);
    const sm_power all = platform.gpus[0].power(platform.gpus[0].budget());
    for (std::size_t k = 0; k < table.size(); ++k) {
      number time(0);
      for (std::size_t j = 0; j < table.tasks[k].segment_count; ++j) {
        const auto& s = table.segment(k, j);
        interval<number> on_all{};
        if (s.where != stage::kernel || s.samples > 0 || !table.kernel_bounds(s, all, on_all)) { continue; }
        // The serial part occupies a share of any size, so only the divisible part is work that SMs must absorb.
        interval<number> serial{};
        if (!times_at_speed({s.overhead, s.overhead}, all.speed, serial)) { continue; }
        const number divisible = on_all.upper - serial.upper - number(1);
        time = number(0) < divisible ? number(time + divisible) : time;
      }
      detail::add_demand(time, table.tasks[k].period, sum);
    }
    if (full < sum) { out.push_back({miss_reason::gpu_overloaded, nowhere, 0, sum}); }
  }
  return out;
}

}  // namespace analysis

}  // namespace takt
