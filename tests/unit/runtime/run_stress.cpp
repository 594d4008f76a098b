// SPDX-License-Identifier: Apache-2.0
// A board with a hundred tasks and eight GPUs, each under a rule of its own, at random load, with random ends and
// signals. TAKT_STRESS_SECONDS: for how long, 2 by default. TAKT_STRESS_SEED: the first round.
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include <takt/analysis/any_board.hpp>
#include <takt/model/runtime_visits.hpp>
#include <takt/rules/accelerator_tags.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/emulated_device.hpp>
#include <takt/runtime/run_watch.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/accelerators/run/emulated_accelerator.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/draws.hpp"
#include "support/environment.hpp"
#include "support/signal_storm.hpp"
#include "support/trace_checker.hpp"
#include "support/watchdog.hpp"

namespace {

namespace rt = takt::runtime;
using takt::resource_kind;
using takt::ticks;
using takt::visit_fact;
using takt_tests::draws;

constexpr ticks us = 1'000;
constexpr ticks ms = 1'000'000;
constexpr std::int32_t task_count = 100;
constexpr std::uint32_t gpu_count = 8;
constexpr std::size_t max_visits = 5 * task_count;
using board_type = takt::any_board<2 + gpu_count, max_visits>;
using tasks_type = takt::runtime_task_set<task_count, max_visits, 1, 1>;
using plan_type = takt::plan<task_count, max_visits>;

constexpr std::uint32_t first_gpu = 2;  ///< among the pools
constexpr std::uint32_t with_levels = 0;
constexpr std::uint32_t with_gangs = 1;
constexpr std::uint32_t with_own_sms = 2;
constexpr std::uint32_t with_tokens = 3;
constexpr std::uint32_t one_at_a_time = 4;
constexpr std::uint32_t in_turns = 5;
constexpr std::uint32_t with_code = 6;
constexpr std::uint32_t with_donors = 7;

auto make_board() -> std::unique_ptr<board_type> {
  auto out = std::make_unique<board_type>();
  const auto add = [&](const auto& pool) { REQUIRE(out->add(pool)); };
  add(takt::pool(takt::processors(8), takt::g_edf));
  add(takt::pool(takt::copy_engines(2), takt::fifo));
  add(takt::pool(takt::virtual_sms(2, 1), takt::levels(takt::edf)));
  add(takt::pool(takt::virtual_sms(2, 1), takt::gang(takt::fixed_priority)));
  add(takt::pool(takt::virtual_sms(16, 1), takt::federated));
  add(takt::pool(takt::virtual_sms(2, 1), takt::locked(takt::k_fmlp_order, 2)));
  add(takt::pool(takt::virtual_sms(1, 1), takt::nonpreemptive(takt::edf)));
  add(takt::pool(takt::virtual_sms(1, 1), takt::time_slices(takt::duration{100 * us}, takt::duration{10 * us})));
  add(takt::pool(takt::virtual_sms(1, 1), takt::nonpreemptive(takt::fixed_priority)));
  add(takt::pool(takt::virtual_sms(1, 1), takt::locked(takt::r2dglp_order, 1)));
  return out;
}
auto legal_gpus() -> std::vector<trace_checker::gpu_use> {
  std::vector<trace_checker::gpu_use> out(gpu_count, {.cores_apart = true, .one_job = true});
  out[with_gangs] = {.cores_apart = true};
  out[with_own_sms] = {.own_parts = true};
  out[with_tokens] = {.at_once = 2};
  return out;
}

auto timed(resource_kind where, draws& d, ticks most) -> takt::runtime_visit {
  takt::runtime_visit v{.where = where};
  v.known.add(visit_fact::time);
  const ticks upper = d.between(us, most);
  v.time = {d.between(us, upper), upper};
  return v;
}
auto kernel(std::uint32_t gpu, draws& d, ticks most) -> takt::runtime_visit {
  takt::runtime_visit v = timed(resource_kind::gpu, d, most);
  if (gpu == with_own_sms || gpu == with_tokens || gpu == with_donors) {
    v.known.add(visit_fact::work);
    v.work = v.time;
  }
  if (gpu == with_levels || gpu == with_gangs) {
    v.known.add(visit_fact::preemption_cost);
    v.known.add(visit_fact::pinning);
    v.preemption_cost = std::max<ticks>(v.time.upper / 4, 1);
    v.sm = d.count(-1, 1);
    v.width = v.sm == takt::unassigned_core ? takt::kernel_width::all_cores : takt::kernel_width::one_core;
  }
  return v;
}
/// Chains, of which every other has no copies. `load` says how long kernels are.
auto make_tasks(draws& d, ticks load) -> std::unique_ptr<tasks_type> {
  auto out = std::make_unique<tasks_type>();
  for (std::uint32_t i = 0; i < task_count; ++i) {
    const ticks period = d.between(20 * ms, 60 * ms);
    REQUIRE(out->add_task({.name = "t", .period = period, .deadline = period, .priority = d.count(0, 9)}));
    const auto add = [&](takt::runtime_visit v) {
      const std::uint32_t at = out->tasks.back().visit_count;
      v.predecessors = at == 0 ? 0 : takt::visit_mask{1} << (at - 1);
      REQUIRE(out->add_visit(v));
    };
    add(timed(resource_kind::processor, d, 20 * us));
    if (i / gpu_count % 2 == 0) { add(timed(resource_kind::copy_engine, d, 100 * us)); }
    add(kernel(i % gpu_count, d, load * 100 * us));
    if (i / gpu_count % 2 == 0) { add(timed(resource_kind::copy_engine, d, 100 * us)); }
    add(timed(resource_kind::processor, d, 20 * us));
  }
  return out;
}
auto plan_for_all() -> plan_type {
  plan_type out;
  for (std::int32_t i = 0; i < task_count; ++i) {
    const std::int32_t gpu = i % static_cast<std::int32_t>(gpu_count);
    REQUIRE(out.shares.try_push_back({gpu, gpu == static_cast<std::int32_t>(with_own_sms) ? 1 : 0}));
  }
  return out;
}

/// Code that takes longer than it says in one job of eight.
auto code_of(const tasks_type& tasks) -> rt::visit_codes {
  rt::visit_codes out;
  for (std::uint32_t i = with_code; i < task_count; i += gpu_count) {
    for (std::uint32_t p = 0; p < tasks.tasks[i].visit_count; ++p) {
      const takt::runtime_visit& v = tasks.visit(i, p);
      if (v.where != resource_kind::gpu) { continue; }
      out.on_unit(i, p, [upper = v.time.upper](std::uint64_t job, rt::pause_point& here) {
        const ticks end = rt::later(rt::now(), job % 8 == 7 ? 4 * upper : upper);
        while (rt::now() < end && here.pass()) { rt::sleep_until(std::min(end, rt::now() + 50 * us)); }
      });
    }
  }
  return out;
}

struct tally {
  std::uint64_t rounds = 0;
  std::uint64_t completed = 0;
  std::uint64_t skipped = 0;
  std::uint64_t slices = 0;
  std::uint64_t stopped = 0;
};

void run_round(std::uint64_t seed, tally& all) {
  CAPTURE(seed);
  draws d{seed};
  const auto board = make_board();
  const auto tasks = make_tasks(d, d.between(1, 12));
  const plan_type plan = plan_for_all();
  using flat_type = decltype(takt::flatten(*board, *tasks, plan));
  const auto flat = std::make_unique<flat_type>(takt::flatten(*board, *tasks, plan));
  REQUIRE_FALSE(flat->error);

  rt::emulated_accelerator levels{{.cores = 2, .preemption_levels = 1}};
  rt::emulated_accelerator gangs{{.cores = 2, .preemption_levels = 1}};
  rt::emulated_device own{board->record()};
  rt::emulated_device whole{board->record()};
  rt::emulated_device engines{board->record()};
  rt::board_devices devices;
  devices.kernels(first_gpu + with_levels, levels).kernels(first_gpu + with_gangs, gangs);
  devices.kernels(first_gpu + with_own_sms, own).kernels(first_gpu + one_at_a_time, whole).copies(1, engines);

  std::atomic<bool> stop = false;
  rt::run_watch watch{task_count};
  rt::run_options options;
  options.length = d.time(150 * ms, 350 * ms);
  options.seed = seed;
  options.on_late = d.one_in(2) ? takt::late_handling::skip_late : takt::late_handling::catch_up;
  options.at_violation = d.one_in(2) ? rt::violation_handling::drop : rt::violation_handling::report;
  options.real_time = options.pin_to_cores = options.lock_memory = false;
  options.patience = takt::duration{60'000 * ms};
  options.watch = &watch;
  options.stop = &stop;
  for (const auto& t : tasks->tasks) { options.expected.push_back({.response = {t.deadline, true}, .visits = {}}); }
  const ticks stop_after = d.one_in(3) ? d.between(0, options.length.count()) : -1;
  std::jthread stopper;
  if (stop_after >= 0) {
    stopper = std::jthread{[&stop, end = rt::now() + stop_after] {
      rt::sleep_until(end);
      stop = true;
    }};
  }
  std::optional<takt_tests::signal_storm> storm;
  if (d.one_in(2)) { storm.emplace(static_cast<std::uint32_t>(seed)); }
  takt::trace seen;
  const auto ran = rt::run(*board, *tasks, plan, devices, options, seen, code_of(*tasks));
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.ended == takt::observation_status::no_miss);
  CHECK(ran.end <= options.length.count());
  for (const auto& t : ran.tasks) { CHECK(t.completed + t.skipped + t.unfinished == t.released); }

  trace_checker::legal legal = trace_checker::legal_on(*flat, plan);
  legal.gpus = legal_gpus();
  for (std::size_t v = 0; v < legal.lengths.size(); ++v) {  // times of threads and of devices are not those of a clock
    const std::uint32_t gpu = flat->table.visits[v].task % gpu_count;
    const bool on_clock = gpu == with_tokens || gpu == in_turns || gpu == with_donors;
    if (!on_clock || tasks->visits[v].where != resource_kind::gpu) { legal.lengths[v].lower = 0; }
  }
  CHECK(trace_checker::complaint(seen, *tasks, legal) == "");
  CHECK(trace_checker::disagreement(seen, ran) == "");
  ++all.rounds;
  all.completed += ran.completed();
  all.slices += seen.slices().size();
  all.stopped += ran.stopped ? 1U : 0U;
  for (const auto& t : ran.tasks) { all.skipped += t.skipped; }
}

}  // namespace

TEST_CASE(
    "a hundred tasks on eight GPUs under rules of their own exclude each other, keep their order and end, whatever comes") {
  const ticks length = takt_tests::stress_time(2'000 * ms);
  const takt_tests::watchdog guard{length + 120'000 * ms};
  auto seed = takt_tests::from_environment<std::uint64_t>("TAKT_STRESS_SEED", 1);
  const ticks end = rt::now() + length;
  tally all;
  do { run_round(seed++, all); } while (rt::now() < end || takt_tests::signal_storm::heard() == 0);
  MESSAGE(all.rounds << " rounds, " << all.completed << " jobs, " << all.skipped << " skipped, " << all.slices
                     << " slices, " << all.stopped << " rounds stopped, " << takt_tests::signal_storm::heard()
                     << " signals");
  CHECK(all.completed > 0);
  CHECK(takt_tests::signal_storm::heard() > 0);
}
