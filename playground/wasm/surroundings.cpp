// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "failure.hpp"
#include "large_stack.hpp"
#include "png_file.hpp"
#include "process.hpp"
#include "text_file.hpp"
#include "tty.hpp"

// What program/host asks of a system, where there is none.

namespace takt::program {

/// There is one stack, and the linker makes it large.
void on_large_stack(const std::function<void()>& f) { f(); }

void prepare_process() {}
void on_stack_of_a_program(const std::function<void()>& f) { f(); }

/// Files are in memory, and there are no links.
auto is_same_file(const std::string& a, const std::string& b) -> bool { return a == b; }
void try_file(const std::string& /*path*/) {}
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file{path, std::ios::binary};
  if (file) { write(file); }
  file.close();
  if (!file) { throw environment_error{fmt::format("{}: cannot be written ({})", path, std::strerror(errno))}; }
}

/// Who looks at a page wants no progress among the lines of errors.
auto is_terminal(int /*descriptor*/) -> bool { return false; }
auto terminal_width() -> std::size_t { return 0; }

auto png_maker_is_installed() -> bool { return false; }
void write_png(const std::string& /*path*/, const std::function<void(std::ostream&)>& /*draw*/) {}

}  // namespace takt::program
