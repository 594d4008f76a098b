// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/rules/servers/kernel_needs.hpp>

TEST_CASE("what rules of whole kernels read of a visit comes back from its values") {
  constexpr auto back = takt::kernel_needs_of(takt::kernel_needs{.cost = 7, .core = 3, .margin = -2}.values());
  CHECK(back.cost == 7);
  CHECK(back.core == 3);
  CHECK(back.margin == -2);
  // A visit that says nothing stops anywhere and is on no core of its own.
  CHECK(takt::kernel_needs_of({}).cost == 0);
  CHECK(takt::kernel_needs_of({}).core == takt::unassigned_core);
  CHECK(takt::kernel_needs{}.values() == takt::view_values{});
}
