// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/host/visit_windows.hpp>
#include <takt/model/visit_table.hpp>

namespace {

using takt::ticks;
using table = takt::visit_table<2, 8>;

/// Stations of which the second lets visits start early.
struct stations {
  [[nodiscard]] constexpr auto starts_early(std::size_t s) const noexcept -> bool { return s == 1; }
};

/// Five visits in a row, of which the second to the fourth hold a token; the first and the last are on station 1.
auto chain() -> table {
  table t;
  REQUIRE(t.add_task({.name = "a", .period = 100, .deadline = 100, .jitter = 3}));
  for (const std::uint32_t station : {1U, 0U, 0U, 0U, 1U}) { REQUIRE(t.add_next(station, 0, 5)); }
  return t;
}

constexpr std::array<ticks, 5> offsets{3, 20, 40, 60, 80};
constexpr std::array<ticks, 5> deadlines{10, 20, 20, 20, 20};

}  // namespace

TEST_CASE("visits are held back until their offsets, those of a section by the request for its token only") {
  table t = chain();
  REQUIRE(t.sections.try_push_back({.task = 0, .visits = 0b01110}));
  const takt::host::visit_windows<8> windows(t, stations{}, offsets, deadlines);
  CHECK(windows.opens[0] == 0);  // starts early, and counts from its offset
  CHECK(windows.counts_from[0] == 3);
  CHECK(windows.opens[1] == 13);  // asks when the first is due
  CHECK(windows.opens[2] == 0);
  CHECK(windows.opens[3] == 0);
  CHECK(windows.opens[4] == 0);
  CHECK(windows.counts_from[4] == 80);
  for (const std::size_t v : {1U, 2U, 3U}) { CHECK(windows.counts_from[v] == 0); }
}

TEST_CASE("where a section is on a station that starts early, what is beside it there keeps its offset") {
  table t = chain();
  REQUIRE(t.sections.try_push_back({.task = 0, .visits = 0b10000}));
  const takt::host::visit_windows<8> windows(t, stations{}, offsets, deadlines);
  CHECK(windows.opens[0] == 3);
  CHECK(windows.counts_from[0] == 0);
  CHECK(windows.opens[1] == 20);
  CHECK(windows.opens[4] == 80);  // asks when the fourth is due
}

TEST_CASE("without guards nothing is held back") {
  const takt::host::visit_windows<8> windows(chain(), stations{}, std::span<const ticks>{}, {});
  for (std::size_t v = 0; v < 5; ++v) {
    CHECK(windows.opens[v] == 0);
    CHECK(windows.counts_from[v] == 0);
  }
}
