// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <takt/core/checked.hpp>
#include <takt/cuda/measure/served_bench.hpp>
#include <takt/prediction/set_laws.hpp>

#include "fixture.hpp"
#include "support/limited_wait.hpp"
#include "support/traces.hpp"

namespace {

using namespace cuda_tests;
using counts = std::vector<std::int32_t>;
using takt::profile_status;
using takt::ticks;

/// Whoever learns of an end does so a little later, by the clock of the board.
class late_driver : public fake_cuda_driver {
 public:
  using fake_cuda_driver::fake_cuda_driver;

  std::atomic<ticks> clock{0};
  ticks wake_up = 0;

  auto wait_for_event(event_handle e) -> result {
    const result r = fake_cuda_driver::wait_for_event(e);
    clock += wake_up;
    return r;
  }
};

/// A GPU whose kernels take time of a made-up clock. Each look moves the clock on by 1.
struct made_up_gpu {
  explicit made_up_gpu(const fake_machine& m = {}) : driver{m} { add_occupy(driver); }

  late_driver driver;
  std::int32_t per_sm = 2;
  ticks call = 3;
  ticks passing = 2;
  ticks chunk = 500;
  ticks wake_up = 40;
  std::uint32_t chunks = 512;
  std::int32_t missing_sm = -1;  ///< the blockers do not come there
  std::int32_t leave_at = -1;    ///< the launch during which the blockers end by themselves
  std::int32_t undone_at = -1;   ///< the launch that leaves work
  std::atomic<std::int32_t> launches{0};
  std::atomic<bool> full{false};
  std::atomic<bool> dies{false};
  std::atomic<std::uint32_t> caught_up{0};
  std::vector<takt::cuda::sm_slots> outside;
  std::vector<std::string> order;
  std::vector<launch_site> sites;

  [[nodiscard]] auto time() -> std::function<ticks()> {
    return [this] { return ++driver.clock; };
  }
  [[nodiscard]] auto beats() -> std::uint32_t { return static_cast<std::uint32_t>(1 + driver.clock / 10); }
  /// In a whole device that is full, a launch has as many blocks as that, which leave by the free SMs.
  [[nodiscard]] auto tail(std::int32_t sms) const -> ticks {
    return full ? takt::ceil_divide(ticks{32}, ticks{sms}) * passing : passing;
  }
  [[nodiscard]] auto launch_of(const std::string& name, std::int32_t sms, ticks length) -> served_kernel<late_driver> {
    return {device_kernel<late_driver>{[this, name, sms, length](late_driver& d, const launch_site& site) {
              order.push_back(name);
              sites.push_back(site);
              d.clock += call;
              const std::int32_t number = launches++;
              return d.run_in(site.stream, [this, &d, number, sms, length] {
                d.clock += length + tail(sms);
                if (number == leave_at) { dies = true; }
                takt_tests::await([&] { return !full || dies || d.lost() || caught_up >= beats(); });
              });
            }},
            [this] { return launches - 1 != undone_at; }};
  }
  [[nodiscard]] auto kernels() -> served_kernels<late_driver> {
    driver.wake_up = wake_up;
    return {.virtual_per_sm = per_sm,
            .chunks = chunks,
            .job =
                [this](std::int32_t sms, std::int32_t blocks) {
                  return launch_of("job", sms, takt::ceil_divide(ticks{chunks}, ticks{sms} * blocks) * chunk);
                },
            .empty =
                [this](std::int32_t sms, std::int32_t blocks, std::uint32_t of) {
                  return launch_of("empty", sms, takt::ceil_divide(ticks{of}, ticks{sms} * blocks));
                },
            .plain_empty = [this](std::int32_t sms, std::int32_t) { return launch_of("plain", sms, 0); },
            .blockers = {.per_sm = per_sm, .make = [this](device_address words, const takt::cuda::sm_slots& slots) {
                           outside.push_back(slots);
                           return block(words, slots);
                         }}};
  }
  [[nodiscard]] auto block(device_address words, const takt::cuda::sm_slots& slots) -> device_kernel<late_driver> {
    return device_kernel<late_driver>{[this, words, slots](late_driver& d, const launch_site& site) {
      order.emplace_back("blockers");
      return d.run_in(site.stream, [this, &d, words, slots] {
        auto* shared = reinterpret_cast<takt::cuda::blocker_words*>(static_cast<std::uintptr_t>(words));
        full = true;
        while (std::atomic_ref{shared->leave}.load() == 0 && !dies && !d.lost()) {
          const std::uint32_t now = beats();
          std::size_t b = 0;
          for (std::int32_t sm = 0; sm < 32; ++sm) {
            for (std::uint32_t v = 0; v < slots.at(static_cast<std::uint32_t>(sm)) && sm != missing_sm; ++v, ++b) {
              std::atomic_ref{shared->blocks[b].place}.store(static_cast<std::uint32_t>(sm) + 1);
              std::atomic_ref{shared->blocks[b].beats}.store(now);
            }
          }
          caught_up = now;
          std::this_thread::yield();
        }
        full = false;
      });
    }};
  }
};

using bench = takt::cuda::served_bench<late_driver>;
static_assert(takt::KernelBench<bench>);

auto whole_device() -> takt::cuda::device_options {
  takt::cuda::device_options out;
  out.wish.green_contexts = false;
  out.wish.kernels_stay_on_range = true;
  return out;
}

}  // namespace

TEST_CASE("laws come from launches the way of the runtime: the call, the work, and the wake-up of who waits" *
          takt_tests::traces("RTGPU-29")) {
  made_up_gpu gpu;
  {
    bench served{gpu.driver, gpu.kernels(), {}, gpu.time()};
    const auto profile = takt::profile_kernel(served, counts{8, 16, 32}, 2);
    CAPTURE(sentence(profile));
    REQUIRE(profile);
    const ticks around = gpu.call + gpu.passing + gpu.wake_up + 1;
    for (const takt::kernel_sample& s : profile.samples) {
      CHECK(s.time == takt::ceil_divide(ticks{gpu.chunks}, ticks{s.virtual_sms}) * gpu.chunk + around);
    }
    CHECK(profile.overheads.pinned == takt::interval<ticks>{around + 1, around + 1});
    CHECK(profile.overheads.plain == takt::interval<ticks>{around, around});
    CHECK(profile.tail == 0);
    CHECK(std::ranges::count(gpu.order, "blockers") == 0);
    for (const launch_site& site : gpu.sites) {
      CHECK(site.backend == partition_backend::green_contexts);
      CHECK((site.range.count == 8 || site.range.count == 16 || site.range.count == 32));
    }
  }
  CHECK(gpu.driver.live() == 0);
  made_up_gpu other;
  bench served{other.driver, other.kernels(), {}, other.time()};
  CHECK_FALSE(served.time_job(12, 2));
  CHECK(served.fault().find("a range of 12 SMs is no multiple of 8") != std::string::npos);
  CHECK(served.time_job(8, 2));
}

TEST_CASE("pinned blocks on the whole device are profiled with all other SMs full, and their tail is kept" *
          takt_tests::traces("RTGPU-29")) {
  made_up_gpu gpu;
  {
    bench served{gpu.driver, gpu.kernels(), whole_device(), gpu.time()};
    const auto profile = takt::profile_kernel(served, counts{4, 8, 32}, 2);
    CAPTURE(sentence(profile));
    REQUIRE(profile);
    // 64 blocks leave by the 8 places of 4 SMs.
    const ticks around = gpu.call + gpu.wake_up + 1;
    CHECK(profile.tail == around + 8 * gpu.passing + 1);
    CHECK(profile.overheads.pinned == takt::interval<ticks>{around + gpu.passing + 1, profile.tail});
    CHECK(profile.fit.law.overhead.count() >= profile.overheads.pinned.upper);
    REQUIRE(gpu.outside.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      const std::uint32_t first = i % 2 == 0 ? 4 : 8;
      for (std::uint32_t sm = 0; sm < 256; ++sm) { CHECK(gpu.outside[i].at(sm) == (sm >= first && sm < 32 ? 2U : 0U)); }
    }
    const std::vector<std::vector<takt::kernel_profile>> pair{{profile}, {profile}};
    const auto laws = takt::laws_of(pair);
    REQUIRE(laws);
    CHECK(laws.laws[0][0].upper(8).count() == profile.fit.law.upper(8).count() + profile.tail);
  }
  CHECK(gpu.driver.live() == 0);
}

TEST_CASE("all code has been loaded before any SM is kept full" * takt_tests::traces("RTGPU-29")) {
  made_up_gpu gpu;
  bench served{gpu.driver, gpu.kernels(), whole_device(), gpu.time()};
  REQUIRE(served.time_job(4, 2));
  CHECK(gpu.order == std::vector<std::string>{"job", "empty", "plain", "blockers", "job"});
}

TEST_CASE("a sample is none when other SMs were not all full from its beginning to its end" *
          takt_tests::traces("RTGPU-29")) {
  {
    made_up_gpu gpu;
    gpu.leave_at = 4;
    bench served{gpu.driver, gpu.kernels(), whole_device(), gpu.time(), 500};
    CHECK(served.time_job(4, 2));
    CHECK_FALSE(served.time_job(4, 2));
    CHECK(served.fault().starts_with("the load"));
  }
  {
    made_up_gpu gpu;
    gpu.missing_sm = 17;
    bench served{gpu.driver, gpu.kernels(), whole_device(), gpu.time(), 500};
    CHECK_FALSE(served.time_job(4, 2));
    CHECK(served.fault() == "the load did not begin to work");
  }
  made_up_gpu gpu;
  auto without = gpu.kernels();
  without.blockers = {};
  bench served{gpu.driver, without, whole_device(), gpu.time(), 500};
  CHECK(served.time_job(32, 2));
  CHECK_FALSE(served.time_job(4, 2));
  CHECK(served.fault() == "there is no kernel that keeps the other SMs full");
  CHECK_FALSE(served.time_job(33, 2));
  CHECK(served.fault() == "the device has 32 SMs");
}

TEST_CASE("a job that is left undone, and a device that fails, give no time and say why") {
  {
    made_up_gpu gpu;
    gpu.undone_at = 4;
    bench served{gpu.driver, gpu.kernels(), {}, gpu.time()};
    CHECK(served.time_job(8, 2));
    CHECK_FALSE(served.time_job(8, 2));
    CHECK(served.fault() == "a job was not done when its launch had ended");
    CHECK(served.time_job(8, 2));
    gpu.driver.fail_next("run_in", result::launch_failed);
    CHECK_FALSE(served.time_empty(8, 2, 16));
    CHECK(served.fault().starts_with("launch: FAKE_719, device 0"));
  }
  for (const auto* call : {"retain_primary", "create_green", "create_green_stream"}) {
    CAPTURE(call);
    made_up_gpu gpu;
    {
      bench served{gpu.driver, gpu.kernels(), {}, gpu.time()};
      gpu.driver.fail_next(call, result::out_of_memory);
      const auto profile = takt::profile_kernel(served, counts{8, 16}, 2);
      CHECK(profile.status == profile_status::run_failed);
      CHECK(profile.reason.starts_with(std::string{call} + ": FAKE_2"));
    }
    CHECK(gpu.driver.live() == 0);
  }
  made_up_gpu gpu;
  {
    bench served{gpu.driver, gpu.kernels(), whole_device(), gpu.time(), 500};
    REQUIRE(served.time_job(4, 2));
    gpu.driver.lose();
    CHECK_FALSE(served.time_job(4, 2));
    CHECK(served.fault().find("FAKE_214") != std::string::npos);
  }
  CHECK(gpu.driver.live() == 0);
}
