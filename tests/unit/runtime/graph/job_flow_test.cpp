// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/runtime/graph/emulated_block_gpu.hpp>
#include <takt/runtime/graph/job_flow.hpp>
#include <takt/runtime/graph/processor_queue.hpp>
#include <takt/runtime/thread.hpp>
#include "support/environment.hpp"
#include "support/limited_wait.hpp"

namespace {

using takt::random_stream;
using takt::runtime::flow_node;
using takt::runtime::job_entry;
using takt::runtime::job_flow;
using takt::runtime::job_wait;
using takt::runtime::ready_job;

/// `TAKT_GRAPH_RUNS` asks for more.
[[nodiscard]] auto rounds(std::int64_t few) -> std::int64_t {
  return std::max<std::int64_t>(1, takt_tests::from_environment<std::int64_t>("TAKT_GRAPH_RUNS", few));
}

struct random_flow {
  std::vector<flow_node> nodes;
  std::vector<job_wait> waits;
};

/// Waits lead from lower to higher numbers, or into later jobs; whoever has no thread waits for node 0.
[[nodiscard]] auto draw_flow(random_stream& random) -> random_flow {
  random_flow out;
  const auto count = static_cast<std::uint32_t>(random.between(2, 6));
  out.nodes.push_back({random.between(1, 4), job_entry::worker});
  for (std::uint32_t to = 1; to < count; ++to) {
    const bool free = random.chance(1, 4);
    out.nodes.push_back({random.between(1, 4), free ? job_entry::none : job_entry::worker});
    if (free) { out.waits.push_back({0, to, 0}); }
    for (std::uint32_t from = 0; from < to; ++from) {
      if (!random.chance(1, 2)) { continue; }
      out.waits.push_back({from, to, random.chance(1, 4) ? random.between(1, 2) : 0});
      if (random.chance(1, 2)) { out.waits.push_back({to, from, random.between(1, 4)}); }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("a flow starts each job once and after all that it waits for, and no wake-up is lost") {
  constexpr std::int64_t jobs = 100;
  random_stream random{41};
  for (std::int64_t round = 0; round < rounds(12); ++round) {
    const random_flow drawn = draw_flow(random);
    const std::size_t count = drawn.nodes.size();
    std::vector<std::vector<std::atomic<int>>> over;
    for (std::size_t v = 0; v < count; ++v) { over.emplace_back(jobs); }
    std::atomic<std::int64_t> done{0};
    std::atomic<int> early{0};
    std::atomic<int> wrong{0};
    job_flow flow{drawn.nodes, drawn.waits, [](std::uint32_t, const ready_job&) {}};
    const auto is_over = [&](std::uint32_t v, std::int64_t job) {
      return job < 0 || drawn.nodes[v].entry == job_entry::none || over[v][static_cast<std::size_t>(job)] == 1;
    };
    std::int64_t expected_jobs = 0;
    std::vector<takt::runtime::thread> threads;
    for (std::uint32_t v = 0; v < count; ++v) {
      if (drawn.nodes[v].entry != job_entry::worker) { continue; }
      expected_jobs += jobs;
      for (std::int64_t i = 0; i < drawn.nodes[v].instances; ++i) {
        threads.emplace_back([&, v, i] {
          for (std::int64_t expected = i; expected < jobs; expected += drawn.nodes[v].instances) {
            const auto job = flow.wait(v, i);
            if (!job || job->number != expected) {
              ++wrong;
              return;
            }
            for (const job_wait& w : drawn.waits) {
              if (w.to == v && !is_over(w.from, expected - w.lag)) { ++early; }
            }
            ++over[v][static_cast<std::size_t>(expected)];
            ++done;
            flow.end(v, expected, 0);
          }
        });
      }
    }
    flow.begin(0);
    threads.clear();
    CHECK(early == 0);
    CHECK(wrong == 0);
    CHECK(done == expected_jobs);
  }
}

TEST_CASE("a flow that is stopped lets every thread go, and one without waits starts at once") {
  job_flow flow{{{1, job_entry::worker}, {2, job_entry::worker}}, {{0, 1, 0}}, [](std::uint32_t, const ready_job&) {}};
  CHECK(!flow.is_ready(0, 0));
  flow.begin(7);
  const auto first = flow.wait(0, 0);
  REQUIRE(first.has_value());
  CHECK(first->number == 0);
  CHECK(first->since == 7);
  CHECK(!flow.is_ready(1, 0));
  flow.end(0, 0, 9);
  REQUIRE(flow.is_ready(1, 0));
  CHECK(flow.wait(1, 0)->since == 9);
  CHECK(flow.wait(0, 0)->number == 1);
  std::atomic<int> returned{0};
  takt::runtime::thread waiting{[&] { returned = flow.wait(1, 1).has_value() ? 1 : 2; }};
  flow.stop();
  waiting.join();
  CHECK(returned == 2);
}

TEST_CASE("jobs of a node end in any order, and each lets its own successor go") {
  std::vector<std::int64_t> told;
  job_flow flow{{{3, job_entry::worker}, {3, job_entry::notice}},
                {{0, 1, 0}},
                [&told](std::uint32_t, const ready_job& j) { told.push_back(j.number); }};
  flow.begin(0);
  flow.end(0, 2, 1);
  flow.end(0, 0, 2);
  flow.end(0, 1, 3);
  CHECK(told == std::vector<std::int64_t>{2, 0, 1});
}

TEST_CASE("a processor that becomes free goes to the least priority point that waits") {
  takt::runtime::processor_queue processors{1};
  const std::int32_t mine = processors.enter({.point = 0});
  std::vector<std::uint32_t> order;
  std::atomic<int> asked{0};
  std::vector<takt::runtime::thread> threads;
  for (const takt::ticks point : {5, 1, 3, 1}) {
    const auto node = static_cast<std::uint32_t>(threads.size());
    threads.emplace_back([&, point, node] {
      ++asked;
      const std::int32_t p = processors.enter({.point = point, .node = node});
      order.push_back(node);
      processors.leave(p);
    });
  }
  takt_tests::await([&] { return asked == 4 && processors.waiting() == 4; });
  processors.leave(mine);
  threads.clear();
  CHECK(order == std::vector<std::uint32_t>{1, 3, 2, 0});
}

TEST_CASE("as many claims hold a processor at a time as there are, each another one") {
  constexpr std::size_t count = 3;
  takt::runtime::processor_queue processors{count};
  std::vector<std::atomic<int>> held(count);
  std::atomic<int> shared{0};
  std::vector<takt::runtime::thread> threads;
  for (std::uint32_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t j = 0; j < 200; ++j) {
        const auto p = static_cast<std::size_t>(processors.enter({.point = j, .job = j, .node = t}));
        if (++held[p] != 1) { ++shared; }
        --held[p];
        processors.leave(static_cast<std::int32_t>(p));
      }
    });
  }
  threads.clear();
  CHECK(shared == 0);
  CHECK(processors.waiting() == 0);
}

TEST_CASE("OVX-32 kernels enter the queue by their guards: in order, a period apart, each job on its own stream") {
  takt::graph_platform platform;
  platform.clusters.push_back(1);
  platform.sms = 2;
  platform.threads_per_sm = 1024;
  constexpr takt::ticks apart = 2'000'000;
  constexpr std::int64_t jobs = 12;
  std::vector<takt::runtime::kernel_job> ended;
  std::vector<takt::runtime::block_piece> pieces;
  std::atomic<std::int64_t> count{0};
  // A job lasts longer than the separation: the next one runs beside it.
  std::vector<takt::runtime::device_kernel> kernels{
      {.blocks = 2, .threads = 256, .block_length = 3 * apart, .separation = apart, .code = {}}};
  takt::runtime::emulated_block_gpu gpu{
      platform,
      takt::block_placement::even,
      kernels,
      takt::runtime::length_choice::upper,
      1,
      {.on_end =
           [&](const takt::runtime::kernel_job& j) {
             ended.push_back(j);
             ++count;
           },
       .on_piece = [&](const takt::runtime::block_piece& p) { pieces.push_back(p); }}};
  REQUIRE(gpu.open(1));
  for (const std::int64_t job : {3, 1, 0, 2, 7, 5, 6, 4, 11, 8, 10, 9}) { gpu.offer(0, job, 0); }
  takt_tests::await([&] { return count == jobs; });
  gpu.close();
  REQUIRE(ended.size() == jobs);
  std::ranges::sort(ended, {}, &takt::runtime::kernel_job::job);
  for (std::size_t j = 1; j < ended.size(); ++j) {
    CHECK(ended[j].entered - ended[j - 1].entered >= apart);
    CHECK(ended[j].entered < ended[j - 1].ended);
  }
  CHECK(pieces.size() == 2 * jobs);
  for (const auto& p : pieces) { CHECK(p.end - p.start == 3 * apart); }
}
