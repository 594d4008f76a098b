// SPDX-License-Identifier: Apache-2.0
// Jobs that keep their processors while they wait, tick by tick: written from docs/policies.md, not from the library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/visit_table.hpp>

namespace spinning_machine {

using takt::ticks;

enum class place : std::uint8_t { processor, engine, own };

struct visit {
  place where = place::processor;
  std::size_t engine = 0;
  ticks lower = 0;
  ticks upper = 0;
};
struct task {
  ticks period = 1;
  ticks deadline = 1;
  ticks jitter = 0;
  std::size_t cluster = 0;
  std::int64_t priority = 0;
  std::vector<visit> visits{};
};

struct system {
  std::vector<task> tasks{};
  std::vector<std::size_t> processors{};  ///< of each cluster
  std::size_t engines = 1;
  bool by_deadline = false;   ///< else by priority, the least first
  bool engines_fifo = false;  ///< else in the order of the processors
  bool counts_unfinished = true;
};

/// The longest time from a nominal release to the end of a job, of each task. Jobs of a task queue behind each other.
class machine {
 public:
  machine(const system& s, std::uint64_t seed, bool always_longest)
      : system_{&s}, random_{seed}, longest_{always_longest} {}

  auto run(ticks horizon) -> std::vector<ticks> {
    const std::size_t n = system_->tasks.size();
    std::vector<ticks> worst(n, 0);
    std::vector<job> active(n);
    std::vector<std::vector<ticks>> waiting(n);  // nominal releases
    std::vector<std::pair<ticks, ticks>> next(n);
    for (std::size_t i = 0; i < n; ++i) {
      const ticks first = longest_ ? 0 : random_.between(0, system_->tasks[i].period);
      next[i] = {first, first + draw_jitter(i)};
    }
    std::vector<int> served(system_->engines, -1);
    ticks asked = 0;
    std::vector<std::size_t> on_processors;  // up to now
    for (ticks now = 0; now < horizon; ++now) {
      for (int& who : served) {
        if (who >= 0 && active[static_cast<std::size_t>(who)].left == 0) { who = -1; }
      }
      for (const std::size_t i : on_processors) { step(i, active[i], now, worst[i]); }
      for (std::size_t i = 0; i < n; ++i) {
        while (next[i].second <= now) {
          waiting[i].push_back(next[i].first);
          const ticks gap = system_->tasks[i].period + (longest_ || random_.chance(1, 2) ? 0 : random_.between(0, 3));
          next[i].first += gap;
          next[i].second = next[i].first + draw_jitter(i);
        }
      }
      // What happens at one instant goes on until nothing changes any more.
      for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < n; ++i) {
          if (!active[i].is_there && !waiting[i].empty()) {
            active[i] = {.is_there = true, .release = waiting[i].front()};
            waiting[i].erase(waiting[i].begin());
            enter(i, active[i]);
            if (takes_nothing(i)) { active[i].is_there = false; }
            changed = true;
          }
        }
        for (const std::size_t i : running(active)) {
          job& j = active[i];
          changed = step(i, j, now, worst[i]) || changed;
          if (j.is_there && system_->tasks[i].visits[j.at].where != place::processor && !j.has_asked) {
            j.has_asked = true;
            j.asked = ++asked;
            changed = true;
          }
        }
      }
      for (std::size_t e = 0; e < system_->engines; ++e) {
        if (served[e] >= 0) { continue; }
        for (std::size_t i = 0; i < n; ++i) {
          const job& j = active[i];
          if (!j.is_there || !j.has_asked || j.left == 0) { continue; }
          const visit& v = system_->tasks[i].visits[j.at];
          if (v.where != place::engine || v.engine != e) { continue; }
          if (served[e] < 0 || goes_first(i, j, static_cast<std::size_t>(served[e]), active)) {
            served[e] = static_cast<int>(i);
          }
        }
      }
      on_processors = running(active);
      for (std::size_t i = 0; i < n; ++i) {
        job& j = active[i];
        if (!j.is_there || j.left == 0) { continue; }
        const visit& v = system_->tasks[i].visits[j.at];
        const bool runs = std::find(on_processors.begin(), on_processors.end(), i) != on_processors.end();
        const bool progresses = (v.where == place::processor && runs) || (v.where == place::own && j.has_asked) ||
                                (v.where == place::engine && served[v.engine] == static_cast<int>(i));
        j.left -= progresses ? 1 : 0;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (active[i].is_there && system_->counts_unfinished) {
        worst[i] = std::max(worst[i], horizon - active[i].release);
      }
    }
    return worst;
  }

 private:
  struct job {
    bool is_there = false;
    ticks release = 0;
    std::size_t at = 0;
    ticks left = 0;
    bool has_asked = false;
    ticks asked = 0;
  };

  auto draw_jitter(std::size_t i) -> ticks {
    const ticks jitter = system_->tasks[i].jitter;
    return jitter == 0 ? 0 : random_.chance(1, 2) ? jitter : random_.between(0, jitter);
  }
  /// A thread that runs, or ran up to now, goes on where its visit is done. Whether anything happened.
  auto step(std::size_t i, job& j, ticks now, ticks& worst) -> bool {
    bool changed = false;
    while (j.is_there && j.left == 0) {
      changed = true;
      if (++j.at == system_->tasks[i].visits.size()) {
        worst = std::max(worst, now - j.release);
        j.is_there = false;
        return true;
      }
      enter(i, j);
    }
    return changed;
  }
  /// A job that takes no time asks for nothing.
  [[nodiscard]] auto takes_nothing(std::size_t i) const -> bool {
    const auto& all = system_->tasks[i].visits;
    return std::all_of(all.begin(), all.end(), [](const visit& v) { return v.upper == 0; });
  }
  void enter(std::size_t i, job& j) {
    const visit& v = system_->tasks[i].visits[j.at];
    j.left = longest_ || random_.chance(1, 2) ? v.upper : random_.between(v.lower, v.upper);
    j.has_asked = false;
  }
  [[nodiscard]] auto key(std::size_t i, const job& j) const -> std::pair<std::int64_t, std::size_t> {
    const task& t = system_->tasks[i];
    return {system_->by_deadline ? j.release + t.deadline : t.priority, i};
  }
  [[nodiscard]] auto goes_first(std::size_t i, const job& j, std::size_t other, const std::vector<job>& active) const
      -> bool {
    if (system_->engines_fifo) { return j.asked < active[other].asked; }
    return key(i, j) < key(other, active[other]);
  }
  /// Whoever waits for a device holds its processor.
  [[nodiscard]] auto running(const std::vector<job>& active) const -> std::vector<std::size_t> {
    std::vector<std::size_t> out;
    for (std::size_t c = 0; c < system_->processors.size(); ++c) {
      std::vector<std::size_t> there;
      for (std::size_t i = 0; i < active.size(); ++i) {
        if (active[i].is_there && system_->tasks[i].cluster == c) { there.push_back(i); }
      }
      std::sort(there.begin(), there.end(),
                [&](std::size_t a, std::size_t b) { return key(a, active[a]) < key(b, active[b]); });
      for (std::size_t k = 0; k < there.size() && k < system_->processors[c]; ++k) { out.push_back(there[k]); }
    }
    return out;
  }

  const system* system_;
  takt::random_stream random_;
  bool longest_;
};

}  // namespace spinning_machine
