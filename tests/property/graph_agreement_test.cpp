// SPDX-License-Identifier: Apache-2.0
// The engine of composed boards and the simulator of graphs see the same of whole graphs: who held which processor,
// copy engine and SM, and when each job of each node ended.
//
// To the engine a graph of which k invocations are under way is k sporadic tasks of k times its period. What joins jobs
// of a graph holds visits back: edges to later jobs, limits on the jobs of a node, guards before queues. Two things are
// not in it. Streams per task are refused by every board of graphs (docs/errors.md#E66). Tasks without a clock, whose
// nominal releases follow from tokens, belong to no board: their priorities are not known when their graph is invoked.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include <takt/rules/block_queue_rule.hpp>
#include <takt/rules/clusters.hpp>
#include <takt/rules/guarded_enqueue.hpp>
#include "property/composed_systems.hpp"
#include "property/graph_systems.hpp"

namespace {

using graph_systems::random_run;
using graph_systems::seen_run;
using takt::ticks;
namespace sim = takt::simulation;

constexpr std::size_t most_tasks = 6;
constexpr std::size_t most_visits = 156;
constexpr ticks never = ticks{1} << 48;
using table = takt::visit_table<most_tasks, most_visits>;
using stations = takt::any_stations<4, most_visits>;
using block_rule = takt::block_queue_rule<4, 64>;

/// What a run by the engine leaves out, to see that it is missed.
enum class omission : std::uint8_t { none, edges_between_jobs, limits, guards, order_of_arrivals, offsets };

struct visit_place {
  std::uint32_t task = 0;  ///< of the workload
  std::uint32_t step = 0;
  bool first = false;
  bool last = false;
  std::int32_t where = 0;
  std::int32_t first_unit = 0;
  ticks rounds = 1;
};

/// A run as sporadic tasks: `in_flight` of each graph, one after the other.
struct flat_run {
  table set{};
  stations places{};
  std::vector<visit_place> visits{};
  std::vector<ticks> offsets{};
  std::vector<ticks> local_deadlines{};
};

auto rule_of(const random_run& run) -> takt::any_rule<most_visits> {
  const bool by_release = run.policy == takt::gel_policy::first_in_first_out;
  const bool fair = run.policy == takt::gel_policy::fair_lateness;
  if (!run.how.preemptive) {
    if (by_release) { return takt::nonpreemptive(takt::g_fifo); }
    if (fair) { return takt::nonpreemptive(takt::g_fl); }
    return takt::nonpreemptive(takt::g_edf);
  }
  if (by_release) { return takt::g_fifo; }
  if (fair) { return takt::g_fl; }
  return takt::g_edf;
}

/// Tasks of a graph such that each follows those before it within a job.
auto in_order(const random_run& run, std::uint32_t graph) -> std::vector<std::uint32_t> {
  std::vector<std::uint32_t> out;
  std::vector<bool> done(run.work.tasks.size());
  for (bool found = true; found;) {
    found = false;
    for (std::uint32_t t = 0; t < run.work.tasks.size(); ++t) {
      bool open = run.work.tasks[t].graph == graph && !done[t];
      for (const auto& e : run.work.dependencies) { open = open && (e.to != t || e.lag > 0 || done[e.from]); }
      if (!open) { continue; }
      out.push_back(t);
      done[t] = found = true;
    }
  }
  return out;
}

class flattener {
 public:
  explicit flattener(const random_run& run) : run_{&run} {}

  auto run() -> flat_run {
    std::int32_t first = 0;
    for (const std::int32_t cpus : run_->platform.clusters) {
      REQUIRE(out_.places.add(rule_of(*run_), cpus));
      first_cpu_.push_back(first);
      first += cpus;
    }
    REQUIRE(out_.places.add(takt::fifo, run_->how.copy_engines));
    const auto& p = run_->platform;
    gpu_ = block_rule{}.on(takt::block_slots(p.sms, p.threads_per_sm, p.blocks_per_sm).with_warps_of(p.warp_size));
    REQUIRE(out_.places.add(gpu_));
    for (std::uint32_t g = 0; g < run_->graphs.graphs.size(); ++g) {
      const ticks period = run_->graphs.graphs[g].period * run_->in_flight;
      for (ticks k = 0; k < run_->in_flight; ++k) {
        REQUIRE(out_.set.add_task({.name = "t", .period = period, .deadline = period}));
        add_visits(g);
      }
    }
    REQUIRE_FALSE(validate(out_.set, out_.places.size()));
    return out_;
  }

 private:
  void add_visits(std::uint32_t graph) {
    std::map<std::uint32_t, takt::visit_mask> ends;
    for (const std::uint32_t t : in_order(*run_, graph)) {
      takt::visit_mask before = 0;
      for (const auto& e : run_->work.dependencies) {
        if (e.to == t && e.lag == 0) { before |= ends[e.from]; }
      }
      const auto steps = static_cast<std::uint32_t>(run_->work.tasks[t].steps);
      for (std::uint32_t s = 0; s < std::max(steps, 1U); ++s) {
        add_step(t, s, steps, before);
        before = takt::visit_mask{1} << (out_.set.tasks.back().visit_count - 1);
      }
      ends[t] = before;
    }
  }
  void add_step(std::uint32_t task, std::uint32_t at, std::uint32_t steps, takt::visit_mask before) {
    const auto& t = run_->work.tasks[task];
    const auto station = static_cast<std::size_t>(t.cluster);
    visit_place place{.task = task, .step = at, .first = at == 0, .last = at + 1 >= steps};
    place.first_unit = first_cpu_[station];
    const sim::graph_step<ticks> none;
    const auto& s = steps == 0 ? none : run_->work.steps[t.first_step + at];
    auto where = static_cast<std::uint32_t>(station);
    ticks most = s.length;
    takt::view_values values;
    if (s.kind == takt::node_kind::copy) {
      where = static_cast<std::uint32_t>(first_cpu_.size());
      place.where = static_cast<std::int32_t>(takt::stage::copy);
      place.first_unit = 0;
    }
    if (s.kind == takt::node_kind::kernel) {
      where = static_cast<std::uint32_t>(first_cpu_.size() + 1);
      place.where = static_cast<std::int32_t>(takt::stage::kernel);
      place.first_unit = 0;
      const std::int64_t threads = takt::whole_warps(s.block.threads, gpu_.warp_size);
      place.rounds = rounds_alone(gpu_.gpu, s.blocks, threads);
      most *= place.rounds;
      values = takt::block_visit{s.blocks, threads, s.length}.values();
    }
    REQUIRE(out_.set.add_visit(where, 0, most, before, values));
    out_.visits.push_back(place);
    // A point is the nominal release of the graph plus that of the task plus what the policy adds.
    const ticks period = run_->graphs.graphs[t.graph].period;
    const ticks offset = at == 0 && !run_->how.early_release ? t.offset : 0;
    ticks point = t.priority_point.numerator();
    if (run_->policy == takt::gel_policy::fair_lateness) { point = period; }
    if (run_->policy == takt::gel_policy::first_in_first_out) { point = period * run_->in_flight; }
    if (run_->how.boost_signals && s.signals) { point -= never; }
    out_.offsets.push_back(offset);
    out_.local_deadlines.push_back(t.offset + point - offset);
  }

  const random_run* run_;
  flat_run out_{};
  std::vector<std::int32_t> first_cpu_{};
  block_rule gpu_{};
};

/// What is open in the run, and what holds jobs of a graph back for each other.
class graph_choices {
 public:
  graph_choices(const random_run& run, const flat_run& flat, omission left_out)
      : run_{&run}, flat_{&flat}, left_out_{left_out} {
    const auto& tasks = run.work.tasks;
    ended_.resize(tasks.size());
    guards_.resize(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      ended_[t].resize(run.invocations[tasks[t].graph].size());
      if (run.how.early_release && tasks[t].guarded && left_out != omission::guards) {
        guards_[t] = std::make_unique<guard>(tasks[t].period);
      }
    }
    asked_.resize(flat.visits.size());
    current_.resize(flat.visits.size());
  }

  auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto& times = run_->invocations[graph_of(task)];
    const std::uint64_t at = invocation(task, job);
    if (at >= times.size()) { return never + 1; }
    return job == 0 ? times[at] : times[at] - times[invocation(task, job - 1)];
  }
  static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  auto length(const takt::visit_record& v, std::uint64_t job) -> ticks {
    const std::uint32_t at = flat_->set.tasks[v.task].first_visit + v.position;
    const visit_place& p = flat_->visits[at];
    const auto& t = run_->work.tasks[p.task];
    current_[at] = invocation(v.task, job);
    if (t.steps == 0) { return 0; }
    return run_->lengths(p.task, p.step, current_[at], run_->work.steps[t.first_step + p.step].length) * p.rounds;
  }

  auto opens(std::uint32_t v, std::uint64_t job, ticks now) -> ticks {
    const visit_place& p = flat_->visits[v];
    const std::uint64_t n = invocation(flat_->set.visits[v].task, job);
    if (!p.first || asked_[v] > n) { return pass_guard(v, n, now); }
    if (waits_for_jobs(p.task, n)) { return takt::no_event; }
    asked_[v] = n + 1;
    if (guards_[p.task]) { REQUIRE(guards_[p.task]->ready(static_cast<std::int64_t>(n))); }
    return pass_guard(v, n, now);
  }
  void ended(std::uint32_t v, std::uint64_t job, ticks now) {
    const visit_place& p = flat_->visits[v];
    if (!p.last) { return; }
    const std::uint64_t n = invocation(flat_->set.visits[v].task, job);
    ended_[p.task][n] = true;
    seen.ends.push_back({p.task, n, now});
  }

  auto asks_before(std::uint32_t a, std::uint32_t b) const -> bool {
    const auto key = [this](std::uint32_t v) {
      const visit_place& p = flat_->visits[v];
      return std::tuple{run_->work.tasks[p.task].graph, current_[v], p.task};
    };
    return left_out_ == omission::order_of_arrivals ? key(b) < key(a) : key(a) < key(b);
  }

  void worked(std::uint32_t v, std::int32_t unit, ticks from, ticks to) {
    const visit_place& p = flat_->visits[v];
    seen.slices.push_back({p.task, p.step, current_[v], p.where, p.first_unit + unit, from, to});
  }

  seen_run seen{};

 private:
  using guard = takt::guarded_enqueue<ticks, 16>;

  [[nodiscard]] auto graph_of(std::uint32_t task) const -> std::size_t {
    return task / static_cast<std::size_t>(run_->in_flight);
  }
  [[nodiscard]] auto invocation(std::uint32_t task, std::uint64_t job) const -> std::uint64_t {
    const auto k = static_cast<std::uint64_t>(run_->in_flight);
    return job * k + task % k;
  }
  [[nodiscard]] auto waits_for_jobs(std::uint32_t task, std::uint64_t n) const -> bool {
    for (const auto& e : run_->work.dependencies) {
      const auto lag = static_cast<std::uint64_t>(e.lag);
      if (e.to != task || lag == 0 || n < lag || ended_[e.from][n - lag]) { continue; }
      if (left_out_ != omission::edges_between_jobs) { return true; }
    }
    const std::int64_t p = run_->work.tasks[task].parallelism;
    if (p == takt::unrestricted_parallelism || left_out_ == omission::limits) { return false; }
    const auto ended = std::count(ended_[task].begin(), ended_[task].end(), true);
    return static_cast<std::int64_t>(n) >= ended + p;
  }
  [[nodiscard]] auto pass_guard(std::uint32_t v, std::uint64_t n, ticks now) -> ticks {
    const auto& g = guards_[flat_->visits[v].task];
    if (!g) { return now; }
    if (g->next() != static_cast<std::int64_t>(n)) { return takt::no_event; }
    if (!g->may_enter(now)) { return g->earliest(); }
    REQUIRE(g->enter(now));
    return now;
  }

  const random_run* run_;
  const flat_run* flat_;
  omission left_out_;
  std::vector<std::vector<bool>> ended_{};        ///< by task of the workload and invocation
  std::vector<std::unique_ptr<guard>> guards_{};  ///< by task of the workload
  std::vector<std::uint64_t> asked_{};            ///< by visit: invocations that nothing but guards held
  std::vector<std::uint64_t> current_{};          ///< by visit
};
static_assert(takt::host::HoldsVisits<graph_choices> && takt::host::OrdersArrivals<graph_choices>);

auto by_engine(const random_run& run, omission left_out = omission::none) -> seen_run {
  auto flat = flattener{run}.run();
  if (left_out == omission::offsets) {
    for (std::size_t v = 0; v < flat.offsets.size(); ++v) {
      flat.local_deadlines[v] += flat.offsets[v];
      flat.offsets[v] = 0;
    }
  }
  graph_choices choices{run, flat, left_out};
  const takt::slice_sink sink{&choices, [](void* context, takt::client v, std::int32_t unit, ticks from, ticks to) {
                                static_cast<graph_choices*>(context)->worked(v, unit, from, to);
                              }};
  using engine = takt::host::engine<stations, most_tasks, most_visits, graph_choices>;
  const auto at_work = std::make_unique<engine>(flat.set, flat.places, choices, flat.offsets, flat.local_deadlines);
  static_cast<void>(at_work->run(never, sink));
  return choices.seen;
}

auto sorted(seen_run seen) -> seen_run {
  std::ranges::sort(seen.slices);
  std::ranges::sort(seen.ends);
  return seen;
}

}  // namespace

TEST_CASE("the engine and the simulator of graphs agree on every slice and every end of random graphs") {
  std::uint64_t differing = 0;
  std::uint64_t slices = 0;
  std::uint64_t ends = 0;
  for (std::uint64_t seed = 1; seed <= composed_systems::systems_or(20'000); ++seed) {
    const auto run = graph_systems::draw(seed);
    const auto old = sorted(by_graph_simulator(run));
    const auto seen = sorted(by_engine(run));
    slices += old.slices.size();
    ends += old.ends.size();
    if (old == seen) { continue; }
    ++differing;
    if (differing < 4) { MESSAGE("system " << seed << " differs"); }
  }
  MESSAGE(slices << " slices and " << ends << " ends of jobs");
  CHECK(differing == 0);
  CHECK(slices > 1'000);
}

TEST_CASE("the comparison of graphs notices whatever the engine leaves out, and a slice one tick too long") {
  using enum omission;
  for (const omission left_out : {edges_between_jobs, limits, guards, order_of_arrivals, offsets}) {
    std::uint64_t differing = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      const auto run = graph_systems::draw(seed);
      differing += sorted(by_graph_simulator(run)) == sorted(by_engine(run, left_out)) ? 0U : 1U;
    }
    MESSAGE(differing << " of 300 systems differ without part " << static_cast<int>(left_out));
    CHECK(differing > 0);
  }
  const auto run = graph_systems::draw(1);
  auto seen = sorted(by_engine(run));
  REQUIRE_FALSE(seen.slices.empty());
  ++seen.slices.front().end;
  CHECK_FALSE(sorted(by_graph_simulator(run)) == seen);
}
