// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/report/chain_platform.hpp>
#include <takt/report/format_duration.hpp>
#include <takt/report/table.hpp>
#include <takt/report/verdict_summary.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/systems/accelerators/analysis/methods.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

[[nodiscard]] constexpr auto word_of(preemption_cost_model m) noexcept -> std::string_view {
  switch (m) {
    case preemption_cost_model::ideal: return "ideal";
    case preemption_cost_model::race: return "race";
    case preemption_cost_model::overhead: return "overhead";
  }
  return "";
}

template <KernelOrder Order>
[[nodiscard]] constexpr auto order_word() noexcept -> std::string_view {
  if constexpr (EarliestDeadlineFirst<Order>) {
    return "edf";
  } else {
    return word_of(order_of<Order>{});
  }
}

[[nodiscard]] inline auto slot_words(const slot_reservation<ticks>& slot) -> std::string {
  return "[" + format_duration(slot.offset) + ", " + format_duration(slot.offset + slot.budget) + ") of every " +
         format_duration(slot.period);
}

[[nodiscard]] inline auto slot_tree(const slot_reservation<ticks>& slot) -> tree {
  tree out;
  return out.add("offset", slot.offset).add("budget", slot.budget);
}

/// Writes the pool in words, and as the file format writes it.
template <AcceleratorPlatform P>
void describe_accelerator(const P& platform, verdict_summary& out) {
  using rule = typename P::accelerator_rule;
  const accelerator_record& a = platform.accelerator();
  const rule& how = platform.strategy();
  const std::string_view policy = order_word<kernel_order<rule>>();
  std::string_view sharing = "single-stream";
  if constexpr (requires { rule::sharing; }) { sharing = rule::sharing; }
  tree gpu;
  gpu.add("sms", a.cores);
  gpu.add("sharing", sharing).add("policy", policy).add("preemption_levels", a.preemption_levels);
  std::string words = std::string{sharing} + ", " + std::string{policy};
  if constexpr (ChoosesCosts<rule>) {
    gpu.add("cost_model", word_of(how.cost));
    words +=
        ", " + std::to_string(a.preemption_levels) + " preemption levels, " + std::string{word_of(how.cost)} + " costs";
  }
  if constexpr (requires { rule::gang_order::name; }) {
    gpu.add("order", rule::gang_order::name);
    words += ", " + std::string{rule::gang_order::name};
  }
  if constexpr (ReservesSlots<rule>) {
    tree slots;
    slots.add("period", how.pinned.period).add("pinned", slot_tree(how.pinned)).add("gang", slot_tree(how.gang));
    gpu.add("slots", std::move(slots));
    words += ", pinned kernels in " + slot_words(how.pinned) + ", others in " + slot_words(how.gang);
  }
  out.platform.add("gpus", tree{tree::array{std::move(gpu)}});
  out.platform_words.push_back("accelerator with " + plural(a.cores, "SM") + " (" + words + ")");
}

template <class Number>
[[nodiscard]] auto part_words(const analysis::accelerator_part<Number>& part, std::size_t parts) -> std::string {
  const auto& t = part.test;
  const std::string where = part.core != unassigned_core ? "SM " + std::to_string(part.core)
                            : parts > 1                  ? "all SMs"
                                                         : "the accelerator";
  switch (t.reason) {
    case analysis::edf_reason::none:
      return !t.has_point ? std::string{}
                          : where + ": every window has room; the tightest, of " + format_duration(t.at) + ", has " +
                                format_duration(t.slack) + " left.";
    case analysis::edf_reason::demand_exceeds_supply:
      return where + ": in a window of " + format_duration(t.at) + " there can be " + format_duration(-t.slack) +
             " more to do than fits.";
    case analysis::edf_reason::load_exceeds_supply:
      return where + ": in the long run the kernels can ask for more time than they get.";
    case analysis::edf_reason::job_exceeds_deadline: return where + ": a kernel alone takes longer than its deadline.";
    case analysis::edf_reason::starved_job: return where + ": a job can lie wholly outside the slot.";
    case analysis::edf_reason::guard_fills_slot: return where + ": the longest wave does not fit into the slot.";
    case analysis::edf_reason::not_applicable:
      return where + ": no test is known for pinned and other kernels together that stop only at the end of a wave.";
    case analysis::edf_reason::too_many_chunks: return where + ": too many chunks.";
    case analysis::edf_reason::too_many_windows: return where + ": too many windows to compare.";
  }
  return {};
}

template <class Number>
[[nodiscard]] auto part_tree(const analysis::accelerator_part<Number>& part) -> tree {
  tree out;
  out.add("core", part.core == unassigned_core ? tree{} : tree{part.core}).add("passes", part.test.schedulable());
  if (part.test.reason != analysis::edf_reason::none) { out.add("reason", name_of(part.test.reason)); }
  if (part.test.has_point) { out.add("window", part.test.at).add("slack", part.test.slack); }
  return out;
}

[[nodiscard]] inline auto core_cell(const accelerator_task<ticks>& t, std::int32_t core) -> std::string {
  return needs_all_cores(t.width) ? "all" : core == unassigned_core ? "any" : std::to_string(core);
}

}  // namespace detail

/// Returns a verdict on kernels of an accelerator with its reasons: the tests are made once more under the plan of the
/// verdict. Pre: `v` is about these tasks on this platform.
template <AcceleratorPlatform P, AcceleratorTaskSet T, std::size_t N, std::size_t M>
[[nodiscard]] auto summarize(const P& platform, const T& tasks, const verdict<ticks, N, M>& v) -> verdict_summary {
  using order = kernel_order<typename P::accelerator_rule>;
  verdict_summary out = detail::begin_summary(v);
  detail::describe_accelerator(platform, out);
  out.bounds_tasks = FixedPriority<order> || v.bounded();
  if (out.tasks.empty()) { return out; }
  const auto& table = tasks.template table<ticks>();
  TAKT_EXPECTS(out.tasks.size() == table.size());
  fact core{.head = "SM"};
  fact wcet{.head = "kernel ms"};
  fact wave{.head = "wave ms"};
  tree placed{tree::object{}};
  for (std::uint32_t i = 0; i < out.tasks.size(); ++i) {
    const auto& t = table.tasks[i];
    const std::int32_t on = i < v.plan.cores.size() ? v.plan.cores[i] : t.core;
    core.cells.push_back(detail::core_cell(t, on));
    wcet.cells.push_back(in_milliseconds(t.wcet));
    wave.cells.push_back(in_milliseconds(t.preemption_cost));
    out.tasks[i].kernels_on = needs_all_cores(t.width) ? "all SMs" : on == unassigned_core ? "" : "SM " + core.cells[i];
    if (on != unassigned_core) { placed.add(out.tasks[i].name, on); }
  }
  out.facts = {std::move(core), std::move(wcet), std::move(wave)};
  out.allocation.add("core", std::move(placed));
  out.plan = detail::plan_members(v.plan, out);
  const auto evidence =
      analysis::evidence_of<std::remove_const_t<decltype(accelerator_methods)>>(platform, tasks, v.plan);
  out.tests = tree{tree::array{}};
  for (const auto& part : evidence.parts) {
    out.tests.push(detail::part_tree(part));
    if (auto words = detail::part_words(part, evidence.parts.size()); !words.empty()) {
      out.findings.push_back(std::move(words));
    }
  }
  out.assumptions.emplace_back("Jobs of a kernel are released at least its period apart.");
  out.assumptions.emplace_back("No kernel takes longer than its wcet, copies included.");
  out.assumptions.emplace_back("No wave of blocks takes longer than the kernel's preemption cost.");
  return out;
}

}  // namespace takt::inline TAKT_ABI::report
