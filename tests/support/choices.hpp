// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

namespace takt_test {

/// Expects a door to refuse exactly the numbers that an enumeration does not name. `named` of them, from 0 on, are.
/// `refuses(e)` says whether the door refuses e as an unknown choice.
template <class E, class Refuses>
void expect_only_named(int named, const Refuses& refuses) {
  for (const int number : {0, 1, 2, 3, 4, 5, 9, 100, 255}) {
    CAPTURE(number);
    CHECK(refuses(static_cast<E>(number)) == (number >= named));
  }
}

}  // namespace takt_test
