// SPDX-License-Identifier: Apache-2.0
// Tasks that run, suspend themselves and lock, written as programs and run on the engine of composed boards.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <takt/host/engine.hpp>
#include <takt/host/lock_bank.hpp>
#include <takt/host/lock_log.hpp>
#include <takt/host/lock_stations.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/rules/locking/priority_donation.hpp>
#include <takt/rules/locking/token_map.hpp>
#include <takt/simulation/calendar.hpp>

namespace takt_tests {

using takt::priority_point;
using takt::ticks;
using takt::host::lock_bank;
using takt::host::lock_log;
using takt::host::lock_result;
using takt::host::resource_id;
using takt::host::task_jobs;

/// What an operation locks. Engines stand in rows, one resource per GPU side by side.
struct operand {
  resource_id resource = 0;
  bool of_token = false;  ///< `resource` is that of GPU 0, and that of the GPU of the held token is meant

  [[nodiscard]] friend auto operator==(const operand&, const operand&) -> bool = default;
};
enum class operation_kind : std::uint8_t { execute, suspend, lock, unlock };
struct operation {
  operation_kind what = operation_kind::execute;
  ticks time = 0;
  std::vector<operand> on{};
};
struct program_job {
  ticks release = 0;
  priority_point priority{};
};
struct program_task {
  std::int32_t cluster = 0;
  std::vector<operation> operations{};
  std::vector<program_job> jobs{};
};

/// Written task by task: `w.task().execute(1).lock(r).suspend(4).unlock(r).released(0, {1})`. A lock takes a processor,
/// though no time, and a suspension begins when its job is scheduled there.
class lock_programs {
 public:
  auto task(std::int32_t cluster = 0) -> lock_programs& {
    tasks.push_back({.cluster = cluster});
    return *this;
  }
  auto execute(ticks time) -> lock_programs& { return add({operation_kind::execute, time}); }
  auto suspend(ticks time) -> lock_programs& { return add({operation_kind::suspend, time}); }
  auto lock(resource_id r) -> lock_programs& { return lock(std::array{operand{r}}); }
  auto unlock(resource_id r) -> lock_programs& { return unlock(std::array{operand{r}}); }
  auto lock_of_token(resource_id row) -> lock_programs& { return lock(std::array{operand{row, true}}); }
  auto unlock_of_token(resource_id row) -> lock_programs& { return unlock(std::array{operand{row, true}}); }
  auto lock(std::span<const operand> group) -> lock_programs& {
    return add({operation_kind::lock, 0, {group.begin(), group.end()}});
  }
  auto unlock(std::span<const operand> group) -> lock_programs& {
    return add({operation_kind::unlock, 0, {group.begin(), group.end()}});
  }
  auto released(ticks release, priority_point priority) -> lock_programs& {
    tasks.back().jobs.push_back({release, priority});
    return *this;
  }
  /// The GPU of each replica of a resource. Others inside it are engines.
  auto token_pool(resource_id r, const takt::token_map& map) -> lock_programs& {
    pools.emplace_back(r, map);
    return *this;
  }

  std::vector<program_task> tasks{};
  std::vector<std::pair<resource_id, takt::token_map>> pools{};

 private:
  auto add(operation o) -> lock_programs& {
    tasks.back().operations.push_back(std::move(o));
    return *this;
  }
};

struct lock_options {
  std::int32_t processors = 1;  ///< per cluster
  std::int32_t clusters = 1;
  bool donation_at_release = false;
  ticks until = takt::simulation::never / 4;
  ticks slice = 0;
};

/// Positions of jobs among all of them, task by task.
[[nodiscard]] inline auto job_ranges(const lock_programs& w) -> std::vector<task_jobs> {
  std::vector<task_jobs> out;
  for (const program_task& t : w.tasks) {
    out.push_back({out.empty() ? 0 : out.back().first_job + out.back().job_count, t.jobs.size()});
  }
  return out;
}

namespace detail {

inline void expect(bool holds) {
  if (!holds) { throw std::logic_error("a program of locks does not fit the table of visits"); }
}

template <std::size_t MaxTasks>
using program_table = takt::visit_table<MaxTasks, MaxTasks * takt::max_visits_of_task>;

/// Each operation as visits: locks and ends are steps, suspensions start from a processor, and so does an execution
/// that takes no time. `uses` has the operand of each section.
template <std::size_t MaxTasks>
void write(const lock_programs& w, const lock_options& o, program_table<MaxTasks>& table, std::vector<operand>& uses) {
  const auto elsewhere = static_cast<std::uint32_t>(o.clusters);
  for (const program_task& t : w.tasks) {
    expect(table.add_task({.name = "t", .period = 1, .deadline = 1}));
    const auto cpu = static_cast<std::uint32_t>(t.cluster);
    std::vector<std::size_t> open;
    const auto add = [&](std::uint32_t station, ticks time, takt::unit_need need) {
      expect(table.add_next(station, time, time));
      takt::visit_record& v = table.visits.back();
      v.need = need;
      for (const std::size_t s : open) { table.sections[s].visits |= takt::visit_mask{1} << v.position; }
    };
    for (const operation& x : t.operations) {
      switch (x.what) {
        case operation_kind::execute:
          add(cpu, x.time, x.time > 0 ? takt::unit_need::time : takt::unit_need::start);
          break;
        case operation_kind::suspend:
          add(cpu, 0, takt::unit_need::start);
          add(elsewhere, x.time, takt::unit_need::time);
          break;
        case operation_kind::lock:
          add(cpu, 0, takt::unit_need::step);
          for (const operand& u : x.on) {
            open.push_back(table.sections.size());
            expect(table.sections.try_push_back({static_cast<std::uint32_t>(table.size() - 1), 0, 0}));
            uses.push_back(u);
          }
          break;
        case operation_kind::unlock:
          add(cpu, 0, takt::unit_need::step);
          for (const operand& u : x.on) {
            std::erase_if(open, [&](std::size_t s) { return uses[s] == u; });
          }
          break;
      }
    }
    expect(open.empty());
    add(cpu, 0, takt::unit_need::step);
  }
}

template <class Bank, std::size_t MaxTasks, class DonationRules, takt::TraceRecorder Recorder>
class program_jobs {
 public:
  using donation_rules = DonationRules;

  program_jobs(const lock_programs& w, Bank& bank, const lock_options& o, Recorder& recorder)
      : of_{&w},
        bank_{&bank},
        recorder_{&recorder},
        shape_{o.processors, o.clusters, o.donation_at_release, o.slice},
        log_{job_ranges(w), clusters_of(w), o.processors},
        places_(MaxTasks) {
    expect(w.tasks.size() <= MaxTasks);
    write<MaxTasks>(w, o, table_, uses_);
    expect(
        !takt::validate(table_, static_cast<std::size_t>(o.clusters) + 1, bank.size(), takt::section_shapes::nested));
  }
  [[nodiscard]] auto table() const -> const program_table<MaxTasks>& { return table_; }
  [[nodiscard]] auto shape() const -> const takt::host::cluster_shape& { return shape_; }
  [[nodiscard]] auto bank() -> Bank& { return *bank_; }
  [[nodiscard]] auto log() -> lock_log& { return log_; }
  [[nodiscard]] auto places() -> takt::queue_position* { return places_.data(); }
  [[nodiscard]] auto donates(std::size_t /*lock*/) const -> bool { return shape_.donates; }
  [[nodiscard]] auto task_of(std::uint32_t s) const -> std::uint32_t { return table_.sections[s].task; }
  [[nodiscard]] auto pool_of(std::uint32_t s) const -> std::uint32_t {
    const std::uint32_t gpu = uses_[s].of_token ? static_cast<std::uint32_t>(gpu_[task_of(s)]) : 0;
    return static_cast<std::uint32_t>(uses_[s].resource) + gpu;
  }
  void granted(std::size_t task, resource_id lock, takt::replica_id replica) {
    for (const auto& [pool, map] : of_->pools) {
      if (pool == lock) { gpu_[task] = map.gpu_of(replica); }
    }
  }
  static void releasing(std::size_t /*task*/, resource_id /*lock*/) {}

  [[nodiscard]] auto gap(std::uint32_t task, std::uint64_t job, ticks /*period*/) const -> ticks {
    const auto& jobs = of_->tasks[task].jobs;
    if (job >= jobs.size()) { return takt::simulation::never / 2; }
    return jobs[job].release - (job == 0 ? 0 : jobs[job - 1].release);
  }
  [[nodiscard]] static auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks {
    return 0;
  }
  [[nodiscard]] static auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
  template <class Run>
  void passes(const Run& run, ticks now) {
    if (shape_.slice > 0) {
      log_.ranked([this](std::uint32_t i) { return places_[i].point; });
    }
    log_.passes(run, now);
  }
  void released(std::uint32_t task, std::uint64_t job, ticks /*now*/) {
    const program_job& j = of_->tasks[task].jobs[job];
    // Between jobs of different tasks equal points are told apart by task.
    places_[task] = {{j.priority.point, static_cast<std::int32_t>(task)}, 0};
    log_.released(task, job, j.release, places_[task].point);
    recorder_->record(takt::mark{takt::mark_kind::release, task, job, j.release});
  }
  void completed(std::uint32_t task, std::uint64_t job, ticks now) {
    log_.completed(task, now);
    recorder_->record(takt::mark{takt::mark_kind::completion, task, job, now});
  }
  [[nodiscard]] auto sink() -> takt::slice_sink {
    return {this, [](void* self, takt::client v, std::int32_t unit, ticks from, ticks to) {
              static_cast<program_jobs*>(self)->note(v, unit, from, to);
            }};
  }

 private:
  [[nodiscard]] static auto clusters_of(const lock_programs& w) -> std::vector<std::int32_t> {
    std::vector<std::int32_t> out;
    for (const program_task& t : w.tasks) { out.push_back(t.cluster); }
    return out;
  }
  /// A suspension with a lock is shown on the lock's own line, all others nowhere.
  void note(takt::client v, std::int32_t unit, ticks from, ticks to) {
    const takt::visit_record& x = table_.visits[v];
    if (log_.waits(x.task)) { return; }
    takt::track where{.where = takt::stage::cpu,
                      .index = static_cast<std::int32_t>(x.station) * shape_.processors + unit};
    if (x.station == static_cast<std::uint32_t>(shape_.clusters)) {
      if (!log_.holds(x.task)) { return; }
      where = {.where = takt::stage::copy, .index = log_.latest(x.task).resource};
    }
    const std::uint64_t job = log_.job_of(x.task) - log_.tasks()[x.task].first_job;
    recorder_->record(takt::slice{x.task, x.position, job, where, from, to});
  }

  const lock_programs* of_;
  Bank* bank_;
  Recorder* recorder_;
  takt::host::cluster_shape shape_;
  lock_log log_;
  std::vector<takt::queue_position> places_;
  program_table<MaxTasks> table_{};
  std::vector<operand> uses_;
  std::array<std::int32_t, MaxTasks> gpu_{};
};

}  // namespace detail

/// A run that can be looked at on the way. What is passed by reference outlives it.
template <class Bank, std::size_t MaxTasks = 16, class DonationRules = takt::donation_rules,
          takt::TraceRecorder Recorder = takt::null_recorder>
class lock_run {
 public:
  lock_run(const lock_programs& w, Bank& bank, const lock_options& o, Recorder& recorder)
      : jobs_{std::make_unique<jobs_type>(w, bank, o, recorder)},
        places_{*jobs_},
        engine_{std::make_unique<engine>(jobs_->table(), places_, *jobs_)},
        sink_{jobs_->sink()} {
    engine_->begin(sink_);
  }
  /// Goes on with all that happens before and at the given instant.
  void run_until(ticks last) {
    for (ticks now = engine_->next_instant(); now <= last && now != takt::no_event; now = engine_->next_instant()) {
      engine_->step(now);
    }
  }
  auto run(ticks last = takt::simulation::never / 4) -> lock_result {
    run_until(last);
    return std::move(jobs_->log().seen());
  }
  [[nodiscard]] auto state_of(std::size_t task) const -> takt::job_state {
    std::vector<takt::job_state> all(jobs_->table().size());
    const auto own = static_cast<std::uint32_t>(task);
    engine_->states({&own, 1}, all);
    return all[task];
  }
  /// Its point; ties aside.
  [[nodiscard]] auto effective(std::uint32_t task) const -> std::int64_t { return engine_->effective(task).point; }

 private:
  using jobs_type = detail::program_jobs<Bank, MaxTasks, DonationRules, Recorder>;
  using stations = takt::host::lock_stations<jobs_type, MaxTasks, 8>;
  using engine = takt::host::engine<stations, MaxTasks, MaxTasks * takt::max_visits_of_task, jobs_type>;

  std::unique_ptr<jobs_type> jobs_;
  stations places_;
  std::unique_ptr<engine> engine_;
  takt::slice_sink sink_;
};

template <class DonationRules = takt::donation_rules, std::size_t MaxTasks = 16, class Bank,
          takt::TraceRecorder Recorder>
auto simulate_locks(const lock_programs& w, Bank& bank, const lock_options& o, Recorder& recorder) -> lock_result {
  return lock_run<Bank, MaxTasks, DonationRules, Recorder>{w, bank, o, recorder}.run(o.until);
}
template <class DonationRules = takt::donation_rules, std::size_t MaxTasks = 16, class Bank>
[[nodiscard]] auto simulate_locks(const lock_programs& w, Bank& bank, const lock_options& o = {}) -> lock_result {
  takt::null_recorder null_sink;
  return simulate_locks<DonationRules, MaxTasks>(w, bank, o, null_sink);
}

}  // namespace takt_tests
