// SPDX-License-Identifier: Apache-2.0
// Graphs on devices: kernels of nodes on one or several GPUs, and copies.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/model/graph/graph_set.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/rules/graph/tags.hpp>
#include <takt/runtime/emulated_block_device.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/graph/run_graphs.hpp>
#include <takt/simulation/graph/simulate.hpp>
#include <takt/systems/methods.hpp>
#include "support/limited_wait.hpp"
#include "support/mute_device.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
namespace rt = takt::runtime;
using rt::graph_code;
using rt::graph_job;
using takt::observation_status;

constexpr auto blocks = takt::fifo_blocks(takt::per_job_streams, takt::guarded);
constexpr auto slots = takt::block_slots(2, 1024);
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::nonpreemptive(takt::g_edf)),
                                      takt::pool(takt::copy_engines(1), takt::fifo), takt::pool(slots, blocks));
constexpr std::uint32_t engines = 1;
constexpr std::uint32_t gpu = 2;

/// Copies in, computes, and uses what it has computed.
[[nodiscard]] constexpr auto filter(std::string_view name) {
  return takt::graph(name, takt::period(4_ms), takt::node("in", takt::copy(300_us)),
                     takt::node("work", takt::kernel(takt::grid(4, 256), takt::block_length(300_us),
                                                     takt::launch(10_us), takt::await(10_us))),
                     takt::node("use", takt::cpu(50_us)), takt::edge("in", "work"), takt::edge("work", "use"));
}
constexpr auto graphs = takt::graph_set(filter("left"), filter("right"));

[[nodiscard]] auto quietly(std::int64_t invocations) -> rt::graph_run_options {
  rt::graph_run_options o;
  o.length = takt::duration{3'600'000'000'000};
  o.invocations = invocations;
  o.real_time = o.pin_to_cores = o.lock_memory = false;
  return o;
}
[[nodiscard]] auto record() -> takt::platform_record {
  takt::platform_record out;
  out.cores = 2;
  out.copy_engines = 1;
  out.gpus.unchecked_push_back({.sms = 2});
  return out;
}
struct recording {
  std::vector<takt::slice> slices;
  void record(const takt::slice& s) { slices.push_back(s); }
  void record(const takt::mark& /*m*/) {}
};

struct mute_gpu : takt_tests::mute_device {
  static constexpr bool queues_blocks = true;
  bool serves_boards = true;
  [[nodiscard]] auto serves(const takt::platform_record& /*p*/) const -> bool { return serves_boards; }
  [[nodiscard]] static auto serves(const takt::block_gpu& /*gpu*/) -> bool { return true; }
};
static_assert(rt::BlockQueueDevice<mute_gpu>);
static_assert(rt::BlockQueueDevice<rt::emulated_block_device>);
static_assert(!rt::BlockQueueDevice<rt::emulated_device>);

}  // namespace

TEST_CASE("nodes of graphs compute and copy on devices, and data passes from node to node" *
          takt_tests::traces("OVX-32")) {
  constexpr std::int64_t jobs = 30;
  constexpr std::size_t copies = 80;
  std::array<std::array<std::int64_t, copies>, 2> host{};
  std::array<std::array<std::int64_t, copies>, 2> device{};
  std::array<std::array<std::array<std::int64_t, 4>, copies>, 2> sums{};
  std::atomic<int> wrong = 0;
  std::atomic<std::int64_t> most = 0;
  std::atomic<std::int64_t> under_way = 0;
  const auto at = [](const graph_job& j) { return static_cast<std::size_t>(j.copy); };
  graph_code code;
  rt::graph_devices::makers<rt::emulated_copy> moved;
  rt::graph_devices::makers<rt::emulated_kernel> computed;
  for (std::uint32_t g = 0; g < 2; ++g) {
    code.input(g, [&, g](const graph_job& j) {
      most = std::max<std::int64_t>(most, ++under_way);
      host[g][at(j)] = 1000 * g + j.number;
    });
    moved[{3 * g, 0}] = [&, g](const graph_job& j) {
      return rt::emulated_copy{&device[g][at(j)], &host[g][at(j)], sizeof(std::int64_t)};
    };
    computed[{3 * g + 1, 0}] = [&, g](const graph_job& j) {
      return rt::emulated_kernel{4, 256, [&, g, c = at(j)](std::int64_t b) {
                                   rt::sleep_until(rt::now() + 2'500'000);  // the two of a period take longer than it
                                   sums[g][c][static_cast<std::size_t>(b)] = device[g][c] * (b + 1);
                                 }};
    };
    code.cpu(3 * g + 2, [&, g](const graph_job& j) {
      for (std::int64_t b = 0; b < 4; ++b) {
        if (sums[g][at(j)][static_cast<std::size_t>(b)] != (1000 * g + j.number) * (b + 1)) { ++wrong; }
      }
    });
    code.output(g, [&](const graph_job&) { --under_way; });
  }
  // excerpt: graph devices
  rt::emulated_device mover{record()};
  rt::emulated_block_device computer{slots, 4};
  rt::graph_devices devices;
  devices.copies(engines, mover, moved).kernels(gpu, computer, computed);
  auto plan = takt::analysis::analyze_by<takt::published>(board, graphs).plan;
  for (auto& n : plan.instances) { n += 2; }
  recording seen;
  const auto result = rt::run(board, graphs, plan, devices, quietly(jobs), seen, code);
  // end of excerpt
  INFO(name_of(result.status()));
  CHECK(result.tasks[0].completed == jobs);
  CHECK(result.tasks[1].completed == jobs);
  CHECK(wrong == 0);
  CHECK(most > 2);
  // The device tells of each block on its SM; more do not fit there.
  const auto is_block = [](const takt::slice& s) { return s.where.where == takt::stage::kernel; };
  CHECK(std::ranges::count_if(seen.slices, is_block) == 2 * jobs * 4);
  CHECK(std::ranges::all_of(seen.slices, [&](const takt::slice& s) { return !is_block(s) || s.where.index < 2; }));
  CHECK(std::ranges::any_of(result.notes, [](const std::string& n) { return n.ends_with("on emulated block queue"); }));
  CHECK(std::ranges::any_of(result.notes, [](const std::string& n) { return n == "device: pool 1 on emulated"; }));
}

TEST_CASE("a plan says on which of several GPUs the kernels of a graph run") {
  constexpr auto two = takt::platform(takt::pool(takt::processors(2), takt::nonpreemptive(takt::g_edf)),
                                      takt::pool(takt::copy_engines(1), takt::fifo), takt::pool(slots, blocks),
                                      takt::pool(slots, blocks));
  takt::plan<2, 44> plan;
  for (int v = 0; v < 10; ++v) { REQUIRE((plan.offsets.try_push_back(0) && plan.instances.try_push_back(2))); }
  const auto split_over = [&plan](std::int32_t left, std::int32_t right) {
    plan.shares.clear();
    REQUIRE((plan.shares.try_push_back({.gpu = left}) && plan.shares.try_push_back({.gpu = right})));
  };
  std::array<std::atomic<int>, 2> called{};
  graph_code code;
  code.kernel(1, [&called](const graph_job&, std::int64_t) { ++called[0]; });
  code.kernel(4, [&called](const graph_job&, std::int64_t) { ++called[1]; });
  const auto gpus_of = [](const recording& seen, std::uint32_t node) {
    std::array<bool, 2> out{};
    for (const auto& s : seen.slices | takt::views::of_task(node) | takt::views::slices_on(takt::stage::kernel)) {
      out[static_cast<std::size_t>(s.where.gpu)] = true;
    }
    return out;
  };
  constexpr std::array first{true, false};
  constexpr std::array second{false, true};
  for (const bool coded : {false, true}) {
    split_over(1, 0);
    recording seen;
    const auto result = rt::run(two, graphs, plan, quietly(5), seen, coded ? code : graph_code{});
    INFO(name_of(result.status()));
    REQUIRE(result.tasks.size() == 2);
    CHECK(result.tasks[0].completed == 5);
    CHECK(gpus_of(seen, 2) == second);
    CHECK(gpus_of(seen, 7) == first);
  }
  CHECK(called[0] == 20);
  CHECK(called[1] == 20);
  // As chains have them: a device for each.
  rt::emulated_block_device near{slots};
  rt::emulated_block_device far{slots};
  rt::graph_devices both;
  both.kernels(gpu, near).kernels(gpu + 1, far);
  recording seen;
  const auto result = rt::run(two, graphs, plan, both, quietly(5), seen);
  CHECK(result.tasks[0].completed == 5);
  CHECK(result.tasks[1].completed == 5);
  CHECK(gpus_of(seen, 2) == second);
  CHECK(gpus_of(seen, 7) == first);
  rt::emulated_block_device shared{slots};
  rt::graph_devices one_for_both;
  one_for_both.kernels(gpu, shared).kernels(gpu + 1, shared);
  CHECK(rt::run(two, graphs, plan, one_for_both, quietly(2)).status() == observation_status::no_threads);
  split_over(2, 0);
  CHECK(rt::run(two, graphs, plan, quietly(2)).error.fault == takt::model_fault::plan_does_not_fit);
}

TEST_CASE("graphs on several GPUs have bounds where these are alike, and run on others where their blocks fit") {
  const auto with = [](const takt::block_slots_resource& left, const takt::block_slots_resource& right) {
    return takt::platform(takt::pool(takt::processors(2), takt::nonpreemptive(takt::g_edf)),
                          takt::pool(takt::copy_engines(1), takt::fifo), takt::pool(left, blocks),
                          takt::pool(right, blocks));
  };
  const auto alike = takt::analysis::analyze_by<takt::published>(with(slots, slots), graphs);
  CHECK(alike.bounded());
  CHECK(alike.tasks[0].bound.value == takt::analysis::analyze_by<takt::published>(board, graphs).tasks[0].bound.value);
  constexpr auto small = takt::block_slots(2, 128);
  for (const auto& two : {with(slots, small), with(small, slots)}) {
    CHECK(takt::analysis::analyze_by<takt::published>(two, graphs).error.fault == takt::model_fault::gpus_differ);
    CHECK(takt::simulate(two, graphs, alike.plan).error.fault == takt::model_fault::gpus_differ);
  }
  auto plan = alike.plan;
  const auto ran_on = [&](std::int32_t gpu_of_both) {
    plan.shares.clear();
    for (int g = 0; g < 2; ++g) { REQUIRE(plan.shares.try_push_back({.gpu = gpu_of_both})); }
    return rt::run(with(small, slots), graphs, plan, quietly(2));
  };
  CHECK(ran_on(0).error.fault == takt::model_fault::kernel_shape_out_of_range);
  CHECK(ran_on(1).status() == observation_status::no_miss);
}

TEST_CASE("a device that does not answer ends a run of graphs, and one that does not fit is refused") {
  mute_gpu silent;
  rt::graph_devices devices;
  devices.kernels(gpu, silent);
  auto options = quietly(5);
  options.patience = 30_ms;
  const auto plan = takt::analysis::analyze_by<takt::published>(board, graphs).plan;
  const auto result = rt::run(board, graphs, plan, devices, options);
  CHECK(result.status() == observation_status::device_silent);
  CHECK(result.device_fault.find("work") != std::string::npos);
  CHECK(result.tasks[0].completed == 0);
  CHECK(result.tasks[0].unfinished > 0);
  silent.serves_boards = false;
  CHECK(rt::run(board, graphs, plan, devices, options).status() == observation_status::wrong_device);
}

TEST_CASE("work of devices is of nodes on their pools, and no node has two kinds of it") {
  const auto plan = takt::analysis::analyze_by<takt::published>(board, graphs).plan;
  const auto status = [&](std::uint32_t pool, std::uint32_t node, const graph_code& code) {
    rt::emulated_block_device device{slots};
    rt::graph_devices::makers<rt::emulated_kernel> made;
    made[{node, 0}] = [](const graph_job&) { return rt::emulated_kernel{1, 32, 1'000}; };
    rt::graph_devices devices;
    devices.kernels(pool, device, made);
    return rt::run(board, graphs, plan, devices, quietly(2), code).status();
  };
  CHECK(status(gpu, 1, {}) == observation_status::no_miss);
  CHECK(status(gpu, 2, {}) == observation_status::wrong_binding);
  CHECK(status(9, 1, {}) == observation_status::wrong_binding);
  CHECK(status(gpu, 1, graph_code{}.kernel(4, [](const graph_job&, std::int64_t) {})) ==
        observation_status::wrong_binding);
  CHECK(status(gpu, 1, graph_code{}.cpu(2, [](const graph_job&) {})) == observation_status::no_miss);
}

namespace {

struct ending {
  std::atomic<int> count = 0;
  void ended() { ++count; }
};

}  // namespace

TEST_CASE("emulated blocks start in the order of the queue as far as SMs have room, and follow without delay") {
  rt::emulated_block_device device{takt::block_slots(2, 512)};
  auto first = device.open({});
  auto second = device.open({});
  ending told;
  // Two blocks at a time on each SM: the first kernel takes two rounds of three milliseconds on both.
  const rt::emulated_kernel wide{8, 256, 3'000'000};
  const rt::emulated_kernel behind{1, 512, 1'000'000};
  first.launch(wide, rt::notify<&ending::ended>(&told));
  second.launch(behind, rt::notify<&ending::ended>(&told));
  takt_tests::await([&] { return told.count == 2; });
  const auto& w = first.served();
  REQUIRE(w.size() == 8);
  const auto begin = std::ranges::min(w, {}, &rt::time_piece::from).from;
  for (const auto& p : w) {
    CHECK(p.to - p.from == 3'000'000);
    CHECK((p.from == begin || p.from == begin + 3'000'000));
    CHECK((p.unit == 0 || p.unit == 1));
  }
  for (const std::int32_t sm : {0, 1}) {
    CHECK(std::ranges::count_if(w, [&](const auto& p) { return p.unit == sm && p.from == begin; }) == 2);
  }
  REQUIRE(second.served().size() == 1);
  CHECK(second.served()[0].from == begin + 6'000'000);
}

TEST_CASE("code of emulated blocks is called once for each, on as many threads as there are") {
  std::array<std::atomic<int>, 64> calls{};
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  rt::emulated_block_device device{takt::block_slots(4, 1024), 3};
  auto stream = device.open({});
  ending told;
  const rt::emulated_kernel coded{64, 32, [&](std::int64_t b) {
                                    most = std::max<int>(most, ++at_once);
                                    rt::sleep_until(rt::now() + 200'000);
                                    ++calls[static_cast<std::size_t>(b)];
                                    --at_once;
                                  }};
  stream.launch(coded, rt::notify<&ending::ended>(&told));
  takt_tests::await([&] { return told.count == 1; });
  CHECK(std::ranges::all_of(calls, [](const auto& c) { return c == 1; }));
  CHECK(most <= 3);
  CHECK(most > 1);
  CHECK(stream.served().size() == 64);
}
