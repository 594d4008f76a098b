// SPDX-License-Identifier: Apache-2.0
#include "read_board.hpp"
#include "workload_file.hpp"

namespace takt::program {

namespace {

[[nodiscard]] auto same_task(const described_task& a, const described_task& b) -> bool {
  return a.name == b.name && a.period == b.period && a.deadline == b.deadline && a.limited == b.limited &&
         a.jitter == b.jitter && a.priority == b.priority && a.core == b.core && a.memory == b.memory &&
         a.first_visit == b.first_visit && a.visit_count == b.visit_count;
}

/// Of the same facts, each with the same values.
[[nodiscard]] auto same_facts(const file_tasks& in_a, const described_visit& a, const file_tasks& in_b,
                              const described_visit& b) -> bool {
  const auto differs = [&](visit_fact f, bool same) { return a.known.has(f) && !same; };
  bool times = a.samples == b.samples;
  for (std::uint32_t i = 0; a.known.has(visit_fact::times_on_sms) && times && i < a.samples; ++i) {
    times = in_a.samples[a.first_sample + i] == in_b.samples[b.first_sample + i];
  }
  return a.known == b.known && !differs(visit_fact::time, a.time == b.time) &&
         !differs(visit_fact::work, a.work == b.work) && !differs(visit_fact::overhead, a.overhead == b.overhead) &&
         !differs(visit_fact::interleave, a.interleave_numerator == b.interleave_numerator &&
                                              a.interleave_denominator == b.interleave_denominator) &&
         !differs(visit_fact::times_on_sms, times) &&
         !differs(visit_fact::grid, a.blocks == b.blocks && a.threads == b.threads) &&
         !differs(visit_fact::block_length, a.block_length == b.block_length) &&
         !differs(visit_fact::wcet, a.wcet == b.wcet) &&
         !differs(visit_fact::preemption_cost, a.preemption_cost == b.preemption_cost) &&
         (!a.known.has(visit_fact::wcet_by_share) || in_a.rows[a.row] == in_b.rows[b.row]) &&
         !differs(visit_fact::pinning, a.width == b.width && a.sm == b.sm) &&
         !differs(visit_fact::context, a.context == b.context) && !differs(visit_fact::slice, a.slice == b.slice) &&
         !differs(visit_fact::bytes, a.bytes == b.bytes) && !differs(visit_fact::state, a.state == b.state);
}

[[nodiscard]] auto same_visit(const file_tasks& in_a, const described_visit& a, const file_tasks& in_b,
                              const described_visit& b) -> bool {
  return a.name == b.name && a.where == b.where && (a.where != visit_place::own || a.own == b.own) &&
         a.direction == b.direction && a.predecessors == b.predecessors && a.in_section == b.in_section &&
         a.parallelism == b.parallelism && a.point == b.point && same_facts(in_a, a, in_b, b);
}

[[nodiscard]] auto same_tasks(const file_tasks& a, const file_tasks& b) -> bool {
  bool same =
      a.tasks.size() == b.tasks.size() && a.visits.size() == b.visits.size() && a.history.size() == b.history.size();
  for (std::size_t i = 0; same && i < a.tasks.size(); ++i) { same = same_task(a.tasks[i], b.tasks[i]); }
  for (std::size_t v = 0; same && v < a.visits.size(); ++v) { same = same_visit(a, a.visits[v], b, b.visits[v]); }
  for (std::size_t e = 0; same && e < a.history.size(); ++e) {
    const described_edge& x = a.history[e];
    const described_edge& y = b.history[e];
    same = x.task == y.task && x.from == y.from && x.to == y.to && x.lag == y.lag;
  }
  return same;
}

[[nodiscard]] auto same_overheads(const std::optional<gpusync_overheads<ticks>>& a,
                                  const std::optional<gpusync_overheads<ticks>>& b) -> bool {
  bool same = a.has_value() == b.has_value();
  for (const auto& [key, member] : overhead_members()) {
    if (same && a) { same = (*a).*member == (*b).*member; }
  }
  return same;
}

}  // namespace

auto same_values(const workload_file& a, const workload_file& b) -> bool {
  return a.name == b.name && a.board.processors == b.board.processors && a.board.copy_engines == b.board.copy_engines &&
         a.board.gpus == b.board.gpus && a.board.own == b.board.own && a.cores == b.cores && a.gpus == b.gpus &&
         same_overheads(a.overheads, b.overheads) && a.rules == b.rules && same_tasks(a.tasks, b.tasks) &&
         a.more == b.more && a.contention == b.contention && a.chains == b.chains;
}

}  // namespace takt::program
