// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/analysis/proven_miss.hpp>
#include <takt/analysis/verdict.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/critical_section.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/plan.hpp>
#include <takt/model/segment.hpp>
#include <takt/model/visit_source.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/report/fault_words.hpp>
#include <takt/report/tree.hpp>

namespace takt::inline TAKT_ABI::report {

/// Holds what an analysis found out about one task, graph or application.
struct task_summary {
  std::string name;
  ticks deadline = 0;
  bool limited = true;  ///< false: no deadline, any bound will do
  response_bound<ticks> bound;
  std::string method;  ///< whose bound it is
  ticks blocking = 0;  ///< of the bound, what is waiting for tokens and for less important sections
  bool evaluated = false;
  bool meets = false;
  std::vector<term<ticks>> terms;  ///< of a bound that exists; they add up to it. `visit` is one of those named below
  std::vector<term<ticks>> parts_of_visits;  ///< what the terms of visits consist of, where the rules of pools say it
  std::vector<term<ticks>> demand;           ///< of a task without bound: what may claim time before its deadline
  std::vector<std::pair<std::string, response_bound<ticks>>> other_bounds;  ///< by analysis, for comparison
  std::string kernels_on;            ///< "2 SMs": what its kernels run on, where it has a part of the GPU
  std::string because;               ///< a clause: why it is not proven, or not judged, where no bound says it
  std::vector<std::string> remarks;  ///< sentences
  tree parts;                        ///< members of its JSON object
};

/// Facts about each task beside its verdict, such as its core: one cell per task, in the given order.
struct fact {
  std::string head;
  std::vector<std::string> cells{};
};

/// Describes a proof that some legal run misses a deadline, and what it says.
struct miss_summary {
  proven_miss<ticks> proof;
  std::string sentence;
};

/// A verdict with its reasons as plain values that own their text, whatever the system and its types: what is printed.
struct verdict_summary {
  std::string method;
  verdict_status status = verdict_status::not_proven;
  std::string fault;              ///< what is wrong with the model: one sentence
  bool bounds_tasks = true;       ///< false where the method has no response times
  bool bounds_late_jobs = false;  ///< the bounds hold also while deadlines are missed

  std::vector<std::string> platform_words;  ///< by pool
  tree platform;
  std::string plan_words;
  tree plan;
  tree allocation;

  std::string subject = "task";      ///< what is judged
  std::vector<task_summary> tasks;   ///< in the given order
  std::vector<std::uint32_t> order;  ///< positions in `tasks` as tables show them, highest priority first
  std::vector<fact> facts;
  std::vector<std::string> visits;  ///< names of visits that terms are about
  tree tests;

  std::vector<miss_summary> misses;
  std::vector<std::string> findings;     ///< sentences about the whole
  std::vector<std::string> assumptions;  ///< sentences: what the verdict presumes of the real system
  std::vector<std::string> notes;

  /// Returns the bound that no job of a task may exceed in a run, if there is one.
  [[nodiscard]] auto promised(std::size_t task) const -> response_bound<ticks> {
    const task_summary& t = tasks[task];
    return t.meets || bounds_late_jobs ? t.bound : response_bound<ticks>{};
  }
  /// Returns whether the bounds of different tasks are of different methods.
  [[nodiscard]] auto mixes_methods() const -> bool {
    const task_summary* first = nullptr;
    for (const task_summary& t : tasks) {
      if (!t.bound.exists) { continue; }
      if (first != nullptr && first->method != t.method) { return true; }
      first = &t;
    }
    return false;
  }
};

namespace detail {

/// Returns "camera step 2".
[[nodiscard]] inline auto plain_step_name(std::string_view task, std::uint32_t position) -> std::string {
  return std::string{task} + " step " + std::to_string(position);
}

/// Returns the number of a visit among those of a verdict. Where it has none, the visit gets a name of its own.
template <std::size_t N, std::size_t M>
[[nodiscard]] auto number_of_visit(const verdict<ticks, N, M>& v, std::uint32_t task, std::uint32_t position,
                                   verdict_summary& out) -> std::uint32_t {
  if (!v.visits.empty()) {
    std::uint32_t first = 0;
    while (first < v.visits.size() && v.visits[first].task != task) { ++first; }
    return first + position;
  }
  const std::string name = plain_step_name(v.tasks[task].name, position);
  const auto known = std::ranges::find(out.visits, name);
  const auto number = static_cast<std::uint32_t>(known - out.visits.begin());
  if (known == out.visits.end()) { out.visits.push_back(name); }
  return number;
}

/// Adds what the bound of a task consists of, by the verdict: one term for each visit, and waits between them apart.
template <std::size_t N, std::size_t M>
void add_terms(const verdict<ticks, N, M>& v, std::uint32_t task, task_summary& row, verdict_summary& out) {
  const auto& said = v.tasks[task];
  if (!said.bound.exists) {
    for (const auto& part : said.parts) { row.demand.push_back({.what = part.what, .by = part.by, .time = part.time}); }
    return;
  }
  for_each_term(v, task, [&](term<ticks> part) {
    const bool is_apart = part.what == term_kind::history || part.what == term_kind::guard;
    if (part.visit != no_index) { part.visit = number_of_visit(v, task, part.visit, out); }
    if (part.visit == no_index || is_apart) {
      row.terms.push_back(part);
      return;
    }
    if (part.what != term_kind::node) { row.parts_of_visits.push_back(part); }
    const auto known = std::ranges::find_if(
        row.terms, [&part](const term<ticks>& t) { return t.what == term_kind::node && t.visit == part.visit; });
    if (known != row.terms.end()) {
      known->time += part.time;
    } else {
      row.terms.push_back({.what = term_kind::node, .by = task, .time = part.time, .visit = part.visit});
    }
  });
}

/// Returns what a verdict of any analysis says, with the parts of its bounds.
template <std::size_t N, std::size_t M>
[[nodiscard]] auto begin_summary(const verdict<ticks, N, M>& v) -> verdict_summary {
  verdict_summary out;
  out.method = v.method;
  out.status = v.status;
  out.fault = explain_fault(v.error);
  for (std::size_t i = 0; i < v.tasks.size(); ++i) {
    const auto& t = v.tasks[i];
    task_summary row;
    row.name = t.name;
    row.deadline = t.deadline;
    row.limited = t.limited;
    row.bound = t.bound;
    if (t.bound.exists) {
      row.method = t.method.empty() ? v.method : t.method;
      row.blocking = t.blocking;
    }
    row.evaluated = t.evaluated;
    row.meets = t.meets;
    add_terms(v, static_cast<std::uint32_t>(i), row, out);
    out.tasks.push_back(std::move(row));
    out.order.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

/// One member per entry of a part of a plan.
template <class Part, class Names>
[[nodiscard]] auto named_entries(const Part& part, const Names& names) -> tree {
  tree out{tree::object{}};
  for (std::size_t i = 0; i < part.size(); ++i) { out.add(names(i), part[i]); }
  return out;
}

/// Hears which tasks have kernels.
template <std::size_t MaxTasks>
class kernel_users {
 public:
  void open(const flow_attributes& /*task*/) { ++tasks_; }
  template <class S>
  auto visit(const S& /*segment*/, visit_mask /*before*/) -> visit_mask {
    if constexpr (std::same_as<typename takt::detail::resource_of_segment<S>::type, gpu>) { has_[tasks_ - 1] = true; }
    return 1;
  }
  void hold(mutex_key /*mutex*/, visit_mask /*visits*/) {}
  void refuse(const model_error& /*error*/) {}

  /// Returns whether the task at this position has kernels.
  [[nodiscard]] auto contains(std::size_t task) const -> bool { return has_[task]; }

 private:
  std::array<bool, MaxTasks> has_{};
  std::size_t tasks_ = 0;
};

/// Returns how many SMs tasks have for themselves, and on which of several GPUs each task with kernels is.
template <class P, class Tasks>
[[nodiscard]] auto share_members(const P& plan, const verdict_summary& v, bool several_gpus, const Tasks& tasks)
    -> tree {
  kernel_users<tasks_of<Tasks>> users;
  visit_source<Tasks>::each(tasks, users);
  tree sms{tree::object{}};
  tree gpu{tree::object{}};
  for (std::size_t i = 0; i < plan.shares.size(); ++i) {
    if (plan.shares[i].sms > 0) { sms.add(v.tasks[i].name, plan.shares[i].sms); }
    if (users.contains(i)) { gpu.add(v.tasks[i].name, plan.shares[i].gpu); }
  }
  tree out;
  out.add("sms", std::move(sms));
  if (several_gpus) { out.add("gpu", std::move(gpu)); }
  return out;
}

/// Every part that the plan decides, but for the shares.
template <std::size_t N, std::size_t M>
[[nodiscard]] auto plan_members(const plan<N, M>& p, const verdict_summary& v) -> tree {
  tree out{tree::object{}};
  const auto add = [&out](std::string_view key, const auto& part, const auto& names) {
    if (!part.empty()) { out.add(key, named_entries(part, names)); }
  };
  const auto task = [&v](std::size_t i) -> std::string_view { return v.tasks[i].name; };
  const auto visit = [&v](std::size_t i) -> std::string_view { return v.visits[i]; };
  add("cores", p.cores, task);
  add("priorities", p.priorities, task);
  tree percents;
  for (std::size_t i = 0; i < p.percents.size(); ++i) {
    if (p.percents[i] > 0) { percents.add(task(i), p.percents[i]); }  // others have no kernels
  }
  if (!percents.is_null()) { out.add("percents", std::move(percents)); }
  if (!p.tokens.empty()) {
    tree tokens;
    for (const std::int32_t n : p.tokens) { tokens.push(n); }
    out.add("tokens", std::move(tokens));
  }
  if (!p.slots.empty()) {
    tree slots;
    for (const auto& s : p.slots) {
      tree slot;
      slots.push(slot.add("offset", s.offset).add("budget", s.budget).add("period", s.period));
    }
    out.add("slots", std::move(slots));
  }
  add("offsets", p.offsets, visit);
  add("local_deadlines", p.local_deadlines, visit);
  add("instances", p.instances, visit);
  return out;
}

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::report
