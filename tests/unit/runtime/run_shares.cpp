// SPDX-License-Identifier: Apache-2.0
// Shares that follow needs on the executor: the server sizes them, on a device and for code.
#include <takt/report/trace_queries.hpp>
#include <takt/runtime/executor/run.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <takt/model/to_runtime_tasks.hpp>
#include <takt/runtime/emulated_shared_gpu.hpp>
#include <takt/shares.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include "support/trace_checker.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;
using takt::observation_status;
using takt::ticks;

constexpr auto see_row = takt::scaling_wcet(6_ms, 200);
constexpr auto map_row = takt::scaling_wcet(9_ms);
constexpr auto plan_row = takt::scaling_wcet(5_ms, 100);

constexpr auto slowing_down() -> takt::contention_matrix<3> {
  takt::contention_matrix<3> out;
  out.set(0, 1, 100'000);
  out.set(1, 2, 50'000);
  return out;
}
constexpr auto kernels =
    takt::application_set(
        takt::application("see", takt::period(30_ms), takt::deadline(20_ms), takt::share_priority(1), see_row),
        takt::application("map", takt::period(40_ms), takt::deadline(30_ms), takt::share_priority(2), map_row),
        takt::application("plan", takt::period(25_ms), takt::deadline(18_ms), takt::share_priority(3), plan_row))
        .with(slowing_down());
constexpr auto chains =
    takt::task_set(takt::task("see", takt::period(30_ms), takt::cpu(100_us), takt::kernel(see_row), takt::cpu(100_us)),
                   takt::task("map", takt::period(40_ms), takt::kernel(map_row), takt::cpu(100_us)),
                   takt::task("plan", takt::period(25_ms), takt::cpu(100_us), takt::kernel(plan_row)));
constexpr auto board =
    takt::platform(takt::pool(takt::processors(2), takt::g_edf), takt::pool(takt::gpu_shares(), takt::shares(kernels)));

auto options(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

/// "" if shares never exceed all of the GPU.
auto share_complaint(const takt::trace& seen) -> std::string {
  auto on_gpu = seen.slices() | takt::views::slices_on(takt::stage::kernel) | takt::views::of_some_length;
  for (const takt::slice& a : on_gpu) {
    std::int32_t sum = 0;
    for (const takt::slice& b : on_gpu | takt::views::slices_within(a.start, a.start + 1)) { sum += b.where.percent; }
    if (a.where.percent < 1 || sum > 100) { return std::to_string(sum) + " per cent at " + std::to_string(a.start); }
  }
  return "";
}
/// The largest number of shares that one job had, one after the other.
auto most_shares(const takt::trace& seen) -> std::size_t {
  std::size_t most = 0;
  auto on_gpu = seen.slices() | takt::views::slices_on(takt::stage::kernel);
  for (const takt::slice& a : on_gpu) {
    std::set<std::int32_t> had;
    for (const takt::slice& b : on_gpu | takt::views::of_job(a.task, a.job)) { had.insert(b.where.percent); }
    most = std::max(most, had.size());
  }
  return most;
}

}  // namespace

TEST_CASE("the server of shares by need sizes kernels on a device, which take as long as their shares make them") {
  const auto described = takt::to_runtime_tasks(chains);
  rt::emulated_shared_gpu<3> gpu{kernels};
  static_assert(rt::SizingDevice<rt::emulated_shared_gpu<3>>);
  rt::board_devices devices;
  devices.kernels(1, gpu);
  auto o = options(300_ms);
  o.lengths = rt::length_choice::upper;
  takt::trace seen;
  const auto ran = rt::run(board, chains, takt::plan<3, 7>{}, devices, o, seen);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.ended == observation_status::no_miss);
  for (const auto& t : ran.tasks) { CHECK(t.completed > 0); }
  CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
  CHECK(share_complaint(seen) == "");
  CHECK(most_shares(seen) > 1);
  // What a kernel does with its shares is all of it: at least its time with all of the GPU, in shares of that.
  auto kernels_of_b = seen.slices() | takt::views::slices_on(takt::stage::kernel) | takt::views::of_task(1);
  for (const takt::slice& a : kernels_of_b) {
    ticks work = 0;
    ticks until = 0;
    for (const takt::slice& b : kernels_of_b | takt::views::of_job(1, a.job)) {
      work += (b.end - b.start) * b.where.percent;
      until = std::max(until, b.end);
    }
    const bool is_over = std::ranges::any_of(seen.slices(), [&](const takt::slice& s) {
      return s.task == 1 && s.job == a.job && s.segment == 1 && s.start >= until;
    });
    if (is_over) { CHECK(work >= (9_ms).count() * 99); }
  }
}

TEST_CASE("code under shares by need hears its share, and goes on with another without leaving the GPU") {
  const auto described = takt::to_runtime_tasks(chains);
  std::atomic<std::int32_t> wrong = 0;
  std::atomic<std::int32_t> heard = 0;
  const auto body = [&](ticks work) {
    return [&wrong, &heard, work](std::uint64_t, rt::pause_point& here) {
      for (ticks left = work * 100; left > 0;) {
        const std::int32_t share = here.unit();
        wrong += share < 1 || share > 100 ? 1 : 0;
        ++heard;
        rt::sleep_until(rt::now() + 500'000);
        left -= 500'000 * std::max(1, share);
        if (!here.pass()) { return; }
      }
    };
  };
  rt::visit_codes codes;
  codes.on_unit(0, 1, body(6'000'000)).on_unit(1, 0, body(9'000'000)).on_unit(2, 1, body(5'000'000));
  takt::trace seen;
  const auto ran = rt::run(board, chains, takt::plan<3, 7>{}, options(300_ms), seen, codes);
  REQUIRE_FALSE(ran.error);
  CHECK(ran.completed() > 0);
  CHECK(heard > 0);
  CHECK(wrong == 0);
  CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
  CHECK(share_complaint(seen) == "");
  CHECK(most_shares(seen) > 1);
}

TEST_CASE("a device whose kernels have no shares serves no shares by need, and the reverse") {
  rt::emulated_accelerator whole{{.cores = 4, .preemption_levels = 1}};
  rt::board_devices devices;
  devices.kernels(1, whole);
  CHECK(rt::run(board, chains, takt::plan<3, 7>{}, devices, options(10_ms)).status() ==
        observation_status::wrong_device);
  rt::emulated_shared_gpu<3> shared{kernels};
  rt::board_devices others;
  others.kernels(1, shared);
  const auto fifo =
      takt::platform(takt::pool(takt::processors(2), takt::g_edf), takt::pool(takt::virtual_sms(4, 1), takt::fifo));
  const auto set =
      takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(100_us), takt::visit<takt::gpu>(takt::wcet(1_ms))));
  CHECK(rt::run(fifo, set, takt::plan<1, 2>{}, others, options(10_ms)).status() == observation_status::wrong_device);
}

TEST_CASE("a kernel of an application that the device does not know ends the run as its failure") {
  constexpr auto alone = takt::application_set(
      takt::application("see", takt::period(30_ms), takt::deadline(20_ms), takt::share_priority(1), see_row));
  rt::emulated_shared_gpu device{alone};
  rt::board_devices devices;
  devices.kernels(1, device);
  const auto ran =
      rt::run(board, chains, takt::analyze(board, chains, takt::published_methods).plan, devices, options(60_s));
  CHECK(ran.status() == observation_status::device_failed);
  CHECK(ran.device_fault.find("is not one of the 1 that the device knows") != std::string::npos);
  CHECK(ran.end < (60_s).count());
}
