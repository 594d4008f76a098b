// SPDX-License-Identifier: Apache-2.0
// Every run that a small system has: all releases at least a period apart, all delays, all lengths, both orders of what
// happens at one instant, without end. States of the tick machine are visited once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "property/tick_systems.hpp"

namespace every_run {

using takt::ticks;
using tick_machine::small;

/// Goes through all sequences of choices of one instant.
class odometer {
 public:
  auto pick(int of) -> int {
    if (of <= 1) { return 0; }
    if (at_ == digits_.size()) { digits_.push_back({0, of}); }
    return digits_[at_++].value;
  }
  /// False when all have been seen.
  auto next() -> bool {
    at_ = 0;
    while (!digits_.empty() && ++digits_.back().value == digits_.back().of) { digits_.pop_back(); }
    return !digits_.empty();
  }

 private:
  struct digit {
    int value;
    int of;
  };
  std::vector<digit> digits_;
  std::size_t at_ = 0;
};

struct outcome {
  std::size_t states = 0;
  bool complete = false;      ///< there are no more states
  ticks excess = -1'000'000;  ///< the largest difference between a response and its bound
};

template <std::size_t Tasks, std::size_t Steps, std::size_t Places>
class explorer {
  using description_type = tick_machine::description<Tasks, Steps, Places>;
  using state_type = tick_machine::state<Tasks, Steps, Places>;

 public:
  template <class Verdict>
  explorer(const tick_systems::both<Tasks, Steps, Places>& s, const Verdict& verdict) : d_{s.described} {
    for (std::size_t i = 0; i < s.set.size(); ++i) {
      task_bounds_[i] = verdict.tasks[i].bound.value;
      d_.task[i].period = static_cast<small>(s.set.tasks[i].period);
      d_.task[i].deadline = static_cast<small>(s.set.tasks[i].deadline);
      for (std::size_t p = 0; p < s.set.tasks[i].visit_count; ++p) {
        const std::size_t v = s.set.tasks[i].first_visit + p;
        visit_bounds_[i][p] = v < verdict.visits.size() ? verdict.visits[v].response : takt::unbounded_response;
        auto& x = d_.task[i].steps[p];
        x.offset = v < verdict.plan.offsets.size() ? static_cast<small>(verdict.plan.offsets[v]) : small{-1};
        if (x.offset >= 0) { x.local_deadline = static_cast<small>(verdict.plan.local_deadlines[v]); }
      }
      d_.task[i].jitter = static_cast<small>(s.set.tasks[i].jitter);
    }
    tick_machine::set_guards(d_);
  }
  /// What the machine does may be changed.
  auto described() -> description_type& { return d_; }

  auto run(std::size_t most_states) -> outcome {
    outcome out;
    std::unordered_set<std::string> known;
    std::vector<state_type> open{machine_type::at_rest(d_)};
    known.insert(text_of(open.back()));
    while (!open.empty() && known.size() < most_states && excess_ <= 0) {
      const state_type from = open.back();
      open.pop_back();
      odometer choices;
      do {
        state_type now = from;
        choices_ = &choices;
        now_ = &now;
        machine_type machine{d_, now, *this, *this};
        machine.instant();
        machine.tick();
        for (std::size_t i = 0; i < Tasks; ++i) {
          auto& t = now.task[i];
          if (t.under_way || t.comes) { note(t.age - task_bounds_[i]); }  // it takes at least that long
          if (!t.under_way && !t.comes) { t.age = std::min(t.age, d_.task[i].period); }
        }
        if (known.insert(text_of(now)).second) { open.push_back(now); }
      } while (choices.next() && excess_ <= 0);
    }
    out.states = known.size();
    out.complete = open.empty();
    out.excess = excess_;
    return out;
  }

  // What is open.
  auto nominal(std::size_t i, small age) -> small {
    if (age < d_.task[i].period) { return -1; }
    return choices_->pick(2) == 0 ? small{0} : small{-1};
  }
  auto delay(std::size_t i) -> small { return static_cast<small>(choices_->pick(d_.task[i].jitter + 1)); }
  auto length(std::size_t i, std::size_t p) -> small {
    const auto& x = d_.task[i].steps[p];
    return static_cast<small>(x.upper - choices_->pick(x.upper - x.lower + 1));
  }
  auto backwards() -> bool { return several_events() && choices_->pick(2) == 1; }

  auto hurries() -> bool {
    bool matters = false;
    for (std::size_t a = 0; a < static_cast<std::size_t>(d_.places); ++a) {
      const auto& p = now_->at[a];
      matters = matters || (!d_.at[a].preempts && !d_.at[a].units_of_own && p.asked.size > p.runs.size);
    }
    return matters && choices_->pick(2) == 1;
  }

  // What is seen.
  void visit(std::size_t i, std::size_t p, ticks response) { note(response - visit_bounds_[i][p]); }
  void job(std::size_t i, ticks response) { note(response - task_bounds_[i]); }

 private:
  using machine_type = tick_machine::machine<Tasks, Steps, Places, explorer, explorer>;

  void note(ticks excess) { excess_ = std::max(excess_, excess); }
  [[nodiscard]] auto several_events() const -> bool {
    int events = 0;
    for (const auto& t : now_->task) {
      events += !t.under_way && (t.comes ? t.wait <= 0 : true) ? 1 : 0;
      for (const auto& x : t.step) { events += x.is == tick_machine::where::asks && x.left == 0 ? 1 : 0; }
    }
    return events > 1;
  }
  [[nodiscard]] auto text_of(const state_type& s) const -> std::string {
    std::string out;
    const auto put = [&out](auto x) { out.push_back(static_cast<char>(x)); };
    for (std::size_t i = 0; i < static_cast<std::size_t>(d_.tasks); ++i) {
      const auto& t = s.task[i];
      put((t.under_way ? 1 : 0) | (t.comes ? 2 : 0) | (t.holds[0] ? 4 : 0) | (t.holds[1] ? 8 : 0));
      put(t.age);
      put(t.wait);
      put(t.done);
      for (std::size_t p = 0; p < static_cast<std::size_t>(d_.task[i].count); ++p) {
        put(t.step[p].is);
        put(t.step[p].since);
        put(t.step[p].left);
      }
    }
    const auto put_all = [&](const auto& row) {
      put(row.size);
      for (const auto w : row) { put(w.task * Steps + w.step); }
    };
    for (std::size_t a = 0; a < static_cast<std::size_t>(d_.places); ++a) {
      const auto& p = s.at[a];
      put_all(p.asked);
      put_all(p.runs);
      if (d_.at[a].slice == 0) { continue; }
      for (const auto c : p.turns) { put(c); }
      put(0x7F);
      put(p.active);
      put(p.last);
      put(p.switching);
      put(p.used);
    }
    put_all(s.queue);
    put(s.free);
    return out;
  }

  description_type d_;
  std::array<ticks, Tasks> task_bounds_{};
  std::array<std::array<ticks, Steps>, Tasks> visit_bounds_{};
  odometer* choices_ = nullptr;
  const state_type* now_ = nullptr;
  ticks excess_ = -1'000'000;
};

}  // namespace every_run
