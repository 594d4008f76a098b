// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/gpu_migration.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include "support/traces.hpp"

using namespace takt::literals;
using takt::migration_path;

namespace {

using topology = takt::gpu_topology<4, 2>;

/// GPUs 0 and 1 below one hub, 2 and 3 below another.
[[nodiscard]] constexpr auto two_pairs(std::int32_t copy_engines) -> topology {
  topology t;
  const auto left = t.add_hub();
  const auto right = t.add_hub();
  for (const auto hub : {left, left, right, right}) { t.add_gpu(hub, copy_engines); }
  return t;
}

[[nodiscard]] auto lock_of(const takt::gpu_engine& e) -> takt::lock_id {
  return 3 * e.gpu + static_cast<takt::lock_id>(e.kind);
}

using engine_locks = takt::group_lock<12, 8>;

[[nodiscard]] auto request_of(const takt::engine_set& engines) -> engine_locks::list {
  engine_locks::list wanted;
  for (const auto& e : engines) { wanted.unchecked_push_back(lock_of(e)); }
  return wanted;
}

constexpr takt::copy_chunks state{10, 4};

}  // namespace

TEST_CASE("a peer-to-peer migration takes both copy engines in one group request per chunk" *
          takt_tests::traces("GSD-75 GSD-77")) {
  for (const std::int32_t copy_engines : {1, 2}) {
    const topology t = two_pairs(copy_engines);
    const auto there = takt::migration_before(t, migration_path::peer_to_peer, 0, 1, state);
    const auto back = takt::migration_before(t, migration_path::peer_to_peer, 1, 0, state);
    REQUIRE(there.possible);
    REQUIRE(there.steps.size() == 1);
    REQUIRE(there.steps[0].chunks.count() == 3);
    CHECK(there.steps[0].engines == t.peer_copy_engines(0, 1));
    CHECK(takt::migration_after(t, migration_path::peer_to_peer, 1, state).steps.empty());

    // Two jobs that change places: with single copy engines each wants both of the other's.
    engine_locks locks;
    const std::array<engine_locks::list, 2> wanted{request_of(there.steps[0].engines),
                                                   request_of(back.steps[0].engines)};
    std::array<std::int64_t, 2> copied{};
    REQUIRE(locks.issue(0, wanted[0]).satisfied.size() == 1);
    CHECK(locks.issue(1, wanted[1]).satisfied.size() == (copy_engines == 2 ? 1 : 0));
    while (copied[0] < 3 || copied[1] < 3) {
      const takt::request_id runs = locks.holds(0) ? 0 : 1;
      REQUIRE(locks.holds(runs));
      const auto i = static_cast<std::size_t>(runs);
      for (const takt::lock_id l : wanted[i]) { CHECK(locks.holds(runs, l)); }
      (void)locks.release(runs);
      if (++copied[i] < 3) { (void)locks.issue(runs, wanted[i]); }
    }
    CHECK(copied == std::array<std::int64_t, 2>{3, 3});
  }
}

TEST_CASE("GPUs without a common hub exchange state through system memory, one engine at a time") {
  const topology t = two_pairs(2);
  const auto plan = takt::migration_before(t, migration_path::peer_to_peer, 1, 2, state);
  REQUIRE(plan.possible);
  REQUIRE(plan.steps.size() == 2);
  REQUIRE(plan.steps[0].engines.size() == 1);
  REQUIRE(plan.steps[1].engines.size() == 1);
  CHECK(plan.steps[0].engines[0] == t.copy_engine(1, takt::to_host));
  CHECK(plan.steps[1].engines[0] == t.copy_engine(2, takt::to_device));
}

TEST_CASE("state goes to system memory after every job and back only to another GPU, under one lock at a time" *
          takt_tests::traces("GSD-78")) {
  const topology t = two_pairs(2);
  takt::random_stream random{78};
  std::int32_t last = takt::no_gpu;
  std::int32_t valid_on = takt::no_gpu;
  bool in_memory = false;
  for (int job = 0; job < 500; ++job) {
    const auto gpu = static_cast<std::int32_t>(random.below(4));
    const auto before = takt::migration_before(t, migration_path::system_memory, last, gpu, state);
    const auto after = takt::migration_after(t, migration_path::system_memory, gpu, state);
    REQUIRE(before.possible);
    REQUIRE(after.possible);
    REQUIRE(before.steps.size() == (last == takt::no_gpu || last == gpu ? 0 : 1));
    for (const auto& step : before.steps) {
      REQUIRE(in_memory);
      REQUIRE(step.engines.size() == 1);
      REQUIRE(step.engines[0] == t.copy_engine(gpu, takt::to_device));
      valid_on = gpu;
    }
    if (last == takt::no_gpu) { valid_on = gpu; }
    REQUIRE(valid_on == gpu);
    REQUIRE(after.steps.size() == 1);
    REQUIRE(after.steps[0].engines.size() == 1);
    REQUIRE(after.steps[0].engines[0] == t.copy_engine(gpu, takt::to_host));
    in_memory = true;
    last = gpu;
  }
}

TEST_CASE("a section of a migration lasts as long as its longest chunk on a congested bus") {
  constexpr takt::copy_model link{{100_ns, 100_ns}, 1'000'000'000, 1'000'000'000};
  const auto plan = takt::migration_before(two_pairs(2), migration_path::system_memory, 0, 3, state);
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps[0].section_time(link).upper == 104_ns);
  CHECK(plan.steps[0].section_time(link, {3, 2}).upper == 156_ns);
}

TEST_CASE("a migration that is not needed has no steps, an impossible one says so") {
  const topology t = two_pairs(1);
  const auto none = takt::migration_before(t, migration_path::none, 0, 1, state);
  CHECK(none.possible);
  CHECK(none.steps.empty());
  CHECK(takt::migration_before(t, migration_path::peer_to_peer, 1, 1, state).steps.empty());
  CHECK(takt::migration_before(t, migration_path::peer_to_peer, takt::no_gpu, 1, state).possible);
  CHECK_FALSE(takt::migration_before(t, migration_path::peer_to_peer, 0, 4, state).possible);
  CHECK_FALSE(takt::migration_before(t, migration_path::peer_to_peer, 4, 0, state).possible);
  CHECK_FALSE(takt::migration_before(t, migration_path::system_memory, 0, 1, {-1, 4}).possible);
  CHECK_FALSE(takt::migration_after(t, migration_path::system_memory, takt::no_gpu, state).possible);
  CHECK_FALSE(takt::migration_after(t, migration_path::system_memory, 0, {4, 0}).possible);
}
