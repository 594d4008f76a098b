// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/flow_progress.hpp>
#include <takt/simulation/kept_processors.hpp>
#include <takt/simulation/result.hpp>
#include <takt/simulation/run_choices.hpp>
#include <takt/simulation/section_locks.hpp>
#include <takt/simulation/visit_windows.hpp>

namespace takt::simulation {

/// Lets jobs that are DAGs of visits run on stations in virtual time. Where a board says that jobs keep their
/// processors, each is one thread that does one visit after the other (`kept_processors`). Within one instant: what
/// ends first, then token grants, guards and releases, and servers decide when all of them are in. A job waits for the
/// one before of its task.
///
/// With guards, offsets and local deadlines of all visits, a visit becomes ready at the nominal release plus its
/// offset, or when its predecessors are done, if that is later; orders by absolute deadline go by offset + local
/// deadline. Where the rule of a station lets visits start early, they become ready when their predecessors are done,
/// and their responses count from their offsets. A section asks for its token when the visits before it are due, and no
/// guard holds its visits back then. Pre: as many local deadlines as offsets, none or one for each visit;
/// `validate(table, stations.size(), stations.token_pools(), section_shapes::nested)` finds nothing, what needs a unit
/// though it takes no time is on stations that serve it, and horizon is at most `longest_time`.
/// Cost: per instant a pass over tasks, visits and stations.
template <class Stations, std::size_t N, std::size_t V, RunChoices Choices>
class engine {
 public:
  using table_type = visit_table<N, V>;
  using result = simulation_result<N, V>;

  constexpr engine(const table_type& table, const Stations& stations, Choices& choices,
                   std::span<const ticks> offsets = {}, std::span<const ticks> local_deadlines = {})
      : table_{&table},
        stations_{&stations},
        choices_{&choices},
        offsets_{offsets},
        local_deadlines_{local_deadlines},
        servers_{stations.template servers<V>()},
        tokens_{table, stations},
        threads_{table, stations},
        windows_{table, stations, offsets, local_deadlines} {}

  constexpr auto run(ticks horizon, const slice_sink& sink = {}) -> result {
    sink_ = &sink;
    begin();
    for (;;) {
      const ticks now = next_instant();
      if (now > horizon || now == no_event) { break; }
      now_ = now;
      // Where there are steps, all that follows from ends comes before the releases.
      threads_.begin_instant();
      holds_releases_ = complete_visits() && has_steps_;
      grant_tokens();
      open_guards();
      do {  // a grant may end a job at once, and the next one of its task may be due
        release_jobs();
        grant_tokens();
      } while (open_held() || go_on() || is_release_due());
      if (has_steps_) { pass_gates(); }
      if constexpr (OrdersArrivals<Choices>) { arrivals_.deliver(servers_); }
      tokens_.lend(servers_);
      for (std::size_t s = 0; s < stations_->size(); ++s) { servers_.decide(s, now_, sink); }
    }
    note_unfinished(table_->tasks, tasks_, *choices_, horizon, seen_);
    return seen_;
  }

 private:
  using task_state = flow_progress;
  using visit_state = visit_progress;

  constexpr void begin() {
    for (const visit_record& x : table_->visits) { has_steps_ = has_steps_ || x.need != unit_need::time; }
    static_cast<void>(seen_.visit_responses.resize(table_->visits.size()));
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      const flow_record& t = table_->tasks[i];
      static_cast<void>(
          seen_.tasks.push_back({.name = t.name, .first_visit = t.first_visit, .visit_count = t.visit_count}));
      tasks_[i] = {};
      tasks_[i].nominal = choices_->gap(i, 0, t.period);
      tasks_[i].release = tasks_[i].nominal + choices_->delay(i, 0, t.period);
    }
  }

  [[nodiscard]] constexpr auto next_instant() const -> ticks {
    ticks least = no_event;
    for (std::size_t i = 0; i < table_->size(); ++i) {
      if (!tasks_[i].under_way && tasks_[i].release < least) { least = tasks_[i].release; }
    }
    for (std::size_t v = 0; v < table_->visits.size(); ++v) {
      if (visits_[v].guard < least) { least = visits_[v].guard; }
    }
    for (std::size_t s = 0; s < stations_->size(); ++s) {
      const ticks at = servers_.next(s);
      if (at < least) { least = at; }
    }
    if (const ticks at = threads_.next(); at < least) { least = at; }
    return least < now_ ? now_ : least;
  }

  /// Whether some have ended.
  constexpr auto complete_visits() -> bool {
    bool any = false;
    std::size_t count = 0;
    for (client v = threads_.fire(now_, *sink_); v != no_client; v = threads_.fire(now_, *sink_)) { complete(v); }
    for (std::size_t s = 0; s < stations_->size(); ++s) {
      while (servers_.next(s) <= now_) {
        const client v = servers_.fire(s, now_, *sink_);
        if (v == no_client) { break; }
        tokens_.left(v);
        any = true;
        if (!has_steps_) {
          complete(v);
          continue;
        }
        std::size_t at = count++;
        for (; at > 0 && ended_[at - 1] > v; --at) { ended_[at] = ended_[at - 1]; }
        ended_[at] = v;
      }
    }
    end_in_order(count);
    return any;
  }
  /// Of so many that end together the first in the table goes first, and time before steps before starts.
  constexpr void end_in_order(std::size_t count) {
    unit_need first = unit_need::start;
    for (std::size_t k = 0; k < count; ++k) { first = need_of(ended_[k]) < first ? need_of(ended_[k]) : first; }
    bool stepped = false;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t v = ended_[k];
      const bool waits = first == unit_need::step && (stepped || !tokens_.may_go_on(v));
      if (need_of(v) != first || waits) {
        serve(v);
        continue;
      }
      stepped = true;
      if (first == unit_need::time && table_->visits[v].need != first) {
        visits_[v].length = 0;
        serve(v);
      } else {
        complete(v);
      }
    }
  }
  [[nodiscard]] constexpr auto need_of(std::uint32_t v) const -> unit_need {
    return visits_[v].length > 0 ? unit_need::time : table_->visits[v].need;
  }

  constexpr void complete(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    task_state& job = tasks_[x.task];
    ticks& worst = seen_.visit_responses[v];
    if (worst < now_ - visits_[v].ready) { worst = now_ - visits_[v].ready; }
    job.done |= visit_mask{1} << x.position;
    if constexpr (HoldsVisits<Choices>) { choices_->ended(v, job.jobs - 1, now_); }
    for (std::uint32_t s = next_over(x); s < table_->sections.size(); s = next_over(x)) { tokens_.release(s); }
    if (threads_.goes_on(x.task)) { proceed(x.task); }
  }
  constexpr void proceed(std::uint32_t i) {
    if (tasks_[i].done == all_visits_of(table_->tasks[i])) {
      end_job(i);
    } else {
      advance(i);
    }
  }
  /// Threads that run do what they came to while they did not. Whether anything happened.
  constexpr auto go_on() -> bool {
    if (!threads_.keeps()) { return false; }
    threads_.decide(now_, *sink_);
    bool any = false;
    for (std::uint32_t i = threads_.next_to_go_on(); i < table_->size(); i = threads_.next_to_go_on()) {
      any = true;
      const client v = threads_.take_asked(i);
      v == no_client ? proceed(i) : serve(v);
    }
    return any;
  }

  constexpr void end_job(std::uint32_t i) {
    const flow_record& t = table_->tasks[i];
    task_state& job = tasks_[i];
    const ticks response = now_ - job.nominal;
    note_completion(seen_.tasks[i], response);
    if (response > t.deadline) { note_miss(seen_.tasks[i], job.nominal + t.deadline); }
    job.under_way = false;
    tokens_.completed(i);
    threads_.ended(i);
    if constexpr (requires { choices_->completed(i, job.jobs, now_); }) { choices_->completed(i, job.jobs - 1, now_); }
    job.nominal += choices_->gap(i, job.jobs, t.period);
    const ticks release = job.nominal + choices_->delay(i, job.jobs, t.period);
    job.release = release < now_ ? now_ : release;
    if (release < now_) { become_pending(i); }
  }
  /// A job that has waited for the one before counts from the instant at which that one ends, before anybody asks.
  constexpr void become_pending(std::uint32_t i) {
    tasks_[i].is_pending = true;
    tasks_[i].lends = tokens_.released(i, tasks_[i].nominal);
  }

  constexpr void release_jobs() {
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      while (is_due(i)) {
        task_state& job = tasks_[i];
        job.under_way = true;
        job.done = job.asked = 0;
        ++job.jobs;
        ++seen_.tasks[i].released;
        if (!job.is_pending) { become_pending(i); }
        job.is_pending = false;
        threads_.released(*table_, *stations_, i, job.nominal);
        if (!job.lends && threads_.goes_on(i)) { advance(i); }
      }
    }
  }

  [[nodiscard]] constexpr auto is_due(std::uint32_t i) const -> bool {
    const task_state& job = tasks_[i];
    return !job.under_way && job.release == now_ && (job.is_pending || !holds_releases_);
  }
  [[nodiscard]] constexpr auto is_release_due() const -> bool {
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      if (is_due(i)) { return true; }
    }
    return false;
  }

  /// Visits whose predecessors are done become ready, or wait for their guards. A visit of length zero is done at once.
  constexpr void advance(std::uint32_t i) {
    const flow_record& t = table_->tasks[i];
    task_state& job = tasks_[i];
    for (std::uint32_t p = 0; p < t.visit_count && job.under_way; ++p) {
      const std::uint32_t v = t.first_visit + p;
      const visit_mask before = threads_.keeps() ? (visit_mask{1} << p) - 1 : table_->visits[v].predecessors;
      const bool open = (job.asked >> p & 1U) == 0 && (before & ~job.done) == 0;
      if (!open) { continue; }
      job.asked |= visit_mask{1} << p;
      const ticks guard = job.nominal + windows_.opens[v];
      if (guard > now_) {
        visits_[v].guard = guard;
      } else {
        become_ready(v);
      }
    }
  }
  constexpr void open_guards() {
    for (std::uint32_t v = 0; v < table_->visits.size(); ++v) {
      if (visits_[v].guard != now_) { continue; }
      visits_[v].guard = no_event;
      become_ready(v);
    }
  }

  constexpr void become_ready(std::uint32_t v) {
    if constexpr (HoldsVisits<Choices>) {
      const ticks at = choices_->opens(v, tasks_[table_->visits[v].task].jobs - 1, now_);
      visits_[v].held = at > now_;
      visits_[v].guard = at > now_ ? at : no_event;
      if (at > now_) { return; }
    }
    const ticks counts = tasks_[table_->visits[v].task].nominal + windows_.counts_from[v];
    visits_[v].ready = now_ < counts ? counts : now_;
    const visit_record& x = table_->visits[v];
    if (x.after_move && !any_around(x, [this](std::size_t s) { return tokens_.has_moved(s); })) {
      complete(v);
      return;
    }
    for (std::uint32_t s = 0; s < table_->sections.size(); ++s) {
      if (!contains(table_->sections[s], x) || tokens_.holds(s)) { continue; }
      if (tokens_.is_idle(s)) { tokens_.ask(s); }
      visits_[v].waits_for_token = true;
    }
    if (!visits_[v].waits_for_token) { enter(v); }
  }
  /// Whether a visit has started that was held back.
  constexpr auto open_held() -> bool {
    bool opened = false;
    if constexpr (HoldsVisits<Choices>) {
      for (std::uint32_t v = 0; v < table_->visits.size(); ++v) {
        if (!visits_[v].held) { continue; }
        become_ready(v);
        opened = opened || !visits_[v].held;
      }
    }
    return opened;
  }
  constexpr void enter(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    visits_[v].length = choices_->length(x, tasks_[x.task].jobs - 1);
    if (visits_[v].length == 0 && x.need == unit_need::time) {
      complete(v);
      return;
    }
    serve(v);
  }
  constexpr void serve(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    const ticks length = visits_[v].length;
    if (threads_.is_home(x.task, x.station)) { return threads_.work(x.task, v, length, now_); }
    if (!threads_.asks(x.task, v)) { return; }
    visits_[v].waits_at_gate = length == 0 && !tokens_.may_go_on(v);
    if (visits_[v].waits_at_gate) { return; }
    const flow_record& t = table_->tasks[x.task];
    const job_timing timing{x.upper, t.period, t.deadline, static_cast<std::int32_t>(x.task), t.priority};
    ticks release = tasks_[x.task].nominal;
    if (v < local_deadlines_.size()) { release += offsets_[v] + local_deadlines_[v] - t.deadline; }
    priority_point point{};
    static_cast<void>(stations_->point(x.station, timing, release, point));
    tokens_.entered(v, point, length);
    const visit_request asked{v, x.task, point, length, x.upper, x.view, tokens_.unit_of(v)};
    if constexpr (OrdersArrivals<Choices>) {
      arrivals_.add(x.station, asked, *choices_);
    } else {
      servers_.arrive(x.station, asked);
    }
  }
  constexpr void pass_gates() {
    for (std::uint32_t v = 0; v < table_->visits.size(); ++v) {
      if (visits_[v].waits_at_gate) { serve(v); }
    }
  }

  /// A section that is over with a visit and still holds its token, inner ones first; the number of sections if there
  /// is none.
  [[nodiscard]] constexpr auto next_over(const visit_record& x) const -> std::uint32_t {
    const auto none = static_cast<std::uint32_t>(table_->sections.size());
    std::uint32_t best = none;
    for (std::uint32_t s = 0; s < none; ++s) {
      const visit_mask visits = table_->sections[s].visits;
      const bool over = contains(table_->sections[s], x) && (visits & ~tasks_[x.task].done) == 0 && tokens_.holds(s);
      const bool lies_inside = over && best != none && visits != table_->sections[best].visits &&
                               (visits & ~table_->sections[best].visits) == 0;
      if (over && (best == none || lies_inside)) { best = s; }
    }
    return best;
  }
  template <class Test>
  [[nodiscard]] constexpr auto any_around(const visit_record& x, const Test& test) const -> bool {
    for (std::size_t s = 0; s < table_->sections.size(); ++s) {
      if (contains(table_->sections[s], x) && test(s)) { return true; }
    }
    return false;
  }
  /// Until nobody gets a token and nobody has its priority back.
  constexpr void grant_tokens() {
    const auto is_missing = [this](std::size_t s) { return !tokens_.holds(s); };
    for (;;) {
      if (const std::uint32_t i = tokens_.next_freed(); i != nobody_asks) {
        tasks_[i].lends = false;
        if (tasks_[i].under_way) { advance(i); }
        continue;
      }
      const std::uint32_t s = tokens_.next_granted();
      if (s == nobody_asks) { return; }
      const flow_record& t = table_->tasks[table_->sections[s].task];
      for (std::uint32_t v = t.first_visit; v < t.first_visit + t.visit_count; ++v) {
        const visit_record& x = table_->visits[v];
        if (!visits_[v].waits_for_token || !contains(table_->sections[s], x) || any_around(x, is_missing)) { continue; }
        visits_[v].waits_for_token = false;
        enter(v);
      }
    }
  }

  const table_type* table_;
  const Stations* stations_;
  Choices* choices_;
  std::span<const ticks> offsets_;
  std::span<const ticks> local_deadlines_;
  typename Stations::template servers_type<V> servers_;
  section_locks<Stations, N, V> tokens_;
  kept_processors<N> threads_;
  const slice_sink* sink_ = nullptr;
  visit_windows<V> windows_;
  ticks now_ = 0;
  result seen_{};
  task_state tasks_[N]{};
  visit_state visits_[V]{};
  [[no_unique_address]] arrivals_of<Choices, V> arrivals_{};
  std::uint32_t ended_[V]{};
  bool has_steps_ = false;
  bool holds_releases_ = false;
};

}  // namespace takt::simulation
