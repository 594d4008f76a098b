// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <takt/runtime/clock.hpp>
#include <takt/runtime/emulated_sliced_device.hpp>
#include <takt/runtime/event.hpp>
#include <takt/runtime/run.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;
using takt::runtime::emulated_sliced_device;
using takt::runtime::served_time;

constexpr ticks ms = 1'000'000;
constexpr auto turns = takt::time_slices(4_ms, 500_us);
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 2), turns));
/// Kernels of 10 and 3 ms on the whole GPU.
constexpr auto pair = takt::task_set(
    takt::task("long", takt::period(60_ms), takt::on_core(0), takt::cpu(100_us, 100_us), takt::copy(100_us, 100_us),
               takt::kernel(takt::work(80_ms, 80_ms)), takt::cpu(100_us, 100_us)),
    takt::task("short", takt::period(30_ms), takt::on_core(1), takt::cpu(100_us, 100_us),
               takt::kernel(takt::work(24_ms, 24_ms)), takt::cpu(100_us, 100_us)));

struct recording {
  std::vector<takt::slice> slices;

  void record(const takt::slice& s) { slices.push_back(s); }
  void record(const takt::mark& /*m*/) {}
};

auto options(takt::duration length) -> takt::runtime::run_options {
  takt::runtime::run_options o;
  o.length = length;
  return o;
}

}  // namespace

TEST_CASE("a unit in time slices serves contexts as the rule says, switch by switch") {
  // A: 25 and B: 5, slices of 10, switches of 2: A to 10, B from 12 to 17, A from 19 to 29 and, being alone, to 34.
  takt::runtime::sliced_unit unit{takt::time_slices(100_ms, 20_ms).turns()};
  struct ended {
    takt::runtime::sliced_unit* unit;
    std::uint32_t context;
    std::vector<served_time> served;
    takt::runtime::event over;

    void end() {
      const auto seen = unit->served(context);
      served.assign(seen.begin(), seen.end());
      over.signal();
    }
  };
  ended a{&unit, 0, {}, {}};
  ended b{&unit, 1, {}, {}};
  const ticks before = takt::runtime::now();
  unit.submit(0, 250 * ms, takt::no_event, takt::runtime::notify<&ended::end>(&a));
  unit.submit(1, 50 * ms, takt::no_event, takt::runtime::notify<&ended::end>(&b));
  const ticks after = takt::runtime::now();
  a.over.wait();
  b.over.wait();
  REQUIRE(a.served.size() >= 3);
  REQUIRE_FALSE(b.served.empty());
  const ticks start = a.served[0].from;
  CHECK(start >= before);
  if (after - before >= 100 * ms) { return; }  // this machine was busy, and B came in another slice
  REQUIRE(a.served.size() == 3);
  REQUIRE(b.served.size() == 1);
  CHECK(a.served[0].to == start + 100 * ms);
  CHECK(b.served[0].from == start + 120 * ms);
  CHECK(b.served[0].to == start + 170 * ms);
  CHECK(a.served[1].from == start + 190 * ms);
  CHECK(a.served[1].to == start + 290 * ms);
  CHECK(a.served[2].from == start + 290 * ms);
  CHECK(a.served[2].to == start + 340 * ms);
}

TEST_CASE("a run lets the contexts of tasks take turns, with a switch between two and never two at a time") {
  emulated_sliced_device device{board.record(), turns};
  recording trace;
  const auto result = takt::runtime::run(board, pair, takt::plan<2>{}, device, options(240_ms), trace);
  REQUIRE(result.tasks.size() == 2);
  CHECK((result.status() == takt::observation_status::no_miss || result.status() == takt::observation_status::missed));
  std::vector<takt::slice> on_gpu;
  std::map<std::pair<std::uint32_t, std::uint64_t>, ticks> served;
  for (const takt::slice& s : trace.slices) {
    if (s.where.where != takt::stage::kernel) { continue; }
    CHECK(s.where.index == 0);
    CHECK(s.where.count == 4);
    CHECK(s.end - s.start <= 4 * ms);
    served[{s.task, s.job}] += s.end - s.start;
    on_gpu.push_back(s);
  }
  std::ranges::sort(on_gpu, {}, &takt::slice::start);
  for (std::size_t k = 1; k < on_gpu.size(); ++k) {
    const bool same = on_gpu[k].task == on_gpu[k - 1].task;
    CHECK(on_gpu[k].start >= on_gpu[k - 1].end + (same ? 0 : ms / 2));
  }
  for (std::uint32_t t = 0; t < 2; ++t) {
    CHECK(result.tasks[t].completed >= 1);
    for (std::uint64_t job = 0; job < result.tasks[t].completed; ++job) {
      CHECK(served[{t, job}] == (t == 0 ? 10 * ms : 3 * ms));
    }
  }
  CHECK(result.tasks[0].best_response >= 10 * ms + 3 * ms / 10);
  CHECK(result.tasks[1].best_response >= 3 * ms + 2 * ms / 10);
}

TEST_CASE("a run in time slices is over at its end, whatever is still waiting for its turn") {
  constexpr auto heavy = takt::task_set(
      takt::task("a", takt::period(10_s), takt::cpu(0_ns), takt::kernel(takt::work(40_s, 40_s)), takt::cpu(0_ns)),
      takt::task("b", takt::period(10_s), takt::cpu(0_ns), takt::kernel(takt::work(40_s, 40_s)), takt::cpu(0_ns)));
  emulated_sliced_device device{board.record(), turns};
  const auto result = takt::runtime::run(board, heavy, takt::plan<2>{}, device, options(30_ms));
  REQUIRE(result.tasks.size() == 2);
  CHECK(result.tasks[0].unfinished + result.tasks[1].unfinished == 2);
}

TEST_CASE("a run in time slices refuses another rule of the device, and shares that nobody hands out") {
  emulated_sliced_device other{board.record(), takt::time_slices(4_ms, 600_us)};
  CHECK(takt::runtime::run(board, pair, takt::plan<2>{}, other, options(1_ms)).status() ==
        takt::observation_status::wrong_device);
  constexpr auto two_gpus =
      takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                     takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                     takt::pool(takt::virtual_sms(4, 2), turns), takt::pool(takt::virtual_sms(4, 2), turns));
  emulated_sliced_device large{two_gpus.record(), turns};
  CHECK(takt::runtime::run(two_gpus, pair, takt::plan<2>{}, large, options(1_ms)).status() ==
        takt::observation_status::wrong_device);
  emulated_sliced_device device{board.record(), turns};
  CHECK(takt::runtime::run(board, pair, takt::dedicate(2, 1), device, options(1_ms)).error.fault ==
        takt::model_fault::plan_does_not_fit);
  const std::vector<takt::duration> none(1);
  const auto nothing = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 2), takt::time_slices(none[0], 500_us)));
  CHECK(takt::runtime::run(nothing, pair, takt::plan<2>{}, device, options(1_ms)).error.fault ==
        takt::model_fault::slice_out_of_range);
}
