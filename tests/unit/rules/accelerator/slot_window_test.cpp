// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <takt/core/number.hpp>
#include <takt/model/accelerator.hpp>
#include <takt/rules/accelerator/slot_window.hpp>
#include "support/traces.hpp"

TEST_CASE("the window of a slot is open when a walk over all instants says so, and names its next edge" *
          takt_tests::traces("AP-15")) {
  using takt::ticks;
  for (ticks period = 1; period <= 7; ++period) {
    for (ticks offset = 0; offset < period; ++offset) {
      for (ticks budget = 0; budget <= period; ++budget) {
        for (ticks guard = 0; guard <= 2; ++guard) {
          const takt::detail::slot_window<ticks> window{{.offset = offset, .budget = budget, .period = period}, guard};
          const auto open = [&](ticks t) {
            bool inside = false;
            for (ticks k = -1; k <= t; ++k) {
              const ticks begin = offset + k * period;
              inside = inside || (begin <= t && t < begin + budget - guard);
            }
            return inside;
          };
          for (ticks t = 0; t < 3 * period; ++t) {
            CAPTURE(period);
            CAPTURE(offset);
            CAPTURE(budget);
            CAPTURE(guard);
            CAPTURE(t);
            CHECK(window.is_open(t) == open(t));
            ticks edge = t + 1;
            while (edge <= t + period && open(edge) == open(edge - 1)) { ++edge; }
            CHECK(window.until_edge(t) == (edge <= t + period ? edge - t : 0));
          }
        }
      }
    }
  }
}
