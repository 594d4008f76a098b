// SPDX-License-Identifier: Apache-2.0
#include "../terminal_width.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace takt::program {

auto terminal_width() -> std::size_t {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace takt::program
