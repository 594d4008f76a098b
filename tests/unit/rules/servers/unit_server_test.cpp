// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <vector>

#include <takt/rules/servers/unit_server.hpp>

namespace {

using takt::client;
using takt::ticks;

constexpr client low = 0;
constexpr client high = 1;
constexpr client middle = 2;

struct slice {
  client who;
  std::int32_t unit;
  ticks from;
  ticks to;

  [[nodiscard]] friend auto operator==(const slice&, const slice&) -> bool = default;
};

/// A server with a clock: everything that happens by itself up to an instant happens before somebody comes then.
struct timed_server {
  explicit timed_server(std::int32_t units) : server{units} {}

  void arrive(ticks now, client who, ticks length, ticks region = 0) {
    pass(now);
    server.arrive({.who = who,
                   .point = {who == high     ? 0
                             : who == middle ? 1
                                             : 2,
                             0},
                   .length = length,
                   .region = region});
    server.decide(now, sink());
  }
  void pass(ticks until) {
    for (ticks now = server.next(); now <= until; now = server.next()) {
      while (server.next() == now && server.fire(now, sink()) != takt::no_client) {}
      server.decide(now, sink());
      if (now == takt::no_event) { return; }
    }
  }
  [[nodiscard]] auto sink() -> takt::slice_sink {
    return {&slices, [](void* to, client who, std::int32_t unit, ticks from, ticks end) {
              static_cast<std::vector<slice>*>(to)->push_back({who, unit, from, end});
            }};
  }

  takt::unit_server<true, 4> server;
  std::vector<slice> slices;
};

}  // namespace

TEST_CASE("a region begins one tick before somebody more important comes") {
  timed_server s{1};
  s.arrive(0, low, 10, 4);
  s.arrive(2, high, 3);
  s.pass(20);
  CHECK(s.slices == std::vector<slice>{{low, 0, 0, 5}, {high, 0, 5, 8}, {low, 0, 8, 13}});
}

TEST_CASE("a visit that has just got its unit is in no region") {
  timed_server s{1};
  s.arrive(0, low, 10, 4);
  s.arrive(0, high, 3);
  s.pass(20);
  CHECK(s.slices == std::vector<slice>{{high, 0, 0, 3}, {low, 0, 3, 13}});
}

TEST_CASE("a region that spans a visit ends with it, however long it takes") {
  timed_server s{1};
  s.arrive(0, low, 10, takt::no_event);
  s.arrive(1, high, 3);
  s.pass(20);
  CHECK(s.slices == std::vector<slice>{{low, 0, 0, 10}, {high, 0, 10, 13}});
}

TEST_CASE("each time a visit comes back it may keep its unit anew") {
  timed_server s{1};
  s.arrive(0, low, 10, 3);
  s.arrive(1, high, 1);
  s.arrive(5, high, 1);
  s.pass(30);
  CHECK(s.slices ==
        std::vector<slice>{{low, 0, 0, 3}, {high, 0, 3, 4}, {low, 0, 4, 7}, {high, 0, 7, 8}, {low, 0, 8, 12}});
}

TEST_CASE("who comes when a region ends gets the unit") {
  timed_server s{1};
  s.arrive(0, low, 10, 3);
  s.arrive(2, high, 1);
  s.server.finish(high, 3, s.sink());
  s.arrive(4, middle, 2);
  s.pass(30);
  CHECK(s.slices == std::vector<slice>{{low, 0, 0, 4}, {middle, 0, 4, 6}, {low, 0, 6, 12}});
}

TEST_CASE("of several units, one outside of regions is taken at once, else the first one that leaves its region") {
  timed_server s{2};
  s.arrive(0, low, 10, 6);
  s.arrive(0, middle, 10);
  s.arrive(2, high, 1);
  s.pass(30);
  CHECK(s.slices == std::vector<slice>{{middle, 1, 0, 2}, {high, 1, 2, 3}, {low, 0, 0, 10}, {middle, 1, 3, 11}});
  timed_server both{2};
  both.arrive(0, low, 10, 6);
  both.arrive(0, middle, 10, 3);
  both.arrive(2, high, 1);
  both.pass(30);
  CHECK(both.slices == std::vector<slice>{{middle, 1, 0, 4}, {high, 1, 4, 5}, {low, 0, 0, 10}, {middle, 1, 5, 11}});
}
