// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/take.hpp>

#include <takt/core/random.hpp>
#include <takt/report/trace_queries.hpp>
#include <takt/simulation/trace.hpp>

namespace {

namespace views = takt::views;
using takt::mark;
using takt::mark_kind;
using takt::slice;
using takt::stage;
using takt::ticks;
using takt::track;

constexpr track core{stage::cpu, 0, 0, 1};
constexpr track sm{stage::kernel, 0, 0, 1};
using times = std::vector<ticks>;

auto recorded() -> takt::trace {
  takt::trace out;
  out.record(slice{0, 0, 0, core, 0, 10});
  out.record(slice{0, 1, 0, sm, 10, 30});
  out.record(slice{1, 0, 0, core, 10, 15});
  out.record(slice{0, 0, 1, core, 40, 45});
  out.record(mark{mark_kind::release, 0, 0, 0});
  out.record(mark{mark_kind::completion, 0, 0, 30});
  out.record(mark{mark_kind::deadline, 0, 0, 25});
  out.record(mark{mark_kind::miss, 0, 0, 25});
  out.record(mark{mark_kind::release, 0, 1, 40});
  out.record(mark{mark_kind::release, 1, 0, 5});
  out.record(mark{mark_kind::completion, 1, 0, 15});
  return out;
}
auto seen_of(const takt::trace& t) -> takt::report::trace_view { return {t.slices(), t.marks()}; }

}  // namespace

TEST_CASE("queries of a trace compose with each other and with views of the library") {
  const takt::trace t = recorded();
  CHECK((t.slices() | views::of_task(0) | views::slices_on(core) | views::lengths | ranges::to<times>) == times{10, 5});
  CHECK((t.slices() | views::slices_on(stage::kernel) | views::lengths | ranges::to<times>) == times{20});
  CHECK((t.slices() | views::of_visit(0, 1) | views::lengths | ranges::to<times>) == times{20});
  CHECK((t.slices() | views::of_job(0, 1) | views::lengths | ranges::to<times>) == times{5});
  CHECK((t.marks() | views::marks_of(mark_kind::release) | views::times | ranges::to<times>) == times{0, 40, 5});
  CHECK((t.marks() | views::misses | views::times | ranges::to<times>) == times{25});
  CHECK((t.marks() | views::marks_within(26, 40) | views::times | ranges::to<times>) == times{30, 40});
  CHECK(ranges::distance(t.slices() | views::slices_within(10, 40)) == 2);
  CHECK((t.slices() | views::lengths | ranges::views::take(1) | ranges::to<times>) == times{10});
}

TEST_CASE("jobs of a trace know their releases, first work, ends and deadlines") {
  const takt::trace t = recorded();
  const auto jobs = views::jobs(seen_of(t)) | ranges::to<std::vector<takt::traced_job>>;
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].task == 0);
  CHECK(jobs[0].response() == 30);
  CHECK(jobs[0].is_late());
  CHECK_FALSE(jobs[1].completed);
  CHECK(jobs[1].end == 45);
  CHECK(jobs[1].start == 40);
  CHECK(jobs[2].start == 10);
  CHECK((views::jobs(seen_of(t)) | views::response_times | ranges::to<times>) == times{30, 10});
  CHECK((views::jobs(seen_of(t)) | views::of_task(1) | views::response_times | ranges::to<times>) == times{10});
  CHECK(ranges::distance(views::jobs(seen_of(t)) | views::misses) == 1);
  CHECK(ranges::distance(views::jobs(takt::report::trace_view{})) == 0);
}

TEST_CASE("busy time counts each instant once, as ticks that are tried one by one say") {
  const takt::trace t = recorded();
  CHECK(views::busy_time(t.slices()) == 35);
  CHECK(views::busy_time(t.slices() | views::slices_on(core)) == 20);
  CHECK(views::busy_time(std::vector<slice>{}) == 0);
  takt::random_stream random{7};
  for (int round = 0; round < 200; ++round) {
    std::vector<slice> some;
    std::vector<bool> busy(60);
    for (ticks i = random.between(0, 8); i > 0; --i) {
      const ticks start = random.between(0, 40);
      const ticks end = start + random.between(0, 15);
      some.push_back({0, 0, 0, core, start, end});
      for (ticks x = start; x < end; ++x) { busy[static_cast<std::size_t>(x)] = true; }
    }
    CHECK(views::busy_time(some) == std::ranges::count(busy, true));
  }
}
