// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/job_streams.hpp>
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/systems/shares/cuda/launch_driver.hpp>
#include <takt/systems/shares/run/launch_gate.hpp>
#include <takt/systems/shares/run/virtual_context.hpp>
#include <takt/takt.hpp>

#include "fixture.hpp"
#include "support/limited_wait.hpp"

namespace {

using namespace cuda_tests;
using namespace takt::literals;
using D = fake_cuda_driver;
using accelerator = takt::cuda::cuda_accelerator<D>;
using takt::observation_status;
using takt::runtime::share_page;

static_assert(takt::runtime::AcceleratorDevice<accelerator>);
static_assert(takt::runtime::FallibleDevice<accelerator>);
static_assert(takt::runtime::ExaminedDevice<accelerator>);
static_assert(takt::runtime::LaunchDriver<takt::cuda::launch_driver<D>>);
static_assert(takt::runtime::UtilizationMeter<takt::cuda::launch_meter<D>>);

constexpr auto tasks =
    takt::task_set(takt::task("t1", takt::period(40_ms),
                              takt::kernel(takt::wcet(2_ms), takt::preemption_cost(500_us), takt::on_sm(0))),
                   takt::task("t2", takt::period(60_ms),
                              takt::kernel(takt::wcet(3_ms), takt::preemption_cost(500_us), takt::on_sm(1))),
                   takt::task("t3", takt::period(48_ms), takt::kernel(takt::wcet(4_ms), takt::preemption_cost(1_ms))));

auto options() -> takt::runtime::run_options {
  takt::runtime::run_options o;
  o.length = 120_ms;
  o.lock_memory = false;
  o.real_time = false;
  return o;
}

auto on(accelerator& device) -> takt::runtime::board_devices {
  takt::runtime::board_devices out;
  out.kernels(0, device);
  return out;
}

struct notices {
  std::atomic<int> complete{0};
  std::atomic<int> yielded{0};
  static void take(void* o, takt::kernel_id, takt::runtime::launch_end how) {
    auto& own = *static_cast<notices*>(o);
    ++(how == takt::runtime::launch_end::complete ? own.complete : own.yielded);
  }
};

using takt_tests::await;

struct open_page : share_page {
  open_page() {
    open = 1;
    format = layout;
  }
};
struct idle_meter {
  static auto used_percent() -> std::int64_t { return 0; }
};

}  // namespace

TEST_CASE("kernels of an accelerator run on the CUDA accelerator as on the emulated one") {
  D driver;
  add_occupy(driver);
  {
    const auto platform = takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf)));
    accelerator device{driver, 0, 4};
    const auto result = takt::runtime::run(platform, tasks, takt::plan<1>{}, on(device), options());
    CHECK((result.status() == observation_status::no_miss || result.status() == observation_status::missed));
    REQUIRE(result.tasks.size() == 3);
    for (const auto& t : result.tasks) { CHECK(t.completed >= 1); }
    CHECK_FALSE(device.fault());
  }
  CHECK(driver.default_stream_uses() == 0);
  CHECK(driver.live() == 0);
}

TEST_CASE("an accelerator that is lost ends the run there, and the jobs under way are not complete") {
  for (const int after : {0, 1, 4}) {
    CAPTURE(after);
    D driver;
    std::atomic<int> launches{0};
    driver.add_kernel(occupy_name, {8, 8, 8}, [&](const fake_launch& l) {
      if (launches++ == after) { return driver.lose(); }
      std::atomic_ref{reinterpret_cast<yield_words*>(l.argument<std::uintptr_t>(2))->left}.store(0);
    });
    {
      const auto platform = takt::platform(takt::pool(takt::accelerator(2, 2), takt::levels(takt::edf)));
      accelerator device{
          driver,
          0,
          4,
          {.sources = {
               .machine = {.root = "/nowhere", .run = [](const std::string&) { return std::optional<std::string>{}; }},
               .variables = [](const char*) { return std::optional<std::string>{}; }}}};
      auto o = options();
      o.length = 60_s;
      o.check_machine = true;
      const auto result = takt::runtime::run(platform, tasks, takt::plan<1>{}, on(device), o);
      CHECK(result.status() == observation_status::device_failed);
      CHECK(result.device_fault.ends_with(", device 0, context 1000"));
      CHECK(std::ranges::count(result.findings, "CUDA_MODULE_LOADING", &takt::runtime::machine_finding::what) == 1);
      std::uint64_t complete = 0;
      std::uint64_t unfinished = 0;
      for (const auto& t : result.tasks) {
        complete += t.completed;
        unfinished += t.unfinished;
      }
      CHECK(complete <= static_cast<std::uint64_t>(after));
      CHECK(unfinished >= 1);
    }
    CHECK(driver.live() == 0);
  }
}

TEST_CASE("a stream for each core and level has the priority of its level, and a kernel stops between waves") {
  D driver;
  add_occupy(driver);
  {
    accelerator device{driver, 0, 8};
    CHECK(device.serves({.cores = 4, .levels = 6}));
    CHECK_FALSE(device.serves({.cores = 5, .levels = 1}));
    CHECK_FALSE(device.serves({.cores = 1, .levels = 7}));
    notices heard;
    REQUIRE(device.open({.streams = {.cores = 2, .levels = 2}, .kernels = 2, .ended = {notices::take, &heard}}));
    CHECK(driver.count_of("create_stream") == 6);
    const accelerator::kernel long_one{2'000'000'000, 1'000'000};
    device.load(0, long_one, 0);
    device.submit(0, {.core = 1, .level = 1});
    await([&] { return driver.count_of("launch") == 1; });
    for (const fake_call& c : driver.calls()) {
      if (c.name == "launch") { CHECK(driver.priority_of(c.stream) == -5 + 4); }
    }
    device.request_yield(0);
    await([&] { return heard.yielded == 1; });
    bool done = false;
    int begun = 0;
    const accelerator::kernel own{{.begin = [&] { ++begun; },
                                   .launch =
                                       [](D& d, const accelerator_site& site) {
                                         return site.core == 0 ? d.run_in(site.stream, [] {}) : result::invalid_value;
                                       },
                                   .ask_to_yield = [] {},
                                   .ended =
                                       [&] {
                                         return launch_report{.next = std::exchange(done, true) ? launch_next::done
                                                                                                : launch_next::yielded};
                                       }}};
    device.load(1, own, 0);
    device.submit(1, {.core = 0, .level = 0});
    await([&] { return heard.yielded == 2; });
    device.submit(1, {.core = 0, .level = 0});
    await([&] { return heard.complete == 1; });
    CHECK(begun == 1);
    CHECK_FALSE(device.fault());
    device.submit(0, {.core = 1, .level = 0});
    device.close();
    CHECK(heard.yielded == 2);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("whichever call fails, the accelerator gives everything back, and launches still end") {
  const auto use = [](D& driver) -> std::optional<failure> {
    accelerator device{driver, 0, 8};
    notices heard;
    if (!device.open({.streams = {.cores = 1, .levels = 2}, .kernels = 1, .ended = {notices::take, &heard}})) {
      return device.fault();
    }
    const accelerator::kernel k{1'000, 500};
    device.load(0, k, 0);
    device.submit(0, {.core = takt::unassigned_core, .level = 1});
    await([&] { return heard.complete + heard.yielded == 1; });
    return device.fault();
  };
  std::int64_t count = 0;
  {
    D driver;
    add_occupy(driver);
    CHECK_FALSE(use(driver));
    count = driver.call_count();
  }
  int noticed = 0;
  for (std::int64_t n = 0; n < count; ++n) {
    CAPTURE(n);
    D driver;
    add_occupy(driver);
    driver.fail_call(n, result::invalid_value);
    try {
      if (use(driver)) { ++noticed; }
    } catch (const cuda_error&) { ++noticed; }
    CHECK(driver.live() == 0);
  }
  CHECK(noticed > count / 3);
}

TEST_CASE("launches of an application pass the gate, on a stream for each thread, and their time is measured") {
  D driver;
  add_occupy(driver);
  std::atomic<int> ran{0};
  {
    const device_context<D> context{driver, 0};
    open_page page;
    page.write(0, 50);
    idle_meter meter;
    takt::runtime::launch_gate<idle_meter> gate{page, 0, meter, {.capacity = {.sms = 8}, .period = 1'000'000}};
    takt::cuda::launch_driver<D> launches{context.ref()};
    takt::runtime::virtual_context client{launches, gate, 4'096};
    const device_kernel<D> k{[&ran](D& d, const launch_site& s) { return d.run_in(s.stream, [&ran] { ++ran; }); }};
    std::vector<std::jthread> threads;
    for (int n = 0; n < 3; ++n) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) { CHECK(client.launch(k, 16) == takt::runtime::context_status::done); }
      });
    }
    threads.clear();
    await([&] { return ran == 60; });
    CHECK(launches.streams() == 3);
    await([&] { return launches.busy_time() > 0; });
    takt::cuda::launch_meter<D> own{launches};
    CHECK(own.used_percent() <= 100);
    page.write(0, 0);
    CHECK(client.launch(k, 16, takt::runtime::now() + 1'000'000) == takt::runtime::context_status::timed_out);
    void* memory = nullptr;
    CHECK(client.allocate(5'000, memory) == takt::runtime::context_status::out_of_memory);
    CHECK(client.allocate(4'000, memory) == takt::runtime::context_status::done);
    CHECK(client.release(memory));
    page.write(0, 50);
    driver.lose();
    CHECK(client.launch(k, 1) == takt::runtime::context_status::driver_refuses);
    REQUIRE(launches.fault().has_value());
    gate.shut();
    CHECK(client.launch(k, 1) == takt::runtime::context_status::closed);
  }
  CHECK(ran == 60);
  CHECK(driver.default_stream_uses() == 0);
  CHECK(driver.live() == 0);
}

TEST_CASE("jobs of a node enter in order and a separation apart, each in a stream of its own") {
  CHECK(streams_for(0, 10) == 1);
  CHECK(streams_for(10, 10) == 1);
  CHECK(streams_for(21, 10) == 3);
  constexpr takt::ticks separation = 2'000'000;
  D driver{{.seed = 2}};
  {
    const device_context<D> context{driver, 0};
    job_streams<D, 8> node{context.ref(), 3, separation};
    std::vector<std::jthread> threads;
    std::vector<std::int64_t> order;
    for (const std::int64_t job : {3, 1, 0, 4, 2, 5}) {
      threads.emplace_back([&, job] {
        CHECK(node.run(job, [&](D& d, stream_handle s) {
          order.push_back(job);
          CHECK(s == node.stream_of(job));
          return d.run_in(s, [] {});
        }));
      });
    }
    threads.clear();
    CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
    for (std::int64_t job = 1; job < 6; ++job) { CHECK(node.entered(job) - node.entered(job - 1) >= separation); }
    CHECK(streams_used(driver, "run_in").size() == 3);
    CHECK_FALSE(node.run(5, [](D&, stream_handle) { return result::success; }));
    driver.fail_next("record", result::invalid_value);
    CHECK_THROWS_AS((void)node.run(6, [](D& d, stream_handle s) { return d.run_in(s, [] {}); }), cuda_error);
    CHECK(node.run(7, [](D& d, stream_handle s) { return d.run_in(s, [] {}); }));
    // Late, so not kept apart from the one before; the one after is not ready by its release either.
    CHECK(node.run(8, 0, [](D& d, stream_handle s) { return d.run_in(s, [] {}); }));
    CHECK(node.run(9, 1, [](D& d, stream_handle s) { return d.run_in(s, [] {}); }));
    CHECK(node.entered(9) >= node.entered(8));
  }
  CHECK(driver.live() == 0);
}
