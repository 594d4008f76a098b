// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include <takt/cuda/measure/copy_times.hpp>

#include "fixture.hpp"

namespace {

using namespace cuda_tests;
using takt::copy_direction;
using takt::ticks;
using takt::cuda::time_copies;

/// Whoever learns of an end does so later by a made-up clock, and the driver may refuse copies to the host.
class slow_driver : public fake_cuda_driver {
 public:
  using fake_cuda_driver::fake_cuda_driver;

  std::atomic<ticks> clock{0};
  ticks wake_up = 0;
  std::atomic<std::int64_t> to_host{0};
  std::atomic<std::int64_t> to_device{0};
  std::int64_t most_to_host = -1;  ///< the driver refuses later ones

  auto copy_to_host(void* to, device_address from, std::size_t bytes, stream_handle s) -> result {
    if (++to_host > most_to_host && most_to_host >= 0) { return result::launch_failed; }
    return fake_cuda_driver::copy_to_host(to, from, bytes, s);
  }
  auto copy_to_device(device_address to, const void* from, std::size_t bytes, stream_handle s) -> result {
    ++to_device;
    return fake_cuda_driver::copy_to_device(to, from, bytes, s);
  }
  auto wait_for_event(event_handle e) -> result {
    const result r = fake_cuda_driver::wait_for_event(e);
    clock += wake_up;
    return r;
  }
};

constexpr std::array<std::int64_t, 2> sizes{1'024, 65'536};

}  // namespace

TEST_CASE("copies are timed while copies of the largest size go the other way all the time") {
  slow_driver driver;
  (void)driver.initialize();
  {
    const device_context<slow_driver> c{driver, 0};
    // A clock that goes with the load, so that a busy machine cannot spoil a sample.
    ticks looks = 0;
    const auto seen =
        time_copies(c.ref(), copy_direction::to_device, sizes, 20, [&] { return 10 * driver.to_host + ++looks; });
    CAPTURE(seen.fault);
    REQUIRE(seen.samples.size() == 40);
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(seen.samples[i].bytes == sizes[i / 20]);
      CHECK(seen.samples[i].time > 0);
    }
    CHECK(driver.to_device == 2 * (20 + takt::detail::warm_ups));
    // One at least after each sample, which waits for it.
    CHECK(driver.to_host >= 2 * (20 + takt::detail::warm_ups));
    const auto calls = driver.calls();
    const auto largest = [](const fake_call& call) { return call.name != "copy_to_host" || call.bytes == 65'536; };
    CHECK(std::ranges::all_of(calls, largest));
    CHECK(streams_used(driver, "copy_to_host").size() == 1);
    CHECK(streams_used(driver, "copy_to_device") != streams_used(driver, "copy_to_host"));
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("the wake-up of the thread that waits is in the time of a copy") {
  slow_driver driver;
  (void)driver.initialize();
  driver.wake_up = 1'000;
  const device_context<slow_driver> c{driver, 0};
  const auto seen = time_copies(c.ref(), copy_direction::to_host, sizes, 3, [&driver] { return ++driver.clock; });
  CAPTURE(seen.fault);
  REQUIRE(seen.samples.size() == 6);
  for (const takt::copy_sample& s : seen.samples) { CHECK(s.time > 1'000); }
}

TEST_CASE("copies that go on beside no others, or fail, have no times, and it is said why") {
  for (const std::int64_t left : {2, 12, 30}) {
    CAPTURE(left);
    slow_driver driver;
    (void)driver.initialize();
    {
      driver.most_to_host = left;
      const device_context<slow_driver> c{driver, 0};
      ticks looks = 0;
      const auto seen = time_copies(
          c.ref(), copy_direction::to_device, sizes, 1'000, [&] { return 10 * driver.to_host + ++looks; }, 5'000);
      CHECK(seen.samples.empty());
      CHECK(seen.fault.starts_with("copy: FAKE_719"));
    }
    CHECK(driver.live() == 0);
  }
  slow_driver driver;
  (void)driver.initialize();
  const device_context<slow_driver> c{driver, 0};
  CHECK_FALSE(time_copies(c.ref(), copy_direction::to_device, {}, 3).fault.empty());
  CHECK_FALSE(time_copies(c.ref(), copy_direction::to_device, sizes, 0).fault.empty());
  driver.fail_next("copy_to_device", result::launch_failed);
  CHECK(time_copies(c.ref(), copy_direction::to_device, sizes, 3).fault.starts_with("copy: FAKE_719"));
  CHECK_THROWS_AS((void)(driver.fail_next("allocate", result::out_of_memory),
                         time_copies(c.ref(), copy_direction::to_device, sizes, 3)),
                  cuda_error);
}
