// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/engine.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/lanes.hpp>
#include <takt/runtime/executor/live_choices.hpp>
#include <takt/runtime/executor/visit_thread.hpp>
#include <takt/runtime/executor/visit_worker.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/runtime/run_options.hpp>
#include <takt/runtime/thread.hpp>

namespace takt::inline TAKT_ABI::runtime {

/// Holds what has to be known to carry a visit out, and code that takes the place of its time. A visit that takes time
/// has neither.
struct code_of_visit {
  const processor_code* code = nullptr;
  const unit_code* body = nullptr;
  view_values view{};
  ticks upper = 0;
  ticks limit = no_event;  ///< a device that has had it for longer is silent
};

/// Lets the engine of jobs live in real time. Workers do the visits of lanes, and have a unit when the rule's server
/// gives them one; all others take their time on the clock. What happens by itself has its own instant, even if the
/// thread that notices it wakes later. A unit that is no processor passes on only when a worker has left it.
template <class Stations, std::size_t N, std::size_t V, class Choices = live_choices>
class executor {
 public:
  using engine_type = host::engine<Stations, N, V, Choices>;

  /// `codes` are those of visits. Pre: all outlive it, and what `foreign` makes reports nothing after `close`.
  executor(const visit_table<N, V>& table, const Stations& stations, Choices& choices, const lane_plan& lanes,
           std::vector<code_of_visit> codes, const foreign_workers& foreign, std::span<const ticks> offsets,
           std::span<const ticks> local_deadlines)
      : table_{&table},
        stations_{&stations},
        choices_{&choices},
        lanes_{&lanes},
        codes_{std::move(codes)},
        foreign_{&foreign},
        engine_{std::make_unique<engine_type>(table, stations, choices, offsets, local_deadlines)},
        states_(lanes.lanes.size()),
        left_(table.visits.size()) {
    for (std::uint32_t v = 0; v < lanes.of_visit.size(); ++v) {
      const std::uint32_t l = lanes.of_visit[v];
      if (l != detail::no_lane && lanes.lanes[l].decides_by_itself) { free_visits_.push_back(v); }
    }
    for (std::size_t l = 0; l < lanes.lanes.size(); ++l) {
      if (auto made = foreign.make ? foreign.make(l, reports()) : nullptr) {
        workers_.push_back(std::move(made));
        continue;
      }
      auto made = std::make_unique<detail::visit_thread>(reports(), stop_);
      threads_.push_back({static_cast<std::uint32_t>(l), made.get()});
      workers_.push_back(std::move(made));
    }
  }
  executor(const executor&) = delete;
  auto operator=(const executor&) -> executor& = delete;
  /// Waits for code that is under way.
  ~executor() { close(); }
  /// Returns whether the system gave all threads.
  [[nodiscard]] auto complete() const -> bool {
    return std::ranges::all_of(threads_, [](const lane_thread& t) { return t.thread->started(); });
  }
  /// Calls f for each lane that is a thread, with that thread.
  template <class F>
  void each_thread(const F& f) const {
    for (const lane_thread& t : threads_) { f(t.lane, t.thread->handle()); }
  }
  /// From now on threads with code have this SCHED_FIFO priority while they have a processor, and one less else.
  void raise(int priority) noexcept { priority_ = priority; }
  /// Runs from `start` on, an instant of the clock, for as long as the options say, or until they, a violation or a
  /// device end it. Pre: complete; nothing has run before.
  void run(ticks start, const run_options& options, const slice_sink& sink) {
    TAKT_EXPECTS(complete() && released_.empty());
    const slice_sink by_servers{this, [](void* self, client who, std::int32_t unit, ticks from, ticks to) {
                                  auto& e = *static_cast<executor*>(self);
                                  ticks& left = e.left_[who];
                                  left = who == e.ending_ ? std::max(from, std::min(to, e.ended_)) : to;
                                  if (!e.reports_itself(who)) { (*e.sink_)(who, unit, from, left); }
                                }};
    std::unique_lock lock{mutex_};
    sink_ = &sink;
    start_ = start;
    length_ = later(choices_->release_end(), options.drain.count());
    stop_ = later(start, length_);
    const bool is_watched = options.stop != nullptr || options.stop_when_idle != nullptr;
    engine_->begin(by_servers);
    for (ticks time = 0; time < length_ && !over_; time = now() - start_) {
      const ticks next = std::min(next_instant(), length_);
      const ticks look = is_watched ? std::min(next, now() - start_ + detail::stop_poll) : next;
      planned_ = next;
      changed_.wait_until(lock, later(start_, look), [&] { return planned_ < next || over_; });
      if (over_) { break; }
      const ticks come = std::min(now() - start_, next);
      if (come > 0 && is_set(options.stop_when_idle) && choices_->is_idle(come - 1)) {
        length_ = come;  // what is released there is left out
        break;
      }
      const ticks reached = std::min(now() - start_, length_ - 1);
      advance(reached);
      dispatch();
      look_for_silence(now() - start_);
      if (over_) { break; }
      const bool is_drained = has_drained() && choices_->release_end() <= reached;
      if (choices_->is_over() || is_drained || is_set(options.stop)) { length_ = reached + 1; }
    }
    end_at(length_);
    choices_->notice(length_);
    released_ = counts();
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      const auto& row = engine_->seen().tasks[i];
      if (row.completed == row.released) { continue; }
      released_[i] = row.released + choices_->leave(i, row.completed, released_[i] - row.released, length_);
    }
  }
  /// Ends the workers, after the code that they are in.
  void close() {
    for (const auto& w : workers_) { w->close(); }
  }
  /// Returns how many jobs of a task were released before the end. Pre: the run is over, as below.
  [[nodiscard]] auto released(std::size_t task) const -> std::uint64_t {
    TAKT_EXPECTS(task < released_.size());
    return released_[task];
  }
  [[nodiscard]] auto seen() const -> const typename engine_type::result& { return engine_->seen(); }
  /// Returns the visit whose device has not answered, if there is one.
  [[nodiscard]] auto silent() const noexcept -> std::optional<std::uint32_t> { return silent_; }
  /// Returns how long the run was, from the start.
  [[nodiscard]] auto end() const noexcept -> ticks { return length_; }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

  struct lane_thread {
    std::uint32_t lane = 0;
    detail::visit_thread* thread = nullptr;
  };
  struct lane_state {
    std::uint32_t served = nobody;    ///< its visit that has a unit
    std::uint32_t assigned = nobody;  ///< the one that its worker is about
    std::uint32_t wanted = nobody;    ///< the one that is to have a unit
    held_unit where{};                ///< the unit that it is to have
    bool is_there = false;            ///< its worker has not left the unit
    std::int32_t unit = 0;
    ticks since = 0;  ///< it has this unit
    ticks came = 0;   ///< it has any unit
  };

  [[nodiscard]] auto reports() -> worker_reports {
    return {[this](std::uint32_t v, ticks time) { ended(v, time); }, [this](std::uint32_t v) { paused(v); }};
  }
  /// Returns whether a visit is where its worker is, and not where the server says that it may be.
  [[nodiscard]] auto reports_itself(std::uint32_t v) const -> bool {
    const std::uint32_t l = lanes_->of_visit[v];
    return l != detail::no_lane && lanes_->lanes[l].leaves_by_itself;
  }

  /// Returns counts of releases, with those that wait behind a job under way.
  [[nodiscard]] auto counts() const -> std::vector<std::uint64_t> {
    std::vector<std::uint64_t> out;
    for (std::uint32_t i = 0; i < table_->size(); ++i) {
      const auto& row = engine_->seen().tasks[i];
      const ticks since = std::min(length_, choices_->release_end()) - 1 - choices_->nominal(i);
      const bool is_late = row.completed < row.released && since > 0;
      out.push_back(row.released + (is_late ? static_cast<std::uint64_t>(since / table_->tasks[i].period) : 0));
    }
    return out;
  }

  /// Returns when something happens by itself, or will have taken too long.
  [[nodiscard]] auto next_instant() const -> ticks {
    const ticks end = has_drained() ? choices_->release_end() : no_event;
    return choices_->is_over() ? 0 : std::min({engine_->next_instant(), choices_->next_limit(), next_silence(), end});
  }
  /// Returns whether no job is under way, and none will be.
  [[nodiscard]] auto has_drained() const -> bool { return choices_->is_idle(choices_->release_end()); }
  /// Does all that happens by itself up to an instant, in order.
  void advance(ticks time) {
    const ticks first = engine_->next_instant();
    for (ticks next = first; next <= time; next = engine_->next_instant()) { step(next); }
    if constexpr (requires { choices_->came_late(first, time); }) { choices_->came_late(first, time); }
    choices_->notice(time);
  }
  void step(ticks time) {
    stepped_ = time;
    choices_->be_at(time);
    engine_->step(time);
  }

  /// Ends a visit that was done at an instant, says its worker: as if heard of then, unless later ones have passed.
  void ended(std::uint32_t visit, ticks instant) {
    const std::lock_guard lock{mutex_};
    const ticks told = instant - start_;
    if (over_ || told >= length_) { return; }
    if (foreign_->have_failed && foreign_->have_failed()) { return end_at(now() - start_); }
    const std::uint32_t l = lanes_->of_visit[visit];
    const ticks since = states_[l].is_there ? states_[l].since : 0;
    const ticks time = std::max({told, stepped_, since});
    advance(time);
    ending_ = visit;
    ended_ = std::max({told, since, left_[visit]});
    choices_->ends(visit, ended_);
    leave(l, ended_);
    states_[l].served = states_[l].assigned = nobody;
    choices_->left(visit);
    engine_->end(visit);
    step(time);
    ending_ = nobody;
    choices_->ends(nobody, 0);
    advance(time);  // steps that take no time
    dispatch();
    wake();
  }
  /// The run ends before it was to.
  void end_at(ticks time) {
    over_ = true;
    length_ = time;
    stop_ = later(start_, time);
    changed_.notify_all();
  }
  /// Returns when some device has been silent for too long.
  [[nodiscard]] auto next_silence() const -> ticks {
    ticks least = no_event;
    for (const lane_state& x : states_) { least = std::min(least, limit_of(x)); }
    return least;
  }
  [[nodiscard]] auto limit_of(const lane_state& x) const -> ticks {
    return x.is_there ? later(x.came, codes_[x.assigned].limit) : no_event;
  }
  void look_for_silence(ticks time) {
    const auto first = std::ranges::min_element(states_, {}, [this](const lane_state& x) { return limit_of(x); });
    if (first == states_.end() || limit_of(*first) > time) { return; }
    if (!foreign_->have_failed || !foreign_->have_failed()) { silent_ = first->assigned; }
    end_at(time);
  }
  /// The worker says that the visit has left its unit, unless it has it again.
  void paused(std::uint32_t visit) {
    const std::lock_guard lock{mutex_};
    const ticks time = now() - start_;
    const std::uint32_t l = lanes_->of_visit[visit];
    if (over_ || time >= length_ || states_[l].served == visit) { return; }
    leave(l, time);
    dispatch();
    wake();
  }
  void leave(std::uint32_t l, ticks time) {
    if (std::exchange(states_[l].is_there, false)) { tell(l, time); }
  }
  void tell(std::uint32_t l, ticks time) const {
    const lane_state& x = states_[l];
    if (lanes_->lanes[l].reports_later) { return; }
    const std::vector<time_piece> pieces = workers_[l]->pieces();
    for (const time_piece& p : pieces) {
      (*sink_)(x.assigned, p.unit == unassigned_unit ? x.unit : p.unit, p.from - start_, p.to - start_);
    }
    if (pieces.empty()) { (*sink_)(x.assigned, x.unit, x.since, time); }
  }
  void wake() {
    const ticks next = next_instant();
    if (next >= planned_) { return; }
    planned_ = next;
    changed_.notify_all();
  }

  /// Lets workers that have units go on, and all others wait.
  void dispatch() {
    for (lane_state& x : states_) { x.wanted = nobody; }
    const holder_sink sink{this, [](void* self, client who, const held_unit& what) {
                             auto& e = *static_cast<executor*>(self);
                             const std::uint32_t l = e.lanes_->of_visit[who];
                             if (l == detail::no_lane || (!what.runs && !e.lanes_->lanes[l].has_levels)) { return; }
                             e.states_[l].wanted = who;
                             e.states_[l].where = what;
                           }};
    for (std::uint32_t s = 0; s < stations_->size(); ++s) {
      if (stations_->serves_bodies(s) && !choices_->is_elsewhere(s)) { engine_->holders(s, sink); }
    }
    for (const std::uint32_t v : free_visits_) {
      if (choices_->is_here(v)) { states_[lanes_->of_visit[v]].wanted = v; }
    }
    for (std::size_t l = 0; l < states_.size(); ++l) {
      const std::uint32_t v = states_[l].served;
      if (v == nobody) { continue; }
      if (states_[l].wanted == v) {
        if (is_resized(l) && states_[l].where.unit < states_[l].unit) { resize(l); }
        continue;
      }
      states_[l].served = nobody;
      rank(l, v, priority_ - 1);
      workers_[l]->stop();
    }
    for (std::size_t l = 0; l < states_.size(); ++l) {
      const std::uint32_t v = states_[l].wanted;
      if (v == nobody || !is_free(l)) { continue; }
      if (states_[l].served != v) {
        start(l, v);
      } else if (is_resized(l)) {
        resize(l);
      }
    }
  }
  /// Returns whether a holder has its share and still may get a larger or a smaller one: first all smaller ones.
  [[nodiscard]] auto is_resized(std::size_t l) const -> bool {
    return lanes_->lanes[l].sizes_units && states_[l].unit != states_[l].where.unit;
  }
  void resize(std::size_t l) {
    lane_state& x = states_[l];
    const ticks time = now() - start_;
    tell(static_cast<std::uint32_t>(l), time);
    x.unit = x.where.unit;
    x.since = time;
    workers_[l]->start(x.where);
  }
  void start(std::size_t l, std::uint32_t v) {
    lane_state& x = states_[l];
    x.served = v;
    if (x.assigned != v) {
      x.assigned = v;
      const code_of_visit& c = codes_[v];
      workers_[l]->assign(
          {v, choices_->job_of(v), choices_->length_of(v), c.upper, c.view, c.code, c.body, stop_.load()});
    }
    if (lanes_->lanes[l].leaves_by_itself && !x.is_there) {
      x.is_there = true;
      x.unit = x.where.unit;
      x.since = x.came = now() - start_;
    }
    rank(l, v, priority_);
    held_unit where = x.where;
    if constexpr (requires { (*stations_)[0].unit; }) {
      if (where.unit != unassigned_unit) { where.unit += (*stations_)[lanes_->lanes[l].station].unit; }
    }
    workers_[l]->start(where);
  }
  /// Returns whether no worker is on the unit any more that has to leave it, or has any share still.
  [[nodiscard]] auto is_free(std::size_t l) const -> bool {
    const std::int32_t unit = states_[l].where.unit;
    for (std::size_t m = 0; m < states_.size(); ++m) {
      const lane_state& x = states_[m];
      if (!x.is_there || x.served != nobody || lanes_->lanes[m].station != lanes_->lanes[l].station) { continue; }
      const bool same =
          lanes_->lanes[l].sizes_units || x.unit == unit || x.unit == unassigned_unit || unit == unassigned_unit;
      if (m == l ? x.unit != unit : same) { return false; }
    }
    return true;
  }
  void rank(std::size_t l, std::uint32_t v, int priority) {
    if (priority_ <= 0 || codes_[v].code == nullptr) { return; }
    (void)schedule(static_cast<detail::visit_thread&>(*workers_[l]).handle(), priority);
  }

  const visit_table<N, V>* table_;
  const Stations* stations_;
  Choices* choices_;
  const lane_plan* lanes_;
  std::vector<code_of_visit> codes_;
  const foreign_workers* foreign_;
  std::unique_ptr<engine_type> engine_;
  inheriting_mutex mutex_;
  condition changed_;
  const slice_sink* sink_ = nullptr;
  ticks start_ = 0;
  ticks length_ = 0;
  ticks planned_ = 0;
  ticks stepped_ = 0;  ///< as far as the engine is
  bool over_ = false;
  std::optional<std::uint32_t> silent_;
  std::vector<std::uint64_t> released_;
  int priority_ = 0;
  std::atomic<ticks> stop_ = std::numeric_limits<ticks>::max();
  std::vector<lane_state> states_;
  std::uint32_t ending_ = nobody;  ///< the visit that is being told to be over, at `ended_`
  ticks ended_ = 0;
  std::vector<ticks> left_;                 ///< its unit, by visit
  std::vector<std::uint32_t> free_visits_;  ///< of lanes that decide by themselves
  std::vector<lane_thread> threads_;
  std::vector<std::unique_ptr<visit_worker>> workers_;
};

}  // namespace takt::inline TAKT_ABI::runtime
