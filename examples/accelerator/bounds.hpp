// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

namespace takt::pictures {

/// Theorem 5: two sets, each accepted by one of the tests of Theorems 3 and 4 and rejected by the other.
void draw_bounds(std::ostream& svg);

}  // namespace takt::pictures
