// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/core/rational.hpp>
#include <takt/model/speedup.hpp>
#include <takt/model/task_set.hpp>
#include <takt/prediction.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

using takt::fit_status;
using takt::kernel_sample;
using takt::rational;
using takt::ticks;
using takt::detail::fit_kernel;

namespace {

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_FIT_RUNS", 300); }

/// Times of a kernel of known law, each up to `noise` per mille above its exact time.
auto timed(ticks parallel, ticks serial, ticks noise, std::int32_t sms, std::size_t repeats, std::uint64_t seed)
    -> std::vector<kernel_sample> {
  takt::random_stream random{seed};
  std::vector<kernel_sample> out;
  for (std::int32_t n = 1; n <= sms; ++n) {
    for (std::size_t r = 0; r < repeats; ++r) {
      const ticks exact = takt::ceil_divide(parallel, ticks{n}) + serial;
      out.push_back({n, exact + exact * random.between(0, noise) / 1'000});
    }
  }
  return out;
}

/// Mean height over the samples of the least cover with that serial part, times the number of samples.
auto cover_height(const std::vector<kernel_sample>& samples, ticks serial) -> double {
  ticks parallel = 0;
  double inverses = 0;
  for (const auto& s : samples) {
    parallel = std::max(parallel, (s.time - serial) * s.virtual_sms);
    inverses += 1.0 / s.virtual_sms;
  }
  return static_cast<double>(serial) * static_cast<double>(samples.size()) + static_cast<double>(parallel) * inverses;
}

constexpr std::array exact_runs{kernel_sample{1, 107}, kernel_sample{2, 57}, kernel_sample{4, 32}, kernel_sample{5, 27},
                                kernel_sample{10, 17}};
static_assert(takt::detail::fit_kernel(exact_runs).law.overhead == takt::duration{7});
static_assert(takt::detail::fit_kernel(exact_runs).law.work.upper == takt::duration{107});
static_assert(takt::detail::fit_kernel(exact_runs).above.largest == 0);

}  // namespace

TEST_CASE("times that follow a law exactly give that law back" * takt_tests::traces("RTGPU-30")) {
  const auto fit = takt::detail::fit_kernel(exact_runs, takt::interleave(5, 4));
  REQUIRE(fit);
  CHECK(fit.law.overhead.count() == 7);
  CHECK(fit.law.work.upper.count() == 86);
  CHECK(fit.law.work.lower.count() == 86);
  CHECK(fit.law.interleave_numerator == 5);
  CHECK(fit.law.any_neighbour);
  CHECK(fit.curve.parallel == doctest::Approx(100));
  CHECK(fit.curve.serial == doctest::Approx(7));
  CHECK(fit.curve.sum_of_squares == doctest::Approx(0).epsilon(1e-6));
  const rational share{7, 32};
  CHECK(fit.curve.serial_share(4) == doctest::Approx(7.0 / 32));
  CHECK(takt::gustafson_speedup(4, share) == rational{107, 32});
  CHECK_FALSE(takt::detail::fit_kernel(exact_runs, takt::self_interleave(5, 4)).law.any_neighbour);
}

TEST_CASE("the upper form is at or above, the lower form at or below every sample" * takt_tests::traces("RTGPU-30")) {
  takt::random_stream random{30};
  for (std::uint64_t run = 0; run < rounds(); ++run) {
    std::vector<kernel_sample> samples;
    const ticks longest = random.chance(1, 4) ? 1'000'000'000 : 1'000;
    const auto count = static_cast<std::size_t>(random.between(2, 60));
    for (std::size_t i = 0; i < count; ++i) {
      samples.push_back({static_cast<std::int32_t>(random.between(1, 16)), random.between(1, longest)});
    }
    samples.push_back({17, random.between(1, longest)});
    samples.push_back({18, random.between(1, longest)});
    const std::int64_t below = random.between(1, 20);
    const auto margin = static_cast<std::int32_t>(random.chance(1, 2) ? 0 : random.between(1, 150));
    const auto fit = takt::detail::fit_kernel(samples, takt::interleave(below + random.between(0, 20), below), margin);
    REQUIRE(fit);
    CHECK(takt::brackets(fit.law, samples));
    CHECK(fit.law.work.lower <= fit.law.work.upper);
    ticks largest = 0;
    for (const auto& s : samples) {
      const ticks upper = fit.law.upper(s.virtual_sms).count();
      const ticks lower = fit.law.lower(s.virtual_sms).count();
      CHECK(upper * 100 >= s.time * (100 + margin));
      CHECK(lower * 100 <= s.time * std::max(0, 100 - margin));
      largest = std::max(largest, upper - s.time);
      takt::interval<rational> exact;
      REQUIRE(takt::divisible_work_bounds<rational>(
          {rational{fit.law.work.lower.count()}, rational{fit.law.work.upper.count()}},
          rational{fit.law.overhead.count()}, fit.law.interleave_numerator, fit.law.interleave_denominator,
          s.virtual_sms, exact));
      CHECK(exact.upper >= rational{s.time});
      CHECK(exact.lower <= rational{s.time});
    }
    CHECK(fit.above.largest == largest);
    CHECK(fit.above.mean <= static_cast<double>(largest) + 1e-6);
  }
}

TEST_CASE("no other overhead covers the samples with a lower mean" * takt_tests::traces("RTGPU-30")) {
  takt::random_stream random{31};
  for (std::uint64_t run = 0; run < rounds(); ++run) {
    std::vector<kernel_sample> samples{{1, random.between(1, 200)}, {2, random.between(1, 200)}};
    const auto more = random.between(0, 12);
    for (ticks i = 0; i < more; ++i) {
      samples.push_back({static_cast<std::int32_t>(random.between(1, 9)), random.between(1, 200)});
    }
    double least = cover_height(samples, 0);
    for (ticks serial = 1; serial <= 200; ++serial) { least = std::min(least, cover_height(samples, serial)); }
    const auto fit = takt::detail::fit_kernel(samples);
    REQUIRE(fit);
    CHECK(cover_height(samples, fit.law.overhead.count()) == doctest::Approx(least).epsilon(1e-9));
    CHECK(fit.law.work.upper.count() >= fit.law.overhead.count());
  }
}

TEST_CASE("ten thousand noisy samples are covered within their noise" * takt_tests::traces("RTGPU-30")) {
  const auto samples = timed(20'000'000, 30'000, 10, 10, 1'000, 32);
  REQUIRE(samples.size() == 10'000);
  const auto fit = takt::detail::fit_kernel(samples, takt::self_interleave(9, 5), 2);
  REQUIRE(fit);
  CHECK(takt::brackets(fit.law, samples));
  // One per cent of noise and two of margin on top of the shortest run.
  for (std::int32_t n = 1; n <= 10; ++n) {
    const ticks exact = 20'000'000 / n + 30'000;
    CHECK(fit.law.upper(n).count() <= exact + exact * 31 / 1'000);
  }
  CHECK(fit.curve.sum_of_squares > 0);
  CHECK(fit.curve.serial == doctest::Approx(30'150).epsilon(0.05));
}

TEST_CASE("times that rise with the SMs are covered by overhead alone" * takt_tests::traces("RTGPU-30")) {
  const std::array rising{kernel_sample{1, 10}, kernel_sample{2, 20}, kernel_sample{4, 30}};
  const auto fit = takt::detail::fit_kernel(rising, takt::interleave(2));
  REQUIRE(fit);
  CHECK(fit.law.overhead.count() == 30);
  CHECK(fit.law.upper(1'000).count() == 30);
  CHECK(fit.law.lower(4).count() <= 10);
}

TEST_CASE("samples that no law can be fitted to are refused" * takt_tests::traces("RTGPU-30")) {
  const auto status = [](const std::vector<kernel_sample>& samples, takt::kernel_interleave ratio = takt::interleave(1),
                         std::int32_t margin = 0) { return takt::detail::fit_kernel(samples, ratio, margin).status; };
  const std::vector<kernel_sample> fine{{1, 10}, {2, 6}};
  CHECK(status(fine) == fit_status::fitted);
  CHECK(status({}) == fit_status::no_samples);
  CHECK(status({{1, 10}, {1, 11}}) == fit_status::one_sm_count_only);
  CHECK(status({{1, 10}, {2, 0}}) == fit_status::sample_out_of_range);
  CHECK(status({{1, 10}, {2, -5}}) == fit_status::sample_out_of_range);
  CHECK(status({{1, 10}, {0, 5}}) == fit_status::sample_out_of_range);
  CHECK(status({{1, 10}, {takt::max_units + 1, 5}}) == fit_status::sample_out_of_range);
  CHECK(status(fine, takt::interleave(4, 5)) == fit_status::interleave_below_one);
  CHECK(status(fine, takt::interleave(4, 0)) == fit_status::interleave_below_one);
  CHECK(status(fine, takt::interleave(1), -1) == fit_status::margin_out_of_range);
  CHECK(status(fine, takt::interleave(1), takt::max_fit_margin + 1) == fit_status::margin_out_of_range);
  CHECK(status({{1, INT64_MAX}, {2, 5}}) == fit_status::overflow);
  CHECK(status({{1, 5}, {1'000, INT64_MAX / 500}}) == fit_status::overflow);
  CHECK(status({{1, INT64_MAX / 100}, {2, 5}}, takt::interleave(1'000, 999)) == fit_status::overflow);
  CHECK(status({{1, INT64_MAX / 200}, {2, 5}}) == fit_status::fitted);
}

TEST_CASE("the interleave ratio is measured alone and together on one SM" * takt_tests::traces("RTGPU-30")) {
  const std::array<ticks, 3> alone{100, 98, 103};
  const std::array<ticks, 3> together{85, 90, 88};
  const auto ratio = takt::measured_interleave(alone, together, 2, {});
  REQUIRE(ratio);
  // 2 x 90 / 98 = 1.8367.
  CHECK(ratio->numerator == 1'837);
  CHECK(ratio->denominator == 1'000);
  CHECK_FALSE(ratio->any_neighbour);
  const std::array<ticks, 1> halved{45};
  CHECK(takt::measured_interleave(alone, halved, 2, {})->numerator == 1);
  const std::array<ticks, 1> wrong{0};
  CHECK_FALSE(takt::measured_interleave(alone, wrong, 2, {}));
  CHECK_FALSE(takt::measured_interleave(wrong, together, 2, {}));
  CHECK_FALSE(takt::measured_interleave({}, together, 2, {}));
  CHECK_FALSE(takt::measured_interleave(alone, together, 0, {}));
  CHECK_FALSE(takt::measured_interleave(alone, together, 2, {-1, 10}));
  CHECK_FALSE(takt::measured_interleave(alone, together, 2, {11, 10}));
  // Half of the shortest, 98, may be overhead.
  CHECK(takt::measured_interleave(alone, together, 2, {0, 49}));
  CHECK_FALSE(takt::measured_interleave(alone, together, 2, {0, 50}));
}

TEST_CASE("no overhead of the runs makes a measured ratio smaller than that of the work" *
          takt_tests::traces("RTGPU-30")) {
  takt::random_stream random{31};
  int diluted = 0;
  for (int run = 0; run < 2'000; ++run) {
    const auto blocks = static_cast<std::int32_t>(random.between(1, 4));
    const rational own{random.between(10, 60), 10};  // above V, too, where kernels are in each other's way
    const rational cross{random.between(10, 30), 10};
    const ticks work = random.between(2'000, 100'000);
    const takt::interval<ticks> overhead{random.between(0, 400), random.between(400, 1'000)};
    const auto times = [&](rational each) {
      std::array<ticks, 3> out{};
      const ticks longest = takt::ceil_divide(each.numerator(), each.denominator());
      for (ticks& t : out) { t = longest + random.between(overhead.lower, overhead.upper); }
      return out;
    };
    const auto alone = times(rational{work});
    const auto together = times(rational{work} * own / rational{blocks});
    const auto beside = times(rational{work} * cross);
    const auto self = takt::measured_interleave(alone, together, blocks, overhead);
    const auto other = takt::cross_interleave(alone, beside, overhead);
    REQUIRE(self);
    REQUIRE(other);
    CHECK(rational{self->numerator, self->denominator} >= own);
    CHECK(*other >= cross);
    diluted += takt::cross_interleave(alone, beside, {}) < cross ? 1 : 0;
  }
  CHECK(diluted > 100);
}

TEST_CASE("a fitted law stands in a task's chain" * takt_tests::traces("RTGPU-30")) {
  constexpr auto fit = takt::detail::fit_kernel(exact_runs);
  constexpr auto set =
      takt::task_set(takt::task("fitted", takt::period(takt::duration{1'000}), takt::cpu(takt::duration{1}),
                                takt::kernel(fit.law), takt::cpu(takt::duration{1})));
  const auto table = set.table();
  CHECK(table.segments[1].time.upper == 107);
  CHECK(table.segments[1].overhead == 7);
  CHECK(table.segments[1].samples == 0);
}
