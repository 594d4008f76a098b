// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <takt/report/format_duration.hpp>
#include <takt/report/verdict_summary.hpp>

namespace takt::inline TAKT_ABI::report {

namespace detail {

/// Returns what a term stands for, after "3ms for ".
[[nodiscard]] inline auto purpose(const verdict_summary& v, const task_summary& of, const term<ticks>& t)
    -> std::string {
  const std::string who = t.by < v.tasks.size() ? v.tasks[t.by].name : "others";
  switch (t.what) {
    case term_kind::cpu: return "its own work on the CPU";
    case term_kind::copy: return "its own copies";
    case term_kind::gpu: return "its own kernels" + (of.kernels_on.empty() ? "" : " on " + of.kernels_on);
    case term_kind::cpu_interference: return "work of " + who + " on the CPU, which goes first";
    case term_kind::copy_interference: return "copies of " + who + ", which go first";
    case term_kind::copy_blocking: return "copies of " + who + " that are under way and cannot be interrupted";
    case term_kind::gpu_interference:
      return "kernels of " + who + (t.by == no_index ? ", which go first or are under way" : ", which go first");
    case term_kind::gpu_blocking: return "kernels of " + who + " that are under way and cannot be interrupted";
    case term_kind::gpu_section: return "its own copies and kernels, with waits for copy engines";
    case term_kind::token_wait: return "waiting for tokens that others hold";
    case term_kind::job_interference:
      return "jobs of " + who + ", which go first, with their copies, kernels and waits";
    case term_kind::engine_wait: return "waiting for engines that others use";
    case term_kind::loan: return "waiting while its priority is lent to a token holder";
    case term_kind::overheads: return "overheads and interrupts";
    case term_kind::competition: return "competition for the CPUs of its cluster";
    case term_kind::history:
      return t.visit < v.visits.size() ? "the planned start of " + v.visits[t.visit] : "the past that it waits for";
    case term_kind::node: return t.visit < v.visits.size() ? v.visits[t.visit] : std::string{"one of its nodes"};
    case term_kind::own_work: return "its own work";
    case term_kind::interference: return "work of " + who + ", which goes first";
    case term_kind::blocking: return "work of " + who + " that is under way or holds a lock";
    case term_kind::queue: return "work of " + who + " that came before";
    case term_kind::release_jitter: return "its latest release";
    case term_kind::guard:
      return t.visit < v.visits.size() ? "the planned start of " + v.visits[t.visit] : "its planned start";
    case term_kind::slot_wait: return "waiting for its slot";
    case term_kind::local_deadline: return "what a test of deadlines leaves it";
    case term_kind::others: return "all else";
    case term_kind::bound: return "all that its method counts";
  }
  return {};
}

/// One line per term that takes time: along a path of visits, else longest first.
[[nodiscard]] inline auto list_of(const verdict_summary& v, const task_summary& of, std::vector<term<ticks>> terms)
    -> std::string {
  std::erase_if(terms, [](const term<ticks>& t) { return t.time == 0; });
  if (std::ranges::find(terms, term_kind::node, &term<ticks>::what) == terms.end()) {
    std::ranges::sort(terms, [](const term<ticks>& a, const term<ticks>& b) {
      return std::tuple{b.time, a.what, a.by} < std::tuple{a.time, b.what, b.by};
    });
  }
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

/// Returns whether the terms say more than the bound does.
[[nodiscard]] inline auto is_told(const std::vector<term<ticks>>& terms) -> bool {
  return terms.size() > 1 ||
         (terms.size() == 1 && terms[0].what != term_kind::local_deadline && terms[0].what != term_kind::bound);
}

[[nodiscard]] inline auto all_parts(const verdict_summary& v, const task_summary& of,
                                    const std::vector<term<ticks>>& terms) -> std::string {
  return !is_told(terms) ? std::string{"\n"} : largest(v, of, terms) + " All parts:\n" + list_of(v, of, terms);
}

/// Returns the end of "a job takes at most ..., ", and the parts of that bound.
[[nodiscard]] inline auto parts_of_bound(const verdict_summary& v, const task_summary& t) -> std::string {
  return !is_told(t.terms) ? std::string{".\n"} : ". Of that bound,\n" + list_of(v, t, t.terms);
}

/// Returns "8ms", by which method where several have bounds, and how much of it is waiting.
[[nodiscard]] inline auto bound_text(const verdict_summary& v, const task_summary& t) -> std::string {
  std::string beside = v.mixes_methods() ? t.method : "";
  if (t.blocking > 0) {
    beside += (beside.empty() ? "" : ", ") + format_duration(t.blocking) + " of it waiting for locks";
  }
  return format_duration(t.bound.value) + (beside.empty() ? "" : " (" + beside + ")");
}

[[nodiscard]] inline auto unlimited_text(const verdict_summary& v, const task_summary& t) -> std::string {
  if (t.meets) { return " has no deadline: a job takes at most " + bound_text(v, t) + parts_of_bound(v, t); }
  const std::string out = " has no deadline, and no bound is known";
  if (t.bound.exists) {
    return out + ": a job takes at most " + bound_text(v, t) + " if all jobs end within their periods.\n";
  }
  return out + (t.because.empty() ? "" : ": " + t.because) + ".\n";
}

[[nodiscard]] inline auto met_text(const verdict_summary& v, const task_summary& t) -> std::string {
  const std::string out = " meets its deadline of " + format_duration(t.deadline);
  if (!t.bound.exists) { return out + ", like all that compete with it.\n"; }
  return out + ": a job takes at most " + bound_text(v, t) + ", which leaves " +
         format_duration(t.deadline - t.bound.value) + parts_of_bound(v, t);
}

[[nodiscard]] inline auto unproven_text(const verdict_summary& v, const task_summary& t) -> std::string {
  if (!t.evaluated && !t.because.empty()) { return " was not judged: " + t.because + ".\n"; }
  const std::string deadline = format_duration(t.deadline);
  const std::string out = " is not proven to meet its deadline of " + deadline;
  if (!t.because.empty()) { return out + ": " + t.because + ".\n"; }
  if (t.bound.exists) {
    const ticks excess = t.bound.value - t.deadline;
    const std::string above = excess > 0 ? ", " + format_duration(excess) + " above it." : ", if no job is late.";
    return out + ": its bound is " + bound_text(v, t) + above + all_parts(v, t, t.terms);
  }
  if (t.demand.empty()) { return out + ".\n"; }
  ticks claimed = 0;
  for (const term<ticks>& d : t.demand) { claimed += d.time; }
  return out + ": no bound of at most " + deadline + " is found. In a window of " + deadline + ", up to " +
         format_duration(claimed) + " may be asked for before it is done, " + format_duration(claimed - t.deadline) +
         " too much." + all_parts(v, t, t.demand);
}

[[nodiscard]] inline auto headline(const verdict_summary& v) -> std::string_view {
  const auto limited = std::ranges::count(v.tasks, true, &task_summary::limited);
  const bool each = limited == static_cast<std::ptrdiff_t>(v.tasks.size());
  // A bounded response may be all that an analysis was asked for.
  const bool late = std::ranges::any_of(v.tasks, [](const task_summary& t) { return t.limited && !t.meets; });
  switch (v.status) {
    case verdict_status::schedulable:
      return late || limited == 0 ? "Every response is proven to have a bound"
             : each               ? "Every task is proven to meet its deadline"
                                  : "Every task is proven to meet its deadline, or to have a bound where it has none";
    case verdict_status::unschedulable: return "Some legal run misses a deadline";
    case verdict_status::not_proven:
      return limited == 0 ? "Not every response is proven to have a bound"
                          : "Not every task is proven to meet its deadline, nor to miss it";
    case verdict_status::invalid_model: return "The model does not fit the analysis";
    case verdict_status::overflow: return "The times are too large for exact 64-bit arithmetic";
  }
  return "";
}

}  // namespace detail

/// Why a task, by its position in the given order, meets or misses its deadline: a sentence, then a line for each part
/// of its bound. Pre: task < v.tasks.size().
[[nodiscard]] inline auto explain_task(const verdict_summary& v, std::size_t task) -> std::string {
  TAKT_EXPECTS(task < v.tasks.size());
  const task_summary& t = v.tasks[task];
  std::string out;
  for (const miss_summary& miss : v.misses) {
    if (miss.proof.task == task) { out += miss.sentence + '\n'; }
  }
  out += t.name + (!t.limited ? detail::unlimited_text(v, t)
                   : t.meets  ? detail::met_text(v, t)
                              : detail::unproven_text(v, t));
  for (const std::string& remark : t.remarks) { out += "  " + remark + '\n'; }
  return out;
}

/// Why the verdict is what it is: proofs of misses, findings about the whole, and each bound that is too large. Without
/// the parts of bounds.
[[nodiscard]] inline auto reasons_of(const verdict_summary& v) -> std::vector<std::string> {
  std::vector<std::string> out;
  if (!v.fault.empty()) { out.push_back(v.fault); }
  for (const miss_summary& miss : v.misses) { out.push_back(miss.sentence); }
  out.insert(out.end(), v.findings.begin(), v.findings.end());
  if (!v.misses.empty()) { return out; }
  for (const std::uint32_t i : v.order) {
    const task_summary& t = v.tasks[i];
    if (!t.limited || t.meets) { continue; }
    const std::string deadline = format_duration(t.deadline);
    if (t.bound.exists && t.bound.value > t.deadline) {
      out.push_back(t.name + ": the bound " + format_duration(t.bound.value) + " exceeds the deadline " + deadline +
                    ".");
    } else if (!t.demand.empty()) {
      out.push_back(t.name + ": no bound within the deadline " + deadline + " is found.");
    }
  }
  if (v.status == verdict_status::unschedulable) { out.emplace_back("Some legal run misses a deadline."); }
  return out;
}

/// Writes the verdict and its reasons in words, task by task from the highest priority down.
inline void explain(std::ostream& out, const verdict_summary& v) {
  out << detail::headline(v) << " (" << v.method << ").\n";
  if (!v.fault.empty()) { out << v.fault << ".\n"; }
  for (const miss_summary& miss : v.misses) {
    if (miss.proof.task == no_index) { out << miss.sentence << '\n'; }
  }
  for (const std::string& finding : v.findings) { out << finding << '\n'; }
  for (const std::uint32_t i : v.order) { out << '\n' << explain_task(v, i); }
}

}  // namespace takt::inline TAKT_ABI::report
