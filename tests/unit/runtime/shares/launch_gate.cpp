// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <takt/runtime/clock.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/systems/shares/run/launch_gate.hpp>
#include <takt/systems/shares/run/share_page.hpp>
#include <takt/systems/shares/run/virtual_context.hpp>

#include "emulated_driver.hpp"
#include "support/environment.hpp"
#include "support/traces.hpp"

namespace {

using takt::ticks;
using takt::runtime::gate_status;
using takt::runtime::now;
using takt::runtime::share_page;

constexpr ticks us = 1'000;
constexpr ticks ms = 1'000'000;

struct idle_meter {
  static auto used_percent() -> std::int64_t { return 0; }
};

struct open_page : share_page {
  open_page() {
    open = 1;
    format = layout;
  }
};

auto board() -> takt::platform_record {
  takt::platform_record p{.cores = 1, .copy_engines = 1, .gpus = {}};
  p.gpus.unchecked_push_back({.sms = 8, .virtual_per_sm = 1, .granularity = 1, .shared = false});
  return p;
}

/// An application with kernels without end behind a gate.
class hungry {
 public:
  hungry(takt::runtime::emulated_device& device, takt::runtime::emulated_occupancy& occupancy, const share_page& page,
         std::size_t application)
      : driver_{device, {.gpu = 0, .first = 0, .count = 8}, occupancy},
        meter_{driver_},
        gate_{page, application, meter_, options()},
        context_{driver_, gate_, 0},
        thread_{[this] {
          while (context_.launch(kernel_block, kernel_blocks) == takt::runtime::context_status::done) {}
        }} {}
  hungry(const hungry&) = delete;
  auto operator=(const hungry&) -> hungry& = delete;
  ~hungry() {
    gate_.shut();
    thread_.join();
  }
  [[nodiscard]] auto busy_time() const -> ticks { return driver_.busy_time(); }

 private:
  static constexpr ticks kernel_block = 100 * us;
  static constexpr std::int64_t kernel_blocks = 20;

  static auto options() -> takt::runtime::launch_gate_options {
    constexpr takt::token_capacity capacity{.sms = 8};
    constexpr ticks period = 40 * ms;
    return {.capacity = capacity,
            .tokens_per_block = takt::runtime::tokens_per_block(capacity, period / kernel_block),
            .period = period,
            .poll = ms};
  }

  takt::runtime::emulated_driver driver_;
  takt::runtime::emulated_meter meter_;
  takt::runtime::launch_gate<takt::runtime::emulated_meter> gate_;
  takt::runtime::virtual_context<takt::runtime::emulated_driver,
                                 takt::runtime::launch_gate<takt::runtime::emulated_meter>>
      context_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("a gate lets nothing pass without a share, and takes up a new one while a launch waits") {
  open_page page;
  idle_meter meter;
  takt::runtime::launch_gate gate{page, 7, meter, {.period = 5 * ms, .poll = ms}};
  CHECK(gate.enter(1, now()) == gate_status::timed_out);
  CHECK(gate.enter(1, now() + 20 * ms) == gate_status::timed_out);
  CHECK(gate.tokens().feedback().refill() == 0);
  std::atomic<bool> waits = false;
  std::thread other{[&] {
    waits = true;
    page.write(7, 30);
  }};
  CHECK(gate.enter(1) == gate_status::passed);
  CHECK(waits);
  other.join();
  CHECK(gate.tokens().limit() == 30);
  page.write(7, 0);
  CHECK(gate.enter(0, now()) == gate_status::timed_out);
}

TEST_CASE("whoever waits at a gate returns when it is shut or the service leaves") {
  open_page page;
  idle_meter meter;
  takt::runtime::launch_gate gate{page, 0, meter, {.period = ms, .poll = ms}};
  std::thread leaving{[&] { page.open = 0; }};
  CHECK(gate.enter(1) == gate_status::closed);
  leaving.join();
  page.open = 1;
  std::thread shutting{[&] { gate.shut(); }};
  CHECK(gate.enter(1) == gate_status::closed);
  shutting.join();
  page.write(0, 100);
  CHECK(gate.enter(1) == gate_status::closed);
}

TEST_CASE("a kernel of any size passes once, and its debt keeps the next one waiting") {
  open_page page;
  page.write(0, 50);
  idle_meter meter;
  takt::runtime::launch_gate gate{
      page, 0, meter, {.capacity = {.sms = 2}, .tokens_per_block = INT64_MAX, .period = ms}};
  CHECK(gate.enter(-5) == gate_status::passed);
  CHECK(gate.tokens().pool() >= 0);
  CHECK(gate.enter(INT64_MAX) == gate_status::passed);
  CHECK(gate.tokens().pool() < 0);
  CHECK(gate.enter(1, now() + 2 * ms) == gate_status::timed_out);
}

TEST_CASE("an emulated driver runs as many kernels at once as its queue holds, refuses what is no length, and counts") {
  takt::runtime::emulated_device device{board()};
  takt::runtime::emulated_occupancy occupancy;
  takt::runtime::emulated_driver driver{device, {.gpu = 0, .first = 0, .count = 8}, occupancy, 1};
  CHECK_FALSE(driver.launch(-1, 1));
  CHECK_FALSE(driver.launch(1, -1));
  CHECK_FALSE(driver.launch(INT64_MAX, 2));
  for (int k = 0; k < 5; ++k) { CHECK(driver.launch(100 * us, 2)); }
  driver.wait();
  CHECK(driver.busy_time() >= ms);
  void* memory = driver.allocate(100);
  CHECK(memory != nullptr);
  driver.release(memory);
}

TEST_CASE("two clients on an emulated device come to use what their shares say" * takt_tests::traces("WAMP-07")) {
  // A host that is busy otherwise delays launches and measurements alike, so an interval that was disturbed is measured
  // again.
  const ticks length = std::min(takt_tests::stress_time(600 * ms), 2'000 * ms);
  open_page page;
  page.write(0, 25);
  page.write(1, 45);
  takt::runtime::emulated_device device{board()};
  takt::runtime::emulated_occupancy occupancy;
  const hungry first{device, occupancy, page, 0};
  const hungry second{device, occupancy, page, 1};
  const auto settle_to = [&](std::int64_t a, std::int64_t b) {
    std::array<std::int64_t, 2> used{};
    for (int attempt = 0; attempt < 20; ++attempt) {
      const ticks start = now();
      const std::array<ticks, 2> before{first.busy_time(), second.busy_time()};
      takt::runtime::sleep_until(start + length);
      const ticks passed = now() - start;
      used = {(first.busy_time() - before[0]) * 100 / passed, (second.busy_time() - before[1]) * 100 / passed};
      if (std::abs(used[0] - a) <= 5 && std::abs(used[1] - b) <= 5) { return true; }
      MESSAGE("used " << used[0] << " and " << used[1]);
    }
    return false;
  };
  CHECK(settle_to(25, 45));
  // Both are changed while they run.
  page.write(1, 20);
  page.write(0, 55);
  CHECK(settle_to(55, 20));
}
