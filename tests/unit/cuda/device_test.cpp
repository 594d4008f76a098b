// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <takt/cuda/device.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/run.hpp>
#include <takt/takt.hpp>

#include "fixture.hpp"
#include "support/traces.hpp"

namespace {

using namespace cuda_tests;
using namespace takt::literals;
using device = takt::cuda::cuda_device<fake_cuda_driver>;
using kernel = device::kernel;
using takt::observation_status;
using takt::runtime::event;
using takt::runtime::notify;

static_assert(takt::runtime::Device<device>);
static_assert(takt::runtime::FallibleDevice<device>);
static_assert(takt::runtime::ExaminedDevice<device>);

// A kernel has to live until its launch has ended.
template <class K>
concept Launchable =
    requires(device::stream& s, K&& k, takt::runtime::completion done) { s.launch(std::forward<K>(k), done); };
static_assert(Launchable<const kernel&> && !Launchable<kernel>);

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(32, 1), takt::federated));
constexpr auto pair = takt::task_set(
    takt::task("slow", takt::period(40_ms), takt::cpu(100_us, 200_us), takt::copy(100_us, 200_us),
               takt::kernel(takt::work(8_ms, 16_ms)), takt::copy(100_us, 200_us), takt::cpu(100_us, 200_us)),
    takt::task("fast", takt::period(20_ms), takt::cpu(100_us, 100_us), takt::copy(200_us, 300_us),
               takt::kernel(takt::work(8_ms, 8_ms)), takt::copy(0_ns), takt::cpu(0_ns, 0_ns)));
/// Ranges of the plan below.
auto ranges() -> std::vector<takt::sm_range> { return {{0, 0, 16}, {0, 16, 8}}; }

auto options() -> takt::runtime::run_options {
  takt::runtime::run_options o;
  o.length = 120_ms;
  o.lock_memory = false;
  o.real_time = false;
  return o;
}

/// Whether the jobs seen are those released before the run ended, each counted once.
auto adds_up(const takt::runtime::run_result& seen) -> bool {
  const auto table = pair.table<takt::ticks>();
  bool right = seen.tasks.size() == table.size();
  for (std::size_t i = 0; right && i < table.size(); ++i) {
    const takt::ticks period = table.tasks[i].period;
    const auto released = static_cast<std::uint64_t>((seen.end + period - 1) / period);
    right = seen.tasks[i].completed + seen.tasks[i].unfinished + seen.tasks[i].skipped == released;
  }
  return right;
}

/// Three operations of one stream, as a task has them: in, compute, out. The fault that is left, if any.
auto use_once(fake_cuda_driver& driver) -> std::optional<failure> {
  device d{driver, ranges()};
  auto stream = d.open({0, 0, 16});
  auto other = d.open({0, 16, 8});
  if (!d.ready()) { return d.fault(); }
  const pinned_memory<fake_cuda_driver> in{d.context(0), 256};
  const pinned_memory<fake_cuda_driver> out{d.context(0), 256};
  const device_memory<fake_cuda_driver> there{d.context(0), 256};
  std::memset(in.data(), 7, in.size());
  const std::array copies{device_copy::to_device(there.get(), in.data(), 256),
                          device_copy::to_host(out.data(), there.get(), 256)};
  event done;
  const auto finished = notify<&event::signal>(&done);
  stream.copy(0, copies[0], finished);
  done.wait();
  const kernel timed{1'000};
  stream.launch(timed, finished);
  done.wait();
  stream.copy(0, copies[1], finished);
  done.wait();
  other.launch(timed, finished);
  done.wait();
  const auto fault = d.fault();
  if (!fault) { CHECK(std::memcmp(in.data(), out.data(), 256) == 0); }
  return fault;
}

}  // namespace

TEST_CASE("a task set runs on the CUDA device as on the emulated one, each task in a stream of its own") {
  fake_cuda_driver driver{{.seed = 3}};
  add_occupy(driver);
  {
    device d{driver, ranges()};
    REQUIRE(d.backend(0).backend == partition_backend::green_contexts);
    const auto result = takt::runtime::run(board, pair, takt::dedicate(16, 8), d, options());
    CAPTURE(takt::name_of(result.status()));
    REQUIRE((result.status() == observation_status::no_miss || result.status() == observation_status::missed));
    REQUIRE(result.tasks.size() == 2);
    for (const auto& t : result.tasks) {
      CAPTURE(t.name);
      CHECK(t.completed >= 1);
    }
    CHECK_FALSE(d.fault());
    CHECK(streams_used(driver, "launch").size() == 2);
    CHECK(driver.count_of("create_stream") == 0);
    CHECK(driver.count_of("create_green_stream") == 2);
  }
  CHECK(driver.default_stream_uses() == 0);
  CHECK(driver.live() == 0);
}

TEST_CASE("bound code moves bytes through pinned memory and launches loaded functions with their arguments") {
  fake_cuda_driver driver;
  add_occupy(driver);
  std::atomic<int> seen{0};
  driver.add_kernel("twice", {8, 4}, [&seen](const fake_launch& l) {
    auto* values = reinterpret_cast<std::int32_t*>(l.argument<std::uintptr_t>(0));
    const auto count = l.argument<std::int32_t>(1);
    for (std::int32_t i = 0; i < count; ++i) { values[i] *= 2; }
    seen = static_cast<int>(l.shape.blocks());
  });
  device d{driver, ranges()};
  auto stream = d.open({0, 0, 16});
  constexpr std::int32_t elements = 100;
  const pinned_memory<fake_cuda_driver> host{d.context(0), elements * sizeof(std::int32_t)};
  const device_memory<fake_cuda_driver> there{d.context(0), elements * sizeof(std::int32_t)};
  auto* values = reinterpret_cast<std::int32_t*>(host.data());
  for (std::int32_t i = 0; i < elements; ++i) { values[i] = i; }
  const loaded_library<fake_cuda_driver> code{d.context(0), "image"};
  const kernel twice{code.kernel("twice"), covering(elements, 32), kernel_arguments{there.get(), elements}};
  const auto in = device_copy::to_device(there.get(), values, elements * sizeof(std::int32_t));
  const auto out = device_copy::to_host(values, there.get(), elements * sizeof(std::int32_t));
  event done;
  for (int step = 0; step < 3; ++step) {
    if (step == 1) { stream.launch(twice, notify<&event::signal>(&done)); }
    if (step != 1) { stream.copy(0, step == 0 ? in : out, notify<&event::signal>(&done)); }
    done.wait();
  }
  bool right = true;
  for (std::int32_t i = 0; i < elements; ++i) { right = right && values[i] == 2 * i; }
  CHECK(right);
  CHECK(seen == 4);
  CHECK_FALSE(d.fault());
}

TEST_CASE("a grid covers every element, whether or not the sizes divide") {
  CHECK(covering(100, 32).grid.x == 4);
  CHECK(covering(96, 32).grid.x == 3);
  CHECK(covering(1, 1'024).grid.x == 1);
  CHECK(covering(0, 32).grid.x == 0);
  for (std::uint32_t n = 0; n < 300; ++n) {
    for (const std::uint32_t threads : {1U, 7U, 32U, 256U}) {
      const auto shape = covering(n, threads);
      CHECK(shape.grid.x * threads >= n);
      CHECK((n == 0 || (shape.grid.x - 1) * threads < n));
    }
  }
}

TEST_CASE("whichever call of the driver fails, everything is given back, and nobody waits for ever") {
  std::int64_t calls = 0;
  {
    fake_cuda_driver driver;
    add_occupy(driver);
    CHECK_FALSE(use_once(driver));
    calls = driver.call_count();
    CHECK(driver.live() == 0);
    CHECK(driver.default_stream_uses() == 0);
  }
  REQUIRE(calls > 50);
  int noticed = 0;
  for (std::int64_t n = 0; n < calls; ++n) {
    CAPTURE(n);
    fake_cuda_driver driver;
    add_occupy(driver);
    driver.fail_call(n, n % 2 == 0 ? result::invalid_value : result::out_of_memory);
    try {
      if (use_once(driver)) { ++noticed; }
    } catch (const cuda_error& e) {
      ++noticed;
      CHECK((e.code() == result::invalid_value || e.code() == result::out_of_memory));
      CHECK(std::string{e.what()}.find("FAKE_") != std::string::npos);
    }
    CHECK(driver.live() == 0);
  }
  CHECK(noticed > calls / 3);
}

TEST_CASE("a device that is lost under load ends all operations as failed, and the run there with what failed") {
  for (const int after : {0, 2, 5}) {
    CAPTURE(after);
    fake_cuda_driver driver{{.seed = 5}};
    std::atomic<int> launches{0};
    driver.add_kernel(occupy_name, {8, 8, 8}, [&](const fake_launch&) {
      if (launches++ == after) { driver.lose(); }
    });
    {
      device d{driver, ranges()};
      auto o = options();
      o.length = 60_s;
      const auto result = takt::runtime::run(board, pair, takt::dedicate(16, 8), d, o);
      CHECK(result.status() == observation_status::device_failed);
      CHECK(result.end < o.length.count());
      CHECK(adds_up(result));
      CHECK(result.device_fault.find("FAKE_") != std::string::npos);
      CHECK(result.device_fault.ends_with(", device 0, context 1000"));
      CHECK(std::ranges::count(result.notes, "device: failed: " + result.device_fault) == 1);
      REQUIRE(d.fault().has_value());
      CHECK(takt::cuda::detail::is_loss(d.fault()->code));
      CHECK(d.fault()->device == 0);
      CHECK_FALSE(d.ready());
    }
    CHECK(driver.live() == 0);
  }
}

TEST_CASE("whichever call fails during a run, the run says so or is not touched, and its counts add up") {
  std::int64_t calls = 0;
  int failed = 0;
  for (std::int64_t n = -1; n < calls; ++n) {
    CAPTURE(n);
    fake_cuda_driver driver;
    add_occupy(driver);
    driver.fail_call(n, n % 2 == 0 ? result::launch_failed : result::out_of_memory);
    try {
      device d{driver, ranges()};
      auto o = options();
      o.length = n < 0 ? 21_ms : 8_ms;
      const auto seen = takt::runtime::run(board, pair, takt::dedicate(16, 8), d, o);
      CHECK((seen.status() == observation_status::device_failed) == d.failed());
      CHECK(seen.device_fault.empty() != d.failed());
      CHECK((seen.tasks.empty() || adds_up(seen)));
      failed += d.failed() ? 1 : 0;
    } catch (const cuda_error& e) { CHECK(std::string{e.what()}.find("FAKE_") != std::string::npos); }
    CHECK(driver.live() == 0);
    if (n < 0) { calls = driver.call_count(); }
  }
  REQUIRE(calls > 50);
  CHECK(failed > 5);
}

TEST_CASE("a device that has failed before is not run on") {
  fake_cuda_driver driver;
  add_occupy(driver);
  device d{driver, ranges()};
  driver.fail_next("create_green_stream", result::out_of_memory);
  const auto refused = takt::runtime::run(board, pair, takt::dedicate(16, 8), d, options());
  CHECK(refused.status() == observation_status::device_failed);
  CHECK(refused.device_fault == "create_green_stream: FAKE_2, device 0, context 1000");
  CHECK(refused.tasks.empty());
  CHECK(driver.count_of("launch") == 0);
}

TEST_CASE("a run on the CUDA device reports the machine, its GPUs and the driver when asked" *
          takt_tests::traces("RTGPU-46")) {
  fake_cuda_driver driver;
  add_occupy(driver);
  int asked = 0;
  const check_sources recorded{
      .machine = {.root = "/nowhere",
                  .run = [&asked](const std::string& command) -> std::optional<std::string> {
                    ++asked;
                    return command == takt::runtime::detail::gpu_query
                               ? "0, made up, Enabled, Exclusive_Process, 1400, 800, 1500, 800, 1900, 900\n"
                               : "";
                  },
                  .own_process = 1},
      .variables = [](const char* name) -> std::optional<std::string> {
        return std::string{name} == "CUDA_LAUNCH_BLOCKING" ? std::optional<std::string>{"1"} : std::nullopt;
      }};
  device d{driver, ranges(), {.wish = {}, .ordinals = {}, .sources = recorded}};
  auto o = options();
  o.length = 10_ms;
  const auto silent = takt::runtime::run(board, pair, takt::dedicate(16, 8), d, o);
  CHECK(silent.findings.empty());
  CHECK(asked == 0);
  o.check_machine = true;
  const auto told = takt::runtime::run(board, pair, takt::dedicate(16, 8), d, o);
  CHECK(asked == 2);
  const auto level = [&told](const std::string& what) -> std::optional<takt::runtime::severity> {
    const auto found = std::ranges::find(told.findings, what, &takt::runtime::machine_finding::what);
    return found == told.findings.end() ? std::nullopt : std::optional{found->level};
  };
  CHECK(level("GPU 0 SM clock") == takt::runtime::severity::warning);
  CHECK(level("GPU 0 persistence mode") == takt::runtime::severity::fine);
  CHECK(level("CUDA_LAUNCH_BLOCKING") == takt::runtime::severity::serious);
  CHECK(level("CUDA driver") == takt::runtime::severity::fine);
  CHECK(level("SCHED_FIFO").has_value());
  const auto notes_about = [&told](const std::string& what) {
    return std::ranges::count_if(told.notes, [&](const std::string& n) { return n.starts_with("machine: " + what); });
  };
  CHECK(notes_about("GPU 0 SM clock: 1400 MHz now") == 1);
  CHECK(notes_about("CUDA_LAUNCH_BLOCKING: 1, better") == 1);
  CHECK(notes_about("GPU 0 persistence mode") == 0);
}

TEST_CASE("a device says what it does not serve") {
  fake_cuda_driver driver;
  add_occupy(driver);
  {
    device d{driver, ranges()};
    auto wanted = board.record();
    CHECK(d.serves(wanted));
    wanted.gpus[0].sms = 33;
    CHECK_FALSE(d.serves(wanted));
    wanted = board.record();
    wanted.copy_engines = 3;
    CHECK_FALSE(d.serves(wanted));
    wanted = board.record();
    wanted.gpus[0].shared = true;
    CHECK_FALSE(d.serves(wanted));
    (void)d.open({0, 24, 8});
    CHECK_FALSE(d.ready());
    REQUIRE(d.fault().has_value());
    CHECK(d.fault()->call == "open");
  }
  {
    device d{driver, {{0, 0, 4}}};
    CHECK_FALSE(d.serves(board.record()));
    CHECK(d.backend(0).reason ==
          "a range of 4 SMs is no multiple of 8; kernels do not stay on their range by themselves");
  }
  CHECK_THROWS_AS((device{driver, {}, {.wish = {}, .ordinals = {4}}}), cuda_error);
  CHECK(driver.live() == 0);
}

TEST_CASE("on hardware with one queue the adapter waits for whole streams, on newer for marks" *
          takt_tests::traces("GSD-57")) {
  CHECK(takt::cuda::detail::wait_method_for(2, 1) == wait_method::whole_stream);
  CHECK(takt::cuda::detail::wait_method_for(3, 0) == wait_method::whole_stream);
  CHECK(takt::cuda::detail::wait_method_for(3, 5) == wait_method::marks);
  CHECK(takt::cuda::detail::wait_method_for(9, 0) == wait_method::marks);
  for (const std::int32_t major : {2, 9}) {
    CAPTURE(major);
    fake_cuda_driver driver{{.compute_major = major}};
    add_occupy(driver);
    CHECK_FALSE(use_once(driver));
    CHECK((driver.count_of("wait_for_event") > 0) == (major == 9));
    CHECK((driver.count_of("wait_for_stream") > 0) == (major == 2));
  }
}

TEST_CASE("a device takes the GPUs that TAKT_GPUS names and no others, unless its options name them" *
          takt_tests::traces("GSA-48")) {
  const auto named = [](const char* list) {
    check_sources out;
    out.variables = [list](const char* name) -> std::optional<std::string> {
      return std::string{name} == "TAKT_GPUS" ? std::optional<std::string>{list} : std::nullopt;
    };
    return out;
  };
  fake_cuda_driver driver{{.devices = 3, .taken_device = 1}};
  add_occupy(driver);
  const auto contexts = [&](check_sources sources, std::int32_t gpus, std::vector<std::int32_t> ordinals = {}) {
    const std::int64_t before = driver.count_of("retain_primary");
    std::vector<takt::sm_range> one_each;
    for (std::int32_t g = 0; g < gpus; ++g) { one_each.push_back({g, 0, 8}); }
    const device d{driver, one_each, {.wish = {}, .ordinals = std::move(ordinals), .sources = std::move(sources)}};
    return driver.count_of("retain_primary") - before;
  };
  CHECK_THROWS_AS((void)contexts({}, 2), cuda_error);  // another process has GPU 1
  CHECK(contexts(named("2"), 1) == 1);
  CHECK(contexts(named("2,0"), 2) == 2);
  CHECK_THROWS_AS((void)contexts(named("1"), 1), cuda_error);
  CHECK(contexts(named("1"), 1, {0}) == 1);
  CHECK_THROWS_AS((void)contexts(named("3"), 1), cuda_error);
  CHECK_THROWS_WITH_AS((void)contexts(named("0 2"), 1), doctest::Contains("TAKT_GPUS"), std::invalid_argument);
}
