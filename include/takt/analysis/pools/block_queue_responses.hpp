// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/pools/deadlines.hpp>
#include <takt/analysis/pools/responses.hpp>
#include <takt/core/number.hpp>
#include <takt/model/block_kernel.hpp>
#include <takt/rules/demand.hpp>
#include <takt/rules/servers/block_queue_server.hpp>

namespace takt::inline TAKT_ABI::analysis {

namespace detail {

/// Returns the kernels of a pool, in units of threads where nothing else binds, and of the greatest part of an SM's
/// resources elsewhere. No capacity where there is no bound.
template <std::size_t MaxVisits>
[[nodiscard]] constexpr auto load_of_visits(std::span<const visit_demand> visits, const block_gpu& gpu)
    -> block_load<upward, MaxVisits> {
  task_rows<block_kernel<ticks>, MaxVisits> table;
  for (const visit_demand& v : visits) {
    const block_visit k = block_visit::of(v.view);
    if (!table.add({.length = k.length, .period = v.period, .blocks = k.blocks, .threads = k.threads})) { return {}; }
  }
  if (validate(table, gpu)) { return {}; }
  if (only_threads_bind(table, gpu)) {
    return load_of<upward>(table, thread_capacity(table, gpu), 0,
                           [&](std::size_t i) { return table.tasks[i].threads; });
  }
  const resource_units units = resource_units_of(table, gpu);
  if (!units.fits) { return {}; }
  return load_of<upward>(table, units.busy_beside(table), 0,
                         [&](std::size_t i) { return units.size_of(table.tasks[i]); });
}

}  // namespace detail

/// Computes responses of kernels in one block queue, whatever the jitter: of each other task the kernels of at most one
/// job are pending. The lesser of two bounds:
/// - All that is ahead drains at the rate of the capacity until the last block starts, as in `owner_response`. During
///   the serial parts of kernels it may stand still.
/// - One kernel runs after the other, each as long as on an empty GPU. For when those ahead are done, no other kernel
///   has blocks on an SM before the last own block is placed. Blocks that never wait for each other in a round end
///   within it.
/// See docs/composition.md, "Serial parts".
///
/// The times of visits are those on an empty GPU, and their values those of a `block_visit`.
/// Source: Yang et al. 2018, Lemma 2, for the rate; else takt's own.
template <std::size_t MaxVisits = most_decided_visits>
constexpr void block_queue_responses(std::span<visit_demand> visits, const block_gpu& gpu) {
  arrival_order_responses(visits, 1);
  if (visits.size() > MaxVisits) { return; }
  const auto load = detail::load_of_visits<MaxVisits>(visits, gpu);
  if (load.capacity <= 0) { return; }
  const std::size_t n = visits.size();
  visit_demand* const d = visits.data();
  const auto work = [&](const visit_demand& u) {  // a serial part as the work that drains in its time
    const detail::upward serial{block_visit::of(u.view).serial};
    return load.work_of_job(static_cast<std::size_t>(&u - d)) + serial * detail::upward{load.capacity};
  };
  detail::upward all{};
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && d[end].task == d[i].task;) { ++end; }
    all = all + detail::pending_work(d + i, d + end, work);
  }
  for (std::size_t i = 0, end = 0; i < n; i = end) {
    for (end = i; end < n && d[end].task == d[i].task;) { ++end; }
    const auto others = all - detail::pending_work(d + i, d + end, work);
    for (std::size_t k = i; k < end; ++k) {
      const auto backlog = others + detail::own_pending_work(d + i, d + end, d[k], work) + work(d[k]);
      const auto response = detail::drained(load, backlog, k);
      const bool better = is_number(response) && response.value() < d[k].response && response.value() <= d[k].limit;
      if (better) { d[k].response = response.value(); }
    }
  }
}

}  // namespace takt::inline TAKT_ABI::analysis
