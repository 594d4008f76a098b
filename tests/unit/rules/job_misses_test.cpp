// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include <takt/host/engine.hpp>
#include <takt/model/platform.hpp>
#include <takt/model/visit_table.hpp>
#include <takt/rules/board_stations.hpp>
#include <takt/rules/priority_order.hpp>
#include <takt/takt.hpp>

namespace {

using takt::miss_action;
using takt::ticks;

/// Periodic jobs at 0 that take all their time.
struct minded {
  miss_action what = miss_action::late;
  bool minds = true;
  int heard = 0;

  static constexpr auto gap(std::uint32_t /*task*/, std::uint64_t job, ticks period) -> ticks {
    return job == 0 ? 0 : period;
  }
  static constexpr auto delay(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*period*/) -> ticks { return 0; }
  static constexpr auto length(const takt::visit_record& v, std::uint64_t /*job*/) -> ticks { return v.upper; }
  [[nodiscard]] constexpr auto minds_misses() const -> bool { return minds; }
  constexpr auto missed(std::uint32_t /*task*/, std::uint64_t /*job*/, ticks /*deadline*/) -> miss_action {
    ++heard;
    return what;
  }
};

struct outcome {
  ticks end = 0;
  int heard = 0;
  std::uint64_t completed[2]{};
  std::uint64_t misses[2]{};
};

/// The second task has 8 of 10 left for 9: two visits, of 4 and of 5.
constexpr auto run(miss_action what, bool minds = true) -> outcome {
  takt::visit_table<2, 3> jobs;
  static_cast<void>(jobs.add_task({.name = "urgent", .period = 5, .deadline = 5, .priority = 1}));
  static_cast<void>(jobs.add_next(0, 1, 1));
  static_cast<void>(jobs.add_task({.name = "long", .period = 10, .deadline = 10, .priority = 2}));
  static_cast<void>(jobs.add_next(0, 4, 4));
  static_cast<void>(jobs.add_next(0, 5, 5));
  const auto board = takt::platform(takt::pool(takt::processors(1), takt::deadline_monotonic));
  takt::board_stations<std::remove_cvref_t<decltype(board)>, 1> stations{board};
  static_cast<void>(stations.number_of({}));
  minded choices{.what = what, .minds = minds};
  takt::host::engine<decltype(stations), 2, 3, minded> engine{jobs, stations, choices};
  const auto seen = engine.run(30);
  outcome out{.end = seen.end, .heard = choices.heard};
  for (std::size_t i = 0; i < 2; ++i) {
    out.completed[i] = seen.tasks[i].completed;
    out.misses[i] = seen.tasks[i].misses;
  }
  return out;
}

static_assert(run(miss_action::stop).end == 10);

}  // namespace

TEST_CASE("jobs on processors run on at a miss, and each miss is counted once, whether or not anybody minds") {
  for (const bool minds : {false, true}) {
    const outcome late = run(miss_action::late, minds);
    CHECK(late.end == 30);
    CHECK(late.completed[1] == 2);  // at 12 and 23
    CHECK(late.misses[1] == 3);
    CHECK(late.completed[0] == 6);
    CHECK(late.misses[0] == 0);
    CHECK(late.heard == (minds ? 3 : 0));
  }
}

TEST_CASE("a job that is dropped at a miss gives its processor back, and the next one begins at once") {
  const outcome dropped = run(miss_action::abort);
  CHECK(dropped.completed[1] == 0);
  CHECK(dropped.misses[1] == 3);
  CHECK(dropped.completed[0] == 6);
  CHECK(dropped.end == 30);
}

TEST_CASE("a run that ends at a miss ends at the deadline, and what is under way counts as released") {
  const outcome stopped = run(miss_action::stop);
  CHECK(stopped.end == 10);
  CHECK(stopped.heard == 1);
  CHECK(stopped.completed[0] == 2);
  CHECK(stopped.misses[1] == 1);
}
