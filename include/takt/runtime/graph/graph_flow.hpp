// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/model/graph/graph_table.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/graph/late_job.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/executor/live_choices.hpp>
#include <takt/runtime/graph/flat_graphs.hpp>
#include <takt/runtime/graph/graph_layout.hpp>
#include <takt/runtime/graph/graph_log.hpp>
#include <takt/runtime/graph/graph_options.hpp>
#include <takt/runtime/run_options.hpp>

namespace takt::inline TAKT_ABI::runtime::detail {

/// Joins the jobs of graphs in a run. A graph is invoked once per period, and a job of a node starts when all jobs that
/// it waits for have ended. It is for hosts that run their visits one after the other, see `executor` and
/// `host::BringsJobs`.
///
/// Pre: no cycle of waits has a lag of 0 in sum. Cost of whatever happens: the waits of all jobs that are held back.
class graph_flow {
 public:
  /// Pre: all outlive it.
  graph_flow(const graph_layout& laid, const flat_graphs& flat, const graph_run_options& options, graph_log& log,
             carried_visits how)
      : laid_{&laid}, flat_{&flat}, options_{&options}, log_{&log}, how_{std::move(how)}, guarded_(laid.nodes.size()) {
    jobs_.resize(flat.jobs.size());
    std::uint32_t task = 0;
    for (const laid_graph& g : laid.graphs) {
      graph_state& own = graphs_.emplace_back();
      own.before.resize(g.record.nodes + std::size_t{2});
      for (const job_wait& w : g.waits) { own.before[w.to].push_back(w); }
      for (std::uint32_t v = 0; v < g.record.nodes + 2; ++v) {
        own.first.push_back(task);
        own.instances.push_back(v < g.record.nodes ? laid.nodes[g.record.first_node + v].instances : 1);
        task += static_cast<std::uint32_t>(own.instances.back());
      }
    }
    for (const laid_node& n : laid.nodes) { guards_.emplace_back(laid.graphs[n.node.graph].record.period); }
    for (std::uint32_t t = 0; t < jobs_.size(); ++t) {
      jobs_[t].next = flat.jobs[t].instance;
      lengths_.emplace_back(options.lengths, options.seed, t);
      stations_.push_back(flat.table.visits[t].station);
      const node_instance& who = flat.jobs[t];
      if (who.node >= laid.graphs[who.graph].input()) { continue; }
      const laid_node& n = node_of(who);
      guarded_[position_of(who)] = is_queued(n.node.kind) && (how_.has_code[t] || !n.is_free());
    }
  }
  void start_at(ticks start) noexcept { start_ = start; }

  [[nodiscard]] auto next_job() const noexcept -> ticks { return next_; }
  /// Returns whether a job may come: tasks are looked at in turn until none has one.
  auto comes(ticks now, host::coming_job& out) -> bool {
    for (; looked_at_ < jobs_.size(); ++looked_at_) {
      at_ = at_ + 1 < jobs_.size() ? at_ + 1 : 0;
      const ticks opens = jobs_[at_].under_way ? no_event : opening(at_, now);
      if (opens > now) {
        named_ = std::min(named_, opens);
        continue;
      }
      looked_at_ = 0;
      jobs_[at_].under_way = true;
      out = {at_, invocation_of(flat_->jobs[at_].graph, jobs_[at_].next).release};
      note_entry(flat_->jobs[at_], jobs_[at_], at_, now);
      return true;
    }
    looked_at_ = 0;
    next_ = std::exchange(named_, no_event);
    return false;
  }
  auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks {
    job_state& x = jobs_[v.task];
    const ticks rounds = v.view.at[2] > 0 ? v.upper / v.view.at[2] : 1;
    const ticks most = v.upper / rounds;
    const ticks least = v.view.at[2] > 0 ? std::min<ticks>(1, most) : v.lower;
    x.length = lengths_[v.task].draw({least, most}) * rounds;
    return how_.has_code[v.task] || (how_.told[v.task] && x.length > 0) ? until_notified : x.length;
  }
  /// Orders what asks within one instant by graph, number of the job and node.
  [[nodiscard]] auto asks_before(std::uint32_t a, std::uint32_t b) const -> bool {
    const auto key = [this](std::uint32_t task) {
      return std::tuple{flat_->jobs[task].graph, jobs_[task].next, flat_->jobs[task].node};
    };
    return key(a) < key(b);
  }
  void completed(std::uint32_t task, std::uint64_t /*job*/, ticks now) {
    const node_instance& who = flat_->jobs[task];
    const laid_graph& g = laid_->graphs[who.graph];
    graph_state& own = graphs_[who.graph];
    job_state& x = jobs_[task];
    if (who.node == g.input()) {
      invocation_of(who.graph, x.next).entered = now;
      own.next_release = later(own.next_release, g.record.period);
    } else if (who.node != g.output()) {
      const bool queued = is_queued(node_of(who).node.kind);
      log_->left(stations_[task], now);
      log_->ended(position_of(who), x.next, nominal(who, x.next), queued ? x.entered : x.began, now);
      ticks& last = invocation_of(who.graph, x.next).ended;
      last = std::max(last, now);
    }
    x.next += own.instances[who.node];
    x.free = now;
    x.has_all = x.has_begun = x.under_way = false;
  }
  /// Records that a task had a unit meanwhile.
  void worked(std::uint32_t task, const track& where, ticks from, ticks to) {
    const node_instance& who = flat_->jobs[task];
    job_state& x = jobs_[task];
    if (!std::exchange(x.has_begun, true)) { x.began = from; }
    log_->worked(position_of(who), x.next, where, from, to);
  }

  // What an executor asks.

  void be_at(ticks /*time*/) const noexcept {}
  void arrived(std::uint32_t task) { jobs_[task].is_here = true; }
  void ends(std::uint32_t /*task*/, ticks /*time*/) const noexcept {}
  void left(std::uint32_t task) { jobs_[task].is_here = false; }
  void notice(ticks /*now*/) const noexcept {}
  [[nodiscard]] static auto leave(std::uint32_t /*task*/, std::uint64_t /*job*/, std::uint64_t waiting,
                                  ticks /*end*/) noexcept -> std::uint64_t {
    return waiting;
  }
  [[nodiscard]] auto is_here(std::uint32_t task) const -> bool { return jobs_[task].is_here; }
  [[nodiscard]] auto is_elsewhere(std::uint32_t station) const -> bool { return how_.elsewhere[station]; }
  [[nodiscard]] auto nominal(std::size_t /*task*/) const noexcept -> ticks { return no_event - 1; }
  /// Returns an instant after every run: the stop that is told decides when the last invocation was.
  [[nodiscard]] static constexpr auto release_end() noexcept -> ticks { return until_notified / 2; }
  [[nodiscard]] auto next_limit() const noexcept -> ticks { return no_event; }
  [[nodiscard]] auto length_of(std::uint32_t task) const -> ticks { return jobs_[task].length; }
  [[nodiscard]] auto job_of(std::uint32_t task) const -> std::uint64_t {
    return static_cast<std::uint64_t>(jobs_[task].next);
  }
  /// Returns whether all that was invoked has been delivered.
  [[nodiscard]] auto is_idle(ticks /*now*/) const -> bool {
    for (std::uint32_t g = 0; g < graphs_.size(); ++g) {
      if (delivered(g) != invoked(g) || is_invoking(g)) { return false; }
    }
    return true;
  }
  /// Returns whether all is delivered and nothing more is invoked.
  [[nodiscard]] auto is_over() const -> bool {
    if (!is_idle(0)) { return false; }
    for (std::uint32_t g = 0; g < graphs_.size() && !log_->is_over(); ++g) {
      if (has_more(g)) { return false; }
    }
    return true;
  }
  [[nodiscard]] auto invoked(std::uint32_t graph) const -> std::int64_t {
    return jobs_[first_of(graph, laid_->graphs[graph].input())].next;
  }
  [[nodiscard]] auto delivered(std::uint32_t graph) const -> std::int64_t {
    return jobs_[first_of(graph, laid_->graphs[graph].output())].next;
  }
  /// Reports a run that ended at that instant.
  void report(ticks end) const {
    log_->report(end, [this](std::uint32_t g) { return has_more(g); });
  }
  /// Returns whether there are invocations before the end of the run that have not been made.
  [[nodiscard]] auto has_more(std::uint32_t graph) const -> bool {
    return graphs_[graph].next_release < options_->length.count() && invoked(graph) < options_->invocations;
  }

 private:
  /// More than the invocations under way.
  static constexpr std::size_t remembered = 2 * static_cast<std::size_t>(most_instances);
  static constexpr std::size_t most_early_jobs = 128;  ///< of one node
  struct invocation {
    ticks release = 0;
    ticks entered = 0;  ///< its input had been called
    ticks ended = 0;    ///< the last of its jobs, so far
  };
  struct graph_state {
    std::vector<std::vector<job_wait>> before;  ///< by node
    std::vector<std::uint32_t> first;           ///< task, by node
    std::vector<std::int64_t> instances;        ///< by node
    ticks next_release = 0;
    std::array<invocation, remembered> invocations{};
  };
  struct job_state {
    std::int64_t next = 0;  ///< the job under way, or that comes next: those of the instance before are over
    bool has_all = false;   ///< all that it waits for has ended
    bool under_way = false;
    bool has_begun = false;  ///< it had a unit
    bool is_here = false;    ///< it has asked its station
    bool is_late = false;    ///< what it waits for came too late
    ticks length = 0;
    ticks free = 0;      ///< the job before had ended
    ticks eligible = 0;  ///< all that it waits for had ended
    ticks entered = 0;
    ticks began = 0;
  };

  [[nodiscard]] static auto is_queued(node_kind k) -> bool {
    switch (k) {
      case node_kind::kernel:
      case node_kind::copy: return true;
      case node_kind::processor:
      case node_kind::junction: return false;
    }
    return false;
  }
  [[nodiscard]] auto node_of(const node_instance& who) const -> const laid_node& {
    return laid_->nodes[position_of(who)];
  }
  [[nodiscard]] auto position_of(const node_instance& who) const -> std::uint32_t {
    return laid_->graphs[who.graph].record.first_node + who.node;
  }
  [[nodiscard]] auto invocation_of(std::uint32_t graph, std::int64_t job) const -> const invocation& {
    return graphs_[graph].invocations[static_cast<std::size_t>(job) % remembered];
  }
  [[nodiscard]] auto invocation_of(std::uint32_t graph, std::int64_t job) -> invocation& {
    return graphs_[graph].invocations[static_cast<std::size_t>(job) % remembered];
  }
  [[nodiscard]] auto first_of(std::uint32_t graph, std::uint32_t v) const -> std::uint32_t {
    return graphs_[graph].first[v];
  }
  [[nodiscard]] auto nominal(const node_instance& who, std::int64_t job) const -> ticks {
    return later(invocation_of(who.graph, job).release, node_of(who).offset);
  }
  [[nodiscard]] auto is_over(std::uint32_t graph, std::uint32_t v, std::int64_t job) const -> bool {
    const graph_state& g = graphs_[graph];
    return job < 0 || jobs_[g.first[v] + static_cast<std::uint32_t>(job % g.instances[v])].next > job;
  }
  [[nodiscard]] auto waits(std::uint32_t graph, std::uint32_t v, std::int64_t job) const -> bool {
    return !std::ranges::all_of(graphs_[graph].before[v],
                                [&](const job_wait& w) { return is_over(graph, w.from, job - w.lag); });
  }
  /// Returns whether an input is being called.
  [[nodiscard]] auto is_invoking(std::uint32_t graph) const -> bool {
    return jobs_[first_of(graph, laid_->graphs[graph].input())].has_all;
  }

  /// A job is at its station.
  void note_entry(const node_instance& who, const job_state& x, std::uint32_t task, ticks now) {
    if (who.node >= laid_->graphs[who.graph].input()) { return; }
    const ticks due = nominal(who, x.next);
    const bool is_held = guarded_[position_of(who)] && now > std::max(due, x.eligible);
    log_->entered(stations_[task], due, now, x.is_late || is_held);
  }
  /// Returns when its next job may come, as far as it waits for no other.
  auto opening(std::uint32_t task, ticks now) -> ticks {
    const node_instance& who = flat_->jobs[task];
    if (who.node == laid_->graphs[who.graph].input()) { return invokes(who.graph, now); }
    job_state& x = jobs_[task];
    if (!x.has_all && !take_inputs(who, x, now)) { return no_event; }
    if (who.node == laid_->graphs[who.graph].output()) {
      const invocation& i = invocation_of(who.graph, x.next);
      log_->delivered(who.graph, x.next, i.release, i.ended);
      return now;
    }
    const ticks at = nominal(who, x.next);
    if (!options_->early_release && now < at) { return at; }
    const ticks enters = enters_queue(who, x, now);
    if (enters <= now) { x.began = x.entered = now; }
    return enters;
  }
  /// Returns when the next invocation of a graph is made.
  [[nodiscard]] auto invokes(std::uint32_t graph, ticks now) -> ticks {
    graph_state& g = graphs_[graph];
    const std::uint32_t input = laid_->graphs[graph].input();
    const ticks period = laid_->graphs[graph].record.period;
    job_state& x = jobs_[g.first[input]];
    for (;; g.next_release = later(g.next_release, period)) {
      if (!has_more(graph) || log_->is_over() || is_set(options_->stop)) { return no_event; }
      if (now < g.next_release) { return g.next_release; }
      const bool is_full = waits(graph, input, x.next);
      const ticks after = later(g.next_release, period);
      if (drops_release(options_->on_late, is_full, after <= now && after < options_->length.count())) {
        log_->skipped(graph);
        continue;
      }
      if (is_full) { return no_event; }
      break;
    }
    x.has_all = true;
    invocation_of(graph, x.next) = {g.next_release, 0, 0};
    log_->released(graph, g.next_release, std::max<ticks>(0, runtime::now() - start_ - g.next_release));
    return now;
  }
  [[nodiscard]] auto take_inputs(const node_instance& who, job_state& x, ticks now) -> bool {
    if (waits(who.graph, who.node, x.next)) { return false; }
    x.has_all = true;
    if (who.node == laid_->graphs[who.graph].output()) { return true; }
    const std::uint32_t position = position_of(who);
    x.eligible = now;
    const bool in_turn = x.free == now && node_of(who).node.parallelism != unrestricted_parallelism;
    const job_inputs in{now, invocation_of(who.graph, x.next).entered, in_turn};
    x.is_late = log_->eligible(position, x.next, in, nominal(who, x.next));
    if (guarded_[position]) { (void)guards_[position].ready(x.next, nominal(who, x.next)); }
    return true;
  }
  [[nodiscard]] auto enters_queue(const node_instance& who, const job_state& x, ticks now) -> ticks {
    const std::uint32_t position = position_of(who);
    if (!guarded_[position]) { return now; }
    auto& guard = guards_[position];
    if (guard.next() != x.next) { return no_event; }
    if (!guard.may_enter(now)) { return guard.earliest(); }
    return guard.enter(now) ? now : no_event;
  }

  const graph_layout* laid_;
  const flat_graphs* flat_;
  const graph_run_options* options_;
  graph_log* log_;
  carried_visits how_;
  std::vector<bool> guarded_;  ///< by node: its jobs enter their queue in order, a period apart
  ticks start_ = 0;
  std::vector<graph_state> graphs_;
  std::vector<job_state> jobs_;                                  ///< by task
  std::uint32_t at_ = 0;                                         ///< the task that was looked at last
  std::size_t looked_at_ = 0;                                    ///< since a job came
  ticks named_ = no_event;                                       ///< the first instant that tasks named meanwhile
  ticks next_ = 0;                                               ///< the one that they named before
  std::vector<guarded_enqueue<ticks, most_early_jobs>> guards_;  ///< by node
  std::vector<length_source> lengths_;                           ///< by task
  std::vector<std::uint32_t> stations_;                          ///< by task
};

}  // namespace takt::inline TAKT_ABI::runtime::detail
