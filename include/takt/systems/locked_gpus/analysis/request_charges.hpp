// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <takt/analysis/methods/locking/blocking_bound.hpp>
#include <takt/core/number.hpp>
#include <takt/model/overheads.hpp>
#include <takt/systems/locked_gpus/analysis/options.hpp>
#include <takt/systems/locked_gpus/tasks/configuration.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

/// Says whether a lock's holder can be preempted; one that is lent priority from the start cannot.
enum class holder : std::uint8_t { preemptable, not_preemptable };
namespace detail {

[[nodiscard]] constexpr auto preemptions_of(holder who) noexcept -> std::int64_t {
  switch (who) {
    case holder::preemptable: return 1;
    case holder::not_preemptable: return 0;
  }
  return 1;
}

/// Returns what the release of a lock and the switch to its next holder add to a critical section.
/// Source: Elliott 2015, equation 2.46.
template <ExactNumber Number>
[[nodiscard]] constexpr auto section_charge(const gpusync_overheads<Number>& o, holder who) -> blocking_bound<Number> {
  const std::int64_t switches = 1 + preemptions_of(who);
  analysis::detail::blocking_sum<Number> sum;
  sum.add(switches, o.schedule);
  sum.add(switches, o.context_switch);
  sum.add(o.system_call_in);
  sum.add(o.system_call_out);
  sum.add(o.unlock);
  sum.add(o.ipi);
  return sum.total();
}

/// Returns what a request costs the job that issues it. Source: Elliott 2015, equation 2.45.
template <ExactNumber Number>
[[nodiscard]] constexpr auto request_charge(const gpusync_overheads<Number>& o, holder who) -> blocking_bound<Number> {
  const std::int64_t switches = 2 + preemptions_of(who);
  analysis::detail::blocking_sum<Number> sum;
  sum.add(2, o.system_call_in);
  sum.add(2, o.system_call_out);
  sum.add(o.lock);
  sum.add(o.unlock);
  sum.add(switches, o.schedule);
  sum.add(switches, o.context_switch);
  sum.add(2, o.cache_loss);
  sum.add(o.ipi);
  return sum.total();
}

}  // namespace detail

/// Holds what the end of a GPU operation costs.
template <class Number>
struct engine_charges {
  blocking_bound<Number> section;  ///< by which each engine section is longer for those who wait for the engine
  blocking_bound<Number> job;      ///< per operation on the job's own CPU
};

namespace detail {

/// Returns what the end of an operation costs. A thread per GPU handles interrupts, and a thread of the task reports
/// completion; each is woken and switched to. Others' interrupts of the same GPU may be ahead, at most one per engine
/// and per job on the GPU, of which there are `holders`. Source: Elliott 2015, equations 4.48 to 4.51. The system call
/// that the text names and 4.49 does not is added. Where fewer tasks use a GPU than it has tokens, their number
/// counts.
template <class Rules, ExactNumber Number>
[[nodiscard]] constexpr auto engine_charges_of(const gpusync_configuration& c, const gpusync_overheads<Number>& o,
                                               std::int64_t holders, std::int32_t engines, bool local)
    -> engine_charges<Number> {
  const std::int64_t printed = c.limits_tokens() ? c.tokens_per_gpu : engines;
  const std::int64_t users = Rules::printed_interrupts ? printed : holders;
  const std::int64_t under_way = users < engines ? users : engines;
  analysis::detail::blocking_sum<Number> section;
  section.add(under_way - 1, o.bottom_half);
  section.add(under_way - 1, o.top_half);
  section.add(3, o.schedule);
  section.add(3, o.context_switch);
  if (!local) { section.add(3, o.ipi); }
  section.add(o.system_call_in);
  if constexpr (!Rules::printed_callback) { section.add(o.system_call_out); }
  section.add(1, section_charge(o, holder::preemptable));
  analysis::detail::blocking_sum<Number> job;
  job.add(under_way, o.bottom_half);
  job.add(4, o.schedule);
  job.add(4, o.context_switch);
  job.add(3, o.ipi);
  job.add(o.system_call_in);
  job.add(o.system_call_out);
  return {section.total(), job.total()};
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
