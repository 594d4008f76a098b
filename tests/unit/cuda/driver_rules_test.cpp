// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

#include <takt/cuda/accelerator.hpp>
#include <takt/cuda/copies.hpp>
#include <takt/cuda/device.hpp>
#include <takt/cuda/machine.hpp>
#include <takt/cuda/stream.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/runtime/event.hpp>

#include "fixture.hpp"
#include "support/asleep.hpp"
#include "support/limited_wait.hpp"

namespace {

using namespace cuda_tests;
using D = fake_cuda_driver;
using device = takt::cuda::cuda_device<D>;

auto at(const void* p) -> std::uint64_t { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

TEST_CASE("a GPU that another process has for itself is left alone by a process that uses others") {
  D driver{{.devices = 2, .taken_device = 0}};
  add_occupy(driver);
  {
    device d{driver, {{0, 0, 8}}, {.ordinals = {1}}};
    (void)d.open({0, 0, 8});
    CHECK(d.ready());
    CHECK(d.context(0).device == 1);
    const takt::cuda::cuda_accelerator<D> other{driver, 1, 4};
    CHECK(other.serves({.cores = 1, .levels = 6}));
    CHECK_THROWS_AS((device{driver, {{0, 0, 8}}, {.ordinals = {0}}}), cuda_error);
    device first{driver, {}};
    (void)first.open({});
    CHECK_FALSE(first.ready());
    CHECK(first.fault()->code == result::device_unavailable);
  }
  CHECK(driver.live() == 0);
  CHECK(driver.orphans() == 0);
}

TEST_CASE("green contexts are no partition where MPS limits the process, and few queues of the hardware are reported") {
  D driver;
  add_occupy(driver);
  const auto limited = [](const char* name) -> std::optional<std::string> {
    return std::string_view{name} == "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" ? std::optional<std::string>{"40"}
                                                                         : std::nullopt;
  };
  const device d{driver, {{0, 0, 8}}, {.sources = {.machine = {}, .variables = limited}}};
  CHECK_FALSE(d.backend(0).possible);
  CHECK(d.backend(0).reason.find("MPS") != std::string::npos);
  for (const char* value : {"32", "8"}) {
    const auto found = takt::cuda::detail::check_driver(
        d.machine(), [value](const char*) { return std::optional<std::string>{value}; });
    const auto queues = std::ranges::find(found, "CUDA_DEVICE_MAX_CONNECTIONS", &takt::runtime::machine_finding::what);
    REQUIRE(queues != found.end());
    CHECK((queues->level == takt::runtime::severity::fine) == (queues->observed == "32"));
  }
}

TEST_CASE("no GPU is split twice for one platform") {
  D driver{{.devices = 2}};
  add_occupy(driver);
  CHECK_THROWS_AS((device{driver, {{0, 0, 8}, {1, 0, 8}}, {.ordinals = {1, 1}}}), cuda_error);
  CHECK(driver.count_of("create_green") == 0);
  CHECK(driver.live() == 0);
}

TEST_CASE("errors after which the driver takes no more work count as loss, refusals do not") {
  for (const std::int32_t code :
       {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999}) {
    CAPTURE(code);
    CHECK(takt::cuda::detail::is_loss(static_cast<result>(code)));
  }
  for (const std::int32_t code : {-2, -1, 0, 1, 2, 3, 46, 100, 101, 201, 217, 400, 500, 600, 701, 704, 801, 915}) {
    CAPTURE(code);
    CHECK_FALSE(takt::cuda::detail::is_loss(static_cast<result>(code)));
  }
}

TEST_CASE("a call that is refused when part of it is under way returns when that has ended") {
  D driver;
  {
    const device_context<D> c{driver, 0};
    thread_stream<D> own{c.ref()};
    std::atomic<bool> ended{false};
    const pid_t caller = takt_tests::own_thread();
    CHECK_THROWS_AS(own.run("launch",
                            [&](D& d, stream_handle s) {
                              (void)d.run_in(s, [&ended, caller] {
                                takt_tests::await([caller] { return takt_tests::is_asleep(caller); });
                                ended = true;
                              });
                              return result::invalid_value;
                            }),
                    cuda_error);
    CHECK(ended);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("code that throws while it launches leaves no context current") {
  D driver;
  {
    const device_context<D> c{driver, 0};
    CHECK_THROWS_AS((void)attempt_within(c.ref(), [](D&) -> result { throw std::runtime_error{"no"}; }),
                    std::runtime_error);
  }
  CHECK(driver.live() == 0);
}

TEST_CASE("peers of the topology reach one another, and one that the machine does not connect is an error") {
  takt::gpu_topology<3, 2> tree;
  const auto hub = tree.add_hub();
  (void)tree.add_gpu(hub, 2);
  (void)tree.add_gpu(hub, 2);
  (void)tree.add_gpu(tree.add_hub(), 2);
  for (const bool connected : {true, false}) {
    D driver{{.devices = 3, .peers = connected}};
    {
      const std::array<device_context<D>, 3> c{device_context<D>{driver, 0}, device_context<D>{driver, 1},
                                               device_context<D>{driver, 2}};
      const std::array refs{c[0].ref(), c[1].ref(), c[2].ref()};
      try {
        connect_peers<D>(tree, refs);
        CHECK(connected);
      } catch (const cuda_error& e) {
        CHECK_FALSE(connected);
        CHECK(e.code() == result::peer_access_unsupported);
      }
    }
    CHECK(driver.reaches(0, 1) == connected);
    CHECK(driver.reaches(1, 0) == connected);
    CHECK_FALSE(driver.reaches(0, 2));
    CHECK(driver.live() == 0);
  }
}

TEST_CASE("copies of a device can be held to pinned memory, from their first byte to their last") {
  D driver;
  const device_context<D> c{driver, 0};
  const pinned_memory<D> host{c.ref(), 100};
  const device_memory<D> there{c.ref(), 100};
  const std::vector<std::byte> pageable(100);
  CHECK_NOTHROW(require_pinned(c.ref(), host.data(), 100));
  CHECK_NOTHROW(require_pinned(c.ref(), host.data() + 99, 1));
  CHECK_THROWS_AS(require_pinned(c.ref(), host.data(), 101), unsuitable_memory);
  CHECK_THROWS_AS(require_pinned(c.ref(), pageable.data(), 100), unsuitable_memory);
  const auto device_side = static_cast<std::uint64_t>(there.get());
  CHECK_THROWS_AS(require_pinned(c.ref(), reinterpret_cast<const void*>(device_side), 100), unsuitable_memory);
  CHECK(classify_copy(c.ref(), device_side, at(host.data()), 100).kind == copy_kind::to_device);
  CHECK_THROWS_AS((void)classify_copy(c.ref(), device_side, at(host.data()), 101), unsuitable_memory);
}
