// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace takt::program {

/// What scripts read. The numbers are part of the program's contract.
enum class exit_code : std::uint8_t { ok = 0, missed = 1, not_proven = 2, invalid_input = 3, environment = 4 };

}  // namespace takt::program
