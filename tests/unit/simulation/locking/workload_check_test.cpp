// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <takt/report/fault_text.hpp>

#include "unit/simulation/locking/fixtures.hpp"

using namespace locking_fixtures;
using takt::model_error;
using takt::simulation::operand;

namespace {

/// Two mutexes, a pool with one token per GPU of two, and a mutex on each GPU.
auto locks() -> bank {
  bank b;
  b.add(fifo_mutex{});
  b.add(fifo_mutex{});
  b.add(k_fmlp{{.replicas = 2}}, {.is_token_pool = true, .tokens = {.gpus = 2, .tokens_per_gpu = 1}});
  b.add(fifo_mutex{});
  b.add(fifo_mutex{});
  return b;
}
auto fault_of(const lock_workload& w, lock_simulation_options options = {}) -> model_error {
  bank b = locks();
  return simulate_locks(w, b, options).error;
}
auto one_task() -> lock_workload {
  lock_workload w;
  w.task().execute(1);
  return w;
}
constexpr takt::simulation::resource_id row = 3;

}  // namespace

TEST_CASE("a workload without fault has none") {
  auto w = one_task();
  w.lock(0).lock(2).lock_of_token(row).suspend(1).unlock_of_token(row).unlock(2).unlock(0).released(0, {1});
  CHECK(fault_of(w) == model_error{});
  CHECK(fault_of(lock_workload{}) == model_error{});
}

TEST_CASE("wrong locking is found before anything runs, with its place") {
  CHECK(fault_of(one_task().unlock(0)) == model_error{model_fault::unlocked_without_lock, 0, 1});
  CHECK(fault_of(one_task().lock(0).lock(0)) == model_error{model_fault::locked_twice, 0, 2});
  CHECK(fault_of(one_task().lock(0).execute(3)) == model_error{model_fault::locked_at_the_end, 0, 3});
  CHECK(fault_of(one_task().lock(5)) == model_error{model_fault::unknown_resource, 0, 1});
  CHECK(fault_of(one_task().lock(-1)) == model_error{model_fault::unknown_resource, 0, 1});
  CHECK(fault_of(one_task().lock(1).lock(0)) == model_error{model_fault::out_of_order, 0, 2});
  CHECK(fault_of(one_task().lock_of_token(row)) == model_error{model_fault::no_token, 0, 1});
  CHECK(fault_of(one_task().lock(2).lock_of_token(4)) == model_error{model_fault::unknown_resource, 0, 2});
  const std::vector<operand> twice{{0}, {0}};
  CHECK(fault_of(one_task().lock(twice)) == model_error{model_fault::locked_twice, 0, 1});
  CHECK(fault_of(one_task().lock(std::vector<operand>{})).fault == model_fault::malformed);
  CHECK(fault_of(one_task().lock(std::vector<operand>(9))).fault == model_fault::malformed);
  CHECK(fault_of(lock_workload{}.execute(1)).fault == model_fault::malformed);
  CHECK(fault_of(lock_workload{}.released(1, {})).fault == model_fault::malformed);
}

TEST_CASE("wrong times, releases, priorities and clusters are found") {
  constexpr ticks most = std::numeric_limits<ticks>::max();
  CHECK(fault_of(one_task().execute(-1)) == model_error{model_fault::negative_time, 0, 1});
  CHECK(fault_of(one_task().released(-1, {})).fault == model_fault::negative_time);
  CHECK(fault_of(one_task().execute(most).released(0, {})).fault == model_fault::time_overflow);
  CHECK(fault_of(one_task().lock(0).execute(most).suspend(most).unlock(0).released(0, {})).fault ==
        model_fault::time_overflow);
  CHECK(fault_of(one_task().released(most, {})).fault == model_fault::time_overflow);
  CHECK(fault_of(one_task().released(5, {1}).released(4, {2})).fault == model_fault::releases_descend);
  CHECK(fault_of(one_task().released(0, {1}).task().released(9, {1})) ==
        model_error{model_fault::equal_priorities, 1, 0});
  CHECK(fault_of(one_task().released(0, {1}).released(9, {1})).fault == model_fault::none);
  CHECK(fault_of(one_task().task(1)) == model_error{model_fault::unknown_cluster, 1, 0});
  CHECK(fault_of(one_task(), {.processors = 0}).fault == model_fault::no_processor);
  CHECK(fault_of(one_task(), {.clusters = 0}).fault == model_fault::no_processor);
  lock_workload many;
  for (int i = 0; i <= 16; ++i) { many.task(); }
  CHECK(fault_of(many).fault == model_fault::too_many_tasks);
  bank b;
  b.add(k_fmlp{{.replicas = 2}}, {.is_token_pool = true, .tokens = {.gpus = 1, .tokens_per_gpu = 1}});
  CHECK(simulate_locks(one_task(), b).error.fault == model_fault::tokens_differ_from_replicas);
}

TEST_CASE("a lock that only shows at run time to be held stops the run") {
  auto w = one_task();
  w.lock(2).lock(3).lock_of_token(row).unlock_of_token(row).unlock(3).unlock(2).released(0, {1});
  CHECK(fault_of(w).fault == model_fault::out_of_order);
  CHECK(fault_of(w, {.ordered = false}) == model_error{model_fault::locked_twice, 0, 3});
}

TEST_CASE("GSD-26 without an order of nesting two jobs can wait for each other for ever") {
  lock_workload w;
  w.task().lock(0).execute(2).lock(1).execute(1).unlock(1).unlock(0).released(0, {2});
  w.task().lock(1).execute(2).lock(0).execute(1).unlock(0).unlock(1).released(1, {1});
  CHECK(fault_of(w) == model_error{model_fault::out_of_order, 1, 2});
  bank b = locks();
  const auto r = simulate_locks(w, b, {.processors = 2, .ordered = false});
  CHECK_FALSE(r.error);
  CHECK(r.end == 3);
  for (const auto& j : r.jobs) { CHECK(j.finish == takt::no_instant); }
  CHECK(r.requests[2].satisfied == takt::no_instant);
  CHECK(r.requests[2].replica == takt::no_replica);
}

TEST_CASE("each fault and each state has words") {
  for (auto f = model_fault::malformed; f <= model_fault::never_ends;) {
    CHECK_FALSE(describe(f).problem.empty());
    f = static_cast<model_fault>(static_cast<int>(f) + 1);
  }
  for (auto s = job_state::absent; s <= job_state::donor;) {
    CHECK_FALSE(name_of(s).empty());
    s = static_cast<job_state>(static_cast<int>(s) + 1);
  }
}
