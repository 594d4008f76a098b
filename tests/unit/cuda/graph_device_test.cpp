// SPDX-License-Identifier: Apache-2.0
// Graphs on the CUDA device: kernels of nodes and copies, each instance of a node in a stream of its own.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <takt/analysis/analyze.hpp>
#include <takt/cuda/device.hpp>
#include <takt/graphs.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>

#include "fixture.hpp"

namespace {

using namespace cuda_tests;
using namespace takt::literals;
namespace rt = takt::runtime;
using device = takt::cuda::cuda_device<fake_cuda_driver>;
using takt::observation_status;

static_assert(rt::BlockQueueDevice<device>);

constexpr auto board = takt::platform(
    takt::pool(takt::processors(1), takt::nonpreemptive(takt::g_edf)), takt::pool(takt::copy_engines(1), takt::fifo),
    takt::pool(takt::block_slots(16, 1024), takt::fifo_blocks(takt::per_job_streams, takt::guarded)));
constexpr auto graphs = takt::graph_set(takt::graph(
    "g", takt::period(20_ms), takt::node("in", takt::copy(1_ms)),
    takt::node("twice",
               takt::kernel(takt::grid(8, 128), takt::block_length(1_ms), takt::launch(10_us), takt::await(10_us))),
    takt::node("use", takt::cpu(100_us)), takt::edge("in", "twice"), takt::edge("twice", "use")));

}  // namespace

TEST_CASE(
    "a graph runs on the CUDA device, where data passes from a copy to a kernel, and each instance has a stream") {
  constexpr std::int64_t jobs = 6;
  constexpr std::size_t copies = 80;
  fake_cuda_driver driver{{.seed = 5}};
  add_occupy(driver);
  driver.add_kernel("twice", {8, 4}, [](const fake_launch& l) {
    auto* values = reinterpret_cast<std::int32_t*>(l.argument<std::uintptr_t>(0));
    const auto count = l.argument<std::int32_t>(1);
    for (std::int32_t i = 0; i < count; ++i) { values[i] *= 2; }
  });
  device gpu{driver, {{0, 0, 16}}};
  const pinned_memory<fake_cuda_driver> host{gpu.context(0), copies * sizeof(std::int32_t)};
  const device_memory<fake_cuda_driver> there{gpu.context(0), copies * sizeof(std::int32_t)};
  auto* const values = reinterpret_cast<std::int32_t*>(host.data());
  const loaded_library<fake_cuda_driver> code{gpu.context(0), "image"};
  const auto twice = code.kernel("twice");
  rt::graph_code calls;
  calls.input(0, [&](const rt::graph_job& j) { values[j.copy] = static_cast<std::int32_t>(100 + j.number); });
  std::vector<std::int32_t> seen(jobs);
  calls.cpu(2, [&](const rt::graph_job& j) {
    const auto at = takt::cuda::offset(there.get(), static_cast<std::size_t>(j.copy) * sizeof(std::int32_t));
    seen[static_cast<std::size_t>(j.number)] = *reinterpret_cast<const std::int32_t*>(static_cast<std::uintptr_t>(at));
  });
  rt::graph_devices::makers<device::copy> moved;
  moved[{0, 0}] = [&](const rt::graph_job& j) {
    const auto offset = static_cast<std::size_t>(j.copy) * sizeof(std::int32_t);
    return device_copy::to_device(takt::cuda::offset(there.get(), offset), values + j.copy, sizeof(std::int32_t));
  };
  rt::graph_devices::makers<device::kernel> computed;
  computed[{1, 0}] = [&](const rt::graph_job& j) {
    const auto at = takt::cuda::offset(there.get(), static_cast<std::size_t>(j.copy) * sizeof(std::int32_t));
    return device::kernel{twice, covering(8 * 128, 128), kernel_arguments{at, std::int32_t{1}}};
  };
  rt::graph_devices devices;
  devices.copies(1, gpu, moved).kernels(2, gpu, computed);
  rt::graph_run_options options;
  options.length = 100_s;
  options.invocations = jobs;
  options.real_time = options.pin_to_cores = options.lock_memory = false;
  const auto plan = takt::analyze(board, graphs, takt::published_methods).plan;
  const auto result = rt::run(board, graphs, plan, devices, options, calls);
  CAPTURE(takt::name_of(result.status()));
  CHECK(result.tasks[0].completed == jobs);
  for (std::size_t j = 0; j < seen.size(); ++j) { CHECK(seen[j] == 2 * static_cast<std::int32_t>(100 + j)); }
  CHECK_FALSE(gpu.fault());
  CHECK(streams_used(driver, "launch").size() == static_cast<std::size_t>(plan.instances[2]));
}

TEST_CASE("chains run in the block queue of the CUDA device, which serves no larger SMs than it has") {
  constexpr auto chains =
      takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(100_us), takt::copy(200_us),
                                takt::visit<takt::gpu>(takt::wcet(2_ms), takt::grid(8, 128), takt::block_length(1_ms)),
                                takt::cpu(100_us)),
                     takt::task("b", takt::period(30_ms),
                                takt::visit<takt::gpu>(takt::wcet(1_ms), takt::grid(2, 64), takt::block_length(1_ms)),
                                takt::cpu(100_us)));
  const auto ran_on = [&](std::int32_t threads) {
    const auto gpu_of = takt::pool(takt::block_slots(16, threads, 16), takt::block_queue_rule<16, 512>{});
    const auto two = takt::platform(takt::pool(takt::processors(2), takt::g_edf),
                                    takt::pool(takt::copy_engines(1), takt::fifo), gpu_of);
    fake_cuda_driver driver{{.seed = 5}};
    add_occupy(driver);
    device gpu{driver, {{0, 0, 16}}};
    rt::board_devices devices;
    devices.copies(1, gpu).kernels(2, gpu);
    rt::run_options options;
    options.length = 100_ms;
    options.drain = 60_s;
    options.real_time = options.pin_to_cores = options.lock_memory = false;
    return rt::run(two, chains, takt::plan<2, 6>{}, devices, options);
  };
  const auto ran = ran_on(1024);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.status() != observation_status::wrong_device);
  REQUIRE(ran.tasks.size() == 2);
  CHECK(ran.tasks[0].completed == 5);
  CHECK(ran.tasks[1].completed == 4);
  CHECK(ran_on(4'096).status() == observation_status::wrong_device);
}
