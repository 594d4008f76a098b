// SPDX-License-Identifier: Apache-2.0
// An adversary that climbs: it changes one choice of a run after another (when jobs come, how late they are released,
// how long their visits take) and keeps what makes a response longer. It finds in hundreds of steps what random runs
// rarely meet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include <takt/host/engine.hpp>
#include "property/composed_systems.hpp"

namespace searching {

using composed_systems::draws;
using takt::ticks;

constexpr std::size_t scripted_jobs = 6;  ///< later ones repeat them

/// All that is open in a run.
template <class Table>
struct script {
  std::array<ticks, Table::max_tasks> phases{};
  std::array<std::array<ticks, scripted_jobs>, Table::max_tasks> pauses{};  ///< beyond the period
  std::array<std::array<ticks, scripted_jobs>, Table::max_tasks> delays{};
  std::array<std::array<ticks, scripted_jobs>, Table::max_visits> lengths{};
};

template <class Table>
class scripted {
 public:
  scripted(const Table& set, const script<Table>& s) : set_{&set}, script_{&s} {}

  auto gap(std::uint32_t task, std::uint64_t job, ticks period) const -> ticks {
    return job == 0 ? script_->phases[task] : period + script_->pauses[task][job % scripted_jobs];
  }
  auto delay(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    return script_->delays[task][job % scripted_jobs];
  }
  auto length(const takt::visit_record& v, std::uint64_t job) const -> ticks {
    return script_->lengths[set_->tasks[v.task].first_visit + v.position][job % scripted_jobs];
  }

 private:
  const Table* set_;
  const script<Table>* script_;
};

/// Everything at once and in full, or anything.
template <class Table>
auto first_script(draws& d, const Table& set, bool synchronous) -> script<Table> {
  script<Table> out;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& t = set.tasks[i];
    out.phases[i] = synchronous ? 0 : d.between(0, t.period);
    for (std::size_t k = 0; k < scripted_jobs; ++k) {
      if (!synchronous) { out.delays[i][k] = d.one_in(2) ? t.jitter : d.between(0, t.jitter); }
      for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
        const auto& x = set.visits[v];
        out.lengths[v][k] = synchronous || d.one_in(2) ? x.upper : d.between(x.lower, x.upper);
      }
    }
  }
  return out;
}

/// Another legal value for one choice, an extreme one more often than not.
template <class Table>
void change_one(draws& d, const Table& set, script<Table>& s) {
  const auto i = static_cast<std::size_t>(d.between(0, static_cast<ticks>(set.size()) - 1));
  const auto k = static_cast<std::size_t>(d.between(0, scripted_jobs - 1));
  const auto& t = set.tasks[i];
  const auto draw = [&d](ticks low, ticks high) {
    return d.one_in(3) ? low : d.one_in(2) ? high : d.between(low, high);
  };
  const ticks kind = d.between(0, t.jitter > 0 ? 5 : 3);
  if (kind == 0) {
    s.phases[i] = d.one_in(2) ? d.between(0, t.period) : std::max<ticks>(0, s.phases[i] + d.between(-2, 2));
  } else if (kind == 1) {
    s.pauses[i][k] = d.one_in(2) ? 0 : d.one_in(2) ? d.between(0, 3) : d.between(0, t.period);
  } else if (kind < 4) {
    const auto v = t.first_visit + static_cast<std::uint32_t>(d.between(0, t.visit_count - 1));
    s.lengths[v][k] = draw(set.visits[v].lower, set.visits[v].upper);
  } else {
    s.delays[i][k] = draw(0, t.jitter);
  }
}

struct effort {
  int restarts = 3;
  int steps = 300;
};

/// The largest distance by which a run was made to exceed a bound of the verdict; no more than 0 where all held.
template <class System, class Verdict>
auto worst_excess(const System& system, const Verdict& verdict, std::uint64_t seed, const effort& e,
                  std::uint64_t* runs = nullptr) -> ticks {
  using table = std::remove_cvref_t<decltype(system.set)>;
  using board = std::remove_cvref_t<decltype(system.places)>;
  draws d{seed};
  ticks longest = 0;
  for (const auto& t : system.set.tasks) { longest = std::max(longest, t.period + t.jitter); }
  ticks worst = std::numeric_limits<ticks>::min();
  // What is aimed at: a task, or a visit; everything else is watched too.
  const std::size_t targets = system.set.size() + verdict.visits.size();
  const auto shown = [&](const script<table>& s, std::size_t target) {
    scripted<table> choices{system.set, s};
    takt::host::engine<board, table::max_tasks, table::max_visits, scripted<table>> engine{
        system.set,
        system.places,
        choices,
        {verdict.plan.offsets.data(), verdict.plan.offsets.size()},
        {verdict.plan.local_deadlines.data(), verdict.plan.local_deadlines.size()}};
    const auto seen = engine.run(longest * static_cast<ticks>(scripted_jobs) * 3 / 2);
    if (runs != nullptr) { ++*runs; }
    ticks aimed = 0;
    for (std::size_t i = 0; i < system.set.size(); ++i) {
      ticks excess = seen.tasks[i].worst_response - verdict.tasks[i].bound.value;
      if (seen.tasks[i].misses > 0 && excess <= 0) { excess = 1; }
      worst = std::max(worst, excess);
      if (i == target) { aimed = excess; }
    }
    for (std::size_t v = 0; v < verdict.visits.size(); ++v) {
      const ticks excess = seen.visit_responses[v] - verdict.visits[v].response;
      worst = std::max(worst, excess);
      if (v + system.set.size() == target) { aimed = excess; }
    }
    return aimed;
  };
  for (int restart = 0; restart < e.restarts && worst <= 0; ++restart) {
    const auto target = static_cast<std::size_t>(d.between(0, static_cast<ticks>(targets) - 1));
    script<table> now = first_script(d, system.set, restart % 3 == 0);
    ticks best = shown(now, target);
    for (int step = 0; step < e.steps && worst <= 0; ++step) {
      script<table> next = now;
      for (ticks n = d.between(1, 3); n > 0; --n) { change_one(d, system.set, next); }
      const ticks here = shown(next, target);
      const bool downhill = here + 1 == best && d.one_in(24);
      if (here < best && !downhill) { continue; }
      now = next;
      best = here;
    }
  }
  return worst;
}

/// The system with deadlines and periods as short as `prove` lets them be, one task after the other, so that what it
/// proves has no slack. `prove(system)` is a verdict. Pre: it proves the system.
template <class System, class Prove>
auto tightened(System system, const Prove& prove) -> System {
  const auto shorten = [&](auto of, ticks least) {
    for (ticks step = of(system) / 2; step > 0; step /= 2) {
      while (of(system) - step >= least) {
        System tried = system;
        of(tried) -= step;
        if (!prove(tried).schedulable()) { break; }
        system = tried;
      }
    }
  };
  for (std::size_t i = 0; i < system.set.size(); ++i) {
    shorten([i](auto& s) -> auto& { return s.set.tasks[i].deadline; }, 1);
    shorten([i](auto& s) -> auto& { return s.set.tasks[i].period; }, system.set.tasks[i].deadline);
  }
  return system;
}

}  // namespace searching
