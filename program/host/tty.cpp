// SPDX-License-Identifier: Apache-2.0
#include "../tty.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace takt::program {

auto is_terminal(int descriptor) -> bool { return isatty(descriptor) == 1; }

auto terminal_width() -> std::size_t {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace takt::program
