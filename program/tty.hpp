// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace takt::program {

/// Whether what is written to a descriptor appears on a terminal.
[[nodiscard]] auto is_terminal(int descriptor) -> bool;

/// Of the terminal that is standard output, in columns; 0 where it is not known.
[[nodiscard]] auto terminal_width() -> std::size_t;

}  // namespace takt::program
