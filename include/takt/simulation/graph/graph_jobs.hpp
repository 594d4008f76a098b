// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/host/stalled_clock.hpp>
#include <takt/host/void_bounds.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/graph/graph_job_progress.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_stations.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/invocation_source.hpp>
#include <takt/simulation/graph/job_gates.hpp>

namespace takt::inline TAKT_ABI::simulation {

/// Brings the jobs of a workload to an engine step by step, as invocations, tokens, edges, limits and guards let them.
/// A task of the engine is a place for one step, whose station and needs are written down when a step takes the place.
template <StepLengths<ticks> Lengths, TraceRecorder Recorder, std::size_t MaxSteps>
class graph_jobs {
 public:
  using table_type = visit_table<MaxSteps, MaxSteps>;
  using releases_type = std::vector<std::vector<ticks>>;

  /// Instants beyond this, and more work than this, do not fit.
  static constexpr ticks longest_run = graph_job_points::largest;
  /// All arguments outlive it.
  graph_jobs(const graph_workload<ticks>& work, const releases_type& releases, const graph_options& options,
             const Lengths& lengths, Recorder& recorder, table_type& table, std::vector<step_needs>& needs)
      : work_{&work},
        releases_{&releases},
        lengths_{&lengths},
        recorder_{&recorder},
        options_{options},
        table_{&table},
        needs_{&needs} {}

  /// Pre: `check_graph_workload`.
  void set_up() {
    TAKT_EXPECTS(are_apart(options_.stalls) && options_.invocation_limits.size() <= work_->clocks.size());
    const std::size_t n = work_->tasks.size();
    if (!gates_.set_up(*work_, *releases_)) { return fail(model_fault::malformed); }
    jobs_.assign(gates_.jobs(), job{});
    clock_ = host::stalled_clock{options_.stalls};
    void_ = host::void_bounds{work_->clusters.size() + 2};
    source_.set_up(*work_, *releases_, options_);
    next_invocation_ = clock_.worked(source_.next());
    unfinished_ = gates_.jobs();
    out_.tasks.assign(n, graph_task_outcome<ticks>{});
    out_.inversion.assign(work_->clusters.size(), 0);
    for (const std::int32_t c : work_->clocks) {
      out_.responses.emplace_back(c == no_clock ? 0 : (*releases_)[static_cast<std::size_t>(c)].size(), 0);
    }
    if (const model_fault f = points_.set_up(*work_, gates_); f != model_fault::none) { return fail(f); }
    for (std::uint32_t t = 0; t < n; ++t) {
      const auto& task = work_->tasks[t];
      const bool guarded = (options_.early_release || !options_.stalls.empty()) && task.guarded;
      rules_.emplace_back(task.period, task.period);
      guards_.push_back(guarded ? std::make_unique<guard>(task.period) : nullptr);
      if (task.clock == no_clock) { wake(t, 0); }
    }
    const std::size_t places = std::min(gates_.jobs(), MaxSteps);
    needs_->assign(places, step_needs{});
    steps_.assign(places, step_under_way{});
    for (std::size_t i = 0; i < places; ++i) {
      static_cast<void>(table_->add_task({.period = longest_run, .deadline = longest_run}));
      static_cast<void>(table_->add_next(0, 0, longest_run));
      free_.push_back(static_cast<std::uint32_t>(places - 1 - i));
    }
    for (auto* list : {&woken_, &entering_}) { list->reserve(gates_.jobs()); }
    agenda_.reserve(3 * gates_.jobs());
  }

  [[nodiscard]] auto ok() const -> bool { return out_.ok(); }
  /// Pre: nothing happens any more.
  [[nodiscard]] auto result() -> graph_result<ticks>& {
    TAKT_EXPECTS(!ok() || entering_.empty());
    out_.end = clock_now_;
    if (unfinished_ > 0) { fail(model_fault::stalled); }
    out_.void_bounds = void_.until(clock_now_);
    source_.report(*work_, out_);
    return out_;
  }

  // What the engine asks.

  [[nodiscard]] auto next_job() const -> ticks { return std::min(next_invocation_, agenda_.next()); }
  auto comes(ticks now, host::coming_job& out) -> bool {
    be_at(now);
    keep_appointments();
    // What ends at an instant makes room for what is released at it.
    for (; !woken_.empty() || next_invocation_ <= now_; invoke()) {
      while (!woken_.empty()) {
        const name n = woken_.back();
        woken_.pop_back();
        look_at(n);
      }
    }
    return !entering_.empty() && ok() && enter(out);
  }
  [[nodiscard]] auto length(const visit_record& v, std::uint64_t /*job*/) const -> ticks {
    return steps_[v.task].length;
  }
  [[nodiscard]] auto asks_before(std::uint32_t a, std::uint32_t b) const -> bool {
    return (*needs_)[a].point.tie < (*needs_)[b].point.tie;
  }
  void completed(std::uint32_t place, std::uint64_t /*job*/, ticks now) {
    be_at(now);
    void_.leaves(table_->visits[place].station, clock_now_);
    const step_under_way s = steps_[place];
    steps_[place].taken = false;
    free_.push_back(place);
    job& j = job_of(s.who);
    if (step_of(s.who.task, j.step).kind == node_kind::kernel) {
      raise(out_.tasks[s.who.task].kernel_response, clock_now_ - s.since);
    }
    ++j.step;
    begin_step(s.who);
  }

  /// Returns the sink for the slices of an engine. Without a recorder they are not kept.
  [[nodiscard]] auto sink() -> slice_sink {
    if constexpr (std::same_as<const Recorder, const null_recorder>) { return {}; }
    return {this, [](void* own, client place, std::int32_t unit, ticks from, ticks to) {
              static_cast<const graph_jobs*>(own)->tell(place, unit, from, to);
            }};
  }
  /// Time passes until `next`.
  template <class Engine>
  void pass(const Engine& engine, ticks next) {
    for (std::size_t c = 0; options_.boost_signals && c < work_->clusters.size(); ++c) {
      if (is_inverted(engine, c)) { out_.inversion[c] += next - now_; }
    }
  }

 private:
  using name = detail::job_name;
  using job = detail::graph_job_progress;
  using progress = job::stage_of_job;
  using step_under_way = detail::step_under_way;
  using appointment = detail::appointment;
  using guard = guarded_enqueue<ticks, 256>;

  void fail(model_fault f) {
    if (out_.ok()) { out_.fault = f; }
  }
  static void raise(ticks& worst, ticks value) { worst = std::max(worst, value); }
  [[nodiscard]] auto job_of(const name& n) -> job& { return jobs_[gates_.job(n.task, n.number)]; }
  [[nodiscard]] auto step_of(std::size_t task, std::size_t at) const -> const graph_step<ticks>& {
    return work_->steps[work_->tasks[task].first_step + at];
  }
  /// Remembers what is due once the clock has reached `clock`. If that instant does not fit, the run fails.
  void meet(ticks clock, const name& who, bool of_guard) {
    const ticks time = clock_.worked(clock);
    if (time > longest_run) { return fail(model_fault::time_overflow); }
    agenda_.add({time, who, of_guard});
  }
  void wake(std::uint32_t task, std::size_t number) {
    if (number >= gates_.jobs(task) || job_of({task, number}).is_woken) { return; }
    job_of({task, number}).is_woken = true;
    woken_.push_back({task, number});
  }

  void be_at(ticks now) {
    now_ = now;
    clock_now_ = clock_.at(now);
    host::report_stops(clock_, now, stops_, void_);
  }
  [[nodiscard]] auto made_of(std::size_t graph) const -> const std::vector<ticks>& {
    return source_.made(static_cast<std::size_t>(work_->clocks[graph]));
  }

  void invoke() {
    if (now_ < next_invocation_) { return; }
    source_.make(
        clock_now_, [this](std::size_t c, std::size_t number) { invoke(c, number); },
        [this](std::size_t c) { unfinished_ -= source_.jobs(c); });
    next_invocation_ = clock_.worked(source_.next());
  }
  void invoke(std::size_t c, std::size_t number) {
    for (std::uint32_t t = 0; t < work_->tasks.size(); ++t) {
      if (work_->tasks[t].clock != static_cast<std::int32_t>(c)) { continue; }
      if (!checked_add(source_.made(c)[number], work_->tasks[t].offset, job_of({t, number}).nominal)) {
        fail(model_fault::time_overflow);
      }
      job_of({t, number}).invoked = clock_now_;
      gates_.come(t);
      wake(t, number);
    }
  }
  void keep_appointments() {
    while (agenda_.next() <= now_) {
      const appointment due = agenda_.take();
      due.of_guard ? pass_guard(due.who.task) : become_due(due.who);
    }
  }
  void look_at(const name& n) {
    job& j = job_of(n);
    j.is_woken = false;
    if (j.at == progress::waits && j.step == 0 && gates_.is_ready(n.task, n.number)) { return become_ready(n); }
    if (j.at == progress::is_due && gates_.may_start(n.task, n.number)) { start(n); }
  }
  /// Everything that the job waits for is there.
  void become_ready(const name& n) {
    const auto& t = work_->tasks[n.task];
    job& j = job_of(n);
    j.at = progress::runs;
    if (t.clock == no_clock) {
      node_release<ticks> r{};
      if (!rules_[n.task].next(clock_now_, true, r)) { fail(model_fault::time_overflow); }
      j.nominal = r.release;
      gates_.come(n.task);
      wake(n.task, n.number + 1);
    }
    recorder_->record(mark{mark_kind::release, n.task, n.number, j.nominal});
    if (!options_.early_release && clock_now_ < j.nominal) { return meet(j.nominal, n, false); }
    const bool is_free = t.clock != no_clock && t.parallelism == unrestricted_parallelism;
    out_.late += is_free && j.nominal < clock_now_ ? 1 : 0;
    become_due(n);
  }
  void become_due(const name& n) {
    job_of(n).at = progress::is_due;
    if (gates_.may_start(n.task, n.number)) { return start(n); }
    job_of(n).in_turn = work_->tasks[n.task].parallelism != unrestricted_parallelism;
  }
  void start(const name& n) {
    job_of(n).start(work_->tasks[n.task], clock_now_);
    begin_step(n);
  }
  void begin_step(const name& n) {
    job& j = job_of(n);
    for (; j.step < work_->tasks[n.task].steps; ++j.step) {
      const auto& s = step_of(n.task, j.step);
      switch (s.kind) {
        case node_kind::junction: break;
        case node_kind::processor:
          if ((*lengths_)(n.task, j.step, n.number, s.length) > 0) { return entering_.push_back(n); }
          break;
        case node_kind::copy:
        case node_kind::kernel:
          if (!guards_[n.task]) { return entering_.push_back(n); }
          if (!guards_[n.task]->ready(static_cast<std::int64_t>(n.number), j.nominal)) {
            fail(model_fault::too_many_jobs);
          }
          return pass_guard(n.task);
      }
    }
    complete(n);
  }
  void pass_guard(std::uint32_t task) {
    guard& g = *guards_[task];
    if (!g.next_is_ready()) { return; }
    if (!g.may_enter(clock_now_)) { return meet(g.earliest(), {task, 0}, true); }
    entering_.push_back({task, static_cast<std::size_t>(g.next())});
    if (!g.enter(clock_now_)) { fail(model_fault::time_overflow); }
    if (g.next_is_ready()) { meet(g.earliest(), {task, 0}, true); }
  }
  void complete(const name& n) {
    --unfinished_;
    const auto& t = work_->tasks[n.task];
    auto& seen = out_.tasks[n.task];
    ++seen.jobs;
    raise(seen.response, clock_now_ - job_of(n).nominal);
    recorder_->record(mark{mark_kind::completion, n.task, n.number, clock_now_});
    auto& responses = out_.responses[t.graph];
    if (t.is_sink && n.number < responses.size()) {
      const ticks invoked = made_of(t.graph)[n.number];
      raise(responses[n.number], clock_now_ - invoked);
      const ticks most = t.graph < options_.deadlines.size() ? std::min(options_.deadlines[t.graph], longest_run) : 0;
      if (most > 0) { detail::mark_deadline(*recorder_, n, invoked + most, clock_now_); }
    }
    gates_.complete(n.task, n.number, [&](std::uint32_t task, std::size_t number) { wake(task, number); });
    const bool has_room = t.clock != no_clock && source_.ended(static_cast<std::size_t>(t.clock), n.number);
    if (has_room) { next_invocation_ = now_; }
  }

  /// A step takes a place.
  [[nodiscard]] auto enter(host::coming_job& out) -> bool {
    const name n = entering_.back();
    entering_.pop_back();
    const job& j = job_of(n);
    const auto& t = work_->tasks[n.task];
    const auto& s = step_of(n.task, j.step);
    const ticks length = (*lengths_)(n.task, j.step, n.number, s.length);
    const auto clusters = static_cast<std::uint32_t>(work_->clusters.size());
    std::uint32_t station = clusters;
    ticks total = length;
    bool fits = true;
    switch (s.kind) {
      case node_kind::copy: break;
      case node_kind::kernel:
        ++station;
        fits = checked_multiply(length, s.blocks, total);
        break;
      case node_kind::junction:
      case node_kind::processor: station = static_cast<std::uint32_t>(t.cluster); break;
    }
    const bool queued = station >= clusters;
    if (length <= 0) { fail(model_fault::malformed); }
    if (!fits || !checked_add(total, work_begun_, work_begun_) || work_begun_ > longest_run) {
      fail(model_fault::time_overflow);
    }
    if (free_.empty()) { fail(model_fault::too_many_jobs); }
    if (!ok()) { return false; }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    ticks point = now_;
    if (!queued && !points_.point(n.task, j.nominal, point)) { fail(model_fault::time_overflow); }
    const bool boosted = options_.boost_signals && s.signals && !queued;
    steps_[place] = {n, length, clock_now_, point, true, boosted, false};
    const std::int32_t stream =
        options_.per_task_streams ? static_cast<std::int32_t>(t.first_step + j.step) : own_stream;
    (*needs_)[place] = {{boosted ? point - 2 * longest_run : point, points_.rank(n.task, n.number)},
                        {s.block, s.blocks, stream}};
    if (queued) { raise(out_.tasks[n.task].enqueue_lateness, clock_now_ - j.nominal); }
    table_->visits[place].station = station;
    void_.enters(station);
    note_lateness(n.task, j);
    out = {place, now_};
    return ok();
  }
  /// A step is at its station.
  void note_lateness(std::uint32_t task, const job& j) {
    if (j.step > 0 || j.nominal >= clock_now_ || work_->tasks[task].clock == no_clock) { return; }
    j.is_late || guards_[task] ? void_.late(j.nominal, clock_now_) : void_.still_late(clock_now_);
  }
  void tell(client place, std::int32_t unit, ticks from, ticks to) const {
    const name& n = steps_[place].who;
    const auto& s = step_of(n.task, jobs_[gates_.job(n.task, n.number)].step);
    const auto& clusters = work_->clusters;
    const std::uint32_t station = table_->visits[place].station;
    track where{stage::kernel, 0, unit, 1};
    if (station == clusters.size()) { where.where = stage::copy; }
    if (station < clusters.size()) {
      where.where = stage::cpu;
      where.index = std::accumulate(clusters.begin(), clusters.begin() + static_cast<std::ptrdiff_t>(station), unit);
    }
    clock_.each_part(from, to, [&](ticks begin, ticks end) {
      recorder_->record(slice{n.task, s.segment, n.number, where, begin, end});
    });
  }
  /// Returns whether a boosted job keeps a more urgent one from a CPU.
  template <class Engine>
  [[nodiscard]] auto is_inverted(const Engine& engine, std::size_t cluster) -> bool {
    for (step_under_way& s : steps_) { s.works = false; }
    engine.holders(cluster, {this, [](void* own, client place, const held_unit& /*what*/) {
                               static_cast<graph_jobs*>(own)->steps_[place].works = true;
                             }});
    priority_point waits = lowest_priority;
    priority_point works = boosted_priority;
    for (std::size_t place = 0; place < steps_.size(); ++place) {
      if (table_->visits[place].station == cluster) { steps_[place].range((*needs_)[place].point.tie, waits, works); }
    }
    return waits < works;
  }

  const graph_workload<ticks>* work_;
  const releases_type* releases_;
  const Lengths* lengths_;
  Recorder* recorder_;
  graph_options options_;
  table_type* table_;
  std::vector<step_needs>* needs_;
  job_gates gates_{};
  std::vector<job> jobs_{};
  host::stalled_clock clock_{};
  detail::invocation_source source_{};
  host::void_bounds void_{};
  std::vector<release_rule<ticks>> rules_{};      ///< by task
  std::vector<std::unique_ptr<guard>> guards_{};  ///< by task
  graph_job_points points_{};
  ticks work_begun_ = 0;
  std::vector<step_under_way> steps_{};  ///< by place
  std::vector<std::uint32_t> free_{};
  std::vector<name> woken_{};
  std::vector<name> entering_{};  ///< jobs whose next step asks now
  detail::job_agenda agenda_{};
  graph_result<ticks> out_{};
  std::size_t unfinished_ = 0;
  ticks next_invocation_ = no_event;
  ticks now_ = 0;          ///< worked, as the engine has it
  ticks clock_now_ = 0;    ///< what the clock says
  std::size_t stops_ = 0;  ///< that have passed
};

}  // namespace takt::inline TAKT_ABI::simulation
