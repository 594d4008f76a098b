// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/located.hpp>
#include <takt/model/locked_gpus/platform.hpp>
#include <takt/model/locked_gpus/validate.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/budget.hpp>
#include <takt/rules/host/engine.hpp>
#include <takt/simulation/gpusync/flatten.hpp>
#include <takt/simulation/gpusync/job_releases.hpp>
#include <takt/simulation/gpusync/section_work.hpp>
#include <takt/simulation/gpusync/simulate.hpp>
#include <takt/simulation/gpusync/stations.hpp>

namespace takt::simulation {

/// Most visits of a job: four for each operation of a GPU, five for a copy that takes two engines one by one, and four.
inline constexpr std::size_t gpusync_job_visits = max_visits_of_task;

/// What a visit of locked GPUs does, and how it takes its time.
struct gpusync_visit {
  ticks fixed = 0;                            ///< of calls and switches
  std::size_t piece = 0;                      ///< number of the work, see `work_item`
  std::size_t shift = 0;                      ///< more for jobs that move
  bool works = false;                         ///< does more than what is fixed
  std::array<ticks, distance_limit> worst{};  ///< of the work, by the distance from the GPU before
};

/// Tasks on locked GPUs as visits of the stations of a composed board. A job is a chain: CPU time; then a token around
/// CPU time and the operations of the GPU, each a lock around a step of the CPU that sets it off, the operation, and a
/// step that hears of its end; then CPU time. Locks are asked for and given back on a CPU, so steps need one even where
/// they take no time. Copies of state are left out unless the job moves.
template <std::size_t MaxTasks>
struct composed_gpusync {
  static constexpr std::size_t max_visits = MaxTasks * gpusync_job_visits;
  using table_type = visit_table<MaxTasks, max_visits>;

  gpu_system system{};
  std::vector<task_releases> jobs{};
  std::vector<detail::point_rule> points{};
  std::vector<gpusync_visit> visits{};
  table_type table{};
  model_error error{};
};

namespace detail {

/// What only the simulator of locked GPUs knows.
[[nodiscard]] inline auto not_composed(const gpusync_simulation_options& o) -> model_error {
  if (o.budgets != overrun_policy::none) { return unused("budgets"); }
  if (!o.aberrant.empty()) { return unused("aberrant"); }
  return {};
}

/// Writes the chain of one task.
template <std::size_t MaxTasks>
class gpusync_chain {
 public:
  gpusync_chain(composed_gpusync<MaxTasks>& out, std::uint32_t task)
      : out_{&out}, layout_{out.system}, program_{&out.system.programs[task]}, task_{task} {}

  /// False when a job has too many visits.
  [[nodiscard]] auto write() -> bool {
    const section_program& p = *program_;
    const request_costs& costs = out_->system.costs;
    if (p.gpu_cluster == no_cluster) {
      step(p.cpu_before + p.cpu_after);
      return fits_;
    }
    step(p.cpu_before + costs.before_lock);
    const std::size_t token = open_token();
    const bool moves = out_->system.pools[static_cast<std::size_t>(p.gpu_cluster)].tokens.gpus > 1;
    const std::vector<section_step> moving = moves ? state_steps() : std::vector<section_step>{};
    const std::vector<section_step> always = steps_of_all();
    shift_ = moving.size();
    work(p.cpu_first, 0, always.empty() ? 0 : costs.before_lock, always.empty() ? unit_need::time : unit_need::step,
         token);
    if (!moving.empty() && always.empty()) {
      add(cpu_station(), {.fixed = costs.before_lock}, unit_need::step, true, token);
    }
    const std::size_t all = moving.size() + always.size();
    for (std::size_t k = 0; k < all; ++k) {
      const bool moved = k < moving.size();
      operation(moved ? moving[k] : always[k - moving.size()], moved ? k : k - moving.size(), moved, k + 1 < all,
                token);
    }
    work(p.cpu_last, 1, costs.after_grant, unit_need::step, token);
    step(costs.after_unlock + p.cpu_after);
    return fits_;
  }

 private:
  static constexpr std::size_t no_section = ~std::size_t{0};

  [[nodiscard]] auto engine_station() const noexcept -> std::uint32_t {
    return static_cast<std::uint32_t>(out_->system.clusters);
  }
  [[nodiscard]] auto cpu_station() const noexcept -> std::uint32_t {
    return static_cast<std::uint32_t>(program_->cpu_cluster);
  }

  /// Time on a CPU, then a call of the token's lock or the end.
  void step(ticks time) { add(cpu_station(), {.fixed = time}, unit_need::step, false, no_section); }
  void work(ticks worst, std::size_t piece, ticks fixed, unit_need need, std::size_t token) {
    gpusync_visit v{.fixed = fixed, .piece = piece, .works = worst > 0};
    v.worst.fill(worst);
    add(cpu_station(), v, need, false, token);
  }

  [[nodiscard]] auto state_steps() const -> std::vector<section_step> {
    std::vector<section_step> out;
    switch (out_->system.migration) {
      case migration_path::none: break;
      case migration_path::system_memory:
        for (const ticks t : program_->state_in) { out.push_back({section_engine::copy_in, t}); }
        break;
      case migration_path::peer_to_peer:
        for (const ticks t : program_->state_peer[0]) { out.push_back({section_engine::peer, t}); }
        break;
    }
    return out;
  }

  /// Of every job: those of the task, and copies of its state that it leaves in system memory.
  [[nodiscard]] auto steps_of_all() const -> std::vector<section_step> {
    std::vector<section_step> out = program_->steps;
    switch (out_->system.migration) {
      case migration_path::none:
      case migration_path::peer_to_peer: break;
      case migration_path::system_memory:
        for (const ticks t : program_->state_out) { out.push_back({section_engine::copy_out, t}); }
        break;
    }
    return out;
  }

  auto open_token() -> std::size_t {
    const token_map& map = out_->system.pools[static_cast<std::size_t>(program_->gpu_cluster)].tokens;
    visit_section s{.task = task_, .tokens = static_cast<std::uint32_t>(program_->gpu_cluster)};
    s.units = map.gpus;
    switch (map.layout) {
      case token_layout::block: s.together = map.tokens_per_gpu; break;
      case token_layout::interleaved: s.together = 1; break;
    }
    return open(s);
  }
  auto open(const visit_section& s) -> std::size_t {
    fits_ = out_->table.sections.push_back(s) && fits_;
    return out_->table.sections.size() - 1;
  }
  /// The lock of an engine on the GPU of the token, or of the GPU before.
  [[nodiscard]] auto lock_of(section_engine what, token_place place) const -> visit_section {
    const std::int32_t a = program_->gpu_cluster;
    const auto first = [&](section_engine e) { return static_cast<std::uint32_t>(layout_.engines(a, e, 0, 0)[0]); };
    const std::int32_t gpus = out_->system.pools[static_cast<std::size_t>(a)].tokens.gpus;
    visit_section s{.task = task_, .tokens = first(what)};
    s.stride = gpus > 1 ? layout_.engines(a, what, 1, 1)[0] - layout_.engines(a, what, 0, 0)[0] : 0;
    s.place = place;
    s.tokens_of_last = first(section_engine::copy_out);
    return s;
  }

  void operation(const section_step& o, std::size_t k, bool after_move, bool asks_next, std::size_t token) {
    const request_costs& costs = out_->system.costs;
    std::size_t outer = no_section;
    std::size_t inner = no_section;
    if (o.engine != section_engine::peer) {
      inner = open(lock_of(o.engine, token_place::own));
    } else if (out_->system.peer_engines_together) {
      outer = open(lock_of(section_engine::copy_in, token_place::last));
      inner = open(lock_of(section_engine::copy_in, token_place::own));
    } else {
      outer = open(lock_of(section_engine::copy_in, token_place::first_of_both));
      inner = open(lock_of(section_engine::copy_in, token_place::last_of_both));
      add(cpu_station(), {}, unit_need::step, true, token, outer);
    }
    gpusync_visit v{.piece = k + 2, .shift = after_move ? 0 : shift_, .works = true};
    v.worst.fill(o.time);
    if (o.engine == section_engine::peer) {
      for (std::size_t d = 0; d < distance_limit; ++d) { v.worst[d] = program_->state_peer[d][k]; }
    }
    add(cpu_station(), {.fixed = costs.after_grant}, unit_need::start, after_move, token, outer, inner);
    add(engine_station(), v, unit_need::time, after_move, token, outer, inner);
    add(cpu_station(), {.fixed = costs.after_wait}, unit_need::step, after_move, token, outer, inner);
    const ticks between = costs.after_unlock + (asks_next ? costs.before_lock : 0);
    add(cpu_station(), {.fixed = between}, asks_next ? unit_need::step : unit_need::time, after_move, token);
  }

  void add(std::uint32_t station, const gpusync_visit& v, unit_need need, bool after_move, std::size_t token,
           std::size_t outer = no_section, std::size_t inner = no_section) {
    const auto [least, most] = std::ranges::minmax(v.worst);
    const ticks lower = v.fixed + (v.works ? std::min<ticks>(least, 1) : 0);
    const ticks upper = v.fixed + (v.works ? most : 0);
    if (!fits_ || !out_->table.add_next(station, lower, upper)) {
      fits_ = false;
      return;
    }
    visit_record& x = out_->table.visits.back();
    x.need = need;
    x.after_move = after_move;
    out_->visits.push_back(v);
    for (const std::size_t s : {token, outer, inner}) {
      if (s != no_section) { out_->table.sections[s].visits |= visit_mask{1} << x.position; }
    }
  }

  composed_gpusync<MaxTasks>* out_;
  engine_layout layout_;
  const section_program* program_;
  std::uint32_t task_;
  std::size_t shift_ = 0;  ///< copies of state before the other operations
  bool fits_ = true;
};

/// Releases and lengths of a run, and who hears of it.
template <std::size_t MaxTasks, SectionWork Work, TraceRecorder Recorder>
class gpusync_choices {
 public:
  gpusync_choices(const composed_gpusync<MaxTasks>& of, std::span<const gpusync_move> moves, const Work& work,
                  Recorder& recorder)
      : of_{&of}, layout_{of.system}, moves_{moves}, work_{&work}, recorder_{&recorder} {}

  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const task_releases& all = of_->jobs[task];
    if (job >= all.size()) { return longest_run + 1; }
    return all[job].release - (job == 0 ? 0 : all[job - 1].release);
  }
  [[nodiscard]] static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks {
    return 0;
  }
  [[nodiscard]] auto length(const visit_record& v, std::uint64_t job) -> ticks {
    job_[v.task] = job;
    const gpusync_visit& x = of_->visits[of_->table.tasks[v.task].first_visit + v.position];
    if (!x.works) { return x.fixed; }
    const gpusync_move& move = moves_[v.task];
    const std::size_t piece = x.piece + (move.moved ? x.shift : 0);
    return x.fixed + work_->time({v.task, job, piece}, x.worst[static_cast<std::size_t>(move.distance)]);
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks time) const {
    recorder_->record(mark{mark_kind::completion, task, job, time});
  }
  [[nodiscard]] auto sink() -> slice_sink {
    return {this, [](void* self, client v, std::int32_t unit, ticks from, ticks to) {
              static_cast<gpusync_choices*>(self)->note(v, unit, from, to);
            }};
  }

  static constexpr ticks longest_run = never / 4;

 private:
  void note(client v, std::int32_t unit, ticks from, ticks to) const {
    const visit_record& x = of_->table.visits[v];
    const bool on_cpu = x.station < static_cast<std::uint32_t>(of_->system.clusters);
    const auto first = static_cast<std::int32_t>(x.station) * of_->system.processors;
    const track where = on_cpu ? track{.where = stage::cpu, .index = first + unit} : layout_.shown(unit);
    recorder_->record(slice{x.task, x.position, job_[x.task], where, from, to});
  }

  const composed_gpusync<MaxTasks>* of_;
  engine_layout layout_;
  std::span<const gpusync_move> moves_;
  const Work* work_;
  Recorder* recorder_;
  std::array<std::uint64_t, MaxTasks> job_{};
};

}  // namespace detail

/// Tasks of locked GPUs and their releases, flattened. Error: what `simulate` says of them, and what visits do not say:
/// budgets, kernels that run several times, deadlines beyond the period, and jobs of more than `gpusync_job_visits`.
template <GpusyncPlatform P, class Table>
  requires std::same_as<typename P::number, ticks> && std::same_as<typename Table::number, ticks>
[[nodiscard]] auto compose(const P& platform, const Table& tasks, const gpusync_simulation_options& options)
    -> std::unique_ptr<composed_gpusync<Table::max_tasks>> {
  auto out = std::make_unique<composed_gpusync<Table::max_tasks>>();
  const gpusync_configuration& c = platform.configuration();
  constexpr model_error too_long{.fault = model_fault::time_overflow};
  out->error = validate_gpusync(platform, tasks);
  if (!out->error) { out->error = detail::options_fault(c, tasks, options); }
  if (!out->error) { out->error = detail::not_composed(options); }
  if (!out->error && options.overheads && !detail::are_short(platform.overheads)) { out->error = too_long; }
  if (!out->error && !jobs_fit(tasks.tasks, options.horizon)) { out->error.fault = model_fault::too_many_jobs; }
  if (out->error) { return out; }
  out->system = detail::flatten(platform, tasks, options);
  out->points.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const section_program& p = out->system.programs[i];
    const ticks demand =
        options.fair_demands.empty() ? p.cpu_before + p.longest_section + p.cpu_after : options.fair_demands[i];
    if (!detail::point_rule_of(c, tasks.tasks[i], demand, out->points[i])) { out->error = too_long; }
  }
  if (!out->error && !detail::jobs_of(c, tasks, out->system, options, out->jobs)) { out->error = too_long; }
  if (!out->error) { out->error.fault = detail::size_fault(out->system, out->jobs, options); }
  for (std::uint32_t i = 0; i < tasks.size() && !out->error; ++i) {
    const auto& t = tasks.tasks[i];
    static_cast<void>(
        out->table.add_task({.name = t.name, .period = t.period, .deadline = t.deadline, .priority = t.priority}));
    if (!detail::gpusync_chain<Table::max_tasks>{*out, i}.write()) {
      out->error = fault_at(model_fault::too_many_visits, i);
    }
  }
  const engine_layout layout(out->system);
  if (!out->error) {
    out->error = validate(out->table, static_cast<std::size_t>(out->system.clusters) + 1,
                          static_cast<std::size_t>(layout.size()), section_shapes::nested);
  }
  out->error = located(out->error, tasks.tasks);
  return out;
}

/// Lets them run on the engine of composed boards. `recorder` hears of slices, whose segments are visits, and of jobs
/// that end. Pre: no error. Cost: see `engine`.
template <std::size_t MaxTasks, SectionWork Work, TraceRecorder Recorder>
auto run(const composed_gpusync<MaxTasks>& tasks, const Work& work, std::uint64_t seed, Recorder& recorder)
    -> simulation_result<MaxTasks, composed_gpusync<MaxTasks>::max_visits> {
  constexpr std::size_t visits = composed_gpusync<MaxTasks>::max_visits;
  std::vector<affinity_memory<MaxTasks>> memories;
  memories.reserve(tasks.system.pools.size());
  for (const simulated_pool& p : tasks.system.pools) { memories.emplace_back(tasks.system, p, seed); }
  std::vector<gpusync_move> moves(MaxTasks);
  std::vector<std::uint32_t> sections;
  for (const visit_section& s : tasks.table.sections) { sections.push_back(s.task); }
  using stations = gpusync_stations<MaxTasks>;
  const stations places{tasks.system, tasks.points, sections, memories, moves};
  using choices_type = detail::gpusync_choices<MaxTasks, Work, Recorder>;
  choices_type choices{tasks, moves, work, recorder};
  const auto apart = std::make_unique<host::engine<stations, MaxTasks, visits, choices_type>>(tasks.table, places, choices);
  return apart->run(choices_type::longest_run, choices.sink());
}

}  // namespace takt::simulation
