// SPDX-License-Identifier: Apache-2.0
// Random kernels through the rule of the block queue: lemmas and bounds hold. TAKT_BLOCK_SETS asks for more sets.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include <takt/analysis/methods/block_queue/multi_resource.hpp>
#include <takt/analysis/methods/block_queue/per_task_streams.hpp>

#include "support/traces.hpp"
#include "unit/analysis/methods/block_queue/dispatched_kernels.hpp"

using namespace block_tests;
using namespace takt::analysis;

namespace {

constexpr std::size_t max_kernels = 4;
using kernel_set = takt::task_rows<takt::block_kernel<ticks>, max_kernels>;
using bounds = block_bounds<ticks, max_kernels>;

auto random_set(std::uint64_t seed, const block_gpu& gpu, ticks slowest) -> kernel_set {
  takt::random_stream random{seed};
  kernel_set out;
  const auto count = random.between(1, max_kernels);
  const ticks unit = random.between(1, 2);
  for (ticks i = 0; i < count; ++i) {
    static_cast<void>(out.add({.length = random.between(1, 6),
                               .period = random.between(3, slowest),
                               .blocks = random.between(1, 5),
                               .threads = unit * random.between(1, gpu.threads_per_sm / unit),
                               .jitter = random.chance(1, 3) ? random.below(8) : 0,
                               .shared_memory = gpu.shared_memory > 0 ? random.below(gpu.shared_memory) : 0}));
  }
  return out;
}

/// Sporadic jobs, late by at most their jitter, at full length; `tight` ones are periodic.
auto jobs_of(const auto& set, std::uint64_t seed, bool tight) -> std::vector<job> {
  takt::random_stream random{~seed};
  std::vector<job> jobs;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto& k = set.tasks[i];
    ticks nominal = tight ? 0 : random.below(10);
    for (int j = 0; j < 25; ++j) {
      const ticks late = k.jitter > 0 ? random.below(k.jitter + 1) : 0;
      jobs.push_back({nominal + late, k.threads, k.blocks, k.length, static_cast<std::int32_t>(i), k.shared_memory});
      nominal += k.period + (tight ? 0 : random.below(3));
    }
  }
  std::sort(jobs.begin(), jobs.end(), [](const job& a, const job& b) {
    return a.enqueue != b.enqueue ? a.enqueue < b.enqueue : a.task < b.task;
  });
  return jobs;
}

constexpr block_placement placements[]{block_placement::even, block_placement::first_fit, block_placement::best_fit};

struct tally {
  int bounded = 0;
  int reached = 0;

  void hold(const bounds& b, const std::vector<job>& jobs, const run& r) {
    if (!b.bounded()) { return; }
    ++bounded;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const ticks bound = b.responses[static_cast<std::size_t>(jobs[j].task)];
      CHECK(r.responses[j] <= bound);
      reached += r.responses[j] == bound ? 1 : 0;
    }
  }
};

auto without_jitter(const auto& set) -> bool {
  for (const auto& k : set.tasks) {
    if (k.jitter > 0) { return false; }
  }
  return true;
}

}  // namespace

TEST_CASE("both lemmas and every bound hold under all placements, with and without jitter" *
          takt_tests::traces("OVX-25 OVX-26 OVX-27")) {
  tally theorem;
  tally sharper;
  tally knapsack;
  int lemmas = 0;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_BLOCK_SETS", 120); ++seed) {
    takt::random_stream random{seed ^ 0xb10c};
    const block_gpu gpu{.sms = static_cast<std::int32_t>(random.between(1, 3)),
                        .threads_per_sm = 2 * random.between(2, 6)};
    const auto set = random_set(seed, gpu, 40);
    takt::thread_time<ticks> carried;
    takt::thread_time<ticks> backlog;
    REQUIRE(takt::analysis::detail::carry_in_bound(set, gpu, carried));
    REQUIRE(backlog_bound(set, gpu, takt::per_job_streams, backlog));
    for (const auto placement : placements) {
      const auto jobs = jobs_of(set, seed, placement == block_placement::even);
      const auto r = dispatch_all(jobs, {gpu, placement});
      CHECK(r.one_of_two);
      CHECK(r.most_not_busy <= carried.value);
      const auto separated = separated_enqueue_response(set, gpu, takt::per_job_streams);
      if (separated.bounded() && without_jitter(set)) {
        ++lemmas;
        CHECK(r.most_at_enqueue <= backlog.value);
      }
      theorem.hold(separated, jobs, r);
      sharper.hold(outstanding_response(set, gpu, takt::per_job_streams), jobs, r);
      knapsack.hold(knapsack_response(set, gpu, takt::per_job_streams), jobs, r);
    }
  }
  CHECK(lemmas > 20);
  CHECK(theorem.bounded > 50);
  CHECK(sharper.bounded > 50);
  CHECK(sharper.reached > 0);
}

TEST_CASE("streams per task that are proven respond in time" * takt_tests::traces("OVX-X4")) {
  tally proven;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_BLOCK_SETS", 120); ++seed) {
    const block_gpu gpu{.sms = 2, .threads_per_sm = 8};
    const auto set = random_set(seed, gpu, 60);
    const auto b = per_task_stream_response(set, gpu);
    const auto jobs = jobs_of(set, seed, false);
    proven.hold(b, jobs, dispatch_all(jobs, {gpu, block_placement::even, true}));
  }
  CHECK(proven.bounded > 20);
}

TEST_CASE("the bound of several resources holds where slots and shared memory bind" * takt_tests::traces("OVX-X6")) {
  tally several;
  int beyond = 0;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_BLOCK_SETS", 120); ++seed) {
    const block_gpu gpu{.sms = 2, .threads_per_sm = 24, .block_slots = 4, .shared_memory = 12};
    auto set = random_set(seed, gpu, 90);
    for (auto& k : set.tasks) { k.threads = 1 + k.threads / 4; }
    beyond += takt::analysis::detail::only_threads_bind(set, gpu) ? 0 : 1;
    for (const auto placement : placements) {
      const auto jobs = jobs_of(set, seed, placement == block_placement::even);
      const auto r = dispatch_all(jobs, {gpu, placement});
      several.hold(multi_resource_response(set, gpu, takt::per_job_streams), jobs, r);
      several.hold(block_queue_response(set, gpu, takt::per_job_streams), jobs, r);
    }
  }
  CHECK(beyond > 50);
  CHECK(several.bounded > 50);
}

TEST_CASE("kernels of sequential owners respond within the owners' bound, however fast they are issued" *
          takt_tests::traces("OVX-X8")) {
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= asked("TAKT_BLOCK_SETS", 120); ++seed) {
    takt::random_stream random{seed};
    const block_gpu gpu{.sms = 2, .threads_per_sm = 8};
    auto set = random_set(seed, gpu, 40);
    for (std::size_t i = 0; i < set.size(); ++i) { set.tasks[i].owner = static_cast<std::int32_t>(i % 2); }
    const auto b = takt::analysis::detail::owner_response(set, gpu);
    REQUIRE(b.bounded());
    const std::size_t owners = std::min<std::size_t>(2, set.size());
    // Whoever is free first issues one of its kernels; later ones queue behind and change nothing for it.
    std::vector<job> jobs;
    std::array<ticks, 2> free{};
    for (int n = 0; n < 20; ++n) {
      const std::size_t owner = owners == 2 && free[1] < free[0] ? 1 : 0;
      const std::size_t own = (set.size() - owner + 1) / 2;
      const std::size_t i = owner + 2 * static_cast<std::size_t>(random.below(static_cast<ticks>(own)));
      const auto& k = set.tasks[i];
      jobs.push_back({free[owner], k.threads, k.blocks, k.length, static_cast<std::int32_t>(i), k.shared_memory});
      const ticks response = dispatch_all(jobs, {gpu}).responses.back();
      CHECK(response <= b.responses[i]);
      reached += response == b.responses[i] ? 1 : 0;
      free[owner] += response + random.below(2);
    }
  }
  CHECK(reached > 0);
}
