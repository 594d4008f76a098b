// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <takt/analysis/job_count.hpp>
#include <takt/analysis/term_sums.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/number.hpp>
#include <takt/systems/rtgpu/analysis/classical_rta.hpp>

// What bounds of chains consist of. The analyses of this folder ask for it, each under its own name.

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns the task below k with the longest accelerator segment. Pre: there is one.
template <class Chains>
[[nodiscard]] constexpr auto longest_segment_below(const Chains& chains, std::size_t k, std::size_t tasks)
    -> std::size_t {
  TAKT_EXPECTS(k + 1 < tasks);
  std::size_t at = k + 1;
  for (std::size_t i = k + 2; i < tasks; ++i) { at = chains.longest(at) < chains.longest(i) ? i : at; }
  return at;
}

/// Adds what others add to one accelerator segment of task k in a window.
template <class A, class Table>
constexpr void add_segment_wait(const A& a, std::size_t k, const typename Table::number& window,
                                term_sums<Table>& out) {
  const std::size_t tasks = a.table().size();
  if (k + 1 < tasks) { out.add(term_kind::gpu_blocking, longest_segment_below(a.chains(), k, tasks), a.blocking(k)); }
  for (std::size_t i = 0; i < k; ++i) {
    out.add(term_kind::gpu_interference, i, a.workload().demand(i, 1, window).value);
  }
}

/// Adds every accelerator segment at its own response; CPU segments at theirs, or as a whole in `window` when `joint`.
template <class A, class Table>
constexpr void add_suspension_parts(const A& a, std::size_t k, bool joint, const typename Table::number& window,
                                    term_sums<Table>& out) {
  using number = typename Table::number;
  const auto& tasks = a.table().tasks;
  const auto core = [&](const number& x) {
    for (std::size_t i = 0; i < k; ++i) {
      if (tasks[i].core == tasks[k].core) {
        out.add(term_kind::cpu_interference, i, a.workload().demand(i, 0, x).value);
      }
    }
  };
  out.add_host_time(a.table(), k);
  out.add(term_kind::gpu, k, a.chains().kernels(k));
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
template <class A, class Table>
[[nodiscard]] constexpr auto add_endless_segment(const A& a, std::size_t k, term_sums<Table>& out) -> bool {
  for (std::size_t j = 0; j < a.chains().count(k); ++j) {
    const auto& e = a.chains().elements()[a.table().tasks[k].first_segment + j];
    if (e.resource == 0 || a.element_response(k, j).exists()) { continue; }
    out.add(term_kind::gpu, k, e.time.upper);
    add_segment_wait(a, k, a.table().tasks[k].deadline, out);
    return true;
  }
  return false;
}

template <class A, class Table>
constexpr void add_busy_waiting_parts(const A& a, std::size_t k, const typename Table::number& window,
                                      term_sums<Table>& out) {
  using number = typename Table::number;
  const auto& table = a.table();
  out.add_host_time(table, k);
  out.add(term_kind::gpu, k, a.kernels(k));
  const bool blocked = number(0) < a.blocking(k);
  for (std::size_t i = k + 1; blocked && i < table.size(); ++i) {
    out.add(term_kind::copy_blocking, i, a.longest_copy(i));
  }
  for (std::size_t i = 0; i < k; ++i) {
    out.add(term_kind::cpu_interference, i, jobs_released(table.tasks[i].period, window) * a.claim(i));
  }
}

template <class A, class Table>
constexpr void add_locking_parts(const A& a, std::size_t k, const typename Table::number& window,
                                 term_sums<Table>& out) {
  using number = typename Table::number;
  const auto& tasks = a.table().tasks;
  const auto& chains = a.chains();
  out.add_host_time(a.table(), k);
  out.add(term_kind::gpu, k, chains.kernels(k));
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

template <class A, class Table>
constexpr void add_processor_parts(const A& a, std::size_t k, const typename Table::number& window,
                                   term_sums<Table>& out) {
  const auto& table = a.table();
  out.add_host_time(table, k);
  for (std::size_t i = 0; i < k; ++i) {
    if (table.tasks[i].core != table.tasks[k].core) { continue; }
    out.add(term_kind::cpu_interference, i, jobs_released(table.tasks[i].period, window) * cpu_time(table, i));
  }
}

template <class A, class Table>
constexpr void add_token_parts(const A& a, std::size_t k, const typename Table::number& window, term_sums<Table>& out) {
  const auto& tasks = a.table().tasks;
  out.add(term_kind::cpu, k, a.cpu(k));
  out.add(term_kind::gpu_section, k, a.sections(k));
  out.add(term_kind::token_wait, k, a.token_wait(k));
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

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis
