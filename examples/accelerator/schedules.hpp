// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

namespace takt::pictures {

/// Runs the kernels of Example 1 in the two slots of Example 2 and then event by event. Prints the worst responses of
/// both and draws both schedules, one above the other. False when a run fails.
[[nodiscard]] auto draw_schedules(std::ostream& table, std::ostream& svg) -> bool;

}  // namespace takt::pictures
