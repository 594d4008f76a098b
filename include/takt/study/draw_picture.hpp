// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include <sys/wait.h>

#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/picture_script.hpp>

namespace takt::studies {

/// Lets gnuplot draw a result. Throws `failure` when it is missing or the file cannot be written, and what
/// `picture_script` throws. Pre: as there.
inline void draw_picture(const result& r, const std::string& path) {
  const std::string script = picture_script(r, path);
  errno = 0;
  if (const std::ofstream file{path, std::ios::binary}; !file) {
    throw failure{report::text(path, ": cannot be written (", std::strerror(errno), ")")};
  }
  // Gnuplot may be gone before it has read everything: then its exit code tells.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::FILE* const pipe = popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot -", "w");
  if (pipe != nullptr) { (void)std::fwrite(script.data(), 1, script.size(), pipe); }
  const int status = pipe == nullptr ? -1 : pclose(pipe);
  (void)std::signal(SIGPIPE, before);
  if (pipe == nullptr) { throw failure{"gnuplot cannot be started"}; }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw failure{path + ": not drawn, gnuplot is missing (package gnuplot-nox)"};
  }
  if (status != 0) { throw failure{path + ": not drawn, gnuplot failed"}; }
}

}  // namespace takt::studies
