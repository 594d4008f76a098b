// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/job_budget.hpp>

#include "fake_clocks.hpp"
#include "support/traces.hpp"
#include "unit/simulation/locks/fixtures.hpp"

namespace {

using namespace locking_tests;
using takt::engine_kind;
using takt::ticks;

/// What a job does on one engine, and how long it computes before that.
struct engine_use {
  ticks computes = 0;
  engine_kind engine = engine_kind::execution;
  ticks occupies = 0;
};

/// Elliott 2015, figures 1.3 and 3.4: two vectors in, their sum, and the result out.
constexpr ticks before_token = 5;
constexpr std::array vector_add{
    engine_use{6, engine_kind::copy, 10},
    engine_use{1, engine_kind::copy, 9},
    engine_use{2, engine_kind::execution, 20},
    engine_use{1, engine_kind::copy_to_host, 10},
};

enum class change : std::uint8_t { token, token_freed, locked, unlocked };

struct lock_step {
  change what = change::token;
  ticks time = 0;
  engine_kind engine = engine_kind::execution;  ///< of the last two changes

  [[nodiscard]] friend auto operator==(const lock_step&, const lock_step&) -> bool = default;
};
using lock_steps = std::vector<lock_step>;

const lock_steps published{
    {change::token, 5},
    {change::locked, 11, engine_kind::copy},
    {change::unlocked, 21, engine_kind::copy},
    {change::locked, 22, engine_kind::copy},
    {change::unlocked, 31, engine_kind::copy},
    {change::locked, 33, engine_kind::execution},
    {change::unlocked, 53, engine_kind::execution},
    {change::locked, 54, engine_kind::copy_to_host},
    {change::unlocked, 64, engine_kind::copy_to_host},
    {change::token_freed, 64},
};

// In virtual time.

constexpr takt::host::resource_id tokens = 0;
constexpr auto lock_of(engine_kind e) -> takt::host::resource_id { return 1 + static_cast<takt::host::resource_id>(e); }

auto simulated() -> lock_steps {
  using namespace locking_fixtures;
  bank locks;
  locks.add(r2dglp{{.replicas = 2, .cluster = 2}});
  for (std::size_t e = 0; e < 3; ++e) { locks.add(fifo_mutex{}); }
  lock_programs w;
  w.task().execute(before_token).lock(tokens);
  for (const engine_use& u : vector_add) {
    w.execute(u.computes).lock(lock_of(u.engine)).suspend(u.occupies).unlock(lock_of(u.engine));
  }
  w.unlock(tokens).released(0, {0});
  lock_steps seen;
  for (const auto& q : simulate_locks(w, locks, {.processors = 2}).requests) {
    const bool token = q.resource == tokens;
    const auto engine = token ? engine_kind::execution : static_cast<engine_kind>(q.resource - 1);
    seen.push_back({token ? change::token : change::locked, q.satisfied, engine});
    seen.push_back({token ? change::token_freed : change::unlocked, q.released, engine});
  }
  std::ranges::stable_sort(seen, {}, [](const lock_step& s) {
    return std::pair{s.time, s.what == change::token_freed};  // the last of all
  });
  return seen;
}

// On a thread, with the state machines of its locks watched.

struct thread_watcher {
  fake_time time{};
  lock_steps seen{};
};
thread_watcher* watcher_of_thread = nullptr;

void note(change what, engine_kind e = engine_kind::execution) {
  watcher_of_thread->seen.push_back({what, watcher_of_thread->time.wall, e});
}

struct watched_tokens : takt::r2dglp<2, 4> {
  using takt::r2dglp<2, 4>::r2dglp;
  auto issue(takt::request_id r, const takt::lock_request& q) -> takt::request_id {
    const auto granted = r2dglp::issue(r, q);
    if (granted != takt::no_request) { note(change::token); }
    return granted;
  }
  auto release(takt::request_id r) -> takt::request_id {
    note(change::token_freed);
    return r2dglp::release(r);
  }
};

struct watched_engines : takt::fifo_engine_locks<1, 4> {
  using group = takt::fifo_engine_locks<1, 4>;
  using group::release;
  auto issue(takt::request_id c, const list& wanted, const takt::priority_point& p) -> answer {
    auto a = group::issue(c, wanted, p);
    if (holds(c)) { note(change::locked, static_cast<engine_kind>(wanted[0])); }
    return a;
  }
  auto release(takt::request_id c) -> answer {
    note(change::unlocked, static_cast<engine_kind>(wanted(c)[0]));
    return group::release(c);
  }
};

auto executed() -> lock_steps {
  using topology = takt::gpu_topology<1, 1>;
  topology board;
  (void)board.add_gpu(board.add_hub(), 2);
  takt::runtime::gpu_pool<watched_tokens, watched_engines, topology> gpu{
      {.gpus = 1, .tokens_per_gpu = 2}, watched_tokens{{.replicas = 2, .cluster = 2}}, board};
  thread_watcher watcher;
  watcher_of_thread = &watcher;
  fake_meter meter{takt::duration{64}, fake_clocks{watcher.time}};
  {
    watcher.time.compute(before_token);
    takt::runtime::token_guard token{gpu.begin_job(), meter};
    for (const engine_use& u : vector_add) {
      watcher.time.compute(u.computes);
      auto engine = token.lock(u.engine);
      watcher.time.suspend(u.occupies);
      std::move(engine).release();
    }
  }
  CHECK(meter.account().budget().left == 0);
  return watcher.seen;
}

}  // namespace

TEST_CASE("VectorAdd locks token, copy engine twice, execution engine, copy engine back, in both hosts" *
          takt_tests::traces("GSD-94")) {
  CHECK(simulated() == published);
  CHECK(executed() == published);
}
