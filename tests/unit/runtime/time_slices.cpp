// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <takt/report/trace_queries.hpp>
#include <takt/runtime/run.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>

namespace {

using namespace takt::literals;
using takt::ticks;
using takt::runtime::emulated_accelerator;

constexpr ticks ms = 1'000'000;
constexpr ticks wave = takt::runtime::wave_kernel::finest_wave;
constexpr auto turns = takt::time_slices(4_ms, 500_us);
constexpr auto board = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 2), turns));
/// Kernels of 10 and 3 ms on the whole GPU.
constexpr auto pair = takt::task_set(
    takt::task("long", takt::period(60_ms), takt::on_core(0), takt::cpu(100_us, 100_us), takt::copy(100_us, 100_us),
               takt::kernel(takt::work(80_ms, 80_ms), takt::interleave(1)), takt::cpu(100_us, 100_us)),
    takt::task("short", takt::period(9_ms), takt::on_core(1), takt::cpu(100_us, 100_us),
               takt::kernel(takt::work(24_ms, 24_ms), takt::interleave(1)), takt::cpu(100_us, 100_us)));

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

TEST_CASE("a run lets the tasks take turns on an accelerator, never two at a time, and no kernel loses time") {
  // excerpt: run
  emulated_accelerator device{{.cores = 4, .preemption_levels = 1}};
  recording trace;
  const auto result = takt::runtime::run(board, pair, takt::plan<2>{}, device, options(240_ms), trace);
  // end of excerpt
  REQUIRE(result.tasks.size() == 2);
  CHECK((result.status() == takt::observation_status::no_miss || result.status() == takt::observation_status::missed));
  std::vector<takt::slice> on_gpu;
  std::map<std::pair<std::uint32_t, std::uint64_t>, ticks> served;
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> pieces;
  for (const takt::slice& s : trace.slices | takt::views::slices_on(takt::stage::kernel)) {
    CHECK(s.where.index < 4);
    served[{s.task, s.job}] += s.end - s.start;
    if (s.where.index == 0) { ++pieces[{s.task, s.job}]; }
    on_gpu.push_back(s);
  }
  // Whose slice is over finishes its wave, on each core by itself, before another begins anywhere.
  for (const takt::slice& a : on_gpu) {
    for (const takt::slice& b : on_gpu) { CHECK((a.task == b.task || a.end <= b.start || b.end <= a.start)); }
  }
  int most = 0;
  for (const auto& [job, count] : pieces) { most = std::max(most, count); }
  CHECK(most > 1);
  for (std::uint32_t t = 0; t < 2; ++t) {
    CHECK(result.tasks[t].completed >= 1);
    for (std::uint64_t job = 0; job < result.tasks[t].completed; ++job) {
      CHECK(served[{t, job}] == 4 * (t == 0 ? 10 * ms : 3 * ms));
    }
  }
  CHECK(result.tasks[0].best_response >= 10 * ms + 3 * ms / 10);
  CHECK(result.tasks[1].best_response >= 3 * ms + 2 * ms / 10);
}

TEST_CASE("kernels with contexts and slices of their own keep the waves of the device") {
  constexpr auto named = takt::task_set(
      takt::task("a", takt::period(40_ms), takt::cpu(100_us),
                 takt::kernel(takt::work(40_ms, 40_ms), takt::interleave(1), takt::in_context(3)), takt::cpu(100_us)),
      takt::task("b", takt::period(40_ms), takt::cpu(100_us),
                 takt::kernel(takt::work(40_ms, 40_ms), takt::interleave(1), takt::in_context(4)), takt::cpu(100_us)));
  emulated_accelerator device{{.cores = 4, .preemption_levels = 1}};
  recording trace;
  const auto result = takt::runtime::run(board, named, takt::plan<2>{}, device, options(80_ms), trace);
  REQUIRE(result.tasks.size() == 2);
  for (const auto& t : result.tasks) { CHECK(t.completed >= 1); }
  for (const takt::slice& s : trace.slices | takt::views::slices_on(takt::stage::kernel)) {
    CHECK((s.end - s.start) % wave == 0);
  }
}

TEST_CASE("a run in time slices is over at its end, whatever is still waiting for its turn") {
  constexpr auto heavy =
      takt::task_set(takt::task("a", takt::period(10_s), takt::cpu(0_ns),
                                takt::kernel(takt::work(40_s, 40_s), takt::interleave(1)), takt::cpu(0_ns)),
                     takt::task("b", takt::period(10_s), takt::cpu(0_ns),
                                takt::kernel(takt::work(40_s, 40_s), takt::interleave(1)), takt::cpu(0_ns)));
  emulated_accelerator device{{.cores = 4, .preemption_levels = 1}};
  const auto result = takt::runtime::run(board, heavy, takt::plan<2>{}, device, options(30_ms));
  REQUIRE(result.tasks.size() == 2);
  CHECK(result.tasks[0].unfinished + result.tasks[1].unfinished == 2);
}

TEST_CASE("a run in time slices refuses a smaller device, one for two GPUs, and shares that nobody hands out") {
  emulated_accelerator small{{.cores = 3, .preemption_levels = 1}};
  CHECK(takt::runtime::run(board, pair, takt::plan<2>{}, small, options(1_ms)).status() ==
        takt::observation_status::wrong_device);
  emulated_accelerator device{{.cores = 4, .preemption_levels = 1}};
  constexpr auto two_gpus =
      takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                     takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                     takt::pool(takt::virtual_sms(4, 2), turns), takt::pool(takt::virtual_sms(4, 2), turns));
  CHECK(takt::runtime::run(two_gpus, pair, takt::plan<2>{}, device, options(1_ms)).status() ==
        takt::observation_status::wrong_device);
  CHECK(takt::runtime::run(board, pair, takt::dedicate(2, 1), device, options(1_ms)).error.fault ==
        takt::model_fault::plan_does_not_fit);
  const std::vector<takt::duration> none(1);
  const auto nothing = takt::platform(takt::pool(takt::processors(2), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 2), takt::time_slices(none[0], 500_us)));
  CHECK(takt::runtime::run(nothing, pair, takt::plan<2>{}, device, options(1_ms)).error.fault ==
        takt::model_fault::slice_out_of_range);
}
