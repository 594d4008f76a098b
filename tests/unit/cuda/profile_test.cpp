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
#include <string>
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
#include "support/traces.hpp"

namespace {

namespace cuda = takt::cuda;
using takt::kernel_sample;
using takt::launch_overheads;
using takt::profile_status;
using takt::rational;
using takt::ticks;
using takt_benchmarks::synthetic_kernel;
using counts = std::vector<std::int32_t>;

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_FIT_RUNS", 300); }

/// A device that behaves as Eq. 3 says, in chunks: each virtual SM draws them one after the other, and a launch and
/// pinning come on top. Each job is delayed by at most `delay`.
struct recorded_device {
  std::int32_t per_sm = 2;
  std::uint32_t parts = 0;
  ticks chunk = 0;
  ticks launch = 0;
  ticks pinning = 0;
  ticks claim = 0;
  ticks loading = 0;            ///< on top of the first two runs of each kind
  std::vector<ticks> jitter{};  ///< of launches without work, in turn
  std::vector<ticks> delays{};  ///< of the jobs in their order; none for later ones
  std::size_t next = 0;
  std::int32_t failing_job = -1;
  bool passes = false;
  std::array<int, 3> runs{};
  std::size_t jitters = 0;

  [[nodiscard]] auto virtual_per_sm() const -> std::int32_t { return per_sm; }
  [[nodiscard]] auto chunks() const -> std::uint32_t { return parts; }
  [[nodiscard]] auto passes_foreign_sms() const -> bool { return passes; }
  [[nodiscard]] static auto fault() -> std::string { return "made up"; }
  [[nodiscard]] auto exact(std::int32_t virtual_sms) const -> ticks {
    return takt::ceil_divide(ticks{parts}, ticks{virtual_sms}) * chunk + launch + pinning;
  }
  auto time_job(std::int32_t sms, std::int32_t blocks) -> std::optional<ticks> {
    if (failing_job-- == 0) { return std::nullopt; }
    return load(0) + exact(sms * blocks) + (next < delays.size() ? delays[next++] : 0);
  }
  auto time_empty(std::int32_t sms, std::int32_t blocks, std::uint32_t count) -> std::optional<ticks> {
    // The first chunk of each is part of the launch.
    const ticks rounds = takt::ceil_divide(ticks{count}, ticks{sms} * blocks);
    return load(1) + launch + pinning + (rounds - 1) * claim + noise();
  }
  auto time_plain_empty(std::int32_t, std::int32_t) -> std::optional<ticks> { return load(2) + launch + noise(); }

 private:
  auto load(std::size_t kind) -> ticks { return runs[kind]++ < takt::detail::warm_ups ? loading : 0; }
  auto noise() -> ticks { return jitter.empty() ? 0 : jitter[jitters++ % jitter.size()]; }
};
static_assert(takt::KernelBench<recorded_device>);

/// With work enough for a profile on two SM counts.
auto usual_device() -> recorded_device {
  return {.per_sm = 2, .parts = 64, .chunk = 1'000, .launch = 40, .pinning = 10};
}

}  // namespace

TEST_CASE("long runs on few SMs do not hide the cost of pinning from the overhead of a law" *
          takt_tests::traces("RTGPU-29")) {
  // After two runs that do not count, one on 1 SM, which is delayed; then those on 2 SMs.
  recorded_device device{
      .per_sm = 1, .parts = 16, .chunk = 500, .launch = 400, .pinning = 100, .delays = {0, 0, 1'500}};
  const auto profile = takt::profile_kernel(device, counts{1, 2}, 1);
  REQUIRE(profile);
  CHECK(profile.overheads.plain.upper == 400);
  CHECK(profile.overheads.pinned.upper == 500);
  CHECK(profile.overheads.pinning() == 100);
  CHECK(profile.fit.law.overhead.count() >= 500);
  CHECK(takt::brackets(profile.fit.law, profile.samples));
  for (std::int32_t n = 1; n <= 100; ++n) { CHECK(profile.fit.law.upper(n).count() >= device.exact(n)); }
  // The times alone can be explained without any overhead, and that law is too short on more SMs.
  const auto neglected = takt::detail::fit_kernel(profile.samples, profile.interleave);
  REQUIRE(neglected);
  CHECK(neglected.law.overhead.count() == 0);
  CHECK(neglected.law.upper(100).count() < device.exact(100));
}

TEST_CASE("a law holds on every SM count above the least timed, also where chunks do not divide evenly" *
          takt_tests::traces("RTGPU-29")) {
  takt::random_stream random{29};
  int short_without_chunk = 0;
  for (std::uint64_t run = 0; run < rounds(); ++run) {
    const auto first = static_cast<std::int32_t>(random.between(1, 4));
    const counts timed{first, first + static_cast<std::int32_t>(random.between(1, 5))};
    const auto per_sm = static_cast<std::int32_t>(random.between(1, 4));
    recorded_device device{
        .per_sm = per_sm,
        .parts = static_cast<std::uint32_t>(takt::chunks_to_profile(timed[1], per_sm) + random.between(0, 50)),
        .chunk = random.between(500, 5'000),
        .launch = random.between(0, 1'000),
        .pinning = random.between(0, 500)};
    const ticks most = random.chance(1, 3) ? 0 : random.between(0, 20'000);
    for (int i = 0; i < 40; ++i) { device.delays.push_back(random.between(0, most)); }
    const auto margin = static_cast<std::int32_t>(random.between(0, 30));
    const auto profile = takt::profile_kernel(device, timed, 3, margin);
    CAPTURE(sentence(profile));
    REQUIRE(profile);
    CHECK(takt::brackets(profile.fit.law, profile.samples));
    CHECK(profile.least_sms == first);
    CHECK(profile.fit.law.overhead.count() * 100 >= (device.launch + device.pinning + device.chunk) * (100 + margin));
    const auto without =
        takt::detail::fit_kernel(profile.samples, profile.interleave, margin, profile.overheads.pinned.upper);
    for (std::int32_t n = first * per_sm; n <= 60 * per_sm; ++n) {
      CAPTURE(n);
      CHECK(profile.fit.law.upper(n).count() >= device.exact(n));
      short_without_chunk += without.law.upper(n).count() < device.exact(n) ? 1 : 0;
    }
  }
  CHECK(short_without_chunk > 0);
}

TEST_CASE("the first runs, which load code, count nowhere" * takt_tests::traces("RTGPU-29")) {
  recorded_device device = usual_device();
  device.loading = 1'000'000;
  const auto profile = takt::profile_kernel(device, counts{1, 2}, 3);
  REQUIRE(profile);
  CHECK(profile.overheads.plain == takt::interval<ticks>{40, 40});
  CHECK(profile.overheads.pinned == takt::interval<ticks>{50, 50});
  // With the load in it a plain launch would be longer than any pinned one, and pinning would cost nothing.
  CHECK(profile.overheads.pinning() == 10);
  for (const kernel_sample& s : profile.samples) { CHECK(s.time == device.exact(s.virtual_sms)); }
}

TEST_CASE("a pinned run is bounded from its plain twin, whichever of the plain launches that was" *
          takt_tests::traces("RTGPU-29")) {
  recorded_device device = usual_device();
  device.jitter = {0, 300, 100};
  const auto overheads = takt::detail::measure_overheads(device, counts{1, 2}, 6);
  REQUIRE(overheads);
  CHECK(overheads->plain == takt::interval<ticks>{40, 340});
  CHECK(overheads->pinned == takt::interval<ticks>{50, 350});
  CHECK(overheads->pinning() == 310);
}

TEST_CASE("a law from plain times gets what pinning adds, once, in its overhead and its bounds" *
          takt_tests::traces("RTGPU-29")) {
  takt::random_stream random{30};
  for (std::uint64_t run = 0; run < rounds(); ++run) {
    const auto below = random.between(1, 20);
    const takt::divisible_work plain{.work = {takt::duration{random.between(0, 500)}, takt::duration{1'000}},
                                     .overhead = takt::duration{random.between(0, 1'000)},
                                     .interleave_numerator = below + random.between(0, 20),
                                     .interleave_denominator = below};
    const ticks least_plain = random.between(0, 60);
    const ticks least_pinned = random.between(0, 100);
    const launch_overheads costs{.plain = {least_plain, least_plain + random.between(0, 60)},
                                 .pinned = {least_pinned, least_pinned + random.between(0, 100)}};
    const auto pinned = takt::pinned_law(plain, costs);
    REQUIRE(pinned);
    CHECK(pinned->overhead == plain.overhead + takt::duration{costs.pinning()});
    for (const std::int32_t n : {1, 2, 7, 64}) {
      const ticks added = pinned->upper(n).count() - plain.upper(n).count();
      CHECK(added >= costs.pinned.upper - costs.plain.lower);
      CHECK(added >= costs.pinning());
      // A tick of work that was rounded up is stretched.
      CHECK(added <= costs.pinning() + 1 + plain.interleave_numerator / plain.interleave_denominator);
      CHECK(pinned->lower(n) == plain.lower(n));
    }
  }
  constexpr launch_overheads cheaper{.plain = {7, 9}, .pinned = {4, 5}};
  static_assert(cheaper.pinning() == 0);
  const takt::divisible_work huge{.work = {takt::duration{0}, takt::duration::max()}, .overhead = takt::duration{0}};
  CHECK_FALSE(takt::pinned_law(huge, {.plain = {}, .pinned = {1, 1}}));
}

TEST_CASE("on the host stand-in empty launches are timed plain and pinned, and the task's kernel has the cost" *
          takt_tests::traces("RTGPU-29")) {
  // What the clock says a launch took: two that do not count and one that does, of each kind in this order.
  const std::vector<ticks> each{120,   40,        // on 1 SM without work: pinned, plain
                                90,    30,        // on 2
                                100,              // on 1 with one block
                                5'500, 120, 140,  // on 1: a job, a chunk for each block, all chunks
                                3'000, 90,  95,   // on 2
                                5'000};           // on 1 with one block
  std::size_t reads = 0;
  ticks instant = 0;
  cuda::host_bench bench{2, 1, [](std::int64_t, std::int64_t) {}, *cuda::divide_work(64, 4),
                         [&] {
                           const std::size_t launch = reads / 2;
                           const bool ends = reads++ % 2 == 1;
                           const bool counts_it = launch % 3 == 2;
                           instant += ends ? each.at(launch / 3) + (counts_it ? 0 : 70'000) : 10;
                           return instant;
                         }};
  const auto profile = takt::profile_kernel(bench, counts{1, 2}, 1);
  CAPTURE(sentence(profile));
  REQUIRE(profile);
  CHECK(reads == 2 * 3 * each.size());
  CHECK(profile.overheads.plain == takt::interval<ticks>{30, 40});
  CHECK(profile.overheads.pinned == takt::interval<ticks>{90, 120});
  REQUIRE(profile.samples.size() == 2);
  CHECK(profile.samples[1].time == 3'000);
  // (5500 - 90) / (5000 - 120) = 1.1086.
  CHECK(rational{profile.interleave.numerator, profile.interleave.denominator} == rational{1'109, 1'000});
  // An empty launch and a chunk, of which 16 were done on 1 SM in 5410.
  CHECK(profile.fit.law.overhead.count() >= 120 + 5'410 / 16);
  const auto set =
      takt::task_set(takt::task("pinned", takt::period(takt::duration{10'000}), takt::cpu(takt::duration{1}),
                                takt::kernel(profile.fit.law), takt::cpu(takt::duration{1})));
  CHECK(set.table().segments[1].overhead == profile.fit.law.overhead.count());
}

TEST_CASE("five kernels are profiled over SM counts on the host stand-in, and Eq. 3 fits around all runs" *
          takt_tests::traces("RTGPU-45")) {
  constexpr std::int64_t elements = 1'000;
  for (const synthetic_kernel k : takt_benchmarks::synthetic_kernels) {
    CAPTURE(takt_benchmarks::name_of(k));
    takt_benchmarks::host_kernel kernel{k, elements};
    // A clock that goes with the work, so that a busy machine cannot spoil the profile.
    ticks reads = 0;
    auto bench = kernel.bench(3, 2, [&] { return 1'000 * kernel.elements_done() + ++reads; });
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
    CAPTURE(sentence(profile));
    REQUIRE(profile);
    REQUIRE(profile.samples.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) { CHECK(profile.samples[i].virtual_sms == 2 * timed[i / 4]); }
    CHECK(takt::brackets(profile.fit.law, profile.samples));
    CHECK(profile.fit.law.overhead.count() >= profile.overheads.pinned.upper);
  }
}

TEST_CASE("from times that follow Eq. 3 the profile gives back its serial share and its speed-up" *
          takt_tests::traces("RTGPU-45")) {
  constexpr std::int32_t most = 16;
  for (const ticks serial : {0, 10, 25, 200, 1'000}) {
    CAPTURE(serial);
    recorded_device device{.per_sm = 2, .parts = 72'000, .chunk = 1, .launch = serial, .pinning = serial / 2};
    const auto profile = takt::profile_kernel(device, counts{1, 2, 4, 8}, 5);
    REQUIRE(profile);
    const ticks overhead = serial + serial / 2;
    const ticks least = device.exact(most);
    const rational share{overhead, least};
    CHECK(profile.fit.curve.serial_share(most) ==
          doctest::Approx(static_cast<double>(overhead) / static_cast<double>(least)));
    CHECK(takt::gustafson_speedup(most, share) == rational{72'000 + overhead, least});
    CHECK(profile.fit.curve.time(1) / profile.fit.curve.time(most) ==
          doctest::Approx(static_cast<double>(72'000 + overhead) / static_cast<double>(least)));
    CHECK(profile.fit.law.overhead.count() == overhead + device.chunk);
    CHECK(profile.virtual_per_sm == 2);
  }
}

TEST_CASE("work that does not fill the virtual SMs, or is mostly the drawing of chunks, is not profiled" *
          takt_tests::traces("RTGPU-29")) {
  recorded_device device = usual_device();
  CHECK(takt::profile_kernel(device, counts{1, 2, 4}, 2));
  device = usual_device();
  device.parts = 63;
  const auto few = takt::profile_kernel(device, counts{1, 2, 4}, 2);
  CHECK(few.status == profile_status::too_few_chunks);
  CHECK(sentence(few) ==
        "too few chunks for the virtual SMs; give more work or shorter chunks: 63 of at least 64 chunks");
  // 32 chunks for each virtual SM of 1: the first is part of a launch, 31 are drawn beside 32 chunks of work.
  for (const ticks claim : {103, 104}) {
    CAPTURE(claim);
    device = usual_device();
    device.claim = claim;
    const auto drawn = takt::profile_kernel(device, counts{1, 2, 4}, 2);
    CHECK(drawn.status == (claim == 103 ? profile_status::profiled : profile_status::chunks_too_short));
    CHECK(
        (claim == 103 || drawn.reason.starts_with("on 1 SM drawing all of them takes 3224 ns and the work 32000 ns")));
  }
  device = usual_device();
  // 64 chunks by one block take 64000 besides the launch; at most half of a job may be launch.
  device.launch = 63'990;
  CHECK(takt::profile_kernel(device, counts{1, 2, 4}, 2));
  device = usual_device();
  device.launch = 63'991;
  const auto launched = takt::profile_kernel(device, counts{1, 2, 4}, 2);
  CHECK(launched.status == profile_status::jobs_too_short);
  CHECK(launched.reason == "the shortest takes 128001 ns, a launch without work up to 64001 ns");
}

TEST_CASE("a profile with a failed run, without runs or without SM counts says why it has no law") {
  for (std::int32_t failing = 0; failing < 12; ++failing) {
    recorded_device device = usual_device();
    device.failing_job = failing;
    const auto profile = takt::profile_kernel(device, counts{1, 2}, 2);
    CHECK_FALSE(profile);
    CHECK(sentence(profile) == "a run failed: made up");
  }
  recorded_device device = usual_device();
  device.failing_job = 12;
  CHECK(takt::profile_kernel(device, counts{1, 2}, 2));
  CHECK(takt::profile_kernel(device, counts{1, 2}, 0).status == profile_status::no_runs);
  CHECK(takt::profile_kernel(device, counts{}, 2).status == profile_status::no_runs);
  CHECK(takt::profile_kernel(device, counts{1, 0}, 2).status == profile_status::no_runs);
  device.failing_job = -1;
  const auto one_count = takt::profile_kernel(device, counts{2}, 2);
  CHECK(sentence(one_count) == "no law fits the times: one SM count only");
  CHECK_FALSE(takt::detail::measure_overheads(device, counts{}, 2));
  const std::array<kernel_sample, 2> fine{kernel_sample{1, 10}, kernel_sample{2, 6}};
  CHECK(takt::detail::fit_kernel(fine, takt::interleave(1), 0, -1).status == takt::fit_status::overhead_out_of_range);
  CHECK(takt::detail::fit_kernel(fine, takt::interleave(1), 0, 0, -1).status ==
        takt::fit_status::overhead_out_of_range);
  CHECK(takt::detail::fit_kernel(fine, takt::interleave(1), 1, std::numeric_limits<ticks>::max() / 50).status ==
        takt::fit_status::overflow);
  CHECK(takt::detail::fit_kernel(fine, takt::interleave(1), 1, 0, std::numeric_limits<ticks>::max() - 3).status ==
        takt::fit_status::overflow);
  CHECK(takt::detail::fit_kernel(fine, takt::interleave(1), 0, 100).law.upper(1).count() == 100);
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
      REQUIRE(bench.time_empty(sms, per_sm, 40));
      REQUIRE(bench.time_plain_empty(sms, per_sm));
    }
  }
  CHECK_FALSE(bench.time_job(6, 1));
  CHECK_FALSE(bench.time_job(1, 4));
  CHECK_FALSE(bench.time_job(0, 1));
  REQUIRE(bench.time_job(1, 1));
}
