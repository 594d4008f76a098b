// SPDX-License-Identifier: Apache-2.0
// Code is bound by the names of tasks and segments.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <type_traits>

#include <takt/simulation/trace.hpp>
#include <takt/systems/methods.hpp>
#include <takt/systems/run.hpp>
#include <takt/takt.hpp>

using namespace takt::literals;

namespace {

struct npu {};

constexpr auto tasks =
    takt::task_set(takt::task("camera", takt::period(20_ms), takt::named("decode", takt::cpu(2_ms)), takt::copy(500_us),
                              takt::named("detect", takt::kernel(takt::work(4_ms), takt::interleave(1))),
                              takt::copy(100_us), takt::cpu(1_ms)),
                   takt::task("plan", takt::period(40_ms), takt::cpu(1_ms),
                              takt::named("infer", takt::visit<npu>(takt::takes(2_ms))), takt::cpu(1_ms)));
constexpr auto board = takt::platform(
    takt::pool(takt::processors(2), takt::edf), takt::pool(takt::copy_engines(1), takt::fifo),
    takt::pool(takt::virtual_sms(4, 2), takt::federated), takt::pool(npu{}, takt::nonpreemptive(takt::edf)));

}  // namespace

TEST_CASE("a segment is called as it is named, else by its kind and its number among those of that kind") {
  static_assert(takt::detail::find_segment<tasks>("camera", "decode").visit_at == 0);
  static_assert(takt::detail::find_segment<tasks>("camera", "copy").visit_at == 1);
  static_assert(takt::detail::find_segment<tasks>("camera", "detect").visit_at == 2);
  static_assert(takt::detail::find_segment<tasks>("camera", "copy 2").visit_at == 3);
  static_assert(takt::detail::find_segment<tasks>("camera", "cpu 2").visit_at == 4);
  static_assert(takt::detail::find_segment<tasks>("plan", "infer").task == 1);
  static_assert(takt::detail::find_segment<tasks>("plan", "infer").visit_at == 1);
  static_assert(takt::detail::find_segment<tasks>("camera", "detect").on_processor == false);
  static_assert(takt::detail::find_segment<tasks>("camera", "decode").on_processor);
  for (const char* wrong : {"cpu 0", "cpu 3", "cpu2", "cpu x", "cpu ", "cpu 02x", "infer", ""}) {
    CAPTURE(wrong);
    takt::detail::segment_finder finder{"camera", wrong};
    takt::visit_source<std::remove_cvref_t<decltype(tasks)>>::each(tasks, finder);
    CHECK(finder.found == 0);
  }
}

TEST_CASE("bound code runs in place of its segments, once per job") {
  std::atomic<std::uint64_t> decoded{0};
  std::atomic<std::uint64_t> detected{0};
  std::atomic<std::uint64_t> inferred{0};
  const auto code = takt::codes<tasks>(
      takt::bind<"camera", "decode">([&](std::uint64_t /*job*/) { ++decoded; }),
      takt::bind<"camera", "detect">([&](std::uint64_t /*job*/, takt::runtime::pause_point& /*here*/) { ++detected; }),
      takt::bind<"plan", "infer">([&](std::uint64_t /*job*/, takt::runtime::pause_point& /*here*/) { ++inferred; }));
  CHECK(code.processors().size() == 1);
  CHECK(code.units().size() == 2);
  takt::trace seen;
  const auto verdict = takt::analyze(board, tasks, takt::published_methods);
  const auto run = takt::run(board, tasks, verdict.plan, {.length = 200_ms, .drain = 1_s}, seen, code);
  REQUIRE_FALSE(run.error);
  CHECK(run.tasks[0].completed == 10);
  CHECK(decoded == run.tasks[0].completed);
  CHECK(detected == run.tasks[0].completed);
  CHECK(inferred == run.tasks[1].completed);
  CHECK_FALSE(seen.slices().empty());
}
