// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/core/random.hpp>
#include <takt/host/void_bounds.hpp>

namespace {

using takt::ticks;
using takt::host::time_span;
using takt::host::void_bounds;
constexpr std::size_t stations = 3;

/// A job at a station for a time, that was late from an instant on, or in time.
struct visit {
  std::size_t station = 0;
  ticks begin = 0;
  ticks end = 0;
  ticks late_from = -1;
};

/// Whether bounds are void just after each instant, from the visits alone: since something was late, until each
/// station has been empty at some time from when that was there.
[[nodiscard]] auto truth_of(const std::vector<visit>& all, ticks end) -> std::vector<bool> {
  std::vector<bool> out(static_cast<std::size_t>(end), false);
  const auto is_empty = [&all](std::size_t s, ticks t) {
    return std::ranges::none_of(all, [&](const visit& v) { return v.station == s && v.begin <= t && t < v.end; });
  };
  for (const visit& l : all) {
    if (l.late_from < 0) { continue; }
    ticks clear = l.begin;
    for (std::size_t s = 0; s < stations; ++s) {
      ticks t = l.begin;
      while (!is_empty(s, t)) { ++t; }
      clear = std::max(clear, t);
    }
    for (ticks t = l.late_from; t < std::min(clear, end); ++t) { out[static_cast<std::size_t>(t)] = true; }
  }
  return out;
}

/// At each instant jobs first leave, and all that come are there before lateness is said.
[[nodiscard]] auto spans_of(const std::vector<visit>& all, ticks end, bool forgets_stations) -> std::vector<time_span> {
  void_bounds bounds{forgets_stations ? 1 : stations};
  const auto of = [&](const visit& v) { return forgets_stations ? 0 : v.station; };
  for (ticks now = 0; now < end; ++now) {
    for (const visit& v : all) {
      if (v.begin == now) { bounds.enters(of(v)); }
    }
    for (const visit& v : all) {
      if (v.end == now) { bounds.leaves(of(v), now); }
    }
    for (const visit& v : all) {
      if (v.begin == now && v.late_from >= 0) { bounds.late(v.late_from, now); }
    }
  }
  return bounds.until(end);
}

/// Instants at which what is said differs from the truth.
[[nodiscard]] auto differences(bool forgets_stations, std::uint64_t& void_instants) -> std::uint64_t {
  constexpr ticks end = 120;
  takt::random_stream random{3};
  std::uint64_t out = 0;
  for (int run = 0; run < 2'000; ++run) {
    std::vector<visit> all;
    for (std::size_t s = 0; s < stations; ++s) {
      for (ticks at = random.below(20); at < 90; at += random.between(1, 20)) {
        visit v{.station = s, .begin = at, .end = at + random.between(1, 14)};
        if (random.chance(1, 8)) { v.late_from = std::max<ticks>(0, at - random.below(12)); }
        all.push_back(v);
      }
    }
    std::vector<bool> said(static_cast<std::size_t>(end), false);
    ticks last = -1;
    for (const time_span& s : spans_of(all, end, forgets_stations)) {
      out += s.from <= last || s.to < s.from ? 1U : 0U;
      last = s.to;
      for (ticks t = s.from; t < s.to; ++t) { said[static_cast<std::size_t>(t)] = true; }
    }
    const auto truth = truth_of(all, end);
    for (std::size_t t = 0; t < said.size(); ++t) {
      out += said[t] != truth[t] ? 1U : 0U;
      void_instants += truth[t] ? 1U : 0U;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("bounds are void from what is late until each station has been empty") {
  void_bounds bounds{2};
  CHECK(bounds.until(5).empty());
  bounds.enters(0);
  bounds.enters(1);
  bounds.late(3, 7);
  CHECK(bounds.are_void());
  bounds.leaves(0, 9);
  CHECK(bounds.are_void());
  CHECK(bounds.until(10) == std::vector<time_span>{{3, 10}});
  bounds.enters(0);
  bounds.leaves(1, 12);
  CHECK_FALSE(bounds.are_void());
  bounds.still_late(13);
  CHECK(bounds.until(20) == std::vector<time_span>{{3, 12}});
  bounds.enters(1);
  bounds.late(11, 14);  // it turns out that they had been void before
  bounds.still_late(15);
  bounds.leaves(1, 16);
  CHECK(bounds.are_void());
  bounds.leaves(0, 17);
  CHECK(bounds.until(20) == std::vector<time_span>{{3, 17}});
  bounds.enters(0);
  bounds.still_late(17);  // at the instant at which they were to hold again
  CHECK(bounds.are_void());
  bounds.leaves(0, 17);
  bounds.late(18, 19);  // nothing is there any more
  CHECK(bounds.until(20) == std::vector<time_span>{{3, 17}, {18, 19}});
}

TEST_CASE("no void span reaches beyond the end of the run, whether it is open then or not") {
  void_bounds bounds{1};
  bounds.late(3, 7);
  bounds.enters(0);
  bounds.late(12, 15);
  CHECK(bounds.until(20) == std::vector<time_span>{{3, 7}, {12, 20}});
  CHECK(bounds.until(11) == std::vector<time_span>{{3, 7}});
  CHECK(bounds.until(5) == std::vector<time_span>{{3, 5}});
  bounds.leaves(0, 25);
  CHECK(bounds.until(30) == std::vector<time_span>{{3, 7}, {12, 25}});
  CHECK(bounds.until(20) == std::vector<time_span>{{3, 7}, {12, 20}});
  CHECK(bounds.until(2).empty());
}

TEST_CASE("when bounds are void is what follows from all visits of random runs") {
  std::uint64_t seen = 0;
  CHECK(differences(false, seen) == 0);
  CHECK(seen > 10'000);
}

TEST_CASE("the comparison of void bounds notices a machine that asks for an instant without any job") {
  std::uint64_t seen = 0;
  CHECK(differences(true, seen) > 0);
}

TEST_CASE("more void spans than are listed are joined to the last one") {
  void_bounds bounds{1};
  for (ticks t = 0; t < 2'000; ++t) { bounds.late(10 * t, 10 * t + 1); }
  const auto spans = bounds.until(30'000);
  REQUIRE(spans.size() == void_bounds::most_listed);
  CHECK(spans[void_bounds::most_listed - 2] == time_span{9'980, 9'981});
  CHECK(spans.back() == time_span{9'990, 19'991});
}
