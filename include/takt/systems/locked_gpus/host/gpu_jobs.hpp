// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/host/lock_bank.hpp>
#include <takt/host/lock_log.hpp>
#include <takt/host/lock_stations.hpp>
#include <takt/host/run_choices.hpp>
#include <takt/host/section_locks.hpp>
#include <takt/host/standstill.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/job_priority.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/rules/servers/turn_server.hpp>
#include <takt/systems/locked_gpus/host/affinity_advice.hpp>
#include <takt/systems/locked_gpus/host/engine_layout.hpp>
#include <takt/systems/locked_gpus/host/job_chain.hpp>
#include <takt/systems/locked_gpus/host/memory_bus.hpp>
#include <takt/systems/locked_gpus/host/section_jobs.hpp>
#include <takt/systems/locked_gpus/host/section_work.hpp>
#include <takt/systems/locked_gpus/host/system.hpp>

namespace takt::inline TAKT_ABI::host {

namespace detail {

/// Most tokens of a GPU cluster.
inline constexpr std::size_t most_simulated_tokens = 256;

}  // namespace detail

struct timed_job {
  ticks release = 0;
  priority_point priority{};
};
/// Holds the releases of one task, ascending.
using task_releases = std::vector<timed_job>;

/// Holds what a run of locked GPUs was, job by job.
struct gpu_run {
  std::vector<task_jobs> tasks;
  lock_result locks;
  std::vector<token_section> sections;  ///< in the order in which their tokens were given back
};

/// Tells a recorder that listens to it which job held which token when. Pre: requests are of jobs of the run.
template <TraceRecorder Recorder>
void record_tokens(const gpu_system& system, const gpu_run& run, Recorder& recorder) {
  if constexpr (requires(const token_hold& h) { recorder.record(h); }) {
    const detail::engine_layout layout{system};
    for (const request_outcome& q : run.locks.requests) {
      if (!layout.is_pool(q.resource) || q.satisfied == no_instant) { continue; }
      const auto of = std::ranges::find_if(
          run.tasks, [&q](const task_jobs& r) { return r.first_job <= q.job && q.job < r.first_job + r.job_count; });
      TAKT_EXPECTS(of != run.tasks.end());
      recorder.record(token_hold{.task = static_cast<std::uint32_t>(of - run.tasks.begin()),
                                 .job = q.job - of->first_job,
                                 .pool = q.resource,
                                 .token = q.replica,
                                 .asked = q.issued,
                                 .start = q.satisfied,
                                 .end = q.released == no_instant ? run.locks.end : q.released});
    }
  }
}

namespace detail {

template <std::size_t MaxTasks, class TokenRules>
using gpu_tokens = r2dglp<most_simulated_tokens, MaxTasks, affinity_advice<MaxTasks>, TokenRules>;

template <std::size_t MaxTasks, class TokenRules>
using gpu_bank =
    lock_bank<gpu_tokens<MaxTasks, TokenRules>, ck_omlp<most_simulated_tokens, MaxTasks>, ordered_mutex<MaxTasks>>;

/// Returns whether the tasks of a GPU cluster have GPUs for themselves.
[[nodiscard]] inline auto has_own_gpus(const gpu_system& s, std::size_t gpu_cluster) -> bool {
  return std::ranges::any_of(s.programs, [gpu_cluster](const section_program& p) {
    return p.gpu_cluster == static_cast<std::int32_t>(gpu_cluster) && p.own_gpu != no_gpu;
  });
}

/// Returns whether any heuristic chooses which GPU a job gets.
[[nodiscard]] constexpr auto advises(gpu_choice choice) noexcept -> bool {
  switch (choice) {
    case gpu_choice::shortest_queue: return false;
    case gpu_choice::random:
    case gpu_choice::predicted: return true;
  }
  return false;
}

/// Makes the locks. With donation at release, holders are on a CPU whenever they are ready, and nothing is inherited.
/// Then one queue suffices, too, where no heuristic chooses which GPU a job gets.
template <std::size_t MaxTasks, class TokenRules>
[[nodiscard]] auto make_bank(const gpu_system& s, std::vector<affinity_memory<MaxTasks>>& memories,
                             const resource_options& engines) -> gpu_bank<MaxTasks, TokenRules> {
  gpu_bank<MaxTasks, TokenRules> bank;
  for (std::size_t a = 0; a < s.pools.size(); ++a) {
    const simulated_pool& p = s.pools[a];
    const resource_options options{.progress =
                                       s.donation_at_release ? any_progress{no_progress{}} : priority_inheritance{}};
    if (s.donation_at_release && !advises(s.choice) && !has_own_gpus(s, a)) {
      bank.add(ck_omlp<most_simulated_tokens, MaxTasks>{p.tokens.tokens()}, options);
      continue;
    }
    const r2dglp_options o{.replicas = p.tokens.tokens(), .cluster = p.sharing_cpus, .queue_limit = p.queue_limit};
    using advice = affinity_advice<MaxTasks>;
    bank.add(gpu_tokens<MaxTasks, TokenRules>{o, advice{memories[a]}}, options);
  }
  const engine_layout layout(s);
  for (auto r = static_cast<resource_id>(s.pools.size()); r < layout.size(); ++r) {
    bank.add(ordered_mutex<MaxTasks>{s.engines}, engines);
  }
  return bank;
}

[[nodiscard]] inline auto ranges_of(std::span<const std::size_t> jobs) -> std::vector<task_jobs> {
  std::vector<task_jobs> out;
  for (const std::size_t n : jobs) {
    out.push_back({out.empty() ? 0 : out.back().first_job + out.back().job_count, n});
  }
  return out;
}
[[nodiscard]] inline auto clusters_of(const gpu_system& s) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (const section_program& p : s.programs) { out.push_back(p.cpu_cluster); }
  return out;
}

/// Says how much of a run is open, and what hears of it.
struct gpu_run_setup {
  cluster_shape shape{};
  resource_options engines{};
  budget_rules budgets{};
  bool varies = false;  ///< see `section_jobs`
  bus_interference bus{};
  std::uint64_t seed = 1;
};

/// Holds everything about jobs on locked GPUs that the engine asks and tells: choices and locks.
template <std::size_t MaxTasks, class TokenRules, SectionWork Work, class Releases, TraceRecorder Recorder>
class gpu_jobs {
 public:
  using donation_rules = takt::donation_rules;
  using table_type = visit_table<MaxTasks, MaxTasks * gpu_visits>;

  /// All that is passed by reference outlives it.
  gpu_jobs(const gpu_system& system, std::span<const std::size_t> jobs, Releases& releases, const Work& work,
           const gpu_run_setup& setup, Recorder& recorder)
      : system_{&system},
        layout_{system},
        setup_{setup},
        releases_{&releases},
        recorder_{&recorder},
        memories_{memories_of(system, setup.seed)},
        bank_{make_bank<MaxTasks, TokenRules>(system, memories_, setup.engines)},
        log_{ranges_of(jobs), clusters_of(system), system.processors},
        jobs_{system, memories_, work, setup.budgets, setup.varies},
        bus_{setup.bus},
        places_(MaxTasks) {
    write_chains(system, table_);
    sections_.reserve(table_.sections.size());
    for (std::uint32_t s = 0; s < table_.sections.size(); ++s) {
      const std::uint32_t task = table_.sections[s].task;
      const bool first = s == 0 || table_.sections[s - 1].task != task;
      sections_.push_back({task, first ? section_lock::token : next_of(sections_.back().what)});
    }
  }

  [[nodiscard]] auto table() const noexcept -> const table_type& { return table_; }
  /// Room for so much of the result, so that none is taken later.
  void reserve(std::size_t requests, std::size_t sections) {
    log_.seen().requests.reserve(requests);
    jobs_.sections().reserve(sections);
  }
  auto result() -> gpu_run { return {log_.tasks(), std::move(log_.seen()), std::move(jobs_.sections())}; }

  // What stations ask.

  [[nodiscard]] auto shape() const noexcept -> const cluster_shape& { return setup_.shape; }
  [[nodiscard]] auto bank() noexcept -> auto& { return bank_; }
  [[nodiscard]] auto log() noexcept -> lock_log& { return log_; }
  [[nodiscard]] auto places() noexcept -> queue_position* { return places_.data(); }
  [[nodiscard]] auto bus() noexcept -> memory_bus& { return bus_; }
  [[nodiscard]] auto uses_bus(client v) const -> bool {
    return jobs_.uses_bus(table_.visits[v].task, visit_of(table_.visits[v]));
  }
  [[nodiscard]] auto donates(std::size_t lock) const noexcept -> bool {
    return setup_.shape.donates && lock < system_->pools.size();
  }
  [[nodiscard]] auto task_of(std::uint32_t section) const -> std::uint32_t { return sections_[section].task; }
  [[nodiscard]] auto pool_of(std::uint32_t section) const -> std::uint32_t {
    const auto [task, what] = sections_[section];
    if (what == section_lock::token) { return static_cast<std::uint32_t>(system_->programs[task].gpu_cluster); }
    const engine_pair engines = jobs_.engines_of(task);
    if (what == section_lock::engine) { return static_cast<std::uint32_t>(engines.back()); }
    return engines.size() > 1 ? static_cast<std::uint32_t>(engines[0]) : host::no_pool;
  }
  void granted(std::size_t task, resource_id lock, replica_id token) {
    if (layout_.is_pool(lock)) { jobs_.granted(task, log_.job_of(task), token); }
  }
  void releasing(std::size_t task, resource_id lock) {
    if (layout_.is_pool(lock)) { jobs_.releasing(task); }
  }

  // What the engine asks.

  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks
    requires(!host::BringsJobs<Releases>)
  {
    return releases_->gap(task, job);
  }
  [[nodiscard]] static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks {
    return 0;
  }
  [[nodiscard]] auto next_job() const -> ticks
    requires host::BringsJobs<Releases>
  {
    return releases_->next_job();
  }
  [[nodiscard]] auto comes(ticks now, host::coming_job& next) const -> bool
    requires host::BringsJobs<Releases>
  {
    return releases_->comes(now, next);
  }
  [[nodiscard]] auto length(const visit_record& v, std::uint64_t /*job*/) -> ticks {
    const ticks alone = jobs_.length(v.task, visit_of(v));
    return bus_.interferes() && jobs_.uses_bus(v.task, visit_of(v)) ? bus_.time(alone) : alone;
  }
  [[nodiscard]] auto skips(std::uint32_t v, std::uint64_t /*job*/) const -> bool {
    return jobs_.skips(table_.visits[v].task, visit_of(table_.visits[v]));
  }
  [[nodiscard]] auto again(std::uint32_t v, std::uint64_t /*job*/) -> visit_mask {
    const visit_record& x = table_.visits[v];
    return visit_of(x) == gpu_visit::go_on && jobs_.again(x.task) ? operation_visits : 0;
  }
  [[nodiscard]] auto worked(ticks clock) const -> ticks
    requires host::StandsStill<Releases>
  {
    return releases_->worked(clock);
  }
  [[nodiscard]] auto clock_at(ticks worked) const -> ticks
    requires host::StandsStill<Releases>
  {
    return releases_->clock_at(worked);
  }
  [[nodiscard]] auto drops(std::uint32_t task, ticks nominal, ticks now) const -> bool
    requires host::DropsReleases<Releases>
  {
    return releases_->drops(task, nominal, now);
  }
  template <class Run>
  void passes(const Run& run, ticks now) {
    if constexpr (requires { releases_->passes(now); }) { releases_->passes(now); }
    if (setup_.shape.slice > 0 && log_.now() < now) {
      log_.ranked([this](std::uint32_t i) { return places_[i].point; });
    }
    log_.passes(run, now);
  }
  void released(std::uint32_t task, std::uint64_t job, [[maybe_unused]] ticks now) {
    const timed_job& j = releases_->of(task, job);
    places_[task] = {j.priority, 0};
    log_.released(task, job, j.release, j.priority);
    jobs_.began(task, static_cast<std::size_t>(job));
    if constexpr (requires { releases_->released(task, now); }) { releases_->released(task, now); }
    recorder_->record(mark{mark_kind::release, task, job, j.release});
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    recorder_->record(mark{mark_kind::completion, task, job, now});
    log_.completed(task, now);
    releases_->completed(task, now);
  }
  [[nodiscard]] auto sink() -> slice_sink {
    return {this, [](void* self, client v, std::int32_t unit, ticks from, ticks to) {
              static_cast<gpu_jobs*>(self)->note(v, unit, from, to);
            }};
  }

 private:
  struct section_use {
    std::uint32_t task = 0;
    section_lock what = section_lock::token;
  };

  [[nodiscard]] static auto next_of(section_lock l) noexcept -> section_lock {
    switch (l) {
      case section_lock::token: return section_lock::first_engine;
      case section_lock::first_engine:
      case section_lock::engine: return section_lock::engine;
    }
    return section_lock::engine;
  }
  [[nodiscard]] static auto visit_of(const visit_record& v) noexcept -> gpu_visit {
    return gpu_visit{static_cast<std::uint8_t>(v.position)};
  }
  [[nodiscard]] static auto memories_of(const gpu_system& s, std::uint64_t seed)
      -> std::vector<affinity_memory<MaxTasks>> {
    std::vector<affinity_memory<MaxTasks>> out;
    out.reserve(s.pools.size());
    for (const simulated_pool& p : s.pools) { out.emplace_back(s, p, seed); }
    return out;
  }
  /// A job that waits on its CPU does nothing there.
  void note(client v, std::int32_t unit, ticks from, ticks to) const {
    const visit_record& x = table_.visits[v];
    if (log_.waits(x.task)) { return; }
    const bool on_cpu = x.station < static_cast<std::uint32_t>(system_->clusters);
    const auto first = static_cast<std::int32_t>(x.station) * system_->processors;
    const track where = on_cpu ? track{.where = stage::cpu, .index = first + unit} : layout_.shown(unit);
    const std::uint64_t job = log_.job_of(x.task) - log_.tasks()[x.task].first_job;
    const auto tell = [&](ticks begin, ticks end) {
      recorder_->record(slice{x.task, x.position, job, where, begin, end});
    };
    if constexpr (requires { releases_->clock; }) {
      releases_->clock.each_part(from, to, tell);
    } else {
      tell(from, to);
    }
  }

  const gpu_system* system_;
  engine_layout layout_;
  gpu_run_setup setup_;
  Releases* releases_;
  Recorder* recorder_;
  std::vector<affinity_memory<MaxTasks>> memories_;
  gpu_bank<MaxTasks, TokenRules> bank_;
  lock_log log_;
  section_jobs<MaxTasks, Work> jobs_;
  memory_bus bus_;
  std::vector<queue_position> places_;
  table_type table_{};
  std::vector<section_use> sections_;
};

}  // namespace detail

}  // namespace takt::inline TAKT_ABI::host
