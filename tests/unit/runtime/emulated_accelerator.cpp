// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <mutex>
#include <utility>
#include <vector>

#include <takt/model/accelerator.hpp>
#include <takt/rules/servers/slices.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/executor/decided_device.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>

#include "support/limited_wait.hpp"

namespace {

using takt::kernel_id;
using takt::ticks;
using takt::unassigned_core;
using takt::runtime::emulated_accelerator;
using takt::runtime::launch_end;
using takt::runtime::wave_kernel;
using steps = std::vector<std::pair<kernel_id, std::int64_t>>;

/// An opened device that remembers how launches ended and lets the test wait for that.
class bench {
 public:
  bench(std::int32_t cores, std::int32_t levels, std::size_t kernels, std::size_t trace = 0)
      : device{{.cores = cores, .preemption_levels = levels}}, ended_(kernels), how_(kernels) {
    const auto note = [](void* self, kernel_id k, launch_end how) {
      auto& b = *static_cast<bench*>(self);
      b.how_[static_cast<std::size_t>(k)] = how;
      b.ended_[static_cast<std::size_t>(k)].signal();
    };
    const bool opened = device.open({.streams = {.cores = cores, .levels = levels},
                                     .kernels = kernels,
                                     .trace_capacity = trace,
                                     .ended = {note, this}});
    REQUIRE(opened);
  }
  bench(const bench&) = delete;
  auto operator=(const bench&) -> bench& = delete;
  ~bench() { device.close(); }

  auto wait_for(kernel_id k) -> launch_end {
    ended_[static_cast<std::size_t>(k)].wait();
    return how_[static_cast<std::size_t>(k)];
  }
  /// A block that notes its kernel and index, and then does what else there is.
  auto noting(kernel_id k, std::function<void(std::int64_t)> also = {}) -> std::function<void(std::int64_t)> {
    return [this, k, also = std::move(also)](std::int64_t i) {
      {
        const std::lock_guard lock{mutex_};
        steps_.emplace_back(k, i);
      }
      if (also) { also(i); }
    };
  }
  [[nodiscard]] auto seen() -> steps {
    const std::lock_guard lock{mutex_};
    return steps_;
  }

  emulated_accelerator device;

 private:
  std::vector<takt::runtime::event> ended_;
  std::vector<launch_end> how_;
  std::mutex mutex_;
  steps steps_;
};

}  // namespace

TEST_CASE("an accelerator serves no more cores and levels than it has") {
  const emulated_accelerator device{{.cores = 2, .preemption_levels = 3}};
  CHECK(device.serves({.cores = 2, .levels = 3}));
  CHECK_FALSE(device.serves({.cores = 3, .levels = 1}));
  CHECK_FALSE(device.serves({.cores = 1, .levels = 4}));
}

TEST_CASE("a timed kernel has waves up to its length, on every core that it asks for") {
  const wave_kernel k{10, 4};
  CHECK(k.blocks(1) == 3);
  CHECK(k.length_of(0, 1) == 4);
  CHECK(k.length_of(2, 1) == 2);
  CHECK(k.blocks(2) == 6);
  CHECK(k.length_of(3, 2) == 4);
  CHECK(k.length_of(5, 2) == 2);
  CHECK(wave_kernel{8, 4}.length_of(1, 1) == 4);
  CHECK(wave_kernel{0, 4}.blocks(2) == 0);
  CHECK(wave_kernel{3 * wave_kernel::finest_wave, 0}.blocks(1) == 3);
}

TEST_CASE("a launch on a higher level starts at the end of the block that runs, and the one below goes on after it") {
  bench b{1, 2, 2};
  const wave_kernel high{2, b.noting(1)};
  const wave_kernel low{3, b.noting(0, [&](std::int64_t i) {
                          if (i == 0) { b.device.submit(1, {.core = 0, .level = 1}); }
                        })};
  b.device.load(0, low, 0);
  b.device.load(1, high, 0);
  b.device.submit(0, {.core = 0, .level = 0});
  CHECK(b.wait_for(1) == launch_end::complete);
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(b.seen() == steps{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}});
}

TEST_CASE("a kernel for all cores takes them over from pinned ones on a lower level, and they go on after it") {
  bench b{1, 2, 2};
  const wave_kernel gang{1, b.noting(1)};
  const wave_kernel low{2, b.noting(0, [&](std::int64_t i) {
                          if (i == 0) { b.device.submit(1, {.core = unassigned_core, .level = 1}); }
                        })};
  b.device.load(0, low, 0);
  b.device.load(1, gang, 0);
  b.device.submit(0, {.core = 0, .level = 0});
  CHECK(b.wait_for(1) == launch_end::complete);
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(b.seen() == steps{{0, 0}, {1, 0}, {0, 1}});
}

TEST_CASE("kernels in one stream run in the order of their launches") {
  bench b{1, 2, 2};
  const wave_kernel second{1, b.noting(1)};
  const wave_kernel first{2, b.noting(0, [&](std::int64_t i) {
                            if (i == 0) { b.device.submit(1, {.core = 0, .level = 0}); }
                          })};
  b.device.load(0, first, 0);
  b.device.load(1, second, 0);
  b.device.submit(0, {.core = 0, .level = 0});
  CHECK(b.wait_for(1) == launch_end::complete);
  CHECK(b.seen() == steps{{0, 0}, {0, 1}, {1, 0}});
}

TEST_CASE("a core that a launch has left idle starts the next one of the stream no earlier than that ends") {
  struct {
    std::array<ticks, 2> first_start{takt::no_event, takt::no_event};
    ticks last_end = 0;
    void record(const takt::slice& s) {
      first_start[s.task] = std::min(first_start[s.task], s.start);
      if (s.task == 0) { last_end = std::max(last_end, s.end); }
    }
    void record(const takt::mark& /*m*/) {}
  } trace;
  bench b{2, 1, 2, 16};
  const wave_kernel on_one_core{1, [](std::int64_t) {}, 2'000'000};
  const wave_kernel gang{1'000'000, 1'000'000};
  b.device.load(0, on_one_core, 0);
  b.device.load(1, gang, 0);
  b.device.submit(0, {.core = unassigned_core, .level = 0});
  b.device.submit(1, {.core = unassigned_core, .level = 0});
  CHECK(b.wait_for(1) == launch_end::complete);
  b.device.close();
  CHECK(b.device.replay(trace, 0) == 0);
  CHECK(trace.first_start[1] >= trace.last_end);
}

TEST_CASE("kernels in the streams of two cores run at the same time, and a kernel for all cores runs on each") {
  bench b{2, 1, 3};
  std::latch both{2};
  const wave_kernel pinned{1, [&both](std::int64_t) { both.arrive_and_wait(); }};
  b.device.load(0, pinned, 0);
  b.device.load(1, pinned, 0);
  b.device.submit(0, {.core = 0, .level = 0});
  b.device.submit(1, {.core = 1, .level = 0});
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(b.wait_for(1) == launch_end::complete);
  std::latch all{2};
  const wave_kernel gang{2, [&all](std::int64_t) { all.arrive_and_wait(); }};
  b.device.load(2, gang, 0);
  b.device.submit(2, {.core = unassigned_core, .level = 0});
  CHECK(b.wait_for(2) == launch_end::complete);
}

TEST_CASE("a launch yields after the block that runs, its job goes on there, and after the last block it is complete") {
  bench b{1, 1, 1};
  const wave_kernel kernel{3, b.noting(0, [&](std::int64_t i) {
                             if (i != 1) { b.device.request_yield(0); }
                           })};
  b.device.load(0, kernel, 0);
  b.device.submit(0, {.core = 0, .level = 0});
  CHECK(b.wait_for(0) == launch_end::yielded);
  CHECK(b.seen() == steps{{0, 0}});
  b.device.submit(0, {.core = 0, .level = 0});
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(b.seen() == steps{{0, 0}, {0, 1}, {0, 2}});
  b.device.request_yield(0);
  b.device.load(0, kernel, 1);
  b.device.submit(0, {.core = 0, .level = 0});
  CHECK(b.wait_for(0) == launch_end::yielded);
}

TEST_CASE("no core draws a block of a launch that has been asked to yield, while another core is still in one") {
  bench b{2, 1, 1};
  takt::runtime::event asked;
  const wave_kernel kernel{4, b.noting(0, [&](std::int64_t i) {
                             if (i == 0) {
                               asked.wait();
                               takt::runtime::sleep_until(takt::runtime::now() + 3'000'000);
                             }
                             if (i == 1) {
                               b.device.request_yield(0);
                               asked.signal();
                             }
                           })};
  b.device.load(0, kernel, 0);
  b.device.submit(0, {.core = unassigned_core, .level = 0});
  CHECK(b.wait_for(0) == launch_end::yielded);
  CHECK(b.seen().size() == 2);
  b.device.submit(0, {.core = unassigned_core, .level = 0});
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(b.seen().size() == 4);
}

TEST_CASE("a kernel without blocks is complete at once, and so is one without length") {
  bench b{2, 1, 2};
  const wave_kernel none{0, b.noting(0)};
  const wave_kernel empty{0, 5};
  b.device.load(0, none, 0);
  b.device.load(1, empty, 0);
  b.device.submit(0, {.core = unassigned_core, .level = 0});
  b.device.submit(1, {.core = 1, .level = 0});
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(b.wait_for(1) == launch_end::complete);
  CHECK(b.seen().empty());
}

TEST_CASE("each block runs exactly once on all cores, however often the job yields and is preempted") {
  for (const std::int32_t cores : {1, 2, 3}) {
    for (const std::int64_t blocks : {1, 2, 7, 64}) {
      CAPTURE(cores);
      CAPTURE(blocks);
      bench b{cores, 2, 2};
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(blocks) + 1);
      const wave_kernel kernel{blocks, [&](std::int64_t i) {
                                 ++runs[static_cast<std::size_t>(i)];
                                 if (i % 3 == 0) { b.device.request_yield(0); }
                               }};
      const wave_kernel other{5, [](std::int64_t) {}};
      b.device.load(0, kernel, 0);
      b.device.load(1, other, 0);
      b.device.submit(1, {.core = unassigned_core, .level = 1});
      int launches = 0;
      for (launch_end how = launch_end::yielded; how == launch_end::yielded; ++launches) {
        b.device.submit(0, {.core = unassigned_core, .level = 0});
        how = b.wait_for(0);
      }
      CHECK(b.wait_for(1) == launch_end::complete);
      CHECK(launches <= (blocks + 2) / 3 + 1);
      for (std::size_t i = 0; i < runs.size(); ++i) { CHECK(runs[i] == (i + 1 < runs.size() ? 1 : 0)); }
    }
  }
}

TEST_CASE("a timed kernel occupies each of its cores for its length, in one piece unless it is stopped") {
  struct {
    std::vector<takt::slice> slices;
    void record(const takt::slice& s) { slices.push_back(s); }
    void record(const takt::mark& /*m*/) {}
  } trace;
  bench b{2, 1, 2, 16};
  const wave_kernel gang{1'000'000, 300'000};
  const wave_kernel single{500'000, 500'000};
  b.device.load(0, gang, 4);
  const ticks before = takt::runtime::now();
  b.device.submit(0, {.core = unassigned_core, .level = 0});
  CHECK(b.wait_for(0) == launch_end::complete);
  CHECK(takt::runtime::now() - before >= 1'000'000);
  b.device.load(1, single, 7);
  b.device.submit(1, {.core = 1, .level = 0});
  CHECK(b.wait_for(1) == launch_end::complete);
  b.device.close();
  CHECK(b.device.replay(trace, before) == 0);
  ticks of_gang = 0;
  for (const takt::slice& s : trace.slices) {
    CHECK(s.start >= 0);
    CHECK(s.where.count == 1);
    if (s.task == 1) {
      CHECK(s.job == 7);
      CHECK(s.where.index == 1);
      CHECK(s.end - s.start == 500'000);
    } else {
      CHECK(s.job == 4);
      of_gang += s.end - s.start;
    }
  }
  CHECK(of_gang == 2'000'000);
}

TEST_CASE("an accelerator tells how much of its trace did not fit") {
  takt::null_recorder nothing;
  bench b{1, 1, 3, 1};
  const wave_kernel kernel{1'000, 1'000};
  for (const kernel_id k : {0, 1, 2}) {
    b.device.load(k, kernel, 0);
    b.device.submit(k, {.core = 0, .level = 0});
    CHECK(b.wait_for(k) == launch_end::complete);
  }
  b.device.close();
  CHECK(b.device.replay(nothing, 0) == 2);
}

TEST_CASE("a closed accelerator abandons what has not run, and can be opened again") {
  bench b{1, 1, 2, 1};
  const wave_kernel endless{3'600'000'000'000, 3'600'000'000'000};
  std::atomic<bool> ran = false;
  const wave_kernel waiting{1, [&ran](std::int64_t) { ran = true; }};
  b.device.load(0, endless, 0);
  b.device.load(1, waiting, 0);
  b.device.submit(0, {.core = 0, .level = 0});
  b.device.submit(1, {.core = 0, .level = 0});
  b.device.close();
  CHECK_FALSE(ran);
  const bool again =
      b.device.open({.streams = {.cores = 1, .levels = 1}, .kernels = 2, .trace_capacity = 1, .ended = {}});
  REQUIRE(again);
  b.device.load(1, waiting, 0);
  b.device.submit(1, {.core = 0, .level = 0});
  takt_tests::await([&ran] { return ran.load(); });
}

TEST_CASE("the number of a launch tells its visit, however many jobs there were") {
  using takt::runtime::detail::launch_number;
  for (const std::uint64_t job :
       {std::uint64_t{0}, (std::uint64_t{1} << 40) - 1, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (const std::uint32_t visit : {0U, 5U, (1U << 24) - 1}) {
      const auto back =
          takt::runtime::detail::launch_number::of(takt::runtime::detail::launch_number{visit, job}.packed());
      CHECK(back.visit == visit);
      CHECK(back.job == job % (std::uint64_t{1} << 40));
    }
  }
}
