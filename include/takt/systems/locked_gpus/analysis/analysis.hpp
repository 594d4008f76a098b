// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/systems/locked_gpus/analysis/engine_phase.hpp>
#include <takt/systems/locked_gpus/analysis/inflation_phase.hpp>
#include <takt/systems/locked_gpus/analysis/result.hpp>
#include <takt/systems/locked_gpus/analysis/test_phase.hpp>
#include <takt/systems/locked_gpus/analysis/token_phase.hpp>
#include <takt/systems/locked_gpus/tasks/validate.hpp>

namespace takt::inline TAKT_ABI::analysis::gpusync {

namespace detail {

/// Makes one pass: what follows from responses that are assumed, all phases in turn. Fills `out` as far as it comes.
template <class Rules, class Table>
constexpr void analyze_pass(const prepared_set<Table>& set, const engine_model<Rules, Table>& model,
                            std::span<const typename Table::number> responses, set_bounds<Table>& out) {
  const std::size_t n = set.size();
  out.clusters.clear();
  out.status = obstacle::overflow;
  const job_overlaps<Table> overlaps(*set.table, responses, set.wanted());
  const auto rivals = count_rivals(set, overlaps);
  const auto engines = engine_phase<Rules>(set, model, overlaps, rivals);
  const auto sections = section_phase<Rules>(set, engines);
  const auto tokens = token_phase<Rules>(set, rivals, sections);
  bool bounded = rivals.countable;
  for (std::size_t i = 0; i < n; ++i) {
    out.tasks[i] = {.own = set.own[i], .engines = engines[i], .section = sections[i], .tokens = tokens[i]};
    bounded = bounded && sections[i].bounded() && tokens[i].total().bounded();
  }
  if (!bounded) { return; }
  const auto inflated = inflation_phase(set, overlaps, engines, tokens);
  if (inflated.status == inflation_status::overflow) { return; }
  if (inflated.status != inflation_status::inflated) {
    out.status = obstacle::interrupts;
    return;
  }
  const auto tested = test_phase(set, inflated);
  out.status = tested.status;
  out.clusters = tested.clusters;
  for (std::size_t i = 0; i < n; ++i) {
    out.tasks[i].top_halves = inflated.top_halves[i];
    out.tasks[i].inflated = inflated.tasks[i];
    out.tasks[i].is_inflated = true;
    out.tasks[i].response = tested.responses[i];
    out.tasks[i].lateness = tested.lateness[i];
  }
}

}  // namespace detail

/// Bounds tasks on locked GPUs, all CPU and GPU clusters together. A pass computes waits for engines, token sections,
/// waits for tokens, inflated tasks, and a test of independent tasks per CPU cluster. Its responses say how many jobs
/// overlap in the next pass. For deadlines, and under fixed priorities always, one pass that assumes that they are met:
/// the first job to miss would have been counted for correctly.
///
/// Responses never shrink from pass to pass, so passes end. Counts of overlapping jobs only grow, waits in
/// first-in-first-out queues saturate, and interrupts that grow with the counts overload a cluster at last.
///
/// GPU time and waits count as execution (suspension-oblivious), and a job makes one token request. As in the source,
/// token sections are not inflated for other tasks' interrupts. Error: `invalid_model` where a choice is unknown. Pre:
/// `validate_gpusync` finds nothing. Cost: passes * n^2 * kinds of operations of a job. Source: Elliott 2015, sections
/// 4.3.4 and 4.3.5, with the repairs of docs/errata.md.
template <class Rules = sound_rules, GpusyncPlatform P, class Table>
[[nodiscard]] constexpr auto analyze_set(const P& platform, const Table& table,
                                         const options<typename Table::number>& o = {}) -> set_bounds<Table> {
  using number = typename Table::number;
  set_bounds<Table> out;
  if (!choices_known(o) || !takt::detail::choices_known(platform.configuration())) {
    out.status = obstacle::invalid_model;
    return out;
  }
  TAKT_EXPECTS_IN_TESTS(!validate_gpusync(platform, table));
  const auto set = prepare<Rules>(platform, table, o);
  static_cast<void>(out.tasks.resize(set.size()));
  if (!set.has_bounded_charges()) { return out; }
  const detail::engine_model<Rules, Table> model(set);
  std::array<number, Table::max_tasks> responses{};
  for (std::size_t i = 0; i < set.size(); ++i) { responses[i] = set.task(i).deadline; }
  for (out.passes = 1; out.passes <= o.passes; ++out.passes) {
    detail::analyze_pass<Rules>(set, model, std::span<const number>(responses).first(set.size()), out);
    if (out.status != obstacle::none || detail::asks_for_deadlines(set.wanted())) { return out; }
    bool changed = false;
    for (std::size_t i = 0; i < set.size(); ++i) {
      number response = out.tasks[i].response.value;
      if (!detail::round_up(set, response)) {
        out.status = obstacle::overflow;
        return out;
      }
      changed = changed || responses[i] < response;
      responses[i] = responses[i] < response ? response : responses[i];
    }
    if (!changed) { return out; }
  }
  out.status = obstacle::passes;
  return out;
}

}  // namespace takt::inline TAKT_ABI::analysis::gpusync
