// SPDX-License-Identifier: Apache-2.0
// Code in place of copies, kernels and visits of own resources.
#include <takt/graphs.hpp>
#include <takt/kernels.hpp>
#include <takt/runtime/executor/run.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/analysis/any_board.hpp>
#include <takt/model/to_runtime_tasks.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include <takt/takt.hpp>
#include <takt/tokens.hpp>
#include "support/limited_wait.hpp"
#include "support/longer_runs.hpp"
#include "support/trace_checker.hpp"

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;
using takt_tests::seen_in_some_run;

auto plain(takt::duration length) -> rt::run_options {
  rt::run_options out;
  out.length = length;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  return out;
}

/// Bodies that sleep in waves, and when each of them was between two pauses.
class recorder {
 public:
  /// Of a visit of a GPU, on this core. It has so many waves, up to `most` of them until others want the unit.
  [[nodiscard]] auto body(std::uint32_t task, std::uint32_t visit, std::int32_t core, takt::ticks wave, int waves,
                          int most = 0) -> rt::unit_code {
    return [=, this](std::uint64_t job, rt::pause_point& here) {
      takt::ticks since = rt::now();
      int left = std::max(waves, most);
      while (left-- > 0) {
        rt::sleep_until(rt::later(rt::now(), wave));
        if (!here.is_wanted() || left == 0) { continue; }
        left = std::min(left, waves);
        add({task, visit, job, {takt::stage::kernel, 0, core, 1}, since, rt::now()});
        if (!here.pass()) { return; }
        since = rt::now();
      }
      add({task, visit, job, {takt::stage::kernel, 0, core, 1}, since, rt::now()});
    };
  }
  [[nodiscard]] auto pieces() const -> const takt::trace& { return seen_; }

 private:
  void add(const takt::slice& s) {
    const std::lock_guard lock{mutex_};
    seen_.record(s);
  }
  std::mutex mutex_;
  takt::trace seen_;
};

/// One after the other on the same SMs, or beside each other.
[[nodiscard]] auto overlap(const takt::trace& seen) -> bool {
  const auto slices = seen.slices();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    for (std::size_t k = i + 1; k < slices.size(); ++k) {
      const takt::slice& a = slices[i];
      const takt::slice& b = slices[k];
      const bool apart = a.where.index >= 0 && b.where.index >= 0 && a.where.index != b.where.index;
      if (!apart && a.start < b.end && b.start < a.end) { return true; }
    }
  }
  return false;
}

constexpr auto kernel_of(takt::duration wcet, takt::duration wave) {
  return takt::visit<takt::gpu>(takt::wcet(wcet), takt::preemption_cost(wave));
}
constexpr auto three = takt::task_set(
    takt::task("long", takt::period(60_ms), takt::cpu(100_us), kernel_of(24_ms, 1_ms), takt::cpu(100_us)),
    takt::task("mid", takt::period(30_ms), takt::cpu(100_us), kernel_of(6_ms, 1_ms), takt::cpu(100_us)),
    takt::task("short", takt::period(15_ms), takt::cpu(100_us), kernel_of(2_ms, 1_ms), takt::cpu(100_us)));
constexpr auto cores = takt::pool(takt::processors(2), takt::g_edf);

/// All three kernels are code on the GPU of a board, which serves one at a time. The most pieces in which a job of the
/// first one ran, none unless some job was completed.
template <class Rule>
auto pieces_under(const Rule& rule, takt::duration length, int most_waves = 0) -> std::size_t {
  CAPTURE(rule.name);
  const auto board = takt::erase<9>(takt::platform(cores, takt::pool(takt::virtual_sms(4, 1), rule)));
  const auto described = takt::to_runtime_tasks(three);
  recorder bodies;
  rt::visit_codes codes;
  codes.on_unit(0, 1, bodies.body(0, 1, 0, 1'000'000, 24, most_waves));
  codes.on_unit(1, 1, bodies.body(1, 1, 0, 1'000'000, 6));
  codes.on_unit(2, 1, bodies.body(2, 1, 0, 1'000'000, 2));
  takt::trace seen;
  const auto ran = rt::run(board, described.tasks, takt::plan<3, 9>{}, plain(length), seen, codes);
  REQUIRE_FALSE(ran.error);
  REQUIRE(ran.tasks.size() == 3);
  CHECK(ran.tasks[0].released == static_cast<std::uint64_t>(length.count() / (60_ms).count()));
  CHECK(ran.tasks[2].released == static_cast<std::uint64_t>(length.count() / (15_ms).count()));
  CHECK(trace_checker::complaint(seen, described.tasks, {.gpus = {{.at_once = 1}}}) == "");
  CHECK(trace_checker::complaint(bodies.pieces(), described.tasks, {.gpus = {{.at_once = 1}}}) == "");
  std::map<std::uint64_t, std::size_t> pieces;
  for (const takt::slice& s : bodies.pieces().slices() | takt::views::of_task(0)) { ++pieces[s.job]; }
  std::size_t most = 0;
  for (const auto& [job, count] : pieces) { most = std::max(most, count); }
  return ran.completed() > 0 ? most : 0;
}
template <class Rule>
void keeps_its_unit(const Rule& rule) {
  CHECK(seen_in_some_run(180_ms, [&](takt::duration length) {
    const std::size_t pieces = pieces_under(rule, length);
    CHECK(pieces <= 1);
    return pieces == 1;
  }));
}
template <class Rule>
void gives_its_unit_back(const Rule& rule) {
  CHECK(seen_in_some_run(180_ms, [&](takt::duration length) {
    return pieces_under(rule, length, static_cast<int>(length.count() / (1_ms).count())) > 1;
  }));
}

struct sensor {
  std::int32_t count = 1;
};

}  // namespace

TEST_CASE("code has a GPU while the rule's server says so, and is alone there where one kernel runs at a time") {
  SUBCASE("rules that take nothing back") {
    keeps_its_unit(takt::fifo);
    keeps_its_unit(takt::nonpreemptive(takt::edf));
    keeps_its_unit(takt::locked(takt::fifo_order));
  }
  SUBCASE("rules that take the GPU back at the end of a wave") {
    gives_its_unit_back(takt::levels(takt::edf, takt::preemption_cost_model::ideal));
    gives_its_unit_back(takt::gang(takt::edf));
    gives_its_unit_back(takt::time_slices(2_ms, 100_us));
  }
}

TEST_CASE("code on SMs of its task's own runs beside that of other tasks, one job after the other") {
  const auto set = takt::task_set(
      takt::task("a", takt::period(20_ms), takt::cpu(100_us), takt::kernel(takt::work(8_ms)), takt::cpu(100_us)),
      takt::task("b", takt::period(20_ms), takt::cpu(100_us), takt::kernel(takt::work(8_ms)), takt::cpu(100_us)));
  const auto board = takt::platform(cores, takt::pool(takt::virtual_sms(4, 1), takt::federated));
  const auto verdict = takt::analyze(board, set, takt::published_methods);
  REQUIRE(verdict.schedulable());
  const auto described = takt::to_runtime_tasks(set);
  CHECK(seen_in_some_run(100_ms, [&](takt::duration length) {
    recorder bodies;
    rt::visit_codes codes;
    codes.on_unit(0, 1, bodies.body(0, 1, 0, 1'000'000, 8));
    codes.on_unit(1, 1, bodies.body(1, 1, 1, 1'000'000, 8));
    takt::trace seen;
    const auto ran = rt::run(board, set, verdict.plan, plain(length), seen, codes);
    REQUIRE_FALSE(ran.error);
    CHECK_FALSE(overlap(bodies.pieces()));
    CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
    CHECK(trace_checker::complaint(bodies.pieces(), described.tasks, {}) == "");
    return ran.completed() > 0;
  }));
}

TEST_CASE("code on pinned SMs runs beside that of others, and never beside code that has all of them") {
  const auto pinned = [](takt::duration wcet, std::int32_t sm) {
    return takt::visit<takt::gpu>(takt::wcet(wcet), takt::preemption_cost(1_ms), takt::on_sm(sm));
  };
  const auto set = takt::task_set(
      takt::task("left", takt::period(20_ms), takt::cpu(100_us), pinned(4_ms, 0), takt::cpu(100_us)),
      takt::task("right", takt::period(20_ms), takt::cpu(100_us), pinned(4_ms, 1), takt::cpu(100_us)),
      takt::task("both", takt::period(60_ms), takt::cpu(100_us), kernel_of(12_ms, 1_ms), takt::cpu(100_us)));
  const auto described = takt::to_runtime_tasks(set);
  const auto in_slots =
      takt::slots(takt::edf, takt::pinned_slot(0_ms, 4_ms), takt::gang_slot(4_ms, 4_ms), takt::period(8_ms));
  const auto under = [&](const auto& rule) {
    const auto board = takt::erase<9>(takt::platform(cores, takt::pool(takt::accelerator(2), rule)));
    CHECK(seen_in_some_run(180_ms, [&](takt::duration length) {
      recorder bodies;
      rt::visit_codes codes;
      codes.on_unit(0, 1, bodies.body(0, 1, 0, 1'000'000, 4));
      codes.on_unit(1, 1, bodies.body(1, 1, 1, 1'000'000, 4));
      codes.on_unit(2, 1, bodies.body(2, 1, -1, 1'000'000, 12));
      takt::trace seen;
      const auto ran = rt::run(board, described.tasks, takt::plan<3, 9>{}, plain(length), seen, codes);
      REQUIRE_FALSE(ran.error);
      CHECK_FALSE(overlap(bodies.pieces()));
      CHECK(trace_checker::complaint(seen, described.tasks, {}) == "");
      return ran.tasks[0].completed > 0 && ran.tasks[1].completed > 0;
    }));
  };
  under(takt::gang(takt::edf));
  under(in_slots);
}

TEST_CASE("code of a copy and of an own resource is called once per job with its number") {
  const auto set = takt::task_set(
      takt::task("camera", takt::period(10_ms), takt::visit<sensor>(takt::takes(1_ms)), takt::copy(1_ms),
                 takt::cpu(200_us)),
      takt::task("other", takt::period(10_ms), takt::visit<sensor>(takt::takes(1_ms)), takt::copy(1_ms)));
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::edf),
                                    takt::pool(takt::copy_engines(1), takt::fifo), takt::pool(sensor{}, takt::edf));
  CHECK(seen_in_some_run(100_ms, [&](takt::duration length) {
    std::vector<std::uint64_t> reads;
    std::vector<std::uint64_t> copies;
    std::atomic<int> on_engine{0};
    rt::visit_codes codes;
    codes.on_unit(0, 0, [&reads](std::uint64_t job, rt::pause_point&) { reads.push_back(job); });
    codes.on_unit(0, 1, [&](std::uint64_t job, rt::pause_point&) {
      CHECK(++on_engine == 1);
      copies.push_back(job);
      --on_engine;
    });
    codes.on_unit(1, 1, [&](std::uint64_t, rt::pause_point&) {
      CHECK(++on_engine == 1);
      --on_engine;
    });
    const auto ran = rt::run(board, set, takt::plan<2, 5>{}, plain(length), codes);
    REQUIRE_FALSE(ran.error);
    CHECK(copies.size() <= reads.size());
    CHECK(ran.tasks[0].completed <= copies.size());
    for (std::size_t k = 0; k < reads.size(); ++k) { CHECK(reads[k] == k); }
    for (std::size_t k = 0; k < copies.size(); ++k) { CHECK(copies[k] == k); }
    return ran.tasks[0].completed > 0;
  }));
}

TEST_CASE("code that waits at its pause point is let go at the end of the run, and told that it is over") {
  const auto set = takt::task_set(takt::task("long", takt::period(100_ms), takt::visit<sensor>(takt::takes(50_ms))),
                                  takt::task("hog", takt::period(90_ms), takt::visit<sensor>(takt::takes(50_ms))));
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::edf), takt::pool(sensor{}, takt::edf));
  CHECK(seen_in_some_run(40_ms, [&](takt::duration length) {
    std::atomic<int> told{0};
    const auto until_over = [&told](std::uint64_t, rt::pause_point& here) {
      takt_tests::await([&here] { return !here.pass(); });
      ++told;
    };
    rt::visit_codes codes;
    codes.on_unit(0, 0, until_over);
    codes.on_unit(1, 0, until_over);
    const auto ran = rt::run(board, set, takt::plan<2, 2>{}, plain(length), codes);
    REQUIRE_FALSE(ran.error);
    CHECK(ran.completed() == 0);
    return told >= 1;
  }));
}

TEST_CASE("a server that does not say who has a unit runs no code there, and times its visits as ever") {
  const auto set =
      takt::task_set(takt::task("a", takt::period(20_ms), takt::cpu(100_us),
                                takt::visit<takt::gpu>(takt::wcet(1_ms), takt::grid(4, 32), takt::block_length(1_ms))));
  const auto board = takt::platform(cores, takt::pool(takt::block_slots(2, 64, 8), takt::block_queue_rule<2, 16>{}));
  CHECK(seen_in_some_run(40_ms, [&](takt::duration length) {
    const auto timed = rt::run(board, set, takt::plan<1, 2>{}, plain(length));
    REQUIRE_FALSE(timed.error);
    return timed.tasks[0].completed > 0;
  }));
  rt::visit_codes codes;
  codes.on_unit(0, 1, [](std::uint64_t, rt::pause_point&) {});
  const auto ran = rt::run(board, set, takt::plan<1, 2>{}, plain(40_ms), codes);
  CHECK(ran.error.fault == takt::model_fault::rule_serves_no_code);
  CHECK(ran.error.pool == 1);
}

TEST_CASE("code of the wrong kind for its visit binds nothing") {
  const auto board = takt::platform(cores, takt::pool(takt::virtual_sms(4, 1), takt::fifo));
  rt::visit_codes on_cpu;
  on_cpu.on_unit(0, 0, [](std::uint64_t, rt::pause_point&) {});
  CHECK(rt::run(board, three, takt::plan<3, 9>{}, plain(10_ms), on_cpu).status() ==
        takt::observation_status::wrong_binding);
  rt::visit_codes on_gpu;
  on_gpu.cpu(0, 1, [](std::uint64_t) {});
  CHECK(rt::run(board, three, takt::plan<3, 9>{}, plain(10_ms), on_gpu).status() ==
        takt::observation_status::wrong_binding);
}
