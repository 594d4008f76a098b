// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

#include <takt/model/copy_fit.hpp>
#include <takt/runtime/calibrate_copies.hpp>
#include <takt/runtime/emulated_device.hpp>
#include "support/traces.hpp"

namespace {

void check_between(const takt::copy_model& m, const std::vector<takt::copy_sample>& samples) {
  for (const auto& s : samples) {
    CHECK(m.time(s.bytes).lower <= takt::duration{s.time});
    CHECK(takt::duration{s.time} <= m.time(s.bytes).upper);
  }
}

}  // namespace

TEST_CASE("a fitted copy model lies around every sample" * takt_tests::traces("RTGPU-4")) {
  std::mt19937 engine{29};
  for (int round = 0; round < 100; ++round) {
    std::vector<takt::copy_sample> samples;
    for (const std::int64_t bytes : {64, 4'096, 1'000'000, 50'000'000}) {
      for (int r = 0; r < 5; ++r) {
        samples.push_back({bytes, 5'000 + bytes / 12 + static_cast<takt::ticks>(engine() % 3'000)});
      }
    }
    takt::copy_model m;
    REQUIRE(takt::fit_copy_model(samples, m));
    check_between(m, samples);
    // Steep, but not by more than the noise allows over the largest transfer.
    CHECK(m.time(50'000'000).upper <= takt::duration{2 * (5'000 + 50'000'000 / 12 + 3'000)});
  }
  // The least transfer is as fast as its fastest sample, the greatest as slow as its slowest.
  takt::copy_model m;
  REQUIRE(takt::fit_copy_model(std::vector<takt::copy_sample>{{64, 10}, {64, 30}, {640, 400}, {640, 100}}, m));
  takt::copy_model same;
  REQUIRE(takt::fit_copy_model(std::vector<takt::copy_sample>{{64, 30}, {64, 10}, {640, 100}, {640, 400}}, same));
  CHECK(m.slowest == same.slowest);
  CHECK(m.time(640) == same.time(640));
  takt::copy_model untouched{{}, 7, 7};
  CHECK_FALSE(takt::fit_copy_model({}, untouched));
  const std::vector<takt::copy_sample> one_size{{64, 10}, {64, 12}};
  CHECK_FALSE(takt::fit_copy_model(one_size, untouched));
  const std::vector<takt::copy_sample> no_time{{64, 10}, {128, 0}};
  CHECK_FALSE(takt::fit_copy_model(no_time, untouched));
  const std::vector<takt::copy_sample> huge{{64, 10}, {INT64_MAX / 2, 100}};
  CHECK_FALSE(takt::fit_copy_model(huge, untouched));
  CHECK(untouched.slowest == 7);
}

TEST_CASE("the runtime calibrates a copy model on its device" * takt_tests::traces("RTGPU-4")) {
  takt::platform_record p;
  p.cores = 1;
  p.copy_engines = 1;
  takt::runtime::emulated_device device{p};
  auto stream = device.open({});
  std::vector<std::byte> from(1 << 20);
  std::vector<std::byte> to(from.size());
  const std::vector<std::int64_t> sizes{1 << 10, 1 << 20};
  const auto samples = takt::runtime::time_copies(stream, 0, sizes, 5, [&](std::int64_t bytes) {
    return takt::runtime::emulated_copy{to.data(), from.data(), static_cast<std::size_t>(bytes)};
  });
  REQUIRE(samples.size() == 10);
  takt::copy_model m;
  REQUIRE(takt::fit_copy_model(samples, m));
  check_between(m, samples);
}
