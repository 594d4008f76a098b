// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <sys/types.h>

#include <takt/core/duration.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/helper_registry.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/inheriting_helpers.hpp>

#include "fake_clocks.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using takt::helper_scope;
using takt::detail::helps_nobody;
using takt::runtime::inheriting_helpers;
using takt::runtime::detail::thread_scheduling;

/// Threads of an imagined process.
struct process {
  std::map<pid_t, takt::runtime::detail::thread_scheduling> threads;
  pid_t running = 0;
  bool refuses = false;
  int changes = 0;
};
class fake_threads {
 public:
  explicit fake_threads(process& p) : of_{&p} {}
  [[nodiscard]] auto self() const -> pid_t { return of_->running; }
  [[nodiscard]] auto all() const -> std::vector<pid_t> {
    std::vector<pid_t> out;
    for (const auto& [thread, how] : of_->threads) { out.push_back(thread); }
    return out;
  }
  [[nodiscard]] auto scheduling(pid_t thread) const -> takt::runtime::detail::thread_scheduling {
    return of_->threads.at(thread);
  }
  [[nodiscard]] auto schedule(pid_t thread, const takt::runtime::detail::thread_scheduling& how) -> bool {
    if (of_->refuses) { return false; }
    of_->threads.at(thread) = how;
    ++of_->changes;
    return true;
  }

 private:
  process* of_;
};
using tested_helpers = inheriting_helpers<6, fake_threads>;

using topology = takt::gpu_topology<1, 1>;
using pool = takt::runtime::gpu_pool<takt::k_fmlp<1, 2>, takt::fifo_engine_locks<1, 2>, topology>;

constexpr auto board() -> topology {
  topology t;
  (void)t.add_gpu(t.add_hub(), 1);
  return t;
}

constexpr takt::runtime::detail::thread_scheduling ordinary{};
constexpr auto fifo(int priority) -> takt::runtime::detail::thread_scheduling { return {SCHED_FIFO, priority}; }

}  // namespace

TEST_CASE("a task takes helper threads that there are, or those that come, and never threads that run jobs" *
          takt_tests::traces("GSD-92")) {
  process p{.threads = {{10, fifo(5)}, {11, fifo(6)}, {20, ordinary}}, .running = 10};
  tested_helpers helpers{2, fake_threads{p}};
  p.running = 11;
  helpers.run_jobs();
  p.running = 10;
  helpers.set_helper_threads(0, helper_scope::current);
  CHECK(helpers.helped_by(20) == 0);
  CHECK(helpers.helped_by(10) == takt::detail::helps_nobody);
  CHECK(helpers.helped_by(11) == takt::detail::helps_nobody);

  p.running = 11;
  helpers.set_helper_threads(1, helper_scope::future);
  p.threads[21] = ordinary;
  CHECK(helpers.helped_by(21) == takt::detail::helps_nobody);
  helpers.look_for_threads();
  CHECK(helpers.helped_by(21) == 1);
  CHECK(helpers.helped_by(20) == 0);

  p.threads.erase(20);
  p.threads[22] = ordinary;
  helpers.look_for_threads();
  CHECK(helpers.helped_by(20) == takt::detail::helps_nobody);
  CHECK(helpers.helped_by(22) == 1);
  p.running = 22;
  helpers.run_jobs();
  CHECK(helpers.helped_by(22) == takt::detail::helps_nobody);
}

TEST_CASE("helpers run at their job's priority while it waits with an engine, and as before afterwards" *
          takt_tests::traces("GSD-92")) {
  process p{.threads = {{10, fifo(5)}, {20, ordinary}, {21, fifo(9)}, {22, {SCHED_RR, 2}}, {30, ordinary}},
            .running = 10};
  const auto before = p.threads;
  tested_helpers helpers{2, fake_threads{p}};
  helpers.set_helper_threads(0, helper_scope::current);
  p.threads[31] = ordinary;
  pool gpu{{}, {}, board()};
  auto token = gpu.begin_job().acquire_token();
  auto engine = token.lock(takt::engine_kind::execution);
  {
    const auto lent = helpers.lend_priority(0, engine);
    CHECK(p.threads[20] == fifo(5));
    CHECK(p.threads[21] == fifo(9));
    CHECK(p.threads[22] == fifo(5));
    CHECK(p.threads[31] == ordinary);
    CHECK(p.threads[10] == fifo(5));
  }
  p.threads.erase(31);
  CHECK(p.threads == before);
  const int changes = p.changes;
  { const auto of_another_task = helpers.lend_priority(1, engine); }
  p.threads[10] = ordinary;
  { const auto of_an_ordinary_thread = helpers.lend_priority(0, engine); }
  CHECK(p.changes == changes);
  CHECK(helpers.refusals() == 0);

  std::move(engine).release();
  std::move(token).release();
  const fake_time time;
  fake_meter meter{takt::duration{10}, fake_clocks{time}};
  takt::runtime::token_guard budgeted{gpu.begin_job(), meter};
  const auto held = budgeted.lock(takt::engine_kind::copy);
  p.threads[10] = fifo(3);
  const auto lent = helpers.lend_priority(0, held);
  CHECK(p.threads[20] == fifo(3));
}

TEST_CASE("helper threads: refusals are counted; a wrong task and too many threads are errors" *
          takt_tests::traces("GSD-92")) {
  process p{.threads = {{10, fifo(5)}, {20, ordinary}}, .running = 10};
  tested_helpers helpers{1, fake_threads{p}};
  helpers.set_helper_threads(0, helper_scope::current_and_future);
  pool gpu{{}, {}, board()};
  auto token = gpu.begin_job().acquire_token();
  const auto engine = token.lock(takt::engine_kind::execution);
  p.refuses = true;
  { const auto lent = helpers.lend_priority(0, engine); }
  CHECK(p.threads[20] == ordinary);
  CHECK(helpers.refusals() == 1);
  for (const int task : {-1, 1}) {
    CHECK_THROWS_WITH_AS(helpers.set_helper_threads(task, helper_scope::current),
                         ("takt: the task of helper threads is " + std::to_string(task) + "; 0 to 0").c_str(),
                         std::out_of_range);
    CHECK_THROWS_AS((void)helpers.lend_priority(task, engine), std::out_of_range);
  }
  for (pid_t more = 30; more < 40; ++more) { p.threads[more] = ordinary; }
  CHECK(error_of([&] { helpers.look_for_threads(); }) == std::errc::resource_unavailable_try_again);
}

TEST_CASE("the threads of this process are found, and their scheduling is read") {
  std::atomic<pid_t> id{0};
  std::atomic<bool> done{false};
  inheriting_helpers<256> helpers{1};
  helpers.set_helper_threads(0, helper_scope::future);
  std::jthread helper{[&] {
    id = takt::runtime::detail::linux_threads::self();
    await([&] { return done.load(); });
  }};
  await([&] { return id != 0; });
  helpers.look_for_threads();
  CHECK(helpers.helped_by(id) == 0);
  CHECK(helpers.helped_by(takt::runtime::detail::linux_threads::self()) == takt::detail::helps_nobody);
  CHECK(takt::runtime::detail::linux_threads::scheduling(id).policy == sched_getscheduler(id));
  done = true;
  helper.join();
  helpers.look_for_threads();
  CHECK(helpers.helped_by(id) == takt::detail::helps_nobody);
}
