// SPDX-License-Identifier: Apache-2.0
// Jobs that are DAGs of visits, tick by tick, written from what docs/composition.md, the engine and the servers
// promise, and not from their code: no events, no queues of instants. Its whole state is a value without absolute
// times, so that one can compare it with the engine and also visit every state that a small system can reach.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tick_machine {

using small = std::int16_t;

enum class order : std::uint8_t { arrival, priority, relative_deadline, period, absolute_deadline };

/// How one station is shared out.
struct place {
  order by = order::arrival;
  bool preempts = false;
  bool units_of_own = false;  ///< each task has its own
  small units = 1;
  small slice = 0;  ///< 0: no turns
  small switching = 0;
};

struct step_of_job {
  small station = 0;
  small lower = 0;
  small upper = 0;
  std::uint32_t after = 0;  ///< steps before it
  small offset = -1;        ///< of its window, -1: none
  small local_deadline = 0;
  small guard = 0;      ///< until which it is held back, or the request for its token
  bool early = false;   ///< nothing holds it back, and its response counts from its window
  bool moving = false;  ///< its deadline counts from when it is ready: wrong
};
struct stretch {
  std::uint32_t steps = 0;
};

template <std::size_t Steps>
struct job_kind {
  small period = 1;
  small deadline = 1;
  small jitter = 0;
  small priority = 0;
  small count = 0;
  std::array<step_of_job, Steps> steps{};
  std::array<std::uint32_t, 2> stretches{};  ///< steps that hold a token of the only pool, 0: none
};

template <std::size_t Tasks, std::size_t Steps, std::size_t Places>
struct description {
  small tasks = 0;
  small places = 0;
  small tokens = 0;
  std::array<job_kind<Steps>, Tasks> task{};
  std::array<place, Places> at{};
};

/// What the windows of steps hold back: requests for tokens until the steps before are due, no other step of an
/// interval, and nothing where one unit serves the earliest deadline and no interval.
template <std::size_t Tasks, std::size_t Steps, std::size_t Places>
void set_guards(description<Tasks, Steps, Places>& d) {
  std::array<bool, Places> early{};
  for (std::size_t s = 0; s < Places; ++s) {
    const place& p = d.at[s];
    early[s] = p.by == order::absolute_deadline && p.units == 1 && p.slice == 0 && !p.units_of_own;
  }
  for (const auto& t : d.task) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(t.count); ++p) {
      const bool held = ((t.stretches[0] | t.stretches[1]) >> p & 1U) != 0;
      if (held && t.steps[p].upper > 0) { early[static_cast<std::size_t>(t.steps[p].station)] = false; }
    }
  }
  for (auto& t : d.task) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(t.count); ++p) {
      auto& x = t.steps[p];
      if (x.offset < 0) { continue; }
      x.early = false;
      std::uint32_t held = 0;
      for (const std::uint32_t s : t.stretches) { held |= (s >> p & 1U) != 0 ? s : 0; }
      if (held == 0) {
        x.early = early[static_cast<std::size_t>(x.station)];
        x.guard = x.early ? small{0} : x.offset;
      } else if ((x.after & held) != 0) {
        x.guard = 0;
      } else {
        x.guard = x.after == 0 ? t.jitter : small{0};
        for (std::size_t q = 0; q < p; ++q) {
          const auto due = static_cast<small>(t.steps[q].offset + t.steps[q].local_deadline);
          if ((x.after >> q & 1U) != 0) { x.guard = std::max(x.guard, due); }
        }
      }
    }
  }
}

/// A short list in order.
template <class T, std::size_t Size>
struct row {
  std::array<T, Size> items{};
  std::uint8_t size = 0;

  void add(T x) { items[size++] = x; }
  void drop(std::size_t at) {
    for (std::size_t k = at + 1; k < size; ++k) { items[k - 1] = items[k]; }
    items[--size] = T{};  // states that mean the same are the same
  }
  void drop_item(T x) {
    for (std::size_t k = 0; k < size; ++k) {
      if (items[k] == x) { return drop(k); }
    }
  }
  [[nodiscard]] auto has(T x) const -> bool {
    return std::find(items.begin(), items.begin() + size, x) != items.begin() + size;
  }
  [[nodiscard]] auto begin() const { return items.begin(); }
  [[nodiscard]] auto end() const { return items.begin() + size; }
  auto operator==(const row&) const -> bool = default;
};

struct who {
  std::uint8_t task = 0;
  std::uint8_t step = 0;
  auto operator==(const who&) const -> bool = default;
};

enum class where : std::uint8_t { no_index, guarded, wants_token, asks };

template <std::size_t Tasks, std::size_t Steps, std::size_t Places>
struct state {
  struct one_step {
    where is = where::no_index;
    small since = 0;  ///< it became ready
    small left = 0;
  };
  struct one_task {
    bool under_way = false;
    bool comes = false;  ///< nominally released, and delayed
    small age = 0;       ///< since the last nominal release
    small wait = 0;      ///< until the actual release
    std::uint32_t done = 0;
    std::array<one_step, Steps> step{};
    std::array<bool, 2> holds{};
  };
  struct one_place {
    row<who, Tasks * Steps> asked;  ///< in the order of arrival
    row<who, Tasks * Steps> runs;   ///< in the order of starting
    row<std::uint8_t, Tasks> turns;
    bool active = false;
    std::uint8_t last = 0xFF;
    small switching = 0;
    small used = 0;
  };
  std::array<one_task, Tasks> task{};
  std::array<one_place, Places> at{};
  row<who, Tasks * 2> queue{};  ///< stretches that want a token: task and number
  small free = 0;
};

/// `Open` decides what is open: nominal(task, age) is the ticks since the nominal release that is due, or -1;
/// delay(task); length(task, step); backwards() whether events of one instant come in the other order. `Seen` hears
/// visit(task, step, response) and job(task, response).
template <std::size_t Tasks, std::size_t Steps, std::size_t Places, class Open, class Seen>
class machine {
 public:
  using description_type = description<Tasks, Steps, Places>;
  using state_type = state<Tasks, Steps, Places>;

  machine(const description_type& d, state_type& now, Open& open, Seen& seen)
      : d_{&d}, now_{&now}, open_{&open}, seen_{&seen} {}

  [[nodiscard]] static auto at_rest(const description_type& d) -> state_type {
    state_type s;
    s.free = d.tokens;
    for (std::size_t i = 0; i < Tasks; ++i) { s.task[i].age = d.task[i].period; }
    return s;
  }

  void instant() {
    ends();
    static_cast<void>(grants());
    guards();
    hurries();
    releases();
    for (std::size_t s = 0; s < places(); ++s) { decides(s); }
  }
  void tick() {
    for (std::size_t s = 0; s < places(); ++s) { executes(s); }
    for (std::size_t i = 0; i < tasks(); ++i) {
      auto& t = now_->task[i];
      ++t.age;
      if (t.comes) { --t.wait; }
      for (std::size_t p = 0; p < count(i); ++p) {
        if (t.step[p].is == where::asks || t.step[p].is == where::wants_token) { ++t.step[p].since; }
      }
    }
  }

 private:
  [[nodiscard]] auto tasks() const -> std::size_t { return static_cast<std::size_t>(d_->tasks); }
  [[nodiscard]] auto places() const -> std::size_t { return static_cast<std::size_t>(d_->places); }
  [[nodiscard]] auto count(std::size_t i) const -> std::size_t { return static_cast<std::size_t>(d_->task[i].count); }
  [[nodiscard]] auto step(who w) -> auto& { return now_->task[w.task].step[w.step]; }

  void ends() {
    const bool backwards = open_->backwards();
    for (std::size_t n = 0; n < places(); ++n) {
      auto& p = now_->at[backwards ? places() - 1 - n : n];
      const auto running = p.runs;
      for (const who w : running) {
        if (step(w).left > 0) { continue; }
        p.runs.drop_item(w);
        p.asked.drop_item(w);
        if (!p.turns.has(w.task)) {
        } else if (!has_work(p, w.task)) {
          p.turns.drop_item(w.task);
          p.active = false;
        }
        end_of(w);
      }
      if (n + 1 < places()) { hurries(); }
    }
  }
  /// Stations may decide before all of an instant is in, as where instants differ by less than a tick.
  void hurries() {
    if (!open_->hurries()) { return; }
    for (std::size_t s = 0; s < places(); ++s) {
      const auto& runs = now_->at[s].runs;
      if (std::none_of(runs.begin(), runs.end(), [this](who w) { return step(w).left == 0; })) { decides(s); }
    }
  }
  template <class Place>
  [[nodiscard]] static auto has_work(const Place& p, std::uint8_t task) -> bool {
    return std::any_of(p.asked.begin(), p.asked.end(), [task](who w) { return w.task == task; });
  }

  void end_of(who w) {
    auto& t = now_->task[w.task];
    const auto& kind = d_->task[w.task];
    const auto& x = kind.steps[w.step];
    const small since = t.step[w.step].since;
    seen_->visit(w.task, w.step, x.early ? std::clamp<small>(static_cast<small>(t.age - x.offset), 0, since) : since);
    t.step[w.step] = {};
    t.done |= 1U << w.step;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint32_t all = kind.stretches[k];
      if ((all >> w.step & 1U) != 0 && (all & ~t.done) == 0) {
        t.holds[k] = false;
        ++now_->free;
      }
    }
    if (t.done == (1U << kind.count) - 1) {
      seen_->job(w.task, t.age);
      t.under_way = false;
      t.done = 0;
    } else {
      goes_on(w.task);
    }
  }

  /// Steps of a job whose predecessors are done become ready.
  void goes_on(std::uint8_t i) {
    auto& t = now_->task[i];
    const auto& kind = d_->task[i];
    for (std::uint8_t p = 0; p < kind.count && t.under_way; ++p) {
      const auto& x = kind.steps[p];
      if ((t.done >> p & 1U) != 0 || t.step[p].is != where::no_index || (x.after & ~t.done) != 0) { continue; }
      if (x.guard > t.age) {
        t.step[p].is = where::guarded;
      } else {
        is_ready({i, p});
      }
    }
  }
  void is_ready(who w) {
    auto& t = now_->task[w.task];
    for (std::uint8_t k = 0; k < 2; ++k) {
      if ((d_->task[w.task].stretches[k] >> w.step & 1U) == 0 || t.holds[k]) { continue; }
      t.step[w.step].is = where::wants_token;
      now_->queue.add({w.task, k});
      return;
    }
    asks(w);
  }
  void asks(who w) {
    const auto& x = d_->task[w.task].steps[w.step];
    auto& s = step(w);
    s = {where::asks, s.since, open_->length(w.task, w.step)};  // a wait for a token counts
    if (s.left == 0) { return end_of(w); }
    auto& p = now_->at[static_cast<std::size_t>(x.station)];
    if (!has_work(p, w.task) && d_->at[static_cast<std::size_t>(x.station)].slice > 0) { p.turns.add(w.task); }
    p.asked.add(w);
  }

  /// Whether somebody got one.
  auto grants() -> bool {
    bool any = false;
    while (now_->free > 0 && now_->queue.size > 0) {
      const who first = now_->queue.items[0];
      now_->queue.drop(0);
      --now_->free;
      any = true;
      auto& t = now_->task[first.task];
      t.holds[first.step] = true;
      for (std::uint8_t p = 0; p < d_->task[first.task].count; ++p) {
        if (t.step[p].is == where::wants_token && (d_->task[first.task].stretches[first.step] >> p & 1U) != 0) {
          asks({first.task, p});
          break;
        }
      }
    }
    return any;
  }
  void guards() {
    for (std::uint8_t i = 0; i < d_->tasks; ++i) {
      for (std::uint8_t p = 0; p < d_->task[i].count; ++p) {
        auto& s = now_->task[i].step[p];
        if (s.is == where::guarded && d_->task[i].steps[p].guard == now_->task[i].age) { is_ready({i, p}); }
      }
    }
  }

  /// Every job that is due at this instant comes in before anybody decides.
  void releases() {
    const bool backwards = open_->backwards();
    for (bool again = true; again;) {
      again = false;
      for (std::uint8_t n = 0; n < d_->tasks; ++n) {
        const auto i = static_cast<std::uint8_t>(backwards ? d_->tasks - 1 - n : n);
        while (released(i)) { again = true; }
      }
      again = grants() || again;
    }
  }
  auto released(std::uint8_t i) -> bool {
    auto& t = now_->task[i];
    if (t.under_way) { return false; }
    if (!t.comes) {
      const small late = open_->nominal(i, t.age);
      if (late < 0) { return false; }
      t.comes = true;
      t.age = late;
      t.wait = static_cast<small>(std::max(0, open_->delay(i) - late));
    }
    if (t.wait > 0) { return false; }
    t.comes = false;
    t.wait = 0;
    t.under_way = true;
    goes_on(i);
    return true;
  }

  [[nodiscard]] auto point(const place& p, who w) const -> int {
    const auto& kind = d_->task[w.task];
    const auto& x = kind.steps[w.step];
    switch (p.by) {
      case order::arrival: return 0;
      case order::priority: return kind.priority;
      case order::relative_deadline: return kind.deadline;
      case order::period: return kind.period;
      case order::absolute_deadline:
        if (x.moving) { return x.local_deadline - now_->task[w.task].step[w.step].since; }
        return (x.offset < 0 ? kind.deadline : x.offset + x.local_deadline) - now_->task[w.task].age;
    }
    return 0;
  }
  /// In the order of points, then of tasks, then of arrival; in that of arrival alone where nobody is before another.
  template <class Place>
  [[nodiscard]] auto before(const place& how, const Place& p, who a, who b) const -> bool {
    const int x = point(how, a);
    const int y = point(how, b);
    if (x != y) { return x < y; }
    if (how.by != order::arrival && a.task != b.task) { return a.task < b.task; }
    return std::find(p.asked.begin(), p.asked.end(), a) < std::find(p.asked.begin(), p.asked.end(), b);
  }

  void decides(std::size_t s) {
    auto& p = now_->at[s];
    const place& how = d_->at[s];
    if (how.units_of_own) {
      p.runs = {};
      for (const who w : p.asked) {
        const auto own = [w](who r) { return r.task == w.task; };
        if (std::none_of(p.runs.begin(), p.runs.end(), own)) { p.runs.add(w); }
      }
      return;
    }
    if (how.slice > 0) { return takes_turns(p, how); }
    for (;;) {
      const who* best = nullptr;
      for (const who& w : p.asked) {
        if (!p.runs.has(w) && (best == nullptr || before(how, p, w, *best))) { best = &w; }
      }
      if (best == nullptr) { return; }
      if (p.runs.size == how.units) {
        if (!how.preempts) { return; }
        const who* worst = &p.runs.items[0];
        for (const who& w : p.runs) { worst = before(how, p, *worst, w) ? &w : worst; }
        if (!before(how, p, *best, *worst)) { return; }
        p.runs.drop_item(who{*worst});
      }
      p.runs.add(*best);
    }
  }
  template <class Place>
  void takes_turns(Place& p, const place& how) {
    if (p.active && p.used >= how.slice) {
      const std::uint8_t first = p.turns.items[0];
      p.turns.drop(0);
      p.turns.add(first);
      p.active = false;
    }
    if (!p.active && p.turns.size > 0) {
      const std::uint8_t first = p.turns.items[0];
      p.switching = p.last == first || p.last == 0xFF ? small{0} : how.switching;
      p.last = first;
      p.used = 0;
      p.active = true;
    }
    p.runs = {};
    if (!p.active) {
      p.used = p.switching = 0;
      return;
    }
    for (const who w : p.asked) {
      if (w.task == p.turns.items[0]) { return p.runs.add(w); }
    }
  }

  void executes(std::size_t s) {
    auto& p = now_->at[s];
    if (p.switching > 0) {
      --p.switching;
      return;
    }
    if (d_->at[s].slice > 0 && p.active) { ++p.used; }
    for (const who w : p.runs) { --step(w).left; }
  }

  const description_type* d_;
  state_type* now_;
  Open* open_;
  Seen* seen_;
};

}  // namespace tick_machine
