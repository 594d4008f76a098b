// SPDX-License-Identifier: Apache-2.0
// A block queue on the executor: the queue is that of a device.
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <takt/model/to_runtime_tasks.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/runtime/emulated_block_device.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/takt.hpp>
#include "support/trace_checker.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;
using takt::observation_status;
using takt::ticks;

constexpr auto blocks_of(std::int32_t blocks, std::int32_t threads, takt::duration length) {
  return takt::visit<takt::gpu>(takt::wcet(length * 8), takt::grid(blocks, threads), takt::block_length(length));
}
constexpr auto set = takt::task_set(
    takt::task("wide", takt::period(40_ms), takt::cpu(100_us), blocks_of(12, 32, 2_ms), takt::cpu(100_us)),
    takt::task("tall", takt::period(30_ms), takt::cpu(100_us), blocks_of(3, 64, 3_ms)),
    takt::task("small", takt::period(20_ms), blocks_of(2, 32, 1_ms), takt::cpu(100_us)));
constexpr std::array<std::int64_t, 3> blocks{12, 3, 2};
constexpr std::array<std::int64_t, 3> threads{32, 64, 32};
constexpr std::int64_t most_threads = 96;
constexpr std::int64_t most_blocks = 2;
constexpr auto slots = takt::block_slots(2, most_threads, most_blocks);
constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::g_edf), takt::pool(slots, takt::block_queue_rule<2, 16>{}));

auto options(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.drain = 60_s;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

/// "" if a trace is one of a block queue: room on each SM, all blocks of a kernel before any of the next, each kernel
/// with all its blocks.
auto queue_complaint(const takt::trace& seen) -> std::string {
  struct kernel {
    std::uint32_t task = 0;
    std::uint64_t job = 0;
    std::size_t count = 0;
    ticks first = std::numeric_limits<ticks>::max();
    ticks last = 0;
  };
  std::vector<takt::slice> all;
  for (const takt::slice& s : seen.slices() | takt::views::slices_on(takt::stage::kernel)) { all.push_back(s); }
  std::vector<kernel> kernels;
  for (const takt::slice& a : all) {
    std::int64_t used = 0;
    std::int64_t here = 0;
    for (const takt::slice& b : all) {
      if (b.where.index != a.where.index || b.start > a.start || a.start >= b.end) { continue; }
      used += threads[b.task];
      ++here;
    }
    if (used > most_threads || here > most_blocks) { return "an SM has " + std::to_string(here) + " blocks"; }
    auto k = std::ranges::find_if(kernels, [&](const kernel& x) { return x.task == a.task && x.job == a.job; });
    if (k == kernels.end()) { k = kernels.insert(kernels.end(), {a.task, a.job}); }
    ++k->count;
    k->first = std::min(k->first, a.start);
    k->last = std::max(k->last, a.start);
  }
  for (const kernel& a : kernels) {
    if (a.count != static_cast<std::size_t>(blocks[a.task])) { return "a kernel has lost or gained blocks"; }
    for (const kernel& b : kernels) {
      if (a.first < b.first && b.first < a.last) { return "a kernel started among the blocks of another"; }
    }
  }
  return kernels.empty() ? "no kernel ran" : "";
}

}  // namespace

TEST_CASE("the block queue of a device fills its SMs, kernel by kernel, as their blocks end") {
  const auto described = takt::to_runtime_tasks(set);
  rt::emulated_block_device gpu{slots};
  rt::board_devices devices;
  devices.kernels(1, gpu);
  auto o = options(240_ms);
  o.lengths = rt::length_choice::upper;
  takt::trace seen;
  const auto ran = rt::run(board, set, takt::plan<3, 7>{}, devices, o, seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.ended == observation_status::no_miss);
  CHECK(ran.tasks[0].completed == 6);
  CHECK(ran.tasks[1].completed == 8);
  CHECK(ran.tasks[2].completed == 12);
  CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
  CHECK(queue_complaint(seen) == "");
  // Twelve blocks, two on each of two SMs at a time.
  CHECK(ran.visit_response(0, 1) >= 3 * (2_ms).count());
}

TEST_CASE("the user's own blocks run once each, whenever they end") {
  const auto described = takt::to_runtime_tasks(set);
  std::array<std::atomic<std::uint64_t>, 12> runs{};
  rt::emulated_block_device gpu{slots, 4};
  const auto block = [&runs](std::int64_t i) {
    ++runs[static_cast<std::size_t>(i)];
    rt::sleep_until(rt::now() + (i % 3 + 1) * 300'000);
  };
  rt::board_devices devices;
  devices.kernels(1, gpu, {{{0, 1}, rt::emulated_kernel{12, 32, block}}});
  takt::trace seen;
  const auto ran = rt::run(board, set, takt::plan<3, 7>{}, devices, options(200_ms), seen);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.tasks[0].completed == 5);
  for (const auto& n : runs) { CHECK(n == 5); }
  CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
  CHECK(queue_complaint(seen) == "");
}

TEST_CASE("what a kernel takes apart from its blocks comes before them, and holds up those behind it") {
  const auto one = takt::task_set(takt::task(
      "a", takt::period(60_ms),
      takt::visit<takt::gpu>(takt::wcet(7_ms), takt::grid(2, 32), takt::block_length(2_ms), takt::overhead(5_ms))));
  rt::emulated_block_device gpu{slots};
  rt::board_devices devices;
  devices.kernels(1, gpu);
  auto o = options(120_ms);
  o.lengths = rt::length_choice::upper;
  takt::trace seen;
  const auto ran = rt::run(board, one, takt::plan<1, 1>{}, devices, o, seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.tasks[0].completed == 2);
  CHECK(ran.tasks[0].best_response >= (7_ms).count());
  for (const takt::slice& s : seen.slices()) { CHECK(s.end - s.start == (2_ms).count()); }
}

TEST_CASE("a block queue is not served by a device that starts whole kernels or has SMs of tasks, nor with other SMs") {
  rt::emulated_accelerator whole{{.cores = 4, .preemption_levels = 1}};
  rt::board_devices devices;
  devices.kernels(1, whole);
  CHECK(rt::run(board, set, takt::plan<3, 7>{}, devices, options(10_ms)).error.fault ==
        takt::model_fault::rule_serves_no_code);
  rt::emulated_device parts{rt::detail::record_of(board)};
  rt::board_devices streams;
  streams.kernels(1, parts);
  CHECK(rt::run(board, set, takt::plan<3, 7>{}, streams, options(10_ms)).error.fault ==
        takt::model_fault::rule_serves_no_code);
  for (const std::int32_t more : {-1, 1}) {
    rt::emulated_block_device other{takt::block_slots(2, most_threads + more, most_blocks)};
    rt::board_devices on_it;
    on_it.kernels(1, other);
    CHECK(rt::run(board, set, takt::plan<3, 7>{}, on_it, options(10_ms)).status() == observation_status::wrong_device);
  }
  const auto plain =
      takt::platform(takt::pool(takt::processors(2), takt::g_edf), takt::pool(takt::virtual_sms(2, 1), takt::fifo));
  const auto chain =
      takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(100_us), takt::visit<takt::gpu>(takt::wcet(1_ms))));
  rt::emulated_block_device gpu{slots};
  rt::board_devices no_queue;
  no_queue.kernels(1, gpu);
  CHECK(rt::run(plain, chain, takt::plan<1, 2>{}, no_queue, options(10_ms)).status() ==
        observation_status::wrong_device);
}
