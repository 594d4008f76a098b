// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include <takt/report/format_duration.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::report {

namespace detail {

[[nodiscard]] inline auto share_text(const verdict_summary& v, const sm_share& share) -> std::string {
  const auto gpu = static_cast<std::size_t>(share.gpu);
  const bool is_virtual = gpu < v.platform.gpus.size() && v.platform.gpus[gpu].shared;
  const std::string text =
      std::to_string(share.sms) + (is_virtual ? " virtual SM" : " SM") + (share.sms == 1 ? "" : "s");
  return v.platform.gpus.size() > 1 ? text + " of GPU " + std::to_string(share.gpu) : text;
}

/// What a term stands for, after "3ms for ".
[[nodiscard]] inline auto purpose(const verdict_summary& v, const task_summary& of, const term<ticks>& t)
    -> std::string {
  const std::string& who = v.tasks[t.by].name;
  switch (t.what) {
    case term_kind::cpu: return "its own work on the CPU";
    case term_kind::copy: return "its own copies";
    case term_kind::gpu: return "its own kernels on " + share_text(v, of.share);
    case term_kind::cpu_interference: return "work of " + who + " on the CPU, which goes first";
    case term_kind::copy_interference: return "copies of " + who + ", which go first";
    case term_kind::copy_blocking: return "copies of " + who + " that are under way and cannot be interrupted";
    case term_kind::gpu_interference: return "kernels of " + who + ", which go first";
    case term_kind::gpu_blocking: return "kernels of " + who + " that are under way and cannot be interrupted";
    case term_kind::gpu_section: return "its own copies and kernels, with waits for copy engines";
    case term_kind::token_wait: return "waiting for tokens that others hold";
    case term_kind::job_interference:
      return "jobs of " + who + ", which go first, with their copies, kernels and waits";
  }
  return {};
}

/// One line per term, longest first.
[[nodiscard]] inline auto list_of(const verdict_summary& v, const task_summary& of, std::vector<term<ticks>> terms)
    -> std::string {
  std::ranges::sort(terms, [](const term<ticks>& a, const term<ticks>& b) {
    return std::tuple{b.time, a.what, a.by} < std::tuple{a.time, b.what, b.by};
  });
  std::size_t width = 0;
  for (const term<ticks>& t : terms) { width = std::max(width, format_duration(t.time).size()); }
  std::string out;
  for (const term<ticks>& t : terms) {
    const std::string time = format_duration(t.time);
    out += "  " + std::string(width - time.size(), ' ') + time + " for " + purpose(v, of, t) + '\n';
  }
  return out;
}

[[nodiscard]] inline auto largest(const verdict_summary& v, const task_summary& of,
                                  const std::vector<term<ticks>>& terms) -> std::string {
  const auto most = std::ranges::max_element(terms, {}, &term<ticks>::time);
  if (most == terms.end()) { return {}; }
  return " The largest part is " + format_duration(most->time) + " for " + purpose(v, of, *most) + '.';
}

[[nodiscard]] inline auto total(const std::vector<term<ticks>>& terms) -> ticks {
  ticks sum = 0;
  for (const term<ticks>& t : terms) { sum += t.time; }
  return sum;
}

[[nodiscard]] inline auto first_failing(const verdict_summary& v) -> std::string {
  for (const std::uint32_t i : v.priorities) {
    if (!v.tasks[i].meets) { return v.tasks[i].name; }
  }
  return {};
}

[[nodiscard]] inline auto percent(ticks parts_per_million) -> std::string {
  return count_of(parts_per_million, {"%", 10'000}) + '%';
}

[[nodiscard]] inline auto dedicable_units(const platform_record& platform) -> std::int32_t {
  std::int32_t units = 0;
  for (const gpu_record& gpu : platform.gpus) { units += gpu.budget() / gpu.granularity; }
  return units;
}

/// Why a task that was judged has no sufficient bound.
[[nodiscard]] inline auto shortfall(const verdict_summary& v, const task_summary& t) -> std::string {
  if (!t.served) { return "it has kernels, and the plan gives it no SM.\n"; }
  const std::string deadline = format_duration(t.deadline);
  if (t.bound.exists) {
    return "its bound is " + format_duration(t.bound.value) + ", " + format_duration(t.bound.value - t.deadline) +
           " above it." + largest(v, t, t.terms) + " All parts:\n" + list_of(v, t, t.terms);
  }
  const ticks claimed = total(t.demand);
  return "no bound of at most " + deadline + " exists. In a window of " + deadline + ", up to " +
         format_duration(claimed) + " may be asked for before it is done, " + format_duration(claimed - t.deadline) +
         " too much." + largest(v, t, t.demand) + " All parts:\n" + list_of(v, t, t.demand);
}

}  // namespace detail

/// Why some legal run misses a deadline under every plan: one sentence, with figures.
[[nodiscard]] inline auto explain_miss(const verdict_summary& v, const proven_miss<ticks>& miss) -> std::string {
  const auto can_miss = [&v, &miss] {
    const task_summary& t = v.tasks[miss.task];
    return t.name + " can miss its deadline of " + format_duration(t.deadline) + ": ";
  };
  const std::string value = format_duration(miss.value);
  const std::string unit = std::to_string(miss.index);
  switch (miss.reason) {
    case miss_reason::own_time:
      return can_miss() + "a job that has the platform to itself can take " + value + ", " +
             format_duration(miss.value - v.tasks[miss.task].deadline) + " too long, under every plan.";
    case miss_reason::synchronous_release:
      return can_miss() + "released together with the higher tasks of core " + unit + ", its job can need at least " +
             value + '.';
    case miss_reason::core_overloaded:
      return "Core " + unit + " can be asked for " + detail::percent(miss.value) + " of its time.";
    case miss_reason::copy_engine_overloaded:
      return "Copy engine " + unit + " can be asked for " + detail::percent(miss.value) + " of its time.";
    case miss_reason::gpu_overloaded:
      return "The kernels can ask for " + detail::percent(miss.value) + " of the time of all SMs.";
    case miss_reason::more_gpu_tasks_than_sms:
      return std::to_string(miss.value) + " tasks have kernels, and only " +
             std::to_string(detail::dedicable_units(v.platform)) + " of them can have SMs of their own.";
  }
  return {};
}

/// Why a task, by its position in the given order, meets or misses its deadline: a sentence, then a line for each part
/// of its bound, longest first. Pre: task < v.tasks.size().
[[nodiscard]] inline auto explain_task(const verdict_summary& v, std::size_t task) -> std::string {
  const task_summary& t = v.tasks[task];
  std::string out;
  for (const auto& miss : v.misses) {
    if (miss.task == task) { out += explain_miss(v, miss) + '\n'; }
  }
  const std::string deadline = format_duration(t.deadline);
  if (!t.evaluated) {
    return out + t.name + " was not judged: its bound would rest on " + detail::first_failing(v) +
           ", of higher priority, meeting its deadline.\n";
  }
  if (t.meets) {
    return out + t.name + " meets its deadline of " + deadline + ": a job takes at most " +
           format_duration(t.bound.value) + ", which leaves " + format_duration(t.deadline - t.bound.value) +
           ". Of that bound,\n" + detail::list_of(v, t, t.terms);
  }
  return out + t.name + " is not proven to meet its deadline of " + deadline + ": " + detail::shortfall(v, t);
}

/// The verdict and its reasons in words, task by task from the highest priority down.
inline void explain(std::ostream& out, const verdict_summary& v) {
  switch (v.status) {
    case verdict_status::schedulable: out << "Every task is proven to meet its deadline"; break;
    case verdict_status::unschedulable: out << "Some legal run misses a deadline"; break;
    case verdict_status::not_proven: out << "Not every task is proven to meet its deadline, nor to miss it"; break;
    case verdict_status::invalid_model: out << "The model does not fit the analysis"; break;
    case verdict_status::overflow: out << "The times are too large for exact 64-bit arithmetic"; break;
  }
  out << " (" << v.analysis << ").\n";
  for (const auto& miss : v.misses) {
    if (miss.task == nowhere) { out << explain_miss(v, miss) << '\n'; }
  }
  for (const std::uint32_t i : v.priorities) { out << '\n' << explain_task(v, i); }
}

}  // namespace takt::report
