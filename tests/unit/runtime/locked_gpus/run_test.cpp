// SPDX-License-Identifier: Apache-2.0
// Tasks on locked GPUs in real time: what was held by whom, and where, is looked at from outside.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/locked_gpus/run/run.hpp>

#include "support/limited_wait.hpp"

namespace {

namespace rt = takt::runtime;
using takt::duration;
using takt::model_fault;
using takt::ticks;

constexpr std::array<const char*, 8> names{"a", "b", "c", "d", "e", "f", "g", "h"};
using task_list = takt::task_rows<takt::gpusync_task<ticks, 4>, 8>;
using board = takt::gpusync_board<>;

constexpr ticks us = 1'000;
constexpr ticks long_enough = 5'000'000 * us;  ///< a run is stopped before

[[nodiscard]] auto gpu_task(std::size_t number, std::int32_t cpu_cluster, std::int32_t gpu_cluster)
    -> task_list::task_type {
  task_list::task_type t{.name = names[number],
                         .wcet = 300 * us,
                         .period = (9'000 + 700 * static_cast<ticks>(number)) * us,
                         .deadline = 9'000 * us,
                         .cpu_in_gpu_section = 100 * us,
                         .bytes_in = 3,
                         .bytes_out = 2,
                         .bytes_state = 2,
                         .cpu_cluster = cpu_cluster,
                         .gpu_cluster = gpu_cluster};
  t.priority = static_cast<std::int32_t>(number);
  t.kernels.unchecked_push_back(400 * us);
  return t;
}
[[nodiscard]] auto board_of(const takt::gpusync_configuration& c) -> board {
  board out;
  out.shape = c;
  for (auto& cost : out.costs.kinds) { cost = {100 * us, 1, 1}; }
  return out;
}

/// Asks the system for nothing, so that answers do not hang on what it grants.
[[nodiscard]] auto plain(ticks length) -> rt::locked_gpu_run_options {
  rt::locked_gpu_run_options out;
  out.length = duration{length};
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

/// Jobs that have ended, completed or dropped: of all tasks, and of the task with the fewest.
struct ended_jobs {
  std::uint64_t all = 0;
  std::uint64_t fewest = 0;

  explicit ended_jobs(const rt::run_watch& watch) : fewest{watch.row(0).completed + watch.row(0).skipped} {
    for (std::size_t i = 0; i < watch.size(); ++i) {
      const std::uint64_t own = watch.row(i).completed + watch.row(i).skipped;
      all += own;
      fewest = std::min(fewest, own);
    }
  }
};

/// Runs until enough has ended, whatever else the machine does meanwhile.
template <class Recorder, class Enough>
[[nodiscard]] auto run_until(const board& on, const task_list& tasks, rt::locked_gpu_run_options how,
                             Recorder& recorder, rt::run_watch& watch, const Enough& enough)
    -> rt::locked_gpu_run_result {
  std::atomic<bool> stop = false;
  std::atomic<bool> is_over = false;
  how.stop = &stop;
  how.watch = &watch;
  std::thread asker{[&] {
    takt_tests::await([&] { return enough(ended_jobs{watch}) || is_over; });
    stop = true;
  }};
  auto out = rt::run(on, tasks, takt::plan<1>{}, how, recorder);
  is_over = true;
  asker.join();
  return out;
}
/// Under fair lateness no task starves, however slow the machine is.
[[nodiscard]] auto three_each(const ended_jobs& j) -> bool { return j.fewest >= 3; }

/// From one instant to another somebody has something.
struct holding {
  ticks from = 0;
  ticks to = 0;
  std::size_t job = 0;
};

/// "" or the first two that have one thing at once.
[[nodiscard]] auto shared(std::vector<holding> all) -> std::string {
  std::ranges::sort(all, {}, [](const holding& h) { return std::pair{h.from, h.to}; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].from < all[i - 1].to) {
      return "jobs " + std::to_string(all[i - 1].job) + " and " + std::to_string(all[i].job) + " at " +
             std::to_string(all[i].from);
    }
  }
  return "";
}

/// What every legal run keeps to; "" or what is wrong. Each GPU has its engine for copies out, that for copies in, and
/// that for kernels; with one copy engine all copies are on the second.
class checker {
 public:
  checker(const takt::gpusync_configuration& c, const task_list& tasks, const rt::locked_gpu_run_result& ran,
          const takt::trace& seen)
      : c_{&c}, tasks_{&tasks}, ran_{&ran}, seen_{&seen} {}

  [[nodiscard]] auto wrong() const -> std::string {
    for (const auto& found : {locks(), processors(), engines(), jobs()}) {
      if (!found.empty()) { return found; }
    }
    return "";
  }

 private:
  [[nodiscard]] auto until(ticks released) const -> ticks { return released < 0 ? ran_->end : released; }
  [[nodiscard]] auto number(const takt::slice& s) const -> std::size_t {
    return ran_->run.tasks[s.task].first_job + s.job;
  }

  /// Tokens and engines have one holder at most, and there are no more tokens than are stated.
  [[nodiscard]] auto locks() const -> std::string {
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<holding>> held;
    for (const auto& q : ran_->run.locks.requests) {
      if (q.satisfied < 0) { continue; }
      if (q.satisfied < q.issued || until(q.released) < q.satisfied) { return "a lock is given back before it is had"; }
      const bool is_pool = q.resource < c_->gpu_clusters();
      const std::int32_t most = !is_pool ? 1 : c_->limits_tokens() ? c_->replicas() : 8 * c_->gpu_cluster_size;
      if (q.replica < 0 || q.replica >= most) { return "there is no token " + std::to_string(q.replica); }
      held[{q.resource, q.replica}].push_back({q.satisfied, until(q.released), q.job});
    }
    for (const auto& [what, all] : held) {
      if (const auto found = shared(all); !found.empty()) {
        return "lock " + std::to_string(what.first) + "." + std::to_string(what.second) + ": " + found;
      }
    }
    return "";
  }
  /// Jobs are on CPUs of their clusters, one on each, and on one at a time.
  [[nodiscard]] auto processors() const -> std::string {
    std::map<std::int32_t, std::vector<holding>> cpus;
    std::map<std::size_t, std::vector<holding>> own;
    for (const takt::slice& s : seen_->slices()) {
      own[number(s)].push_back({s.start, s.end, number(s)});
      if (s.where.where != takt::stage::cpu) { continue; }
      if (s.where.index / c_->cpu_cluster_size != tasks_->tasks[s.task].cpu_cluster) { return "on a foreign cluster"; }
      cpus[s.where.index].push_back({s.start, s.end, number(s)});
    }
    for (const auto& [cpu, at] : cpus) {
      if (const auto found = shared(at); !found.empty()) { return "CPU " + std::to_string(cpu) + ": " + found; }
    }
    for (const auto& [job, at] : own) {
      if (const auto found = shared(at); !found.empty()) { return "one job twice: " + found; }
    }
    return "";
  }
  [[nodiscard]] auto holds(std::size_t job, std::int32_t lock, const takt::slice& s) const -> bool {
    return std::ranges::any_of(ran_->run.locks.requests, [&](const auto& q) {
      return q.job == job && q.resource == lock && q.satisfied >= 0 && q.satisfied <= s.start &&
             s.end <= until(q.released);
    });
  }
  /// Who is on an engine has its lock and a token of its cluster meanwhile, and is on a GPU of that cluster.
  [[nodiscard]] auto engines() const -> std::string {
    for (const takt::slice& s : seen_->slices()) {
      if (s.where.where == takt::stage::cpu) { continue; }
      const bool is_kernel = s.where.where == takt::stage::kernel;
      const std::int32_t gpu = is_kernel ? s.where.gpu : s.where.index / 2;
      const std::int32_t kind = is_kernel ? 2 : s.where.index % 2;
      const std::int32_t cluster = tasks_->tasks[s.task].gpu_cluster;
      const std::string who = "task " + std::to_string(s.task) + " job " + std::to_string(s.job);
      if (gpu / c_->gpu_cluster_size != cluster) { return who + " on a GPU of another cluster"; }
      if (!holds(number(s), cluster, s)) { return who + " without a token"; }
      if (!holds(number(s), c_->gpu_clusters() + 3 * gpu + kind, s)) { return who + " without the engine"; }
    }
    return "";
  }
  /// Jobs of a task follow one another, and those that complete have run all their kernels for no longer than stated.
  [[nodiscard]] auto jobs() const -> std::string {
    std::map<std::size_t, ticks> kernels;
    for (const takt::slice& s : seen_->slices() | takt::views::slices_on(takt::stage::kernel)) {
      kernels[number(s)] += s.end - s.start;
    }
    for (std::size_t i = 0; i < tasks_->size(); ++i) {
      const auto& range = ran_->run.tasks[i];
      ticks before = 0;
      for (std::size_t j = range.first_job; j < range.first_job + range.job_count; ++j) {
        const ticks finish = ran_->run.locks.jobs[j].finish;
        if (finish < 0) { continue; }
        if (finish < before || finish < ran_->run.locks.jobs[j].release) { return "a job ends before it is there"; }
        before = finish;
        const ticks most = tasks_->tasks[i].uses_gpu() ? 400 * us : 0;
        if (kernels[j] > most || (most > 0 && kernels[j] == 0)) { return "a job did not run its kernel"; }
      }
    }
    return "";
  }

  const takt::gpusync_configuration* c_;
  const task_list* tasks_;
  const rt::locked_gpu_run_result* ran_;
  const takt::trace* seen_;
};

/// Any platform that has bounds, with any tasks on it.
struct random_system {
  takt::gpusync_configuration shape{};
  task_list tasks{};
  rt::locked_gpu_run_options how = plain(long_enough);

  explicit random_system(takt::random_stream& random) {
    const std::int32_t clusters = random.chance(1, 2) ? 2 : 1;
    shape.cpus = 2;
    shape.cpu_cluster_size = 2 / clusters;
    shape.gpus = 2;
    shape.gpu_cluster_size = random.chance(1, 2) ? 2 : 1;
    shape.tokens_per_gpu = static_cast<std::int32_t>(random.between(1, 2));
    shape.copy_engines = static_cast<std::int32_t>(random.between(1, 2));
    const bool across = clusters == 2 && shape.gpu_cluster_size == 2;
    if (!across && random.chance(1, 4)) { shape.tokens_per_gpu = takt::unlimited_tokens; }
    shape.tokens = across || random.chance(1, 3) ? takt::token_protocol::ck_omlp : takt::token_protocol::r2dglp;
    if (shape.tokens_per_gpu == takt::unlimited_tokens) { shape.tokens = takt::token_protocol::r2dglp; }
    constexpr std::array paths{takt::migration_path::none, takt::migration_path::peer_to_peer,
                               takt::migration_path::system_memory};
    shape.migration = paths[static_cast<std::size_t>(random.below(3))];
    if (random.chance(1, 3)) { shape.engines = takt::service_order::priority; }
    if (random.chance(1, 3)) { shape.uncontended = takt::uncontended_gpus::dedicated; }
    constexpr std::array schedulers{takt::cpu_scheduler::earliest_deadline, takt::cpu_scheduler::fair_lateness,
                                    takt::cpu_scheduler::shortest_period, takt::cpu_scheduler::given_priority};
    shape.scheduler = schedulers[static_cast<std::size_t>(random.below(4))];
    const auto count = static_cast<std::size_t>(random.between(3, 6));
    for (std::size_t i = 0; i < count; ++i) {
      const auto cluster = static_cast<std::int32_t>(random.below(clusters));
      auto t = gpu_task(i, cluster, 0);
      const std::int32_t served = shape.gpu_clusters();
      t.gpu_cluster = static_cast<std::int32_t>(random.below(served));
      while (!shape.serves(t.gpu_cluster, cluster)) { t.gpu_cluster = (t.gpu_cluster + 1) % served; }
      if (random.chance(1, 5)) {
        t.kernels.clear();
        t.gpu_cluster = takt::no_cluster;
        t.cpu_in_gpu_section = t.bytes_in = t.bytes_out = t.bytes_state = 0;
      }
      tasks.add(t);
    }
    constexpr std::array choices{takt::host::gpu_choice::shortest_queue, takt::host::gpu_choice::random,
                                 takt::host::gpu_choice::predicted};
    how.gpus.choice = choices[static_cast<std::size_t>(random.below(3))];
    how.gpus.token_until_end = random.chance(1, 4);
    how.seed = static_cast<std::uint64_t>(random.below(1'000'000));
    constexpr std::array lengths{rt::length_choice::uniform, rt::length_choice::upper, rt::length_choice::lower};
    how.lengths = lengths[static_cast<std::size_t>(random.below(3))];
  }
};

}  // namespace

TEST_CASE("every kind of platform of locked GPUs runs with each token and engine in one hand at most") {
  takt::random_stream random{2026};
  std::size_t moved = 0;
  for (int round = 0; round < 60; ++round) {
    const random_system s{random};
    CAPTURE(round);
    takt::trace seen;
    rt::run_watch watch{s.tasks.size()};
    std::size_t completed = 0;
    const auto ran = run_until(board_of(s.shape), s.tasks, s.how, seen, watch,
                               [&](const ended_jobs& j) { return j.all >= 3 * s.tasks.size(); });
    REQUIRE_MESSAGE(!ran.error, "fault " << static_cast<int>(ran.error.fault) << " " << ran.error.name);
    CHECK(checker{s.shape, s.tasks, ran, seen}.wrong() == "");
    for (std::size_t i = 0; i < s.tasks.size(); ++i) {
      const auto& t = ran.tasks[i];
      completed += t.completed;
      CHECK(t.completed == watch.row(i).completed);
      CHECK(t.released == t.completed + t.skipped + t.unfinished);
      CHECK(t.name == names[i]);
    }
    CHECK(completed >= 3 * s.tasks.size());
    for (const auto& section : ran.run.sections) { moved += section.migrated() ? 1U : 0U; }
  }
  CHECK(moved > 20);
}

TEST_CASE("the checker of locked GPUs finds locks in two hands, and work without a lock") {
  const auto c = takt::gpusync_configuration{.cpus = 2, .cpu_cluster_size = 2};
  task_list tasks;
  tasks.add(gpu_task(0, 0, 0));
  tasks.add(gpu_task(1, 0, 0));
  takt::trace seen;
  rt::run_watch watch{2};
  const auto ran = run_until(board_of(c), tasks, plain(long_enough), seen, watch, three_each);
  REQUIRE(checker(c, tasks, ran, seen).wrong() == "");
  auto twice = ran;
  auto& requests = twice.run.locks.requests;
  const auto engine = std::ranges::find_if(requests, [](const auto& q) { return q.resource == 3; });
  REQUIRE(engine != requests.end());
  auto other = *engine;
  other.job = 1 - std::min<std::size_t>(other.job, 1);
  requests.push_back(other);
  CHECK(checker(c, tasks, twice, seen).wrong().starts_with("lock 3.0"));
  auto without = ran;
  std::erase_if(without.run.locks.requests, [](const auto& q) { return q.resource == 0; });
  CHECK(checker(c, tasks, without, seen).wrong().ends_with("without a token"));
  auto unlocked = ran;
  std::erase_if(unlocked.run.locks.requests, [](const auto& q) { return q.resource == 3; });
  CHECK(checker(c, tasks, unlocked, seen).wrong().ends_with("without the engine"));
  takt::trace strayed;
  for (takt::slice s : seen.slices()) {
    s.where.index += s.where.where == takt::stage::cpu ? 2 : 0;
    strayed.record(s);
  }
  CHECK(checker(c, tasks, ran, strayed).wrong() == "on a foreign cluster");
}

TEST_CASE("tasks with GPUs of their own wait for no engine and never move") {
  auto c = takt::gpusync_configuration{.cpus = 2, .cpu_cluster_size = 2, .gpus = 2, .gpu_cluster_size = 2};
  c.migration = takt::migration_path::peer_to_peer;
  c.uncontended = takt::uncontended_gpus::dedicated;
  task_list tasks;
  tasks.add(gpu_task(0, 0, 0));
  tasks.add(gpu_task(1, 0, 0));
  takt::trace seen;
  rt::run_watch watch{2};
  const auto ran = run_until(board_of(c), tasks, plain(long_enough), seen, watch, three_each);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.run.sections.size() > 4);
  for (const auto& s : ran.run.sections) { CHECK(s.gpu == static_cast<std::int32_t>(s.task)); }
  for (const auto& q : ran.run.locks.requests) { CHECK((q.satisfied < 0 || q.satisfied == q.issued)); }
}

TEST_CASE("locked GPUs: a response above its bound is told, ends the run or its job, and no token is lost") {
  const auto c = takt::gpusync_configuration{.cpus = 2, .cpu_cluster_size = 2};
  task_list tasks;
  for (std::size_t i = 0; i < 3; ++i) { tasks.add(gpu_task(i, 0, 0)); }
  auto how = plain(long_enough);
  how.lengths = rt::length_choice::upper;
  how.expected = {{}, {.response = {100 * us, true}, .visits = {}}};
  takt::trace seen;
  rt::run_watch watch{3};
  const auto told = run_until(board_of(c), tasks, how, seen, watch, three_each);
  REQUIRE(told.first_violation.has_value());
  CHECK(told.first_violation->task == 1);
  CHECK_FALSE(told.tasks[1].within_bound);
  CHECK(told.tasks[0].within_bound);
  CHECK(watch.row(1).violations > 1);
  CHECK(watch.row(0).completed == told.tasks[0].completed);

  how.at_violation = rt::violation_handling::stop;
  const auto stopped = rt::run(board_of(c), tasks, takt::plan<1>{}, how);
  CHECK(stopped.stopped);
  CHECK(stopped.end < how.length.count());

  how.at_violation = rt::violation_handling::drop;
  rt::run_watch dropping{3};
  const auto dropped = run_until(board_of(c), tasks, how, seen, dropping, three_each);
  CHECK(dropped.tasks[1].skipped > 1);
  CHECK(dropped.tasks[1].completed == 0);
  CHECK(dropped.tasks[0].completed >= 3);
  for (const auto& q : dropped.run.locks.requests) {
    const auto& of_job = dropped.run.locks.jobs[q.job];
    const bool is_over = of_job.finish >= 0;
    CHECK((!is_over || (q.satisfied >= 0 && q.released >= 0)));  // nothing is kept beyond its job
  }
}

TEST_CASE("locked GPUs: a flag ends a run before its time") {
  const auto c = takt::gpusync_configuration{.cpus = 2, .cpu_cluster_size = 2};
  task_list tasks;
  tasks.add(gpu_task(0, 0, 0));
  const auto how = plain(60'000'000 * us);
  takt::null_recorder null_sink;
  rt::run_watch watch{1};
  const auto ran = run_until(board_of(c), tasks, how, null_sink, watch, three_each);
  CHECK(ran.stopped);
  CHECK(ran.tasks[0].completed > 1);
  CHECK(ran.end < how.length.count());
}

TEST_CASE("locked GPUs: what a run cannot do, or would ignore, is refused") {
  auto c = takt::gpusync_configuration{.cpus = 2, .cpu_cluster_size = 2};
  task_list tasks;
  tasks.add(gpu_task(0, 0, 0));
  const auto fault = [&](const rt::locked_gpu_run_options& o) {
    return rt::run(board_of(c), tasks, takt::plan<1>{}, o).error;
  };
  auto o = plain(10'000 * us);
  o.gpus.peer_percent[1] = 50;  // nothing migrates
  CHECK(fault(o).fault == model_fault::option_unused);
  CHECK(fault(o).name == "peer_percent");
  o = plain(10'000 * us);
  const std::vector<std::int32_t> two{0, 1};
  o.gpus.distances = two;
  CHECK(fault(o).fault == model_fault::distances_do_not_fit);
  o = plain(10'000 * us);
  o.lengths = static_cast<rt::length_choice>(9);
  CHECK(fault(o).fault == model_fault::choice_out_of_range);
  CHECK(fault(plain(ticks{1} << 62)).fault != model_fault::none);
  CHECK(fault(plain(ticks{1} << 50)).fault == model_fault::too_many_jobs);
  o = plain(10'000 * us);
  o.expected = {{.response = {}, .visits = {{1, true}}}};
  CHECK(rt::run(board_of(c), tasks, takt::plan<1>{}, o).ended == takt::observation_status::wrong_binding);
  takt::plan<1> elsewhere;
  elsewhere.cores.unchecked_push_back(7);
  CHECK(rt::run(board_of(c), tasks, elsewhere, plain(10'000 * us)).error);
  c.tokens_per_gpu = -1;
  CHECK(fault(plain(10'000 * us)));
}
