// SPDX-License-Identifier: Apache-2.0
// On a real GPU: the host half over the machine's driver. Part of takt_gpu_tests.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include <takt/cuda.hpp>
#include <takt/cuda/occupy.cuh>
#include <takt/model/gpu_topology.hpp>
#include <takt/runtime/event.hpp>
#include <takt/systems/shares/cuda/launch_driver.hpp>

#include "../support/limited_wait.hpp"

namespace {

namespace tc = takt::cuda;
using device = tc::cuda_device<tc::driver>;
using kernel = tc::device_kernel<tc::driver>;

struct count_up {
  std::uint32_t* times;

  __device__ void operator()(std::int64_t i) const {
    atomicAdd(&times[i], 1U);
    for (volatile int spin = 0; spin < 1'000; spin = spin + 1) {}
  }
};

__global__ void note_sm(std::uint32_t* seen, std::uint32_t* values) {
  if (threadIdx.x == 0) { seen[tc::detail::physical_sm()] = 1; }
  if (blockIdx.x == 0) { values[threadIdx.x] += 1; }
  for (volatile int spin = 0; spin < 10'000; spin = spin + 1) {}
}

template <class T>
auto read(const tc::device_array<T>& from) -> std::vector<T> {
  std::vector<T> out(from.size());
  REQUIRE(cudaMemcpy(out.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
  return out;
}

auto each_once(const tc::device_array<std::uint32_t>& times) -> bool {
  const auto counts = read(times);
  return std::ranges::all_of(counts, [](std::uint32_t n) { return n == 1; });
}

/// Nothing where there is none.
template <class Device>
auto fault_of(const Device& d) -> std::string {
  return d.failed() ? d.fault_sentence() : std::string{};
}

/// Starts an operation and waits for its end.
template <class Start>
void finish(Start start) {
  takt::runtime::event done;
  start(takt::runtime::notify<&takt::runtime::event::signal>(&done));
  done.wait();
}

/// Copies in, counts up on whatever SMs the stream has, and copies out. The SMs that were seen.
auto use(device& d, const takt::sm_range& range, std::int32_t sms) -> std::set<std::int32_t> {
  constexpr std::uint32_t threads = 64;
  auto stream = d.open(range);
  REQUIRE(d.ready());
  const tc::device_array<std::uint32_t> seen{tc::max_sms};
  const tc::pinned_memory<tc::driver> host{d.context(0), threads * sizeof(std::uint32_t)};
  const tc::device_memory<tc::driver> there{d.context(0), threads * sizeof(std::uint32_t)};
  auto* values = reinterpret_cast<std::uint32_t*>(host.data());
  for (std::uint32_t i = 0; i < threads; ++i) { values[i] = i; }
  tc::require_pinned(d.context(0), values, host.size());
  const auto in = tc::device_copy::to_device(there.get(), values, host.size());
  const auto out = tc::device_copy::to_host(values, there.get(), host.size());
  auto* on_device = reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(there.get()));
  const kernel count{[&](tc::driver&, const tc::launch_site& site) {
    note_sm<<<static_cast<unsigned>(32 * sms), threads, 0, tc::detail::runtime_stream(site.stream)>>>(seen.data(),
                                                                                                      on_device);
    return tc::detail::driver_result(cudaGetLastError());
  }};
  const kernel timed{1'000'000};
  finish([&](auto done) { stream.copy(0, in, done); });
  finish([&](auto done) { stream.launch(count, done); });
  finish([&](auto done) { stream.launch(timed, done); });
  finish([&](auto done) { stream.copy(0, out, done); });
  for (std::uint32_t i = 0; i < threads; ++i) { CHECK(values[i] == i + 1); }
  std::set<std::int32_t> found;
  const auto marks = read(seen);
  for (std::size_t sm = 0; sm < marks.size(); ++sm) {
    if (marks[sm] != 0) { found.insert(static_cast<std::int32_t>(sm)); }
  }
  return found;
}

}  // namespace

TEST_CASE("the driver has every entry, and says of the first GPU what the runtime interface says") {
  tc::driver driver;
  CHECK(driver.problem() == "");
  const auto machine = tc::query_machine(driver);
  REQUIRE(!machine.gpus.empty());
  cudaDeviceProp facts{};
  int least = 0;
  int greatest = 0;
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  REQUIRE(cudaGetDeviceProperties(&facts, 0) == cudaSuccess);
  REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
  const tc::gpu_facts& gpu = machine.gpus[0];
  CHECK(gpu.name == facts.name);
  CHECK(gpu.compute_major == facts.major);
  CHECK(gpu.compute_minor == facts.minor);
  CHECK(gpu.sms == facts.multiProcessorCount);
  CHECK(gpu.threads_per_sm == facts.maxThreadsPerMultiProcessor);
  CHECK(gpu.copy_engines == facts.asyncEngineCount);
  const tc::device_context<tc::driver> context{driver, 0};
  const tc::priority_levels levels = tc::query_levels(context.ref());
  CHECK(levels.most_urgent == greatest);
  CHECK(levels.count == least - greatest + 1);
  if (gpu.partitions == tc::result::success) { CHECK(gpu.coscheduled.unit * gpu.coscheduled.groups <= gpu.sms); }
  MESSAGE(gpu.name << ": SMs are split by " << gpu.coscheduled.unit << " (" << gpu.single.unit
                   << " without coscheduling), " << levels.count << " priorities, " << gpu.copy_engines
                   << " copy engines");
}

TEST_CASE("green contexts hold kernels on disjoint SMs; their streams take marks and copies of the primary context") {
  tc::driver driver;
  const auto machine = tc::query_machine(driver);
  const std::int32_t unit = machine.gpus[0].coscheduled.unit;
  if (unit == 0) {
    MESSAGE("no green contexts here: the driver does not split the SMs");
    return;
  }
  const std::vector<takt::sm_range> ranges{{0, 0, unit}, {0, unit, 2 * unit}};
  device d{driver, ranges, {.wish = {.isolation_is_a_must = false}}};
  if (d.backend(0).backend != tc::partition_backend::green_contexts) {
    MESSAGE("no green contexts here: " << d.backend(0).reason);
    return;
  }
  const auto small = use(d, ranges[0], machine.gpus[0].sms);
  const auto large = use(d, ranges[1], machine.gpus[0].sms);
  CHECK(static_cast<std::int32_t>(small.size()) == unit);
  CHECK(static_cast<std::int32_t>(large.size()) == 2 * unit);
  for (const std::int32_t sm : small) { CHECK_FALSE(large.contains(sm)); }
  CHECK(fault_of(d) == "");
}

TEST_CASE("in a green context a pinned job is one launch of V blocks per SM, for the runtime and in a plain stream") {
  constexpr std::int64_t count = 100'000;
  tc::driver driver;
  const std::int32_t unit = tc::query_machine(driver).gpus[0].coscheduled.unit;
  if (unit == 0) {
    MESSAGE("no green contexts here: the driver does not split the SMs");
    return;
  }
  const tc::device_array<std::uint32_t> times{count};
  tc::pinned_kernel own{tc::over_indices(count_up{times.data()}), {.threads = 256}};
  REQUIRE(own.status() == cudaSuccess);
  const auto blocks = static_cast<std::uint32_t>(unit * own.virtual_per_sm());
  {
    const tc::partition split{driver, 0, {unit}};
    const auto stream = split[0].stream();
    REQUIRE(own.begin(count, 16));
    REQUIRE(own.launch_within(stream, unit) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(own.chunks_left() == 0);
    CHECK(own.claimed() == blocks);
    CHECK(each_once(times));
  }
  REQUIRE(cudaMemset(times.data(), 0, times.bytes()) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const takt::sm_range range{0, 0, unit};
  device d{driver, {range}};
  REQUIRE(d.backend(0).backend == tc::partition_backend::green_contexts);
  auto stream = d.open(range);
  const kernel job =
      tc::on_device<tc::driver>(own, count, 16, takt::gpu_record{.sms = unit, .virtual_per_sm = own.virtual_per_sm()});
  finish([&](auto done) { stream.launch(job, done); });
  CHECK(own.launches() == 1);
  CHECK(own.claimed() == blocks);
  CHECK(each_once(times));
  CHECK(d.take_notes().empty());
  CHECK(fault_of(d) == "");
}

TEST_CASE("pinned kernels run on a device in streams without a partition") {
  constexpr std::int64_t count = 20'000;
  tc::driver driver;
  const tc::device_array<std::uint32_t> times{count};
  tc::pinned_kernel own{tc::over_indices(count_up{times.data()}), {.threads = 256}};
  REQUIRE(own.status() == cudaSuccess);
  const takt::gpu_record gpu{.sms = 2, .virtual_per_sm = own.virtual_per_sm()};
  const takt::sm_range range{0, 0, 2};
  device d{driver, {range}, {.wish = {.green_contexts = false, .kernels_stay_on_range = true}}};
  REQUIRE(d.backend(0).backend == tc::partition_backend::pinned_blocks);
  (void)use(d, range, 4);
  auto stream = d.open(range);
  const kernel job = tc::on_device<tc::driver>(own, count, 256, gpu);
  finish([&](auto done) { stream.launch(job, done); });
  CHECK(own.chunks_left() == 0);
  CHECK(each_once(times));
  CHECK(fault_of(d) == "");
}

TEST_CASE("kernels of an accelerator stop between waves and go on, and outlive a closed device") {
  struct notices {
    std::atomic<int> complete{0};
    std::atomic<int> yielded{0};
    static void take(void* o, takt::kernel_id, takt::runtime::launch_end how) {
      auto& own = *static_cast<notices*>(o);
      ++(how == takt::runtime::launch_end::complete ? own.complete : own.yielded);
    }
    [[nodiscard]] auto ends() const -> int { return complete + yielded; }
  };
  constexpr std::int64_t count = 100'000;
  tc::driver driver;
  tc::cuda_accelerator<tc::driver> d{driver, 0, 2};
  const tc::device_array<std::uint32_t> times{count};
  const auto body = tc::over_indices(count_up{times.data()});
  const auto work = std::make_shared<tc::pinned_accelerator_work<tc::index_body<count_up>>>(
      body, count, 256, tc::launch_form{.threads = 256});
  REQUIRE(work->ready());
  const auto pinned = tc::on_accelerator<tc::driver>(work);
  const tc::accelerator_kernel<tc::driver> timed{20'000'000, 100'000};
  const auto to_the_end = [&](takt::kernel_id k, notices& heard, int yields) {
    const int before = heard.complete;
    for (int n = 0; heard.complete == before; ++n) {
      const int ends = heard.ends();
      d.submit(k, {.core = 0, .level = 0});
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
      if (n < yields) { d.request_yield(k); }
      takt_tests::await([&] { return heard.ends() != ends; });
    }
  };
  for (std::uint32_t round = 1; round <= 2; ++round) {
    notices heard;
    REQUIRE(d.open({.streams = {.cores = 1, .levels = 2}, .kernels = 2, .ended = {notices::take, &heard}}));
    d.load(0, timed, round);
    to_the_end(0, heard, 3);
    CHECK(heard.yielded > 0);
    d.load(1, pinned, round);
    to_the_end(1, heard, 3);
    const auto counts = read(times);
    CHECK(std::ranges::all_of(counts, [round](std::uint32_t n) { return n == round; }));
    d.close();
  }
  CHECK(fault_of(d) == "");
}

TEST_CASE("memory is told apart, errors have the driver's names, and launches of a thread are timed") {
  tc::driver driver;
  REQUIRE(driver.initialize() == tc::result::success);
  const tc::device_context<tc::driver> context{driver, 0};
  const auto& c = context.ref();
  const tc::pinned_memory<tc::driver> pinned{c, 64};
  const tc::device_memory<tc::driver> there{c, 64};
  std::array<std::byte, 64> pageable{};
  CHECK_NOTHROW(tc::require_pinned(c, pinned.data(), 64));
  CHECK_THROWS_AS(tc::require_pinned(c, pageable.data(), 64), tc::unsuitable_memory);
  const auto inside = static_cast<std::uint64_t>(there.get());
  const auto host = reinterpret_cast<std::uintptr_t>(pinned.data());
  CHECK(tc::classify_copy(c, inside, host, 64).kind == tc::copy_kind::to_device);
  CHECK(tc::classify_copy(c, host, inside, 64).kind == tc::copy_kind::to_host);
  try {
    const tc::device_memory<tc::driver> too_large{c, std::size_t{1} << 50};
    FAIL("no error");
  } catch (const tc::cuda_error& e) {
    CHECK(e.code() == tc::result::out_of_memory);
    CHECK(std::string{e.what()}.find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos);
  }
  const tc::loaded_library<tc::driver> code{c, tc::occupy_ptx};
  CHECK(code.kernel(tc::occupy_name) != tc::function_handle{});
  tc::launch_driver<tc::driver> launches{c, tc::compiled_occupy()};
  CHECK(launches.launch(kernel{5'000'000}, 1));
  takt_tests::await([&] { return launches.busy_time() != 0 || launches.fault().has_value(); });
  CHECK(launches.busy_time() >= 4'900'000);
}

TEST_CASE("two GPUs below one hub copy to each other directly") {
  int devices = 0;
  int reaches = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  if (devices < 2 || cudaDeviceCanAccessPeer(&reaches, 0, 1) != cudaSuccess || reaches == 0) {
    MESSAGE("no two GPUs that reach each other here");
    return;
  }
  tc::driver driver;
  REQUIRE(driver.initialize() == tc::result::success);
  const std::array<tc::device_context<tc::driver>, 2> contexts{tc::device_context<tc::driver>{driver, 0},
                                                               tc::device_context<tc::driver>{driver, 1}};
  const std::array refs{contexts[0].ref(), contexts[1].ref()};
  takt::gpu_topology<2, 1> tree;
  const auto hub = tree.add_hub();
  (void)tree.add_gpu(hub, 2);
  (void)tree.add_gpu(hub, 2);
  tc::connect_peers<tc::driver>(tree, refs);
  tc::connect_peers<tc::driver>(tree, refs);
  constexpr std::size_t bytes = 1'000;
  const tc::pinned_memory<tc::driver> in{refs[0], bytes};
  const tc::pinned_memory<tc::driver> out{refs[1], bytes};
  const tc::device_memory<tc::driver> first{refs[0], bytes};
  const tc::device_memory<tc::driver> second{refs[1], bytes};
  std::memset(in.data(), 7, bytes);
  tc::thread_stream<tc::driver> source{refs[0]};
  tc::thread_stream<tc::driver> target{refs[1]};
  source.run("in", [&](auto& d, auto s) { return d.copy_to_device(first.get(), in.data(), bytes, s); });
  target.run("across", [&](auto& d, auto s) {
    return d.copy_peer(second.get(), refs[1].handle, first.get(), refs[0].handle, bytes, s);
  });
  target.run("out", [&](auto& d, auto s) { return d.copy_to_host(out.data(), second.get(), bytes, s); });
  CHECK(std::memcmp(in.data(), out.data(), bytes) == 0);
}
