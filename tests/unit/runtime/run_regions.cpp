// SPDX-License-Identifier: Apache-2.0
#include <takt/report/trace_queries.hpp>
#include <takt/runtime/executor/run.hpp>

#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <takt/allocation/analyze.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/takt.hpp>

namespace {

namespace rt = takt::runtime;
using namespace takt::literals;

constexpr auto one_core = takt::platform(takt::pool(takt::processors(1), takt::fixed_priority));

auto plain() -> rt::run_options {
  rt::run_options out;
  out.length = 600_ms;
  out.real_time = out.pin_to_cores = out.lock_memory = false;
  out.lengths = rt::length_choice::upper;
  return out;
}

/// In how many pieces the first job of the second task runs, and how many of them end 5 ms after a job has come that is
/// more important, as one does every 10 ms.
struct pieces {
  std::size_t count = 0;
  std::size_t behind_regions = 0;
};
template <class Segment>
auto pieces_of(const Segment& logging, const rt::visit_codes& codes = {}) -> pieces {
  const auto tasks = takt::task_set(takt::task("control", takt::period(10_ms), takt::cpu(1_ms)),
                                    takt::task("logging", takt::period(1000_ms), logging));
  takt::trace seen;
  const auto ran = rt::run(one_core, tasks, takt::plan<2, 2>{}, plain(), seen, codes);
  REQUIRE_FALSE(ran.error);
  pieces out;
  for (const takt::slice& s : seen.slices() | takt::views::of_task(1)) {
    if (s.job != 0) { continue; }
    ++out.count;
    out.behind_regions += (s.end + 1) % (10_ms).count() == (5_ms).count() ? 1U : 0U;
  }
  return out;
}

}  // namespace

TEST_CASE("a thread keeps its processor for the non-preemptive region of its segment") {
  CHECK(pieces_of(takt::cpu(24_ms)).count > 1);
  CHECK(pieces_of(takt::cpu(24_ms, takt::nonpreemptive_region(24_ms))).count <= 1);
  // Each more important job comes into a region of its own.
  const pieces partly = pieces_of(takt::cpu(24_ms, takt::nonpreemptive_region(5_ms)));
  CHECK(partly.count > 1);
  CHECK(partly.behind_regions + 1 >= partly.count);
}

TEST_CASE("so does code") {
  rt::visit_codes codes;
  codes.cpu(1, 0, [](std::uint64_t) {
    const auto end = rt::now() + (24_ms).count();
    while (rt::now() < end) {}
  });
  CHECK(pieces_of(takt::cpu(24_ms, takt::nonpreemptive_region(24_ms)), codes).count <= 1);
}
