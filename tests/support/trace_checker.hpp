// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/runtime_task_set.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/simulation/trace.hpp>

/// What any legal run keeps to, whatever the rules: read from its trace alone, by other means than those of the hosts.
namespace trace_checker {

using takt::ticks;

/// Visits of each job of a task that hold one of so many tokens from the first to the last of them.
struct section {
  std::uint32_t task = 0;
  takt::visit_mask visits = 0;
  std::uint32_t pool = 0;
};

/// Who may be on a GPU at once.
struct gpu_use {
  std::size_t at_once = 0;   ///< kernels; 0: any number
  bool cores_apart = false;  ///< units are cores, and a kernel without one has all of them
  bool own_parts = false;    ///< kernels of one task are one at a time
  bool one_job = false;      ///< pieces of two jobs are never at once
};

/// What is not legal everywhere, but here. Empty lists ask for nothing; positions are those of all visits.
struct legal {
  std::vector<gpu_use> gpus{};                   ///< the last one holds for all that follow
  std::vector<ticks> opens{};                    ///< from the release; below 0: no guard
  std::vector<takt::interval<ticks>> lengths{};  ///< of visits of jobs that complete
  bool exact = false;                            ///< they take no more than the longest time, either
  std::vector<section> sections{};
  std::vector<std::int32_t> tokens{};  ///< of each pool
};

/// Tokens, guards and shortest times of a set on the stations of a board, under a plan.
template <class Flat, class Plan>
[[nodiscard]] auto legal_on(const Flat& flat, const Plan& plan) -> legal {
  legal out;
  for (std::size_t pool = 0; pool < flat.stations.token_pools(); ++pool) {
    out.tokens.push_back(flat.stations.setting(pool).tokens);
  }
  for (const auto& s : flat.table.sections) { out.sections.push_back({s.task, s.visits, s.tokens}); }
  for (std::size_t v = 0; v < flat.table.visits.size(); ++v) {
    const takt::visit_record& x = flat.table.visits[v];
    out.lengths.push_back({x.lower, x.upper});
    if (plan.offsets.empty()) { continue; }
    // Of a section the request is held back, and some rules are proven for visits that start early.
    bool held = !flat.stations.starts_early(x.station);
    for (const auto& s : flat.table.sections) { held = held && !takt::contains(s, x); }
    out.opens.push_back(held ? plan.offsets[v] : -1);
  }
  return out;
}

namespace detail {

/// From the first to the last instant at which somebody was seen.
struct span {
  ticks first = 0;
  ticks last = 0;
  ticks sum = 0;
  bool seen = false;

  void add(ticks from, ticks to) {
    first = seen ? std::min(first, from) : from;
    last = seen ? std::max(last, to) : to;
    sum += to - from;
    seen = true;
  }
};
struct job_seen {
  std::vector<span> visits;
  span all;
  bool released = false;
  bool completed = false;
  ticks release = 0;
  ticks completion = 0;
};
using job_name = std::pair<std::uint32_t, std::uint64_t>;

[[nodiscard]] inline auto word(const job_name& j) -> std::string {
  return "task " + std::to_string(j.first) + " job " + std::to_string(j.second);
}
[[nodiscard]] inline auto word(const takt::slice& s) -> std::string {
  return word(job_name{s.task, s.job}) + " visit " + std::to_string(s.segment);
}

/// "" or two that are at once where only so many may be. `all` is in the order of starts.
class crowd {
 public:
  explicit crowd(std::size_t most) : most_{most} {}
  [[nodiscard]] auto add(ticks from, ticks to, const std::string& who) -> std::string {
    std::erase_if(here_, [from](const auto& h) { return h.first <= from; });
    if (here_.size() >= most_) { return who + " and " + here_.front().second + " at once on one unit"; }
    if (from < to) { here_.emplace_back(to, who); }
    return "";
  }

 private:
  std::size_t most_;
  std::vector<std::pair<ticks, std::string>> here_;
};

[[nodiscard]] inline auto wrong_on_units(const std::vector<takt::slice>& all, const legal& l) -> std::string {
  using unit = std::tuple<takt::stage, std::int32_t, std::int64_t>;
  std::map<unit, crowd> units;
  std::map<std::int32_t, std::pair<ticks, ticks>>
      cores;  // of a GPU: latest ends of kernels with one core, and with all
  std::map<std::int32_t, std::vector<takt::slice>> pieces;
  const auto one = [&](const takt::slice& s, std::int64_t index, std::size_t most) {
    return units.try_emplace(unit{s.where.where, s.where.gpu, index}, most).first->second.add(s.start, s.end, word(s));
  };
  for (const takt::slice& s : all) {
    if (s.end < s.start) { return word(s) + " ends before it starts"; }
    const auto gpu = static_cast<std::size_t>(s.where.gpu);
    const gpu_use use = l.gpus.empty() ? gpu_use{} : l.gpus[std::min(gpu, l.gpus.size() - 1)];
    std::string wrong;
    if (s.where.where != takt::stage::kernel) {
      wrong = one(s, s.where.index, 1);
    } else if (use.cores_apart) {
      const bool is_wide = s.where.index < 0 || s.where.count > 1;
      auto& [narrow, wide] = cores[s.where.gpu];
      if (s.start < wide || (is_wide && s.start < narrow)) { return word(s) + " beside a kernel that has all cores"; }
      ticks& last = is_wide ? wide : narrow;
      last = std::max(last, s.end);
      if (!is_wide) { wrong = one(s, s.where.index, 1); }
    } else if (use.at_once > 0) {
      wrong = one(s, 0, use.at_once);
    } else if (use.own_parts) {
      wrong = one(s, s.task, 1);
    }
    if (s.where.where == takt::stage::kernel && use.one_job) {
      auto& on_gpu = pieces[s.where.gpu];
      std::erase_if(on_gpu, [&s](const takt::slice& p) { return p.end <= s.start; });
      for (const takt::slice& p : on_gpu) {
        if (p.task != s.task || p.job != s.job) { return word(s) + " and " + word(p) + " at once on one GPU"; }
      }
      if (s.start < s.end) { on_gpu.push_back(s); }
    }
    if (!wrong.empty()) { return wrong; }
  }
  return "";
}

[[nodiscard]] inline auto wrong_with_tokens(const std::map<job_name, job_seen>& jobs, const legal& l) -> std::string {
  struct stay {
    ticks from;
    ticks to;
    job_name who;
  };
  for (std::uint32_t pool = 0; pool < l.tokens.size(); ++pool) {
    std::vector<stay> stays;
    for (const section& s : l.sections) {
      if (s.pool != pool) { continue; }
      for (auto j = jobs.lower_bound({s.task, 0}); j != jobs.end() && j->first.first == s.task; ++j) {
        span held;
        for (std::size_t p = 0; p < j->second.visits.size(); ++p) {
          const span& v = j->second.visits[p];
          if ((s.visits >> p & 1U) != 0 && v.seen) { held.add(v.first, v.last); }
        }
        if (held.seen) { stays.push_back({held.first, held.last, j->first}); }
      }
    }
    std::ranges::sort(stays, {}, &stay::from);
    crowd holders{static_cast<std::size_t>(l.tokens[pool])};
    for (const stay& s : stays) {
      if (const auto wrong = holders.add(s.from, s.to, "tokens: " + word(s.who)); !wrong.empty()) { return wrong; }
    }
  }
  return "";
}

}  // namespace detail

/// "" if nothing is wrong. Releases, guards and lengths are checked where the trace has marks.
template <class Tasks>
[[nodiscard]] auto complaint(const takt::trace& seen, const Tasks& tasks, const legal& l) -> std::string {
  using namespace detail;
  std::vector<takt::slice> all = seen.slices();
  std::ranges::sort(all, {}, [](const takt::slice& s) { return std::tuple{s.start, s.end}; });
  if (std::string wrong = wrong_on_units(all, l); !wrong.empty()) { return wrong; }

  std::map<job_name, job_seen> jobs;
  for (const takt::slice& s : all) {
    job_seen& j = jobs[{s.task, s.job}];
    j.visits.resize(tasks.tasks[s.task].visit_count);
    if (s.segment >= j.visits.size()) { return word(s) + " is no visit of its task"; }
    const span& so_far = j.visits[s.segment];
    if (s.where.where != takt::stage::kernel && so_far.seen && s.start < so_far.last) {
      return word(s) + " is in two places at once";
    }
    j.visits[s.segment].add(s.start, s.end);
    j.all.add(s.start, s.end);
  }
  for (const takt::mark& m : seen.marks()) {
    job_seen& j = jobs[{m.task, m.job}];
    j.visits.resize(tasks.tasks[m.task].visit_count);
    const bool is_end = m.what == takt::mark_kind::completion;
    if (m.what != takt::mark_kind::release && !is_end) { continue; }
    bool& is_there = is_end ? j.completed : j.released;
    if (is_there) { return word(job_name{m.task, m.job}) + (is_end ? " completes twice" : " is released twice"); }
    is_there = true;
    (is_end ? j.completion : j.release) = m.time;
    if (!is_end) { continue; }
    if (j.all.seen && m.time < j.all.last) { return word(job_name{m.task, m.job}) + " goes on after its completion"; }
  }

  std::vector<takt::visit_mask> ancestors;
  for (const auto& t : tasks.tasks) {
    for (std::uint32_t p = 0; p < t.visit_count; ++p) {
      takt::visit_mask own = tasks.visits[t.first_visit + p].predecessors;
      for (std::uint32_t u = 0; u < p; ++u) { own |= (own >> u & 1U) != 0 ? ancestors[t.first_visit + u] : 0; }
      ancestors.push_back(own);
    }
  }
  const job_name* before = nullptr;
  ticks end_of_last = 0;
  for (const auto& [name, j] : jobs) {
    const std::uint32_t first = tasks.tasks[name.first].first_visit;
    if (before != nullptr && before->first == name.first && j.all.seen && j.all.first < end_of_last) {
      return word(*before) + " and " + word(name) + ": two jobs of a task at once";
    }
    end_of_last = before != nullptr && before->first == name.first ? std::max(end_of_last, j.all.last) : j.all.last;
    before = &name;
    const bool is_late = j.all.seen && !seen.marks().empty() && (!j.released || j.all.first < j.release);
    if (is_late) { return word(name) + " starts before its release"; }
    for (std::size_t p = 0; p < j.visits.size(); ++p) {
      const span& own = j.visits[p];
      const std::string visit = word(name) + " visit " + std::to_string(p);
      if (first + p < l.lengths.size() && j.completed) {
        const auto& length = l.lengths[first + p];
        if (own.sum < length.lower) { return visit + " takes less than its shortest time"; }
        if (l.exact && own.sum > length.upper) { return visit + " takes more than its longest time"; }
      }
      if (!own.seen) { continue; }
      if (first + p < l.opens.size() && l.opens[first + p] >= 0 && own.first < j.release + l.opens[first + p]) {
        return visit + " starts before its guard opens";
      }
      for (std::size_t a = 0; a < j.visits.size(); ++a) {
        const bool waits_for = (ancestors[first + p] >> a & 1U) != 0 && j.visits[a].seen;
        if (waits_for && own.first < j.visits[a].last) {
          return visit + " before visit " + std::to_string(a) + " has ended";
        }
      }
    }
  }
  return wrong_with_tokens(jobs, l);
}

/// "" if a result says of its tasks what its trace says: which jobs completed, after what time, and how many deadlines
/// passed; and if no visit of a completed job was there for longer than its response.
template <class Result>
[[nodiscard]] auto disagreement(const takt::trace& seen, const Result& result) -> std::string {
  using namespace detail;
  std::map<job_name, job_seen> jobs;
  std::vector<takt::observed_task<ticks>> tasks(result.tasks.size());
  for (const takt::mark& m : seen.marks()) {
    job_seen& j = jobs[{m.task, m.job}];
    switch (m.what) {
      case takt::mark_kind::release: j.release = m.time; break;
      case takt::mark_kind::completion: j.completed = true, j.completion = m.time; break;
      case takt::mark_kind::deadline: break;
      case takt::mark_kind::miss: takt::note_miss(tasks[m.task], m.time); break;
    }
  }
  for (const auto& [name, j] : jobs) {
    if (j.completed) { takt::note_completion(tasks[name.first], j.completion - j.release); }
  }
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const auto& told = result.tasks[i];
    const auto says = [&](const char* what, auto in_result, auto in_trace) {
      return "task " + std::to_string(i) + ": " + what + " " + std::to_string(in_result) + ", but in the trace " +
             std::to_string(in_trace);
    };
    if (told.completed != tasks[i].completed) { return says("completed", told.completed, tasks[i].completed); }
    if (told.misses != tasks[i].misses) { return says("misses", told.misses, tasks[i].misses); }
    if (told.worst_response != tasks[i].worst_response) {
      return says("worst response", told.worst_response, tasks[i].worst_response);
    }
    if (told.best_response != tasks[i].best_response) {
      return says("best response", told.best_response, tasks[i].best_response);
    }
  }
  for (const takt::slice& s : seen.slices()) {
    job_seen& j = jobs[{s.task, s.job}];
    if (!j.completed) { continue; }
    j.visits.resize(std::max<std::size_t>(j.visits.size(), s.segment + 1));
    j.visits[s.segment].add(s.start, s.end);
    const ticks stay = j.visits[s.segment].last - j.visits[s.segment].first;
    if (const ticks told = result.visit_response(s.task, s.segment); stay > told) {
      return word(s) + " took " + std::to_string(stay) + ", longer than its worst response " + std::to_string(told);
    }
  }
  return "";
}

}  // namespace trace_checker
