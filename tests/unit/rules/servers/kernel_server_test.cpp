// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <takt/rules/accelerator/level_stack.hpp>
#include <takt/rules/servers/context_server.hpp>
#include <takt/rules/servers/kernel_needs.hpp>
#include <takt/rules/servers/kernel_server.hpp>
#include <takt/rules/servers/turn_server.hpp>
#include <takt/rules/servers/unit_server.hpp>

#include "support/broken_precondition.hpp"

namespace {

using takt_test::breaks_precondition;
using stack = takt::level_stack<2, takt::limited_by_streams>;
using kernels = takt::kernel_server<stack, 1, 2>;

auto visit(takt::client who, takt::ticks length = 3) -> takt::visit_request {
  return {.who = who, .point = {static_cast<std::int64_t>(who), 0}, .length = length, .wcet = length};
}

TEST_CASE("a kernel that has ended leaves its place to another one") {
  kernels server{stack{2}};
  server.arrive(visit(5));
  server.arrive(visit(6));
  server.decide(0, {});
  CHECK(server.next() == 3);
  CHECK(server.fire(3, {}) == 5);
  server.arrive(visit(7));
  server.decide(3, {});
  CHECK(server.next() == 6);
  CHECK(server.fire(6, {}) == 6);
  server.decide(6, {});
  CHECK(server.fire(9, {}) == 7);
}

#if TAKT_PRECONDITIONS >= 1
template <class Server>
auto takes(Server server, std::uint32_t visits) -> bool {
  return !breaks_precondition([&] {
    for (takt::client who = 0; who < visits; ++who) { server.arrive(visit(who)); }
  });
}

TEST_CASE("no server takes more visits than it has places for") {
  takt::queue_position places[3]{};
  CHECK(takes(kernels{stack{2}}, 2));
  CHECK_FALSE(takes(kernels{stack{2}}, 3));
  CHECK(takes(takt::unit_server<true, 2>{1}, 2));
  CHECK_FALSE(takes(takt::unit_server<true, 2>{1}, 3));
  CHECK(takes(takt::dedicated_server<2>{1}, 2));
  CHECK_FALSE(takes(takt::dedicated_server<2>{1}, 3));
  CHECK(takes(takt::time_slice_server<2>{{.slice = 1}}, 2));
  CHECK_FALSE(takes(takt::time_slice_server<2>{{.slice = 1}}, 3));
  CHECK(takes(takt::turn_server<2>{1, 1, places}, 2));
  CHECK_FALSE(takes(takt::turn_server<2>{1, 1, places}, 3));
}

TEST_CASE("a kernel that takes no time is none, and a server has a unit") {
  CHECK(breaks_precondition([] {
    kernels server{stack{2}};
    server.arrive(visit(0, 0));
  }));
  CHECK(breaks_precondition([] { const takt::unit_server<true, 2> server{0}; }));
  CHECK(breaks_precondition([] { const stack none{0}; }));
}
#endif

}  // namespace
