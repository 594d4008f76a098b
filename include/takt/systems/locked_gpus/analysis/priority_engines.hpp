// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <takt/systems/locked_gpus/analysis/engine_blocking.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync::detail {

/// Bounds waits for engines that go to some waiting job, in any order.
///
/// Proof. While a request waits for an engine that copies or kernels of its GPU alone use, that engine serves others.
/// Where state moves from GPU to GPU a copy needs two engines and takes them one after the other, in the order of their
/// numbers. The job that holds the engine that a request waits for is served, or waits for an engine of a greater
/// number. At the end of this chain some job is served. So in every instant of the waits of a job another job's section
/// of the same kind of engine, in the same cluster, is served. Each such section is of a job that is pending together
/// with it. No number of queue positions limits them: a section may be overtaken for as long as others come.
template <class Table>
[[nodiscard]] constexpr auto engine_waits_in_any_order(const gpusync_configuration& c,
                                                       const job_requests<typename Table::number>& own,
                                                       const rival_requests<Table>& others)
    -> engine_wait<typename Table::number> {
  using number = typename Table::number;
  engine_wait<number> out;
  if (own.kernels > 0) { out.execution = others.longest(kernel_requests, no_limit); }
  if (own.copies() == 0) { return out; }
  if (detail::moves_between_gpus(c) || c.copy_engines == 1) {
    out.copies = others.longest(copy_requests, no_limit);
    return out;
  }
  analysis::detail::blocking_sum<number> sum;
  if (own.chunks_in() + own.state_in.count() > 0) { sum.add(1, others.longest(in_requests, no_limit)); }
  if (own.chunks_out() + own.state_out.count() > 0) { sum.add(1, others.longest(out_requests, no_limit)); }
  out.copies = sum.total();
  return out;
}

/// Says what less important jobs can put before a request under fixed priorities.
struct boosted_sections {
  std::int64_t lending_jobs = 0;      ///< of more important tasks that may lend a token holder their priority
  std::int64_t sections_per_job = 0;  ///< token sections to which one of them lends it at most
};

/// Bounds waits for engines that go to the waiter of the best effective priority under fixed priorities, where `higher`
/// and `lower` are the others' sections by base priority. Sections of more important tasks count in full. A less
/// important one precedes a request of this job in two cases only. (1) It is in service when the request comes, once
/// per request. (2) It is started during the wait, and so has the higher effective priority, lent by a job more
/// important than this one. That job waits for a token or donates, is pending together with this one, and lends only to
/// those before it. In a queue of at most f requests these are f - 1 token sections, and as a donor f. Their jobs have
/// at most so many sections of the kind each. `operations` is the most of them in a job of a less important task.
/// Differs from the counting of base priorities alone, which a borrowed priority breaks.
template <class Table>
[[nodiscard]] constexpr auto fixed_priority_engine_wait(request_kinds kinds, std::int64_t requests,
                                                        const boosted_sections& boosted, std::int64_t operations,
                                                        const rival_requests<Table>& higher,
                                                        const rival_requests<Table>& lower)
    -> blocking_bound<typename Table::number> {
  if (requests == 0) { return {}; }
  std::int64_t count = 0;
  const bool limited = checked_multiply(boosted.lending_jobs, boosted.sections_per_job, count) &&
                       checked_multiply(count, operations, count) && checked_add(count, requests, count);
  analysis::detail::blocking_sum<typename Table::number> sum;
  sum.add(1, higher.longest(kinds, no_limit));
  sum.add(1, lower.longest(kinds, limited ? count : no_limit));
  return sum.total();
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync::detail
