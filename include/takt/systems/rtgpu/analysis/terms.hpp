// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <takt/analysis/job_count.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/systems/rtgpu/analysis/busy_waiting.hpp>
#include <takt/systems/rtgpu/analysis/classical_rta.hpp>
#include <takt/systems/rtgpu/analysis/enhanced_mpcp.hpp>
#include <takt/systems/rtgpu/analysis/fixed_priority_rta.hpp>
#include <takt/systems/rtgpu/analysis/locked_gpu_rta.hpp>
#include <takt/systems/rtgpu/analysis/rtgpu_terms.hpp>
#include <takt/systems/rtgpu/analysis/self_suspension.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns the task below k with the longest accelerator segment. Pre: there is one.
template <class Table>
[[nodiscard]] constexpr auto longest_segment_below(const accelerator_segments<Table>& chains, std::size_t k,
                                                   std::size_t tasks) -> std::size_t {
  TAKT_EXPECTS(k + 1 < tasks);
  std::size_t at = k + 1;
  for (std::size_t i = k + 2; i < tasks; ++i) { at = chains.longest(at) < chains.longest(i) ? i : at; }
  return at;
}

/// Adds what others add to one accelerator segment of task k in a window.
template <class Table>
constexpr void add_segment_wait(const self_suspension<Table>& a, std::size_t k, const typename Table::number& window,
                                term_sums<Table>& out) {
  const std::size_t tasks = a.table().size();
  if (k + 1 < tasks) { out.add(term_kind::gpu_blocking, longest_segment_below(a.chains(), k, tasks), a.blocking(k)); }
  for (std::size_t i = 0; i < k; ++i) {
    out.add(term_kind::gpu_interference, i, a.workload().demand(i, 1, window).value);
  }
}

/// Adds every accelerator segment at its own response; CPU segments at theirs, or as a whole in `window` when `joint`.
template <class Table>
constexpr void add_parts(const self_suspension<Table>& a, std::size_t k, bool joint,
                         const typename Table::number& window, term_sums<Table>& out) {
  using number = typename Table::number;
  const auto& tasks = a.table().tasks;
  const auto core = [&](const number& x) {
    for (std::size_t i = 0; i < k; ++i) {
      if (tasks[i].core == tasks[k].core) {
        out.add(term_kind::cpu_interference, i, a.workload().demand(i, 0, x).value);
      }
    }
  };
  add_own(a.table(), k, a.chains().cpu(k) + a.chains().accelerator(k), out);
  for (std::size_t j = 0; j < a.chains().count(k); ++j) {
    const auto& e = a.chains().elements()[tasks[k].first_segment + j];
    const number& response = a.element_response(k, j).value;
    if (e.resource == 0) {
      if (!joint) { core(response); }
    } else if (number(0) < e.time.upper) {
      add_segment_wait(a, k, response, out);
    }
  }
  if (joint) { core(window); }
}

/// Adds the parts of the first accelerator segment that has no response, if there is one.
template <class Table>
[[nodiscard]] constexpr auto add_endless_segment(const self_suspension<Table>& a, std::size_t k, term_sums<Table>& out)
    -> bool {
  for (std::size_t j = 0; j < a.chains().count(k); ++j) {
    const auto& e = a.chains().elements()[a.table().tasks[k].first_segment + j];
    if (e.resource == 0 || a.element_response(k, j).exists()) { continue; }
    out.add(term_kind::gpu, k, e.time.upper);
    add_segment_wait(a, k, a.table().tasks[k].deadline, out);
    return true;
  }
  return false;
}

template <class Table>
constexpr void add_parts(const busy_waiting_rta<Table>& a, std::size_t k, const typename Table::number& window,
                         term_sums<Table>& out) {
  using number = typename Table::number;
  const auto& table = a.table();
  add_own(table, k, a.claim(k), out);
  const bool blocked = number(0) < a.blocking(k);
  for (std::size_t i = k + 1; blocked && i < table.size(); ++i) {
    out.add(term_kind::copy_blocking, i, a.longest_copy(i));
  }
  for (std::size_t i = 0; i < k; ++i) {
    out.add(term_kind::cpu_interference, i, jobs_released(table.tasks[i].period, window) * a.claim(i));
  }
}

template <class Table>
constexpr void add_parts(const enhanced_mpcp<Table>& a, std::size_t k, const typename Table::number& window,
                         term_sums<Table>& out) {
  using number = typename Table::number;
  const auto& tasks = a.table().tasks;
  const auto& chains = a.chains();
  add_own(a.table(), k, chains.cpu(k) + chains.accelerator(k), out);
  for (std::size_t i = 0; i < k; ++i) {
    const number jobs = jobs_released(tasks[i].period, window + a.bound(i).value - chains.cpu(i));
    out.add(term_kind::cpu_interference, i, jobs * chains.cpu(i));
  }
  const std::int64_t requests = chains.requests(k);
  if (requests == 0) { return; }
  const number longest = chains.longest_below(k, tasks.size());
  if (number(0) < longest) {
    out.add(term_kind::gpu_blocking, longest_segment_below(chains, k, tasks.size()), number(requests) * longest);
  }
  const auto segments_within = [&](std::size_t i, const number& x) {
    return (jobs_released(tasks[i].period, x) + number(1)) * chains.accelerator(i);
  };
  number job_driven = number(requests) * longest;
  for (std::size_t i = 0; i < k; ++i) { job_driven = job_driven + segments_within(i, window); }
  const auto& per_request = a.request_driven_blocking(k);
  const bool each = per_request.exists() && per_request.value < job_driven;
  const number wait = each ? number_traits<number>::divide_down(per_request.value, requests) : window;
  for (std::size_t i = 0; i < k; ++i) {
    out.add(term_kind::gpu_interference, i, number(each ? requests : 1) * segments_within(i, wait));
  }
}

template <class Table>
constexpr void add_parts(const fixed_priority_rta<Table>& a, std::size_t k, const typename Table::number& window,
                         term_sums<Table>& out) {
  const auto& table = a.table();
  out.add_host_time(table, k);
  for (std::size_t i = 0; i < k; ++i) {
    if (table.tasks[i].core != table.tasks[k].core) { continue; }
    out.add(term_kind::cpu_interference, i, jobs_released(table.tasks[i].period, window) * cpu_time(table, i));
  }
}

template <class Table, class Order>
constexpr void add_parts(const locked_gpu_rta<Table, Order>& a, std::size_t k, const typename Table::number& window,
                         term_sums<Table>& out) {
  const auto& tasks = a.table().tasks;
  out.add(term_kind::cpu, k, a.cpu(k));
  out.add(term_kind::gpu_section, k, a.sections(k));
  out.add(term_kind::token_wait, k, a.whole(k) - a.cpu(k) - a.sections(k));
  for (std::size_t i = 0; i < k; ++i) {
    if (tasks[i].core != tasks[k].core) { continue; }
    if (a.others_suspend(k)) {
      const auto jobs = jobs_released(tasks[i].period, window + a.bound(i).value - a.cpu(i));
      out.add(term_kind::cpu_interference, i, jobs * a.cpu(i));
    } else {
      out.add(term_kind::job_interference, i, jobs_released(tasks[i].period, window) * a.whole(i));
    }
  }
}

/// Holds for an analysis whose bound has the same parts in every window.
template <class A, class Table>
concept OneFormula = requires(const A& a, const typename Table::number& window, term_sums<Table>& out) {
  add_parts(a, std::size_t{}, window, out);
};
template <class A>
using table_of = std::remove_cvref_t<decltype(std::declval<const A&>().table())>;

}  // namespace detail

// The contracts are those of the overloads for rtgpu.

template <class Table, class F>
constexpr void for_each_term(const self_suspension<Table>& a, std::size_t k, F f) {
  const auto& b = a.bounds(k);
  detail::term_sums<Table> sums;
  detail::add_parts(a, k, !b.segmentwise.exists() || b.best.value < b.segmentwise.value, b.best.value, sums);
  sums.emit(a.table(), k, f);
}
template <class Table, class F>
constexpr void for_each_demand(const self_suspension<Table>& a, std::size_t k, F f) {
  detail::term_sums<Table> sums;
  if (!detail::add_endless_segment(a, k, sums)) { detail::add_parts(a, k, true, a.table().tasks[k].deadline, sums); }
  sums.emit(a.table(), k, f);
}

template <class A, class F>
  requires detail::OneFormula<A, detail::table_of<A>>
constexpr void for_each_term(const A& a, std::size_t k, F f) {
  detail::term_sums<detail::table_of<A>> sums;
  detail::add_parts(a, k, a.bound(k).value, sums);
  sums.emit(a.table(), k, f);
}
template <class A, class F>
  requires detail::OneFormula<A, detail::table_of<A>>
constexpr void for_each_demand(const A& a, std::size_t k, F f) {
  detail::term_sums<detail::table_of<A>> sums;
  detail::add_parts(a, k, a.table().tasks[k].deadline, sums);
  sums.emit(a.table(), k, f);
}

}  // namespace takt::inline TAKT_ABI::analysis
