// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "tty.hpp"

namespace takt::program {

namespace {
using namespace std::chrono_literals;
}

progress::progress(std::string_view what)
    : what_{what}, watched_{is_terminal(STDERR_FILENO)}, next_{std::chrono::steady_clock::now() + 500ms} {}

progress::~progress() {
  if (shown_) { fmt::print(stderr, "\r\x1b[K"); }
}

void progress::show(std::uint64_t done, std::uint64_t of) {
  if (!watched_ || std::chrono::steady_clock::now() < next_) { return; }
  shown_ = true;
  next_ = std::chrono::steady_clock::now() + 100ms;
  if (of == 0) {
    fmt::print(stderr, "\r{}: {}\x1b[K", what_, done);
  } else {
    fmt::print(stderr, "\r{}: {} of {} ({} %)\x1b[K", what_, done, of, done * 100 / of);
  }
  (void)std::fflush(stderr);
}

}  // namespace takt::program
