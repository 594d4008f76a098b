// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include "standard_error.hpp"
#include "tty.hpp"

namespace takt::program {

namespace {
using namespace std::chrono_literals;
}

progress::progress(std::string_view what)
    : what_{what}, watched_{is_terminal(STDERR_FILENO)}, next_{std::chrono::steady_clock::now() + 500ms} {}

progress::~progress() {
  if (shown_) { say_aside("\r\x1b[K"); }
}

void progress::show(std::uint64_t done, std::uint64_t of) {
  if (!watched_ || std::chrono::steady_clock::now() < next_) { return; }
  shown_ = true;
  next_ = std::chrono::steady_clock::now() + 100ms;
  if (of == 0) {
    say_aside("\r{}: {}\x1b[K", what_, done);
  } else {
    say_aside("\r{}: {} of {} ({} %)\x1b[K", what_, done, of, done * 100 / of);
  }
}

}  // namespace takt::program
