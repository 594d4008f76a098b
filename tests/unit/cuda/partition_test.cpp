// SPDX-License-Identifier: Apache-2.0
// Who runs on which SMs: splits and what they leave, contexts and streams of others, and what is made only when needed.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/device.hpp>
#include <takt/cuda/job_streams.hpp>
#include <takt/cuda/partition.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/executor/run.hpp>
#include <takt/systems/shares/cuda/launch_driver.hpp>
#include <takt/takt.hpp>

#include "fixture.hpp"
#include "support/limited_wait.hpp"

namespace {

using namespace cuda_tests;
using D = fake_cuda_driver;
using device = takt::cuda::cuda_device<D>;
using kernel = device::kernel;
using takt::runtime::event;
using takt::runtime::notify;
using sm_set = std::set<std::int32_t>;

static_assert(std::convertible_to<takt::cuda::stream<D>, CUstream_st*>);

auto meet(const sm_set& a, const sm_set& b) -> bool {
  return std::ranges::any_of(a, [&](std::int32_t sm) { return b.contains(sm); });
}

/// Where the fake's kernels ran, in the order of their ends.
struct places {
  explicit places(D& d) {
    d.add_kernel("note", {}, [this](const fake_launch& l) {
      const std::lock_guard lock{mutex};
      seen.push_back(l);
    });
    f = d.compiled("note");
  }
  [[nodiscard]] auto count() -> std::size_t {
    const std::lock_guard lock{mutex};
    return seen.size();
  }

  std::mutex mutex;
  std::vector<fake_launch> seen;
  function_handle f{};
};

/// Runs one operation to its end.
template <class Start>
void finish(Start start) {
  event done;
  start(notify<&event::signal>(&done));
  done.wait();
}
void launch(device::stream& s, const kernel& k) {
  finish([&](auto done) { s.launch(k, done); });
}
void launch(device::stream& s, function_handle f) {
  const kernel k{f, launch_shape{}, kernel_arguments{}};
  launch(s, k);
}

auto no_variables() -> check_sources {
  check_sources out;
  out.variables = [](const char*) { return std::optional<std::string>{}; };
  return out;
}

}  // namespace

TEST_CASE("parts of a split are disjoint, exact and together with their rest all SMs, whatever the driver's groups") {
  for (const std::int32_t sms : {32, 40, 132, 148}) {
    for (const std::int32_t least : {2, 4, 8}) {
      for (const bool fine : {false, true}) {
        D driver{{.sms = sms, .least_partition = least, .alignment = least}};
        {
          const takt::cuda::partition parts{driver, 0, {8, 16}, fine};
          REQUIRE(parts.size() == 2);
          CHECK(parts[0].sms() == 8);
          CHECK(parts[1].sms() == 16);
          CHECK(parts.rest().sms() == sms - 24);
          sm_set all;
          for (const auto* part : {&parts[0], &parts[1], &parts.rest()}) {
            const auto stream = part->stream();
            const sm_set own = driver.sms_of(stream.get());
            CHECK(std::ssize(own) == part->sms());
            CHECK_FALSE(meet(all, own));
            all.insert(own.begin(), own.end());
          }
          CHECK(std::ssize(all) == sms);
        }
        CHECK(driver.live() == 0);
        CHECK(driver.orphans() == 0);
      }
    }
  }
}

TEST_CASE(
    "streams of parts have the priority that was asked for, and convert to the driver's type of the same address") {
  D driver;
  const takt::cuda::partition parts{driver, 0, {8}};
  const auto calm = parts[0].stream();
  const auto urgent = parts.rest().stream(-3);
  CHECK(driver.priority_of(calm.get()) == 0);
  CHECK(driver.priority_of(urgent.get()) == -3);
  CUstream_st* const as_native = urgent;
  CHECK(stream_of(as_native) == urgent.get());
}

TEST_CASE("a split is refused with what is there and what is wanted, before anything is made") {
  D driver{{.sms = 44}};
  const auto refusal = [&](std::vector<std::int32_t> sms, bool fine = false) -> std::string {
    try {
      const takt::cuda::partition parts{driver, 0, sms, fine};
    } catch (const std::invalid_argument& e) { return e.what(); }
    return {};
  };
  CHECK(refusal({8, 12}) == "takt: no partition: a range of 12 SMs is no multiple of 8");
  CHECK(refusal({8, 12}, true).empty());
  CHECK(refusal({0}) == "takt: no partition: a range of 0 SMs is no multiple of 8");
  CHECK(refusal({-8}) == "takt: no partition: a range of -8 SMs is no multiple of 8");
  CHECK(refusal({16, 32}) == "takt: no partition: the ranges need 6 groups of 8 SMs, and the driver makes 5");
  CHECK(refusal({16, 24}).empty());
  CHECK(refusal({44}, true).empty());
  const std::int64_t made = driver.count_of("retain_primary");
  CHECK(made == 3);
  REQUIRE(setenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "40", 1) == 0);
  CHECK(refusal({8}).find("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") != std::string::npos);
  REQUIRE(unsetenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") == 0);
  CHECK_THROWS_AS((takt::cuda::partition{driver, 1, {8}}), cuda_error);
  CHECK_THROWS_AS((takt::cuda::partition{driver, -1, {8}}), cuda_error);
  D old{{.version = 12'040}};
  CHECK_THROWS_WITH_AS(
      (takt::cuda::partition{old, 0, {8}}),
      "takt: no partition: streams of green contexts need a driver for CUDA 12.5, installed is one for "
      "12.4",
      std::invalid_argument);
  CHECK(driver.live() == 0);
}

TEST_CASE("a driver that splits otherwise than it said is an error, and whichever call fails gives everything back") {
  std::int64_t calls = 0;
  for (std::int64_t n = -1; n < calls; ++n) {
    CAPTURE(n);
    D driver;
    driver.fail_call(n, result::out_of_memory);
    try {
      const takt::cuda::partition parts{driver, 0, {8, 16}};
      (void)parts[0].stream();
      if (n < 0) { calls = driver.call_count(); }
    } catch (const cuda_error&) { CHECK(n >= 0); } catch (const std::invalid_argument&) {
      CHECK(n >= 0);
    }
    CHECK(driver.live() == 0);
  }
  REQUIRE(calls > 20);
  D driver;
  REQUIRE(driver.initialize() == result::success);
  const device_context<D> c{driver, 0};
  const std::array<std::int32_t, 1> too_many{40};
  CHECK_THROWS_AS((takt::cuda::partition<D>{c.ref(), too_many, {.unit = 8}}), cuda_error);
  const std::array<std::int32_t, 1> coarse{4};
  CHECK_THROWS_AS((takt::cuda::partition<D>{c.ref(), coarse, {.unit = 4}}), cuda_error);
}

TEST_CASE("on a partitioned GPU no stream of takt runs a kernel on SMs of a range but that of the range") {
  D driver{{.sms = 44}};
  places ran{driver};
  const std::vector<takt::sm_range> ranges{{0, 0, 8}, {0, 8, 16}};
  {
    device d{driver, ranges};
    auto first = d.open(ranges[0]);
    auto second = d.open(ranges[1]);
    auto other = d.open({});
    REQUIRE(d.ready());
    for (auto* s : {&first, &second, &other}) { launch(*s, ran.f); }
    const kernel k{ran.f, launch_shape{}, kernel_arguments{}};
    launch_driver<D> launches{d.beside(0)};
    CHECK(launches.launch(k, 1));
    job_streams<D, 8> node{d.beside(0), 2, 0, wait_method::marks, -2};
    CHECK(node.run(0, [&](D& own, stream_handle s) { return own.launch(ran.f, launch_shape{}, s, nullptr); }));
    takt_tests::await([&] { return ran.count() == 5; });
    CHECK(ran.seen[0].sms.size() == 8);
    CHECK(ran.seen[1].sms.size() == 16);
    CHECK_FALSE(meet(ran.seen[0].sms, ran.seen[1].sms));
    for (std::size_t i = 2; i < 5; ++i) {
      CHECK(ran.seen[i].sms.size() == 20);
      CHECK_FALSE(meet(ran.seen[i].sms, ran.seen[0].sms));
      CHECK_FALSE(meet(ran.seen[i].sms, ran.seen[1].sms));
    }
    CHECK(std::ranges::count(ran.seen, -2, &fake_launch::priority) == 1);
    CHECK_FALSE(d.failed());
  }
  CHECK(driver.live() == 0);
  CHECK(driver.orphans() == 0);
}

TEST_CASE("where ranges have all SMs a stream without a range copies, and a kernel there is a fault that says why") {
  D driver;
  places ran{driver};
  const std::vector<takt::sm_range> ranges{{0, 0, 16}, {0, 16, 16}};
  {
    device d{driver, ranges};
    auto other = d.open({});
    REQUIRE(d.ready());
    const pinned_memory<D> in{d.context(0), 64};
    const device_memory<D> there{d.context(0), 64};
    const auto copy = device_copy::to_device(there.get(), in.data(), 64);
    finish([&](auto done) { other.copy(0, copy, done); });
    CHECK(driver.count_of("copy_to_device") == 1);
    CHECK_FALSE(d.failed());
    CHECK_THROWS_AS((void)d.beside(0), cuda_error);
    launch(other, ran.f);
    CHECK(ran.count() == 0);
    REQUIRE(d.failed());
    CHECK(d.fault()->code == result::no_sms_left);
    CHECK(d.fault_sentence() ==
          "launch: all SMs are in ranges, and a stream without a range only copies; leave some SMs to no range, "
          "device 0, context 1000");
  }
  {
    const takt::cuda::partition parts{driver, 0, {32}};
    CHECK(parts.rest().sms() == 0);
    CHECK_THROWS_AS((void)parts.rest().stream(), cuda_error);
    CHECK_THROWS_AS((void)parts.rest().place(), cuda_error);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("pinned blocks and mere priorities leave streams without a range to the whole device") {
  for (const bool pinned : {true, false}) {
    D driver;
    places ran{driver};
    const std::vector<takt::sm_range> ranges{{0, 0, 32}};
    device d{driver,
             ranges,
             {.wish = {.green_contexts = false, .kernels_stay_on_range = pinned, .isolation_is_a_must = false}}};
    auto other = d.open({});
    launch(other, ran.f);
    CHECK(ran.seen.at(0).sms.size() == 32);
    CHECK(d.beside(0).green == green_handle{});
    CHECK(driver.count_of("create_green") == 0);
    CHECK_FALSE(d.failed());
  }
}

TEST_CASE("ranges of any multiple of the finer unit are green contexts where coscheduling is ignored") {
  D driver;
  const std::vector<takt::sm_range> ranges{{0, 0, 6}, {0, 6, 10}};
  CHECK_FALSE(device(driver, ranges).backend(0).possible);
  device d{driver, ranges, {.wish = {.ignore_coscheduling = true}}};
  CHECK(d.backend(0).backend == partition_backend::green_contexts);
  (void)d.open(ranges[1]);
  CHECK(d.ready());
}

TEST_CASE("a GPU gets a context with its first range or stream, and a machine that is only asked gets none") {
  D driver{{.devices = 3}};
  add_occupy(driver);
  const auto retained = [&] { return driver.count_of("retain_primary"); };
  CHECK(query_machine(driver).gpus.size() == 3);
  CHECK(retained() == 0);
  {
    device idle{driver, {}};
    CHECK(idle.backend(2).possible);
    CHECK(retained() == 0);
  }
  {
    device d{driver, {{1, 0, 8}}};
    CHECK(retained() == 1);
    auto copies = d.open({});
    CHECK(retained() == 2);
    CHECK(d.context(0).handle == context_handle{1'000});
    auto kernels = d.open({1, 0, 8});
    CHECK(retained() == 2);
    CHECK(d.context(1).handle == context_handle{1'001});
    REQUIRE(d.ready());
    const std::int64_t before = driver.count_of("create_stream");
    finish([&](auto done) { copies.copy(0, device_copy{1'000}, done); });
    launch(kernels, kernel{1'000});
    CHECK(driver.count_of("create_stream") == before);
    CHECK(retained() == 2);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("a partition that fails when a GPU is first used leaves nothing behind that a stream could run on") {
  D driver;
  places ran{driver};
  driver.fail_next("create_green", result::out_of_memory);
  CHECK_THROWS_AS((device{driver, {{0, 0, 8}}}), cuda_error);
  CHECK(driver.live() == 0);
  driver.fail_next("retain_primary", result::out_of_memory);
  device d{driver, {}};
  (void)d.open({});
  CHECK(d.failed());
  CHECK_FALSE(d.ready());
}

TEST_CASE("flags of a primary context are set once, before anybody uses it") {
  D driver;
  context_handle of_program{};
  const auto flags = [&] { return driver.count_of("let_primary_block"); };
  {
    const device_context<D> first{driver, 0};
    CHECK(flags() == 1);
    const device_context<D> again{driver, 0};
    CHECK(flags() == 1);
  }
  REQUIRE(driver.retain_primary(0, of_program) == result::success);
  {
    const device_context<D> beside{driver, 0};
    CHECK(flags() == 1);
  }
  driver.fail_next("primary_is_active", result::not_supported);
  { const device_context<D> unknown{driver, 0}; }
  CHECK(flags() == 1);
  REQUIRE(driver.release_primary(0) == result::success);
  CHECK(driver.live() == 0);
}

TEST_CASE("a context of the caller is used, and neither kept, changed nor given back") {
  D driver;
  add_occupy(driver);
  places ran{driver};
  context_handle own{};
  REQUIRE(driver.initialize() == result::success);
  REQUIRE(driver.retain_primary(0, own) == result::success);
  const std::vector<takt::sm_range> ranges{{0, 0, 8}};
  {
    device d{driver, ranges, {.contexts = {{.handle = own}}}};
    REQUIRE(d.backend(0).backend == partition_backend::green_contexts);
    auto s = d.open(ranges[0]);
    REQUIRE(d.ready());
    launch(s, ran.f);
    launch(s, kernel{1'000});
    CHECK(ran.seen.at(0).sms.size() == 8);
    CHECK_FALSE(d.failed());
    cuda_accelerator<D> gpu{driver, 0, 4, {.context = {.handle = own}}};
    CHECK(gpu.open({.streams = {.cores = 1, .levels = 2}, .kernels = 1, .ended = {}}));
  }
  const context_handle not_primary{2'010};
  {
    device d{driver, ranges, {.contexts = {{.handle = not_primary, .is_primary = false}}}};
    CHECK_FALSE(d.backend(0).possible);
    CHECK(d.backend(0).reason.starts_with("green contexts belong to the primary context"));
    device any{driver, ranges, {.wish = {.isolation_is_a_must = false}, .contexts = {{not_primary, false}}}};
    auto s = any.open(ranges[0]);
    launch(s, ran.f);
    CHECK_FALSE(any.failed());
    CHECK(any.context(0).handle == not_primary);
  }
  CHECK(driver.count_of("retain_primary") == 1);
  CHECK(driver.count_of("release_primary") == 0);
  CHECK(driver.count_of("let_primary_block") == 0);
  CHECK(driver.live() == 1);
  CHECK_THROWS_WITH_AS((device{driver, {}, {.contexts = {{own}, {own}}}}),
                       "takt: 2 contexts of the caller's for 1 GPUs", std::invalid_argument);
  REQUIRE(driver.release_primary(0) == result::success);
}

TEST_CASE("streams of the caller serve their ranges and stay the caller's; those of some ranges only are refused") {
  D driver;
  add_occupy(driver);
  places ran{driver};
  const std::vector<takt::sm_range> ranges{{0, 0, 8}, {0, 8, 3}};
  {
    const takt::cuda::partition own{driver, 0, {8, 2}, true};
    const auto first = own[0].stream();
    const auto second = own[1].stream();
    const auto rest = own.rest().stream();
    const foreign_stream a{ranges[0], first.get()};
    const foreign_stream b{ranges[1], second.get()};
    const std::int64_t streams = driver.count_of("create_green_stream");
    {
      device d{driver, ranges, {.streams = {a, b}}};
      CHECK(d.backend(0).possible);
      CHECK(d.backend(0).backend == partition_backend::caller_streams);
      auto s = d.open(ranges[1]);
      REQUIRE(d.ready());
      launch(s, ran.f);
      CHECK(ran.seen.at(0).stream == second.get());
      CHECK(driver.count_of("create_green_stream") == streams);
      CHECK(driver.count_of("create_stream") == 0);
      CHECK_THROWS_AS((void)d.beside(0), cuda_error);
      auto other = d.open({});
      launch(other, ran.f);
      REQUIRE(d.failed());
      CHECK(d.fault()->code == result::no_sms_left);
    }
    {
      device d{driver, ranges, {.streams = {a, b, {{}, rest.get()}}}};
      auto other = d.open({});
      launch(other, ran.f);
      CHECK(ran.seen.at(1).stream == rest.get());
      CHECK_FALSE(d.failed());
      (void)d.open({0, 20, 4});
      CHECK(d.fault()->call == "open");
    }
    CHECK(driver.count_of("destroy_stream") == 1);  // that of copies
    for (const auto& some : {std::vector{a}, std::vector{b}, std::vector<foreign_stream>{{{}, rest.get()}}}) {
      const device d{driver, ranges, {.streams = some}};
      CHECK_FALSE(d.backend(0).possible);
      CHECK(d.backend(0).reason == "the caller has streams for some ranges of the GPU, not for all");
    }
    CHECK_THROWS_AS((device{driver, ranges, {.streams = {{{0, 0, 4}, first.get()}}}}), std::invalid_argument);
    CHECK_THROWS_AS((device{driver, ranges, {.streams = {{ranges[0], {}}}}}), std::invalid_argument);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("functions and kernels of the caller are launched by their address") {
  D driver;
  places ran{driver};
  device d{driver, {{0, 0, 8}}};
  auto s = d.open({0, 0, 8});
  const auto address = static_cast<std::uintptr_t>(ran.f);
  launch(s, function_of(reinterpret_cast<CUfunc_st*>(address)));
  launch(s, function_of(reinterpret_cast<CUkern_st*>(address)));
  CHECK(ran.count() == 2);
  CHECK(context_of(reinterpret_cast<CUctx_st*>(address)) == context_handle{address});
  CHECK(native(stream_handle{address}) == reinterpret_cast<CUstream_st*>(address));
}

TEST_CASE("kernels of a length are loaded by their first launch, once, and by no other") {
  D driver;
  add_occupy(driver);
  places ran{driver};
  {
    device d{driver, {{0, 0, 8}}};
    auto s = d.open({0, 0, 8});
    launch(s, ran.f);
    CHECK(driver.count_of("load_library") == 0);
    launch(s, kernel{1'000});
    launch(s, kernel{1'000});
    CHECK(driver.count_of("load_library") == 1);
    CHECK(driver.count_of("load_kernel") == 1);
    CHECK_FALSE(d.failed());
    CHECK(driver.count_of("launch") == 3);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE(
    "without a compiler in the driver kernels of a length are a fault at their launch, unless they are compiled") {
  const auto sentence_of = [](const std::string& where) {
    return where +
           ": FAKE_221 (this driver compiles no PTX; hand in a compiled kernel, see occupy.cuh for lengths), device 0, "
           "context 1000";
  };
  for (const bool compiled : {false, true}) {
    CAPTURE(compiled);
    D driver{{.compiles = false}};
    add_occupy(driver);
    places ran{driver};
    {
      const function_handle occupy = compiled ? driver.compiled(occupy_name) : function_handle{};
      device d{driver, {{0, 0, 8}}, {.occupy = occupy}};
      auto s = d.open({0, 0, 8});
      launch(s, ran.f);
      CHECK_FALSE(d.failed());
      launch(s, kernel{1'000});
      launch(s, kernel{1'000});
      CHECK(d.failed() != compiled);
      if (!compiled) { CHECK(d.fault_sentence() == sentence_of("launch")); }
      CHECK(driver.count_of("load_library") == (compiled ? 0 : 1));

      event ended;
      cuda_accelerator<D> gpu{driver, 0, 4, {.occupy = occupy}};
      REQUIRE(gpu.open(
          {.streams = {.cores = 1, .levels = 1},
           .kernels = 1,
           .ended = {[](void* e, takt::kernel_id, takt::runtime::launch_end) { static_cast<event*>(e)->signal(); },
                     &ended}}));
      CHECK_FALSE(gpu.failed());
      const cuda_accelerator<D>::kernel timed{1'000, 500};
      gpu.load(0, timed, 0);
      gpu.submit(0, {.core = 0, .level = 0});
      ended.wait();
      CHECK(gpu.failed() != compiled);
      if (!compiled) { CHECK(gpu.fault_sentence() == sentence_of("launch")); }

      launch_driver<D> launches{d.beside(0), occupy};
      CHECK(launches.launch(kernel{1'000}, 1) == compiled);
    }
    CHECK(driver.live() == 0);
  }
}

TEST_CASE("of more than two copy engines the first two serve, each in its direction, and of one both directions") {
  constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                        takt::pool(takt::copy_engines(2), takt::nonpreemptive(takt::fixed_priority)),
                                        takt::pool(takt::virtual_sms(32, 1), takt::federated));
  for (const std::int32_t engines : {0, 1, 2, 3, 7}) {
    CAPTURE(engines);
    D driver{{.copy_engines = engines}};
    device d{driver, {{0, 0, 8}}, {.sources = no_variables()}};
    const gpu_facts& gpu = d.machine().gpus[0];
    CHECK(gpu.copy_engines == engines);
    CHECK(gpu.usable_copy_engines() == std::min(engines, 2));
    auto wanted = board.record();
    CHECK(d.serves(wanted) == (engines >= 2));
    wanted.copy_engines = 1;
    CHECK(d.serves(wanted) == (engines >= 1));
    wanted.copy_engines = 3;
    CHECK_FALSE(d.serves(wanted));
    takt::gpu_topology<1, 1> tree;
    const std::int32_t added = tree.add_gpu(tree.add_hub(), gpu.copy_engines);
    if (engines == 0) {
      CHECK(added == takt::detail::refused_node);
      continue;
    }
    REQUIRE(added == 0);
    CHECK(tree.copy_engines(0) == std::min(engines, 2));
    CHECK(tree.copy_engine(0, takt::to_device).kind == takt::engine_kind::copy);
    CHECK(tree.copy_engine(0, takt::to_host).kind ==
          (engines == 1 ? takt::engine_kind::copy : takt::engine_kind::copy_to_host));
  }
}
