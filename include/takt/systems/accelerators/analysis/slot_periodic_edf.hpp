// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <takt/analysis/methods/demand/chunk_demand.hpp>
#include <takt/analysis/methods/whole_kernels/slot_edf.hpp>
#include <takt/systems/accelerators/analysis/chunk_graph.hpp>

namespace takt::inline TAKT_ABI::analysis {

// Tests for strictly periodic tasks whose releases keep their place against the slot table. Sporadic or drifting
// releases need `slot_supply_edf`: a job that starts a little later may lose its chunk.

namespace detail {

/// Says why there is no graph, if so.
template <class Number>
[[nodiscard]] constexpr auto chunk_failure(chunk_status status) -> edf_verdict<Number> {
  return status == chunk_status::overflow ? edf_verdict<Number>::failed(verdict_status::overflow)
                                          : edf_verdict<Number>::refused(edf_reason::too_many_chunks);
}

/// Says what a test does with a job whose life lies wholly between two slots.
enum class starved_jobs : std::uint8_t {
  reject,
  drop,  ///< unsound, as printed
};
template <starved_jobs>
inline constexpr bool rejects_starved = true;
template <>
inline constexpr bool rejects_starved<starved_jobs::drop> = false;

template <edf_report Report, std::size_t MaxChunks, starved_jobs Starved, class Number, std::size_t MaxTasks>
[[nodiscard]] constexpr auto abstraction_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                             const slot_reservation<Number>& slot) -> edf_verdict<Number> {
  edf_verdict<Number> out;
  if (settle_at_entry(part, slot, out)) { return out; }
  sporadic_demand<Number, MaxTasks> demand;
  bool too_long = false;
  for (const auto& k : part.tasks) {
    const auto kept = longest_chunks(make_chunk_graph<MaxChunks>(k, slot));
    if (kept.status != chunk_status::complete) { return chunk_failure<Number>(kept.status); }
    if (kept.chunks.empty() || (rejects_starved<Starved> && kept.starved > 0)) {
      return edf_verdict<Number>::refused(edf_reason::starved_job);
    }
    const sporadic_task<Number> t = sporadic_abstraction(k.wcet, kept);
    too_long = too_long || t.deadline < t.wcet;
    static_cast<void>(demand.add(t.wcet, t.deadline, t.period));
  }
  if (too_long) { return edf_verdict<Number>::refused(edf_reason::job_exceeds_deadline); }
  return judge_demand<Report>(demand, dedicated_processor<Number>{}, no_blocking<Number>{});
}

}  // namespace detail

/// EDF inside a slot by sporadic abstractions of the tasks. Source: Zahaf and Lipari 2020, Theorem 4, and a starved job
/// rejects. It holds because EDF is optimal on one core with fixed gaps: no chunk deadlines are needed at run time.
template <edf_report Report = edf_report::least_slack, std::size_t MaxChunks = default_max_chunks, class Number,
          std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_abstraction_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                                  const slot_reservation<Number>& slot) -> edf_verdict<Number> {
  return detail::abstraction_edf<Report, MaxChunks, detail::starved_jobs::reject>(part, slot);
}

namespace detail {

/// Tests EDF inside a slot with all of a job's work in its longest chunk, at the chunks' exact distances. Source: Zahaf
/// and Lipari 2020, Lemma 3, used on Definition 1.
template <edf_report Report = edf_report::least_slack, std::size_t MaxChunks = default_max_chunks, class Number,
          std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_longest_chunk_edf(const task_rows<accelerator_task<Number>, MaxTasks>& part,
                                                    const slot_reservation<Number>& slot) -> edf_verdict<Number> {
  edf_verdict<Number> out;
  if (detail::settle_at_entry(part, slot, out)) { return out; }
  chunk_demand<Number, MaxTasks, MaxChunks> demand;
  for (const auto& t : part.tasks) {
    const auto kept = longest_chunks(make_chunk_graph<MaxChunks>(t, slot));
    if (kept.status != chunk_status::complete) { return detail::chunk_failure<Number>(kept.status); }
    if (kept.starved > 0) { return edf_verdict<Number>::refused(edf_reason::starved_job); }
    static_cast<void>(demand.add_task(kept.pattern));
    for (std::size_t v = 0; v < kept.chunks.size(); ++v) {
      const auto& c = kept.chunks[v];
      if (c.length < t.wcet) { return edf_verdict<Number>::refused(edf_reason::job_exceeds_deadline); }
      if (!demand.add_chunk({c.offset, c.length, t.wcet})) {
        return detail::chunk_failure<Number>(chunk_status::too_many);
      }
    }
  }
  return judge_demand<Report>(demand, dedicated_processor<Number>{}, no_blocking<Number>{});
}

}  // namespace detail

/// Tests EDF inside a slot with each job's work spread over all its chunks in proportion to their lengths. A pass of
/// any spread is a proof, so this one needs no search. Source: Zahaf and Lipari 2020, Lemma 3, read as sufficient.
template <edf_report Report = edf_report::least_slack, std::size_t MaxChunks = default_max_chunks, class Number,
          std::size_t MaxTasks>
[[nodiscard]] constexpr auto slot_proportional_edf(const task_rows<accelerator_task<Number>, MaxTasks>& given,
                                                   const slot_reservation<Number>& given_slot)
    -> edf_verdict<fraction_of<Number>> {
  using fraction = fraction_of<Number>;
  using verdict = edf_verdict<fraction>;
  const auto part = as_fractions(given);
  const auto slot = as_fractions(given_slot);
  verdict out;
  if (detail::settle_at_entry(part, slot, out)) { return out; }
  detail::chunk_demand<fraction, MaxTasks, MaxChunks> demand;
  bool too_long = false;
  for (const auto& t : part.tasks) {
    const auto graph = make_chunk_graph<MaxChunks>(t, slot);
    if (graph.status != chunk_status::complete) { return detail::chunk_failure<fraction>(graph.status); }
    if (graph.starved > 0) { return verdict::refused(edf_reason::starved_job); }
    static_cast<void>(demand.add_task(graph.pattern));
    for (std::size_t v = 0; v < graph.chunks.size(); ++v) {
      const auto& c = graph.chunks[v];
      const fraction share = detail::proportional_share(t.wcet, graph, v);
      if (!is_number(share)) { return verdict::failed(verdict_status::overflow); }
      too_long = too_long || c.length < share;
      if (!demand.add_chunk({c.offset, c.length, share})) {
        return detail::chunk_failure<fraction>(chunk_status::too_many);
      }
    }
  }
  if (too_long) { return verdict::refused(edf_reason::job_exceeds_deadline); }
  return detail::judge_demand<Report>(demand, detail::dedicated_processor<fraction>{}, detail::no_blocking<fraction>{});
}

}  // namespace takt::inline TAKT_ABI::analysis
