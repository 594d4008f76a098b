// SPDX-License-Identifier: Apache-2.0
// On a real GPU: the device half against plain launches. Without one the program says so and returns 77.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include <takt/core/random.hpp>
#include <takt/cuda/pinned_kernel.cuh>
#include <takt/cuda/runtime_memory.cuh>
#include <takt/model/occupancy.hpp>

#include "../support/traces.hpp"

namespace {

namespace tc = takt::cuda;

/// TAKT_GPU_RUNS: random cases per test.
auto runs() -> int {
  const char* text = std::getenv("TAKT_GPU_RUNS");
  return text == nullptr ? 20 : std::stoi(text);
}

auto sms() -> std::int32_t {
  int out = 0;
  REQUIRE(tc::detail::sms_of_current_device(out) == cudaSuccess);
  return std::min(out, static_cast<int>(tc::max_sms));
}

template <class T>
auto read(const tc::device_array<T>& from) -> std::vector<T> {
  std::vector<T> out(from.size());
  REQUIRE(cudaMemcpy(out.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
  return out;
}

/// Something that differs between elements and needs its input.
struct mix {
  const std::uint32_t* from;
  std::uint32_t* to;

  __device__ void operator()(std::int64_t i) const {
    std::uint32_t x = from[i] ^ static_cast<std::uint32_t>(i);
    for (int round = 0; round < 16; ++round) { x = x * 1'664'525U + 1'013'904'223U; }
    to[i] += x;
  }
};

/// Sums 64 inputs by all threads of the block, through shared memory.
struct block_sum {
  static constexpr int elements = 64;
  const std::uint32_t* from;
  std::uint32_t* to;

  __device__ void operator()(std::int64_t block) const {
    __shared__ std::uint32_t sum;
    if (threadIdx.x == 0) { sum = 0; }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < elements; i += static_cast<int>(blockDim.x)) {
      atomicAdd(&sum, from[block * elements + i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) { to[block] += sum; }
  }
};

/// Counts who does what where, and takes a while.
struct witness {
  std::uint32_t* times;
  std::uint32_t* on_sm;
  int spins;

  __device__ void operator()(std::int64_t i) const {
    atomicAdd(&times[i], 1U);
    on_sm[i] = tc::detail::physical_sm();
    for (volatile int spin = 0; spin < spins; spin = spin + 1) {}
  }
};

struct witnesses {
  tc::device_array<std::uint32_t> times;
  tc::device_array<std::uint32_t> on_sm;

  explicit witnesses(std::int64_t count)
      : times{static_cast<std::size_t>(count)}, on_sm{static_cast<std::size_t>(count)} {}
  [[nodiscard]] auto body(int spins) const { return tc::over_indices(witness{times.data(), on_sm.data(), spins}); }
  [[nodiscard]] auto each_once() const -> bool {
    const auto counts = read(times);
    return std::ranges::all_of(counts, [](std::uint32_t n) { return n == 1; });
  }
};

auto some_sms(takt::random_stream& random, std::int32_t of, std::int32_t per_sm) -> tc::sm_slots {
  tc::sm_slots out;
  for (std::int32_t sm = 0; sm < of; ++sm) {
    out.per_sm[sm] = static_cast<std::uint8_t>(random.chance(1, 3) ? random.between(1, per_sm) : 0);
  }
  out.per_sm[random.between(0, of - 1)] = 1;
  return out;
}

auto numbers(std::size_t count) -> tc::device_array<std::uint32_t> {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 17U);
  tc::device_array<std::uint32_t> out{count};
  REQUIRE(out.status() == cudaSuccess);
  REQUIRE(cudaMemcpy(out.data(), values.data(), out.bytes(), cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  return out;
}

}  // namespace

TEST_CASE("persistent blocks over logical indices and blocks give what the plain kernels give" *
          takt_tests::traces("RTGPU-26")) {
  takt::random_stream random{26};
  const tc::own_stream stream;
  for (int run = 0; run < runs(); ++run) {
    const std::int64_t count = random.between(1, 40'000);
    const auto from = numbers(static_cast<std::size_t>(count) * block_sum::elements);
    const tc::device_array<std::uint32_t> plain{static_cast<std::size_t>(count)};
    const tc::device_array<std::uint32_t> pinned{static_cast<std::size_t>(count)};
    const auto compare = [&](const auto& plain_body, const auto& pinned_body, std::int32_t threads) {
      tc::pinned_kernel kernel{pinned_body, {.threads = threads}};
      REQUIRE(kernel.status() == cudaSuccess);
      REQUIRE(tc::launch_plain(stream.get(), count, plain_body, kernel.form()) == cudaSuccess);
      REQUIRE(kernel.begin(count, random.between(1, 3'000)));
      REQUIRE(kernel.run(stream.get(), some_sms(random, sms(), kernel.virtual_per_sm())));
      CHECK(read(plain) == read(pinned));
    };
    const auto threads = static_cast<std::int32_t>(32 * random.between(1, 32));
    compare(tc::over_indices(mix{from.data(), plain.data()}), tc::over_indices(mix{from.data(), pinned.data()}),
            threads);
    compare(tc::over_blocks(block_sum{from.data(), plain.data()}),
            tc::over_blocks(block_sum{from.data(), pinned.data()}), threads);
  }
}

TEST_CASE("each index is done once, on target SMs alone, job after job") {
  takt::random_stream random{27};
  const tc::own_stream stream;
  for (int run = 0; run < runs(); ++run) {
    const std::int64_t count = random.between(1, 20'000);
    const witnesses seen{count};
    tc::pinned_kernel kernel{seen.body(50), {.threads = static_cast<std::int32_t>(32 * random.between(1, 32))}};
    for (std::uint32_t job = 1; job <= 3; ++job) {
      const auto slots = some_sms(random, sms(), kernel.virtual_per_sm());
      REQUIRE(kernel.begin(count, random.between(1, 2'000)));
      const auto launches = kernel.run(stream.get(), slots);
      REQUIRE(launches);
      MESSAGE("launches: " << *launches << ", blocks at work: " << kernel.claimed() << " of " << slots.total());
      CHECK(kernel.launches() == *launches);
      CHECK(kernel.claimed() >= 1);
      CHECK(static_cast<std::int32_t>(kernel.claimed()) <= slots.total());
      const auto times = read(seen.times);
      CHECK(std::ranges::all_of(times, [job](std::uint32_t n) { return n == job; }));
      const auto where = read(seen.on_sm);
      CHECK(std::ranges::all_of(where, [&](std::uint32_t sm) { return slots.at(sm) > 0; }));
    }
  }
}

TEST_CASE("slots that change while a job runs, and blocks that join it, neither lose nor repeat an index") {
  takt::random_stream random{7};
  const tc::own_stream stream;
  const tc::own_stream joining;
  for (int run = 0; run < runs(); ++run) {
    const std::int64_t count = 200'000;
    const witnesses seen{count};
    tc::pinned_kernel kernel{seen.body(2'000), {.threads = 256}};
    REQUIRE(kernel.begin(count, 256));
    REQUIRE(kernel.launch(stream.get(), some_sms(random, sms(), kernel.virtual_per_sm())) == cudaSuccess);
    for (int change = 0; change < 5; ++change) {
      std::this_thread::sleep_for(std::chrono::microseconds{random.between(1, 300)});
      kernel.set_slots(some_sms(random, sms(), kernel.virtual_per_sm()));
      const cudaError_t joined = kernel.join(joining.get());
      CHECK((joined == cudaSuccess || joined == cudaErrorNotReady));
      if (random.chance(1, 3)) { REQUIRE(joining.wait() == cudaSuccess); }
    }
    REQUIRE(stream.wait() == cudaSuccess);
    REQUIRE(joining.wait() == cudaSuccess);
    REQUIRE(kernel.run(stream.get(), tc::isolated_slots(0, sms(), kernel.virtual_per_sm())));
    CHECK(seen.each_once());
  }
}

TEST_CASE("a job that yields goes on with the next launch") {
  takt::random_stream random{5};
  const tc::own_stream stream;
  int resumed = 0;
  for (int run = 0; run < runs(); ++run) {
    const std::int64_t count = 200'000;
    const witnesses seen{count};
    tc::pinned_kernel kernel{seen.body(2'000), {.threads = 256}};
    const auto slots = tc::isolated_slots(0, 2, kernel.virtual_per_sm());
    REQUIRE(kernel.begin(count, 256));
    std::uint32_t left = kernel.work().chunks;
    for (int launch = 0; left > 0 && launch < 10'000; ++launch) {
      REQUIRE(kernel.launch(stream.get(), slots) == cudaSuccess);
      std::this_thread::sleep_for(std::chrono::microseconds{random.between(50, 2'000)});
      if (launch < 20) { kernel.yield(); }
      REQUIRE(stream.wait() == cudaSuccess);
      CHECK(kernel.chunks_left() <= left);
      left = kernel.chunks_left();
      resumed += left > 0 ? 1 : 0;
    }
    CHECK(seen.each_once());
  }
  CHECK(resumed > 0);
}

TEST_CASE("SMs are numbered from 0 on without a gap, and each of them can be chosen") {
  const tc::own_stream stream;
  const std::int64_t count = 64;
  for (std::int32_t sm = 0; sm < sms(); ++sm) {
    CAPTURE(sm);
    const witnesses seen{count};
    tc::pinned_kernel kernel{seen.body(10), {.threads = 32}};
    REQUIRE(kernel.begin(count, 8));
    CHECK(kernel.run(stream.get(), tc::isolated_slots(sm, 1, kernel.virtual_per_sm())) == 1);
    const auto where = read(seen.on_sm);
    CHECK(std::ranges::all_of(where, [sm](std::uint32_t s) { return s == static_cast<std::uint32_t>(sm); }));
    CHECK(seen.each_once());
  }
}

TEST_CASE("two tasks on virtual SMs of the same physical SMs both do their work") {
  const tc::own_stream first_stream;
  const tc::own_stream second_stream;
  const std::int64_t count = 200'000;
  const witnesses first{count};
  const witnesses second{count};
  tc::pinned_kernel one{first.body(500), {.threads = 256}};
  tc::pinned_kernel two{second.body(500), {.threads = 256}};
  REQUIRE(one.virtual_per_sm() >= 2);
  REQUIRE(one.begin(count, 256));
  REQUIRE(two.begin(count, 256));
  const auto lower = tc::shared_slots(0, 3, 2);  // both of SM 0, one of SM 1
  const auto upper = tc::shared_slots(3, 3, 2);  // the other of SM 1, both of SM 2
  REQUIRE(one.launch(first_stream.get(), lower) == cudaSuccess);
  REQUIRE(two.launch(second_stream.get(), upper) == cudaSuccess);
  REQUIRE(first_stream.wait() == cudaSuccess);
  REQUIRE(second_stream.wait() == cudaSuccess);
  REQUIRE(one.run(first_stream.get(), lower));
  REQUIRE(two.run(second_stream.get(), upper));
  CHECK(first.each_once());
  CHECK(second.each_once());
  CHECK(std::ranges::count(read(first.on_sm), 1U) > 0);
  CHECK(std::ranges::count(read(second.on_sm), 1U) > 0);
}

TEST_CASE("a given number of virtual SMs per SM is what the device holds") {
  int device = 0;
  cudaDeviceProp facts{};
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
  REQUIRE(cudaGetDeviceProperties(&facts, device) == cudaSuccess);
  const takt::sm_limits limits{.threads = facts.maxThreadsPerMultiProcessor,
                               .blocks = facts.maxBlocksPerMultiProcessor,
                               .registers = facts.regsPerMultiprocessor,
                               .shared_memory = static_cast<std::int32_t>(facts.sharedMemPerMultiprocessor)};
  const witnesses seen{1};
  const auto body = seen.body(1);
  cudaFuncAttributes kernel{};
  REQUIRE(cudaFuncGetAttributes(&kernel, tc::detail::run_pinned<tc::elastic_slots, decltype(body)>) == cudaSuccess);
  for (const std::int32_t per_sm : {1, 2, 3, 4}) {
    const auto by_size = takt::residents_by_size(limits, per_sm, {.registers_per_thread = kernel.numRegs});
    if (by_size.per_sm > 0) {
      CHECK(tc::virtual_sms_of<tc::elastic_slots>(body, {.threads = by_size.threads}) == per_sm);
    }
    const auto by_memory =
        takt::residents_by_memory(limits, per_sm,
                                  {.threads = 128,
                                   .registers_per_thread = kernel.numRegs,
                                   .shared_memory = static_cast<std::int32_t>(kernel.sharedSizeBytes)},
                                  static_cast<std::int32_t>(facts.reservedSharedMemPerBlock),
                                  static_cast<std::int32_t>(facts.sharedMemPerBlockOptin));
    if (by_memory.per_sm > 0) {
      CHECK(tc::virtual_sms_of<tc::elastic_slots>(body, {.threads = 128, .shared_memory = by_memory.shared_memory}) ==
            per_sm);
    }
  }
}

TEST_CASE("copies in chunks keep the data") {
  takt::random_stream random{1};
  const tc::own_stream stream;
  for (int run = 0; run < runs(); ++run) {
    const auto bytes = static_cast<std::size_t>(random.between(1, 1 << 20));
    const auto chunk = static_cast<std::size_t>(random.between(1, 1 << 18));
    const tc::mapped_array<std::uint8_t> there{bytes};
    const tc::mapped_array<std::uint8_t> back{bytes};
    const tc::device_array<std::uint8_t> device{bytes};
    for (std::size_t i = 0; i < bytes; ++i) { there[i] = static_cast<std::uint8_t>(random.next()); }
    for (std::size_t at = 0; at < bytes; at += chunk) {
      const std::size_t length = std::min(chunk, bytes - at);
      REQUIRE(cudaMemcpyAsync(device.data() + at, there.data() + at, length, cudaMemcpyHostToDevice, stream.get()) ==
              cudaSuccess);
    }
    for (std::size_t at = 0; at < bytes; at += chunk) {
      const std::size_t length = std::min(chunk, bytes - at);
      REQUIRE(cudaMemcpyAsync(back.data() + at, device.data() + at, length, cudaMemcpyDeviceToHost, stream.get()) ==
              cudaSuccess);
    }
    REQUIRE(stream.wait() == cudaSuccess);
    CHECK(std::equal(there.data(), there.data() + bytes, back.data()));
  }
}

auto main(int argc, char** argv) -> int {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("takt_gpu_tests: skipped, no CUDA device here");
    return 77;
  }
  doctest::Context context{argc, argv};
  return context.run();
}
