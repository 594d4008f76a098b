// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <takt/analysis/analyze.hpp>
#include <takt/analysis/judge.hpp>
#include <takt/core/duration.hpp>
#include <takt/model/platform.hpp>
#include <takt/report/explanation.hpp>
#include <takt/systems/rtgpu/plans/methods.hpp>
#include <takt/systems/rtgpu/report/summarize.hpp>

namespace {

using namespace takt::literals;

constexpr auto board = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                      takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                      takt::pool(takt::virtual_sms(4, 2), takt::federated));

template <class Method, class P, class Table>
auto analysis_of(const P& platform, const Table& table, const takt::analysis::rtgpu_variant& variant) {
  if constexpr (requires { takt::analysis::detail::make_analysis<Method>(platform, table, variant); }) {
    return takt::analysis::detail::make_analysis<Method>(platform, table, variant);
  } else {
    return takt::analysis::detail::make_analysis<Method>(platform, table);
  }
}

/// What the published analysis says under a plan, also where that serves no task with kernels.
template <class P, class T, std::size_t N>
auto summary_of(const P& platform, const T& set, const takt::plan<N>& plan,
                takt::analysis::rtgpu_variant variant = takt::analysis::rtgpu_published)
    -> takt::report::verdict_summary {
  const auto table = takt::planned_table(platform, set, plan);
  auto a = analysis_of<takt::analysis::method_of<P, takt::chain_methods>>(platform, table, variant);
  auto verdict = takt::analysis::detail::verdict_of(a, takt::analysis::evaluate_all(a, plan));
  takt::complete_plan(platform, table, plan, verdict.plan);
  if (!verdict.schedulable() && !takt::analysis::find_proven_misses(table, platform.record()).empty()) {
    verdict.status = takt::verdict_status::unschedulable;
  }
  return takt::report::summarize(platform, set, verdict);
}

auto contains(const std::string& text, std::string_view part) -> bool { return text.find(part) != std::string::npos; }

constexpr auto camera =
    takt::task("camera", takt::period(33_ms), takt::deadline(30_ms), takt::cpu(2_ms), takt::copy(500_us),
               takt::kernel(takt::work(12_ms), takt::interleave(1)), takt::cpu(1_ms));
constexpr auto lidar = takt::task("lidar", takt::period(50_ms), takt::cpu(4_ms), takt::copy(1500_us),
                                  takt::kernel(takt::work(20_ms), takt::interleave(1)), takt::cpu(3_ms));

TEST_CASE("explanation of a task that meets its deadline lists every part, longest first") {
  const auto v = summary_of(board, takt::task_set(camera, lidar), takt::dedicate(2, 1));
  CHECK(takt::report::explain_task(v, 0) ==
        "camera meets its deadline of 30ms: a job takes at most 8ms, which leaves 22ms. Of that bound,\n"
        "    3ms for its own work on the CPU\n"
        "    3ms for its own kernels on 2 SMs\n"
        "  1.5ms for copies of lidar that are under way and cannot be interrupted\n"
        "  500us for its own copies\n");
  const std::string second = takt::report::explain_task(v, 1);
  CHECK(contains(second, "10ms for its own kernels on 1 SM\n"));
  CHECK(contains(second, "for work of camera on the CPU, which goes first\n"));
  CHECK(contains(second, "for copies of camera, which go first\n"));
}

TEST_CASE("explanation of a task without bound names the largest part and the excess; lower tasks were not judged") {
  const auto hog = takt::task("hog", takt::period(60_ms), takt::cpu(53_ms));
  const auto below = takt::task("below", takt::period(90_ms), takt::cpu(1_ms));
  const auto v = summary_of(board, takt::task_set(camera, hog, below), takt::dedicate(2, 0, 0));
  CHECK(v.status == takt::verdict_status::not_proven);
  CHECK(takt::report::explain_task(v, 1) ==
        "hog is not proven to meet its deadline of 60ms: no bound of at most 60ms is found. In a window of 60ms, up to "
        "62ms "
        "may be asked for before it is done, 2ms too much. The largest part is 53ms for its own work on the CPU. All "
        "parts:\n"
        "  53ms for its own work on the CPU\n"
        "   9ms for work of camera on the CPU, which goes first\n");
  CHECK(takt::report::explain_task(v, 2) ==
        "below was not judged: its bound would rest on hog, of higher priority, meeting its deadline.\n");
}

TEST_CASE("explanation of a task without deadline tells a bound from a response that holds only without late jobs") {
  takt::report::verdict_summary v;
  takt::report::task_summary& log = v.tasks.emplace_back();
  log.name = "log";
  log.limited = false;
  log.bound = {27, true};
  log.meets = true;
  CHECK(takt::report::explain_task(v, 0).starts_with("log has no deadline: a job takes at most 27ns"));
  log.meets = false;
  CHECK(takt::report::explain_task(v, 0) ==
        "log has no deadline, and no bound is known: a job takes at most 27ns if all jobs end within their periods.\n");
}

TEST_CASE("explanation of a bound above the deadline says by how much") {
  const auto tight = takt::task("tight", takt::period(60_ms), takt::deadline(10_ms), takt::cpu(4_ms), takt::copy(1_ms),
                                takt::kernel(takt::work(8_ms), takt::interleave(1)), takt::cpu(1_ms));
  const auto v = summary_of(board, takt::task_set(tight, lidar), takt::dedicate(1, 1));
  const std::string text = takt::report::explain_task(v, 0);
  CHECK(contains(text,
                 "tight is not proven to meet its deadline of 10ms: its bound is 11.5ms, 1.5ms above it. The largest "
                 "part is 5ms for its own work on the CPU."));
}

TEST_CASE("explanation of a task without SMs") {
  const auto v = summary_of(board, takt::task_set(camera, lidar), takt::dedicate(0, 1));
  CHECK(contains(takt::report::explain_task(v, 0), "it has kernels, and the plan gives it no SM.\n"));
}

TEST_CASE("explanation of every proof of a miss has its figures") {
  const auto impossible =
      takt::task("impossible", takt::period(50_ms), takt::deadline(20_ms), takt::cpu(15_ms),
                 takt::kernel(takt::work(32_ms), takt::interleave(1), takt::overhead(10_ms)), takt::cpu(1_ms));
  auto v = summary_of(board, takt::task_set(impossible), takt::dedicate(1));
  CHECK(v.status == takt::verdict_status::unschedulable);
  CHECK(contains(takt::report::explain_task(v, 0),
                 "A job of impossible that has the board to itself can take 28.75ms, 8.75ms more than its deadline of "
                 "20ms.\n"));
  const auto sentence = [&v](takt::miss_reason reason, takt::ticks value, takt::ticks limit = 1'000'000) {
    return takt::report::explain_miss(
        v, {.reason = reason, .task = 0, .index = 1, .value = value, .limit = limit, .method = "rtgpu"});
  };
  using takt::miss_reason;
  CHECK(sentence(miss_reason::synchronous_release, 21'000'000, 20'000'000) ==
        "A job of impossible that is released together with those before it on core 1 takes at least 21ms, 1ms more "
        "than its deadline of 20ms.");
  CHECK(sentence(miss_reason::core_overloaded, 1'250'000) == "Core 1 can be asked for 125% of its time.");
  CHECK(sentence(miss_reason::processors_overloaded, 4'200'000, 4'000'000) ==
        "The cores can be asked for 105% of their time.");
  CHECK(sentence(miss_reason::copy_engine_overloaded, 1'000'001) ==
        "Copy engine 1 can be asked for 100.0001% of its time.");
  CHECK(sentence(miss_reason::gpu_overloaded, 2'005'000) == "The kernels can ask for 200.5% of the time of all SMs.");
  CHECK(sentence(miss_reason::kernels_overloaded, 2'500'000, 2'000'000) ==
        "The kernels, served 2 at a time, can ask for 125% of the time that there is.");
  CHECK(sentence(miss_reason::more_gpu_tasks_than_sms, 5, 4) ==
        "5 tasks have kernels, and only 4 of them can have SMs of their own.");
  CHECK(sentence(miss_reason::known_method, 0, 0) == "The analysis rtgpu finds a deadline that is missed.");
}

TEST_CASE("explanation of a whole verdict goes down the priorities") {
  const auto v = summary_of(board, takt::task_set(lidar, camera), takt::dedicate(1, 2));
  std::ostringstream out;
  takt::report::explain(out, v);
  const std::string text = out.str();
  CHECK(text.starts_with("Every task is proven to meet its deadline (rtgpu).\n"));
  CHECK(text.find("\ncamera meets") < text.find("\nlidar meets"));
}

TEST_CASE("explanation covers the baselines") {
  constexpr auto spinning = takt::platform(takt::pool(takt::processors(1), takt::busy_waiting(takt::fixed_priority)),
                                           takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                           takt::pool(takt::virtual_sms(4, 2), takt::federated));
  constexpr auto serial = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                         takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                         takt::pool(takt::virtual_sms(4, 2), takt::serialized(takt::federated)));
  constexpr auto locked = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority),
                                         takt::pool(takt::copy_engines(1), takt::nonpreemptive(takt::fixed_priority)),
                                         takt::pool(takt::virtual_sms(4, 2), takt::serialized(takt::whole_gpu)));
  const auto set = takt::task_set(camera, lidar);
  CHECK(contains(takt::report::explain_task(summary_of(spinning, set, takt::dedicate(2, 1)), 0),
                 "1.5ms for copies of lidar that are under way"));
  CHECK(contains(takt::report::explain_task(summary_of(serial, set, takt::dedicate(2, 1)), 0),
                 "11.5ms for kernels of lidar that are under way"));
  CHECK(contains(takt::report::explain_task(summary_of(locked, set, takt::dedicate(4, 4)), 0),
                 "4ms for kernels of lidar that are under way"));
}

}  // namespace
