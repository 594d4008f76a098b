// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/core/exact.hpp>
#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/graph/release_rule.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/simulation/graph/graph_options.hpp>
#include <takt/simulation/graph/graph_stations.hpp>
#include <takt/simulation/graph/graph_workloads.hpp>
#include <takt/simulation/graph/job_gates.hpp>

namespace takt::inline v0::simulation {

/// Brings the jobs of a workload to an engine step by step, as invocations, tokens, edges, limits and guards let them.
/// A task of the engine is a place for one step, whose station and needs are written down when a step takes the place.
template <StepLengths<ticks> Lengths, TraceRecorder Recorder, std::size_t MaxSteps>
class graph_jobs {
 public:
  using table_type = visit_table<MaxSteps, MaxSteps>;
  using releases_type = std::vector<std::vector<ticks>>;

  /// Instants beyond, and more work than this, do not fit.
  static constexpr ticks longest_run = job_points::largest;

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
    const std::size_t n = work_->tasks.size();
    if (!gates_.set_up(*work_, *releases_)) { return fail(model_fault::malformed); }
    jobs_.assign(gates_.jobs(), job{});
    invoked_.assign(releases_->size(), 0);
    for (const auto& times : *releases_) {
      if (!times.empty()) { next_invocation_ = std::min(next_invocation_, times.front()); }
    }
    unfinished_ = gates_.jobs();
    out_.tasks.assign(n, graph_task_outcome<ticks>{});
    out_.inversion.assign(work_->clusters.size(), 0);
    for (const std::int32_t c : work_->clocks) {
      out_.responses.emplace_back(c == no_clock ? 0 : (*releases_)[static_cast<std::size_t>(c)].size(), 0);
    }
    if (const model_fault f = points_.set_up(*work_, gates_); f != model_fault::none) { return fail(f); }
    for (std::uint32_t t = 0; t < n; ++t) {
      const auto& task = work_->tasks[t];
      const bool guarded = options_.early_release && task.guarded;
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
    out_.end = now_;
    if (unfinished_ > 0) { fail(model_fault::stalled); }
    return out_;
  }

  // What the engine asks.

  [[nodiscard]] auto next_job() const -> ticks {
    return agenda_.empty() ? next_invocation_ : std::min(next_invocation_, agenda_.front().time);
  }
  auto comes(ticks now, host::coming_job& out) -> bool {
    now_ = now;
    invoke();
    keep_appointments();
    while (!woken_.empty()) {
      const name n = woken_.back();
      woken_.pop_back();
      look_at(n);
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
    now_ = now;
    const step_under_way s = steps_[place];
    steps_[place].taken = false;
    free_.push_back(place);
    job& j = job_of(s.who);
    if (step_of(s.who.task, j.step).kind == node_kind::kernel) {
      raise(out_.tasks[s.who.task].kernel_response, now - s.since);
    }
    ++j.step;
    begin_step(s.who);
  }

  /// For the slices of an engine. Without a recorder nobody hears them.
  [[nodiscard]] auto sink() -> slice_sink {
    if constexpr (std::same_as<const Recorder, const no_trace>) { return {}; }
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
  struct name {
    std::uint32_t task = 0;
    std::size_t number = 0;
  };
  enum class progress : std::uint8_t { waits, is_due, runs };
  struct job {
    ticks nominal = 0;
    std::size_t step = 0;
    progress at = progress::waits;
    bool is_woken = false;
  };
  struct step_under_way {
    name who{};
    ticks length = 0;
    ticks since = 0;
    ticks unboosted = 0;  ///< point
    bool taken = false;
    bool boosted = false;
    bool works = false;
  };
  /// A job reaches its nominal release, or the guard of its task may open.
  struct appointment {
    ticks time = 0;
    name who{};
    bool of_guard = false;
    [[nodiscard]] static auto later(const appointment& a, const appointment& b) -> bool { return b.time < a.time; }
  };
  using guard = guarded_enqueue<ticks, 256>;

  void fail(model_fault f) {
    if (out_.ok()) { out_.fault = f; }
  }
  static void raise(ticks& worst, ticks value) { worst = std::max(worst, value); }
  [[nodiscard]] auto job_of(const name& n) -> job& { return jobs_[gates_.job(n.task, n.number)]; }
  [[nodiscard]] auto step_of(std::size_t task, std::size_t at) const -> const graph_step<ticks>& {
    return work_->steps[work_->tasks[task].first_step + at];
  }
  /// Of an instant that lies beyond what fits, the run fails.
  void meet(const appointment& a) {
    if (a.time > longest_run) { return fail(model_fault::time_overflow); }
    agenda_.push_back(a);
    std::ranges::push_heap(agenda_, appointment::later);
  }
  void wake(std::uint32_t task, std::size_t number) {
    if (number >= gates_.jobs(task) || job_of({task, number}).is_woken) { return; }
    job_of({task, number}).is_woken = true;
    woken_.push_back({task, number});
  }

  void invoke() {
    if (now_ < next_invocation_) { return; }
    next_invocation_ = no_event;
    for (std::size_t c = 0; c < invoked_.size(); ++c) {
      const auto& times = (*releases_)[c];
      for (std::size_t& j = invoked_[c]; j < times.size() && times[j] <= now_; ++j) {
        for (std::uint32_t t = 0; t < work_->tasks.size(); ++t) {
          if (work_->tasks[t].clock != static_cast<std::int32_t>(c)) { continue; }
          if (!checked_add(times[j], work_->tasks[t].offset, job_of({t, j}).nominal)) {
            fail(model_fault::time_overflow);
          }
          gates_.come(t);
          wake(t, j);
        }
      }
      if (invoked_[c] < times.size()) { next_invocation_ = std::min(next_invocation_, times[invoked_[c]]); }
    }
  }
  void keep_appointments() {
    while (!agenda_.empty() && agenda_.front().time <= now_) {
      std::ranges::pop_heap(agenda_, appointment::later);
      const appointment due = agenda_.back();
      agenda_.pop_back();
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
      if (!rules_[n.task].next(now_, true, r)) { fail(model_fault::time_overflow); }
      j.nominal = r.release;
      gates_.come(n.task);
      wake(n.task, n.number + 1);
    }
    recorder_->record(mark{mark_kind::release, n.task, n.number, j.nominal});
    if (!options_.early_release && now_ < j.nominal) { return meet({j.nominal, n, false}); }
    if (t.clock != no_clock && t.parallelism == unrestricted_parallelism && j.nominal < now_) { ++out_.late; }
    become_due(n);
  }
  void become_due(const name& n) {
    job_of(n).at = progress::is_due;
    if (gates_.may_start(n.task, n.number)) { start(n); }
  }
  void start(const name& n) {
    job_of(n).at = progress::runs;
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
          if (!guards_[n.task]->ready(static_cast<std::int64_t>(n.number))) { fail(model_fault::too_many_jobs); }
          return pass_guard(n.task);
      }
    }
    complete(n);
  }
  void pass_guard(std::uint32_t task) {
    guard& g = *guards_[task];
    if (!g.next_is_ready()) { return; }
    if (!g.may_enter(now_)) { return meet({g.earliest(), {task, 0}, true}); }
    entering_.push_back({task, static_cast<std::size_t>(g.next())});
    if (!g.enter(now_)) { fail(model_fault::time_overflow); }
    if (g.next_is_ready()) { meet({g.earliest(), {task, 0}, true}); }
  }
  void complete(const name& n) {
    --unfinished_;
    const auto& t = work_->tasks[n.task];
    auto& seen = out_.tasks[n.task];
    ++seen.jobs;
    raise(seen.response, now_ - job_of(n).nominal);
    recorder_->record(mark{mark_kind::completion, n.task, n.number, now_});
    auto& responses = out_.responses[t.graph];
    if (t.is_sink && n.number < responses.size()) {
      const ticks invoked = (*releases_)[static_cast<std::size_t>(work_->clocks[t.graph])][n.number];
      raise(responses[n.number], now_ - invoked);
      mark_deadline(n, invoked);
    }
    gates_.complete(n.task, n.number, [&](std::uint32_t task, std::size_t number) { wake(task, number); });
  }

  void mark_deadline(const name& sink, ticks invoked) {
    const std::uint32_t graph = work_->tasks[sink.task].graph;
    if (graph >= options_.deadlines.size() || options_.deadlines[graph] <= 0) { return; }
    const ticks due = invoked + std::min(options_.deadlines[graph], longest_run);
    recorder_->record(mark{mark_kind::deadline, sink.task, sink.number, due});
    if (due < now_) { recorder_->record(mark{mark_kind::miss, sink.task, sink.number, due}); }
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
    steps_[place] = {n, length, now_, point, true, boosted, false};
    const std::int32_t stream =
        options_.per_task_streams ? static_cast<std::int32_t>(t.first_step + j.step) : own_stream;
    (*needs_)[place] = {{boosted ? point - 2 * longest_run : point, points_.rank(n.task, n.number)},
                        {s.block, s.blocks, stream}};
    if (queued) { raise(out_.tasks[n.task].enqueue_lateness, now_ - j.nominal); }
    table_->visits[place].station = station;
    out = {place, now_};
    return ok();
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
    recorder_->record(slice{n.task, s.segment, n.number, where, from, to});
  }
  /// Whether a boosted job keeps a more urgent one from a CPU.
  template <class Engine>
  [[nodiscard]] auto is_inverted(const Engine& engine, std::size_t cluster) -> bool {
    for (step_under_way& s : steps_) { s.works = false; }
    engine.holders(cluster, {this, [](void* own, client place, const held_unit& /*what*/) {
                               static_cast<graph_jobs*>(own)->steps_[place].works = true;
                             }});
    priority_point waits = lowest_priority;
    priority_point works = boosted_priority;
    for (std::size_t place = 0; place < steps_.size(); ++place) {
      const step_under_way& s = steps_[place];
      if (!s.taken || table_->visits[place].station != cluster) { continue; }
      const priority_point p{s.unboosted, (*needs_)[place].point.tie};
      if (s.works && s.boosted) { works = std::max(works, p); }
      if (!s.works && !s.boosted) { waits = std::min(waits, p); }
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
  std::vector<std::size_t> invoked_{};            ///< by clock
  std::vector<release_rule<ticks>> rules_{};      ///< by task
  std::vector<std::unique_ptr<guard>> guards_{};  ///< by task
  job_points points_{};
  ticks work_begun_ = 0;
  std::vector<step_under_way> steps_{};  ///< by place
  std::vector<std::uint32_t> free_{};
  std::vector<name> woken_{};
  std::vector<name> entering_{};       ///< jobs whose next step asks now
  std::vector<appointment> agenda_{};  ///< a heap, the first one first
  graph_result<ticks> out_{};
  std::size_t unfinished_ = 0;
  ticks next_invocation_ = no_event;
  ticks now_ = 0;
};

}  // namespace takt::inline v0::simulation
