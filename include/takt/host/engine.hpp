// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/index_queue.hpp>
#include <takt/core/index_set.hpp>
#include <takt/core/inline_vector.hpp>
#include <takt/core/number.hpp>
#include <takt/host/flow_progress.hpp>
#include <takt/host/job_misses.hpp>
#include <takt/host/job_state.hpp>
#include <takt/host/kept_processors.hpp>
#include <takt/host/no_sections.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/host/section_locks.hpp>
#include <takt/host/sections_around.hpp>
#include <takt/host/standstill.hpp>
#include <takt/host/station_host.hpp>
#include <takt/host/visit_windows.hpp>
#include <takt/model/observation.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/servers/slices.hpp>

namespace takt::inline TAKT_ABI::host {

/// Lets jobs that are DAGs of visits run on stations in virtual time. Where a board says that jobs keep their
/// processors, each is one thread that does one visit after the other (`kept_processors`). Within one instant: what
/// ends, token grants, guards and releases, then servers decide. A job waits for the one before of its task.
///
/// With guards, offsets and local deadlines of all visits, a visit becomes ready at its nominal release plus its
/// offset, but not before its predecessors are done. Orders by absolute deadline go by offset + local deadline. Where
/// the rule of a station lets visits start early, they become ready when their predecessors are done, and their
/// responses count from their offsets. A section asks for its token when the visits before it are due, and no guard
/// holds its visits back then. Pre: none or one offset and local deadline for each visit; `validate(table,
/// stations.size(), stations.token_pools(), section_shapes::nested)` finds nothing where hosts do not bring jobs;
/// `horizon` is at most `longest_time`, and what needs a unit though it takes no time is on stations that serve it.
/// Cost: per instant what happens, and passes over stations, tasks and sections.
template <class Stations, std::size_t N, std::size_t V, detail::RunChoices Choices>
class engine {
 public:
  using table_type = visit_table<N, V>;
  using result = observation<inline_vector<observed_task<ticks>, N>, inline_vector<ticks, V>>;

  constexpr engine(const table_type& table, const Stations& stations, Choices& choices,
                   std::span<const ticks> offsets = {}, std::span<const ticks> local_deadlines = {})
      : table_{&table},
        stations_{&stations},
        choices_{&choices},
        servers_{stations},
        tokens_{table, stations},
        threads_{table, stations},
        windows_{table, stations, offsets, local_deadlines},
        edges_{table, threads_.keeps()},
        misses_{table, choices} {
    TAKT_EXPECTS_IN_TESTS(BringsJobs<Choices> ||
                          !validate(table, stations.size(), stations.token_pools(), section_shapes::nested));
  }
  /// Runs jobs that are released before the horizon, with what happens until then and at it.
  constexpr auto run(ticks horizon, const slice_sink& sink = {}) -> result {
    begin(sink);
    for (ticks now = next_instant(); now <= horizon && now != no_event; now = next_instant()) { step(now); }
    finish(misses_.stopped() ? now_ : horizon);
    return seen_;
  }
  /// `run`, instant by instant: for hosts that live in real time. Pre: the sink outlives it.
  constexpr void begin(const slice_sink& sink) {
    sink_ = &sink;
    static_cast<void>(seen_.visit_responses.resize(table_->visits.size()));
    for (const flow_record& t : table_->tasks) {  // Bound: N, of the table.
      seen_.tasks.unchecked_push_back({.name = t.name, .first_visit = t.first_visit, .visit_count = t.visit_count});
    }
    detail::set_first_releases(table_->tasks, tasks_, *choices_);
    next_release_ = first_release(table_->tasks, tasks_);
  }
  /// Returns when something happens by itself; `no_event` if nothing does.
  [[nodiscard]] constexpr auto next_instant() const -> ticks {
    if (misses_.stopped()) { return no_event; }
    const ticks least = detail::first_instant(*choices_, first_of(servers_.next(), threads_.next()),
                                              first_of(next_job(), guards_.next(), misses_.next()));
    return least < now_ ? now_ : least;
  }
  /// Lets a visit end in the next step, whatever its length says. Pre: its station serves bodies, and it is there.
  constexpr void end(std::uint32_t v) { told_.push(v); }
  /// Does all that happens at one instant. Pre: now <= next_instant(), and not before the step before.
  constexpr void step(ticks now) {
    end_jobs(now);
    if (misses_.stopped()) { return; }
    grant_tokens();
    open_guards();
    do {  // a grant may end a job at once, and the next one of its task may be due
      release_jobs();
      grant_tokens();
    } while (go_on() || is_release_due());
    if (edges_.has_steps) { pass_gates(); }
    tokens_.spin([this](client v) { ask(v); });
    servers_.deliver();
    tokens_.lend(servers_);
    servers_.decide(work_, *sink_);
    guards_.settle(table_->visits.size());
  }
  /// Does what happens at the last instant of a run: only jobs end and deadlines pass. Pre: as for `step`.
  constexpr void end_jobs(ticks now) {
    TAKT_EXPECTS(now_ <= now);
    TAKT_EXPECTS_IN_TESTS(now <= next_instant());
    if constexpr (detail::ObservesTime<Choices, engine>) { choices_->passes(*this, now); }
    now_ = now;
    work_ = detail::worked_by(*choices_, now);
    threads_.begin_instant();
    // Where there are steps, all that follows from ends comes before the releases.
    holds_releases_ = complete_visits() && edges_.has_steps;
    if constexpr (MindsMisses<Choices>) {
      misses_.note(tasks_, now_, seen_, [this](auto i) {
        detail::drop_visits(*table_, i, tasks_[i].done, guards_, tokens_, servers_, work_, *sink_);
        leave(i);
      });
    }
  }
  /// Tells `to` who has which unit of a station. Pre: it serves bodies.
  constexpr void holders(std::size_t s, const holder_sink& to) const {
    threads_.keeps_on(s) ? threads_.holders(s, to) : servers_.holders(s, to);
  }
  /// Counts what is under way at the end.
  constexpr void finish(ticks horizon) { detail::note_unfinished(table_->tasks, tasks_, *choices_, horizon, seen_); }
  /// Writes to `out` what the jobs of some tasks do since the last instant, by task; nothing is said of others.
  constexpr void states(std::span<const std::uint32_t> tasks, std::span<job_state> out) const {
    detail::note_states(*table_, *stations_, tasks_, tokens_, gates_, tasks, out);
    for (std::size_t s = 0; s < stations_->size(); ++s) { detail::note_holders(*table_, *stations_, servers_, s, out); }
  }
  /// Returns the point at which the job of a task runs, or would run.
  [[nodiscard]] constexpr auto effective(std::uint32_t i) const -> priority_point { return tokens_.effective(i); }
  /// Tells what runs at the end. Pre: end <= next_instant().
  constexpr void close(ticks end) {
    TAKT_EXPECTS(end <= next_instant());
    servers_.close(detail::worked_by(*choices_, end), *sink_);
  }
  [[nodiscard]] constexpr auto seen() const noexcept -> const result& { return seen_; }

 private:
  /// Completes visits; returns whether some have ended, or have given their units back.
  constexpr auto complete_visits() -> bool {
    bool any = false;
    const auto leave = [&](client v) {
      any = true;
      edges_.has_steps ? ended_.insert(v) : complete_served(v);
    };
    while (told_.size() > 0) {
      const std::uint32_t v = told_.take(0);
      const visit_record& x = table_->visits[v];
      if (threads_.is_assigned_to(x.task, x.station)) {
        threads_.finish(x.task, work_, *sink_);
      } else {
        servers_.finish(x.station, v, work_, *sink_, *choices_);
      }
      leave(v);
    }
    for (client v = threads_.fire(work_, *sink_); v != no_client; v = threads_.fire(work_, *sink_)) { complete(v); }
    any = servers_.fire(work_, *sink_, leave) || any;
    ended_.settle(
        table_->visits, visits_, tokens_, [this](client v) { serve(v); }, [this](client v) { complete_served(v); });
    return any;
  }

  constexpr void complete_served(std::uint32_t v) {
    tokens_.left(v);
    complete(v);
  }
  constexpr void complete(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    flow_progress& job = tasks_[x.task];
    ticks& worst = seen_.visit_responses[v];
    if (worst < now_ - visits_[v].ready) { worst = now_ - visits_[v].ready; }
    if constexpr (ObservesVisits<Choices>) { choices_->visited(v, x, job.jobs - 1, now_ - visits_[v].ready, now_); }
    job.done |= visit_mask{1} << x.position;
    job.may_be_ready |= edges_.after[v];
    release_over(*table_, x, job.done, tokens_, [this](std::uint32_t s) { tell(s, token_event::gave_back); });
    if constexpr (detail::RepeatsVisits<Choices>) {
      const visit_mask again = choices_->again(v, job.jobs - 1);
      job.done &= ~again;
      job.may_be_ready |= again;
    }
    if (threads_.goes_on(x.task)) { proceed(x.task); }
  }
  constexpr void proceed(std::uint32_t i) {
    tasks_[i].done == all_visits_of(table_->tasks[i]) ? end_job(i) : advance(i);
  }
  /// Threads that run now do what they could not do while they did not run. Returns whether anything happened.
  constexpr auto go_on() -> bool {
    if (!threads_.keeps()) { return false; }
    threads_.decide(work_, *sink_);
    bool any = false;
    for (std::uint32_t i = threads_.next_to_go_on(); i < table_->size(); i = threads_.next_to_go_on()) {
      any = true;
      const client v = threads_.take_asked(i);
      v == no_client ? proceed(i) : serve(v);
    }
    return any;
  }

  constexpr void end_job(std::uint32_t i) {
    note_completion(seen_.tasks[i], now_ - tasks_[i].nominal);
    misses_.note_end(tasks_, i, now_, seen_);
    if constexpr (detail::ObservesJobs<Choices>) { choices_->completed(i, tasks_[i].jobs - 1, now_); }
    leave(i);
  }
  constexpr void leave(std::uint32_t i) {
    flow_progress& job = tasks_[i];
    job.under_way = false;
    misses_.note_leave(tasks_, i, now_);
    tokens_.completed(i);
    threads_.ended(i);
    if constexpr (TimesJobs<Choices>) { time_next(i); }
  }
  constexpr void time_next(std::uint32_t i) {
    flow_progress& job = tasks_[i];
    job.nominal = next_nominal(*choices_, i, job.jobs, table_->tasks[i].period, job.nominal, now_, seen_.tasks[i]);
    const ticks release = job.nominal + choices_->delay(i, job.jobs, table_->tasks[i].period);
    job.release = release < now_ ? now_ : release;
    next_release_ = job.release < next_release_ ? job.release : next_release_;
    if (release >= now_) { return; }
    become_pending(i);
    if constexpr (detail::AsksAtOnce<Choices>) { release_job(i); }
  }
  /// A job that has waited for the one before counts from the instant at which that one ends, before any visit asks.
  constexpr void become_pending(std::uint32_t i) {
    tasks_[i].is_pending = true;
    if constexpr (detail::ObservesReleases<Choices>) {
      choices_->released(i, tasks_[i].jobs - (tasks_[i].under_way ? 1U : 0U), now_);
    }
    tasks_[i].lends = tokens_.released(i, tasks_[i].nominal);
  }

  [[nodiscard]] constexpr auto next_job() const -> ticks {
    if constexpr (BringsJobs<Choices>) { return choices_->next_job(); }
    return next_release_;
  }
  constexpr void release_jobs() {
    if constexpr (BringsJobs<Choices>) {
      for (coming_job next; !holds_releases_ && choices_->comes(now_, next);) {
        tasks_[next.task].nominal = next.nominal;
        release_job(next.task);
      }
    }
    if (next_release_ > now_) { return; }
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      while (is_due(i)) { release_job(i); }
    }
    next_release_ = first_release(table_->tasks, tasks_);
  }
  constexpr void release_job(std::uint32_t i) {
    flow_progress& job = tasks_[i];
    job.start(edges_.first[i]);
    misses_.note_begin(tasks_, i, now_);
    ++seen_.tasks[i].released;
    job.waited = job.is_pending;
    if (!job.is_pending) { become_pending(i); }
    job.is_pending = false;
    threads_.released(*table_, *stations_, i, job.nominal);
    if (!job.lends && threads_.goes_on(i)) { advance(i); }
  }
  [[nodiscard]] constexpr auto is_due(std::uint32_t i) const -> bool {
    const flow_progress& job = tasks_[i];
    return !job.under_way && job.release <= now_ && (job.is_pending || !holds_releases_);
  }
  [[nodiscard]] constexpr auto is_release_due() const -> bool {
    if constexpr (BringsJobs<Choices>) { return !holds_releases_ && choices_->next_job() <= now_; }
    std::uint32_t i = next_release_ > now_ ? static_cast<std::uint32_t>(table_->size()) : 0;
    while (i < table_->size() && !is_due(i)) { ++i; }
    return i < table_->size();
  }

  /// Visits whose predecessors are done become ready, or wait for their guards. A visit of length zero is done at once.
  constexpr void advance(std::uint32_t i) {
    const std::uint32_t first = table_->tasks[i].first_visit;
    flow_progress& job = tasks_[i];
    while (job.may_be_ready != 0 && job.under_way) {
      const auto p = static_cast<std::uint32_t>(std::countr_zero(job.may_be_ready));
      job.may_be_ready &= job.may_be_ready - 1;
      const std::uint32_t v = first + p;
      const visit_mask before = threads_.keeps() ? (visit_mask{1} << p) - 1 : table_->visits[v].predecessors;
      if ((before & ~job.done) != 0) { continue; }
      const ticks guard = job.nominal + windows_.opens[v];
      guard > now_ ? guards_.hold(v, guard) : become_ready(v);
    }
  }
  constexpr void open_guards() {
    if (guards_.next() > now_) { return; }
    for (std::uint32_t v = 0; v < table_->visits.size(); ++v) {
      if (guards_.until(v) > now_) { continue; }
      guards_.drop(v);
      become_ready(v);
    }
  }

  constexpr void become_ready(std::uint32_t v) {
    const ticks counts = tasks_[table_->visits[v].task].nominal + windows_.counts_from[v];
    visits_[v].ready = now_ < counts ? counts : now_;
    const visit_record& x = table_->visits[v];
    if constexpr (detail::SkipsVisits<Choices>) {
      if (choices_->skips(v, tasks_[x.task].jobs - 1)) { return complete(v); }
    }
    const auto own = tokens_.sections_of(x.task);
    for (std::uint32_t s = own.first; s < own.end; ++s) {
      if (tokens_.holds(s) || !contains(table_->sections[s], x) || !tokens_.is_needed(s)) { continue; }
      if (tokens_.is_idle(s)) {
        tokens_.ask(s);
        tell(s, token_event::asked);
      }
      visits_[v].waits_for_token = true;
    }
    if (!visits_[v].waits_for_token) { enter(v); }
  }
  constexpr void enter(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    visits_[v].length = choices_->length(x, tasks_[x.task].jobs - 1);
    visits_[v].length == 0 && x.need == unit_need::time ? complete(v) : serve(v);
  }
  constexpr void serve(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    if (threads_.is_assigned_to(x.task, x.station)) { return threads_.work(x.task, v, visits_[v].length, work_); }
    if (!threads_.asks(x.task, v)) { return; }
    if (visits_[v].length > 0 || tokens_.may_go_on(v)) { return ask(v); }
    tokens_.left(v);
    gates_.insert(v);
  }
  constexpr void ask(std::uint32_t v) {
    const visit_record& x = table_->visits[v];
    const ticks release = tasks_[x.task].nominal + windows_.shifts[v];
    visit_request asked = detail::visit_request_of(*table_, *stations_, v, release);
    asked.length = visits_[v].waits_for_token ? spinning_time : visits_[v].length;
    asked.unit = tokens_.unit_of(v);
    tokens_.entered(v, asked.point);
    servers_.arrive(x.station, asked, *choices_);
  }
  constexpr void pass_gates() {
    for (std::size_t k = 0; k < gates_.size();) {
      const std::uint32_t v = gates_[k];
      if (tokens_.may_go_on(v)) {
        gates_.erase(v);
        ask(v);
      } else {
        ++k;
      }
    }
  }
  constexpr void tell(std::uint32_t section, token_event what) {
    if constexpr (detail::ObservesTokens<Choices>) { choices_->token(section, what, now_); }
  }

  /// Grants tokens until no job gets a token and no job gets its priority back.
  constexpr void grant_tokens() {
    for (;;) {
      if (const std::uint32_t i = tokens_.next_freed(); i != nobody_asks) {
        tasks_[i].lends = false;
        if (tasks_[i].under_way) { advance(i); }
        continue;
      }
      const std::uint32_t s = tokens_.next_granted();
      if (s == nobody_asks) { return; }
      tell(s, token_event::got);
      const std::uint32_t first = table_->tasks[table_->sections[s].task].first_visit;
      for (visit_mask own = table_->sections[s].visits; own != 0; own &= own - 1) {
        const std::uint32_t v = first + static_cast<std::uint32_t>(std::countr_zero(own));
        const visit_record& x = table_->visits[v];
        if (!visits_[v].waits_for_token || !detail::holds_around(*table_, x, tokens_)) { continue; }
        visits_[v].waits_for_token = false;
        if (tokens_.stops_spinning(v)) { servers_.finish(x.station, v, work_, {}, *choices_); }
        enter(v);
      }
    }
  }

  const table_type* table_;
  const Stations* stations_;
  Choices* choices_;
  station_host<Stations, V, Choices> servers_;
  typename sections_on<Stations, N, V>::type tokens_;
  kept_processors<N> threads_;
  const slice_sink* sink_ = nullptr;
  visit_windows<V> windows_;
  visit_edges<N, V> edges_;
  ticks next_release_ = no_event;
  held_visits<V> guards_{};
  ticks now_ = 0;
  ticks work_ = 0;  ///< what stations count in
  result seen_{};
  flow_progress tasks_[N]{};
  job_misses<N, V, Choices> misses_;
  visit_progress visits_[V]{};
  ended_visits<V> ended_{};
  index_queue<V> told_{};
  index_set<V> gates_{};  ///< steps before sections that may not ask yet
  bool holds_releases_ = false;
};

}  // namespace takt::inline TAKT_ABI::host
