// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/cuda/measure/host_bench.hpp>
#include <takt/model/speedup.hpp>
#include <takt/model/task_set.hpp>
#include <takt/prediction/kernel_profile.hpp>

#include "../../../benchmarks/host_kernel.hpp"
#include "support/environment.hpp"

namespace {

namespace cuda = takt::cuda;
using takt::kernel_sample;
using takt::launch_overheads;
using takt::rational;
using takt::ticks;
using takt_benchmarks::synthetic_kernel;
using counts = std::vector<std::int32_t>;

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_FIT_RUNS", 300); }

/// A device that behaves as Eq. 3 says: times of work over virtual SMs, a launch and pinning, each run delayed by at
/// most `delay`.
struct recorded_device {
  std::int32_t per_sm = 2;
  ticks work = 0;
  ticks launch = 0;
  ticks pinning = 0;
  std::vector<ticks> delays{};  ///< of the jobs in their order; none for later ones
  std::size_t next = 0;
  std::int32_t failing_job = -1;

  [[nodiscard]] auto virtual_per_sm() const -> std::int32_t { return per_sm; }
  [[nodiscard]] auto exact(std::int32_t virtual_sms) const -> ticks {
    return takt::ceil_divide(work, ticks{virtual_sms}) + launch + pinning;
  }
  auto time_job(std::int32_t sms, std::int32_t blocks) -> std::optional<ticks> {
    if (failing_job-- == 0) { return std::nullopt; }
    return exact(sms * blocks) + (next < delays.size() ? delays[next++] : 0);
  }
  [[nodiscard]] auto time_empty(std::int32_t, std::int32_t) const -> std::optional<ticks> { return launch + pinning; }
  [[nodiscard]] auto time_plain_empty(std::int32_t, std::int32_t) const -> std::optional<ticks> { return launch; }
};
static_assert(takt::KernelBench<recorded_device>);

}  // namespace

TEST_CASE("RTGPU-29 long runs on few SMs do not hide the cost of pinning from the overhead of a law") {
  // Two runs for the ratio, then one each on 1 and 2 SMs; the one on 1 SM is delayed.
  recorded_device device{.per_sm = 1, .work = 8'000, .launch = 400, .pinning = 100, .delays = {0, 0, 1'500, 0}};
  const auto profile = takt::profile_kernel(device, counts{1, 2}, 1);
  REQUIRE(profile);
  REQUIRE(profile->fit);
  CHECK(profile->overheads.plain == 400);
  CHECK(profile->overheads.pinned == 500);
  CHECK(profile->overheads.pinning() == 100);
  CHECK(profile->fit.law.overhead.count() >= 500);
  CHECK(takt::brackets(profile->fit.law, profile->samples));
  for (std::int32_t n = 1; n <= 100; ++n) { CHECK(profile->fit.law.upper(n).count() >= device.exact(n)); }
  // The times alone can be explained without any overhead, and that law is too short on more SMs.
  const auto neglected = takt::fit_kernel(profile->samples, profile->interleave);
  REQUIRE(neglected);
  CHECK(neglected.law.overhead.count() == 0);
  CHECK(neglected.law.upper(100).count() < device.exact(100));
}

TEST_CASE("RTGPU-29 with the overhead of an empty pinned launch a law holds on every SM count above the least timed") {
  takt::random_stream random{29};
  for (std::uint64_t run = 0; run < rounds(); ++run) {
    recorded_device device{.per_sm = static_cast<std::int32_t>(random.between(1, 4)),
                           .work = random.between(1, 100'000),
                           .launch = random.between(0, 3'000),
                           .pinning = random.between(0, 500)};
    const ticks most = random.chance(1, 3) ? 0 : random.between(0, 20'000);
    for (int i = 0; i < 40; ++i) { device.delays.push_back(random.between(0, most)); }
    const auto first = static_cast<std::int32_t>(random.between(1, 4));
    const counts timed{first, first + static_cast<std::int32_t>(random.between(1, 5))};
    const auto margin = static_cast<std::int32_t>(random.between(0, 30));
    const auto profile = takt::profile_kernel(device, timed, 3, margin);
    REQUIRE(profile);
    REQUIRE(profile->fit);
    CHECK(takt::brackets(profile->fit.law, profile->samples));
    CHECK(profile->fit.law.overhead.count() * 100 >= (device.launch + device.pinning) * (100 + margin));
    const std::int32_t least = first * device.per_sm;
    for (const std::int32_t n : {least, least + 1, 2 * least, 50 * least}) {
      CAPTURE(n);
      CHECK(profile->fit.law.upper(n).count() >= device.exact(n));
    }
  }
}

TEST_CASE("RTGPU-29 a law from plain times gets what pinning adds, once, in its overhead and its bounds") {
  takt::random_stream random{30};
  for (std::uint64_t run = 0; run < rounds(); ++run) {
    const auto below = random.between(1, 20);
    const takt::divisible_work plain{.work = {takt::duration{random.between(0, 500)}, takt::duration{1'000}},
                                     .overhead = takt::duration{random.between(0, 1'000)},
                                     .interleave_numerator = below + random.between(0, 20),
                                     .interleave_denominator = below};
    const launch_overheads costs{.plain = random.between(0, 60), .pinned = random.between(0, 100)};
    const auto pinned = takt::pinned_law(plain, costs);
    REQUIRE(pinned);
    CHECK(pinned->overhead == plain.overhead + takt::duration{costs.pinning()});
    for (const std::int32_t n : {1, 2, 7, 64}) {
      const ticks added = pinned->upper(n).count() - plain.upper(n).count();
      CHECK(added >= costs.pinning());
      // A tick of work that was rounded up is stretched.
      CHECK(added <= costs.pinning() + 1 + plain.interleave_numerator / plain.interleave_denominator);
      CHECK(pinned->lower(n) == plain.lower(n));
    }
  }
  constexpr launch_overheads cheaper{.plain = 7, .pinned = 5};
  static_assert(cheaper.pinning() == 0);
  const takt::divisible_work huge{.work = {takt::duration{0}, takt::duration::max()}, .overhead = takt::duration{0}};
  CHECK_FALSE(takt::pinned_law(huge, {.plain = 0, .pinned = 1}));
}

TEST_CASE(
    "RTGPU-29 on the host stand-in empty launches are timed plain and pinned, and the task's kernel has the cost") {
  // What the clock says before and after each launch: pinned and plain on 1 SM and on 2, one block and one block for
  // the ratio, then the jobs on 1 SM and on 2.
  const std::vector<ticks> instants{0,   90,    100,   130,   200,   320,   400,   440,  // empty
                                    500, 1'500, 2'000, 3'000, 4'000, 5'000, 6'000, 6'550};
  std::size_t at = 0;
  cuda::host_bench bench{2, 1, [](std::int64_t, std::int64_t) {}, *cuda::divide_work(64, 8),
                         [&] { return instants.at(at++); }};
  const auto profile = takt::profile_kernel(bench, counts{1, 2}, 1);
  REQUIRE(profile);
  CHECK(at == instants.size());
  CHECK(profile->overheads.plain == 40);
  CHECK(profile->overheads.pinned == 120);
  REQUIRE(profile->samples.size() == 2);
  CHECK(profile->samples[1].time == 550);
  CHECK(profile->fit.law.overhead.count() >= 120);
  const auto set =
      takt::task_set(takt::task("pinned", takt::period(takt::duration{10'000}), takt::cpu(takt::duration{1}),
                                takt::kernel(profile->fit.law), takt::cpu(takt::duration{1})));
  CHECK(set.table().segments[1].overhead == profile->fit.law.overhead.count());
}

TEST_CASE("RTGPU-45 five kernels are profiled over SM counts on the host stand-in, and Eq. 3 fits around all runs") {
  constexpr std::int64_t elements = 1'000;
  for (const synthetic_kernel k : takt_benchmarks::synthetic_kernels) {
    CAPTURE(takt_benchmarks::name_of(k));
    takt_benchmarks::host_kernel kernel{k, elements};
    auto bench = kernel.bench(3, 2);
    const counts timed{1, 2, 3};
    for (const std::int32_t sms : timed) {
      std::ranges::fill(kernel.result(), -1.0F);
      REQUIRE(bench.time_job(sms, 2));
      bool right = true;
      for (std::int64_t i = 0; i < elements; ++i) {
        right = right && kernel.result()[static_cast<std::size_t>(i)] ==
                             takt_benchmarks::run_element(k, kernel.from().data(), i);
      }
      CHECK(right);
    }
    const auto profile = takt::profile_kernel(bench, timed, 4);
    REQUIRE(profile);
    REQUIRE(profile->fit);
    REQUIRE(profile->samples.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) { CHECK(profile->samples[i].virtual_sms == 2 * timed[i / 4]); }
    CHECK(takt::brackets(profile->fit.law, profile->samples));
    CHECK(profile->fit.law.overhead.count() >= profile->overheads.pinned);
  }
}

TEST_CASE("RTGPU-45 from times that follow Eq. 3 the profile gives back its serial share and its speed-up") {
  constexpr std::int32_t most = 16;
  for (const ticks serial : {0, 10, 25, 200, 1'000}) {
    CAPTURE(serial);
    recorded_device device{.per_sm = 2, .work = 72'000, .launch = serial, .pinning = serial / 2};
    const auto profile = takt::profile_kernel(device, counts{1, 2, 4, 8}, 5);
    REQUIRE(profile);
    REQUIRE(profile->fit);
    const ticks overhead = serial + serial / 2;
    const ticks least = device.exact(most);
    const rational share{overhead, least};
    CHECK(profile->fit.curve.serial_share(most) ==
          doctest::Approx(static_cast<double>(overhead) / static_cast<double>(least)));
    CHECK(takt::gustafson_speedup(most, share) == rational{72'000 + overhead, least});
    CHECK(profile->fit.curve.time(1) / profile->fit.curve.time(most) ==
          doctest::Approx(static_cast<double>(72'000 + overhead) / static_cast<double>(least)));
    CHECK(profile->fit.law.overhead.count() == overhead);
    CHECK(profile->virtual_per_sm == 2);
  }
}

TEST_CASE("a profile with a failed run, without runs or without SM counts is none") {
  const recorded_device good{.per_sm = 2, .work = 1'000, .launch = 10, .pinning = 1};
  for (std::int32_t failing = 0; failing < 8; ++failing) {
    recorded_device device = good;
    device.failing_job = failing;
    CHECK_FALSE(takt::profile_kernel(device, counts{1, 2}, 2));
  }
  recorded_device device = good;
  device.failing_job = 8;
  CHECK(takt::profile_kernel(device, counts{1, 2}, 2));
  CHECK_FALSE(takt::profile_kernel(device, counts{1, 2}, 0));
  CHECK_FALSE(takt::profile_kernel(device, counts{}, 2));
  CHECK_FALSE(takt::measure_overheads(device, counts{}, 2));
  const std::array<kernel_sample, 2> fine{kernel_sample{1, 10}, kernel_sample{2, 6}};
  CHECK(takt::fit_kernel(fine, {}, 0, -1).status == takt::fit_status::overhead_out_of_range);
  CHECK(takt::fit_kernel(fine, {}, 1, std::numeric_limits<ticks>::max() / 50).status == takt::fit_status::overflow);
  CHECK(takt::fit_kernel(fine, {}, 0, 100).law.upper(1).count() == 100);
}

TEST_CASE("the host stand-in does each index once, on any SMs, with more threads than cores, job after job") {
  constexpr std::int64_t count = 997;
  std::vector<std::atomic<int>> done(count);
  cuda::host_bench bench{5, 3,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first; i < last; ++i) { ++done[static_cast<std::size_t>(i)]; }
                         },
                         *cuda::divide_work(count, 10)};
  int jobs = 0;
  for (const auto& [sms, per_sm] : {std::pair{1, 1}, {5, 3}, {2, 3}, {5, 1}, {1, 3}, {4, 2}}) {
    for (int r = 0; r < 20; ++r) {
      REQUIRE(bench.time_job(sms, per_sm));
      ++jobs;
      REQUIRE(std::ranges::all_of(done, [jobs](const auto& n) { return n == jobs; }));
      REQUIRE(bench.time_empty(sms, per_sm));
      REQUIRE(bench.time_plain_empty(sms, per_sm));
    }
  }
  CHECK_FALSE(bench.time_job(6, 1));
  CHECK_FALSE(bench.time_job(1, 4));
  CHECK_FALSE(bench.time_job(0, 1));
  REQUIRE(bench.time_job(1, 1));
}
