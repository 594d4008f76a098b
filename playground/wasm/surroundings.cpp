// SPDX-License-Identifier: Apache-2.0
#include "large_stack.hpp"
#include "png_file.hpp"
#include "tty.hpp"

// What examples/takt/host asks of a system, where there is none.

namespace takt::program {

/// There is one stack, and the linker makes it large.
void on_large_stack(const std::function<void()>& f) { f(); }

/// Who looks at a page wants no progress among the lines of errors.
auto is_terminal(int /*descriptor*/) -> bool { return false; }
auto terminal_width() -> std::size_t { return 0; }

auto png_maker_is_installed() -> bool { return false; }
void write_png(const std::string& /*path*/, const std::function<void(std::ostream&)>& /*draw*/) {}

}  // namespace takt::program
