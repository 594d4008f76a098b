// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>

#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/picture.hpp>

namespace takt::studies {

namespace detail {

/// Text between single quotes of a shell.
[[nodiscard]] inline auto shell_quoted(const std::string& text) -> std::string {
  std::string out = "'";
  for (const char c : text) { out += c == '\'' ? std::string{"'\\''"} : std::string{c}; }
  return out + "'";
}

/// Lets a program make a PNG of an SVG.
inline void convert_to_png(const std::string& svg, const std::string& path) {
  // The program may be gone before it has read everything: then its exit code tells.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const std::string call = "command -v rsvg-convert >/dev/null || exit 127; exec rsvg-convert --zoom 1.5 --output ";
  std::FILE* const pipe = popen((call + shell_quoted(path)).c_str(), "w");
  if (pipe != nullptr) { (void)std::fwrite(svg.data(), 1, svg.size(), pipe); }
  const int status = pipe == nullptr ? -1 : pclose(pipe);
  (void)std::signal(SIGPIPE, before);
  if (pipe == nullptr) { throw failure{"rsvg-convert cannot be started"}; }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw failure{path + ": not drawn, rsvg-convert is missing (package librsvg2-bin)"};
  }
  if (status != 0) { throw failure{path + ": not drawn, rsvg-convert failed"}; }
}

}  // namespace detail

/// Draws a result into a file: a PNG where its name ends so, else an SVG. Throws `failure` when it cannot be written or
/// converted, and what `write_svg` throws. Pre: as there.
inline void draw_picture(const result& r, const std::string& path) {
  std::ostringstream svg;
  write_svg(svg, r);
  errno = 0;
  std::ofstream file{path, std::ios::binary};
  if (!file) { throw failure{report::text(path, ": cannot be written (", std::strerror(errno), ")")}; }
  if (path.ends_with(".png")) {
    detail::convert_to_png(svg.str(), path);
  } else if (!(file << svg.str()).flush()) {
    throw failure{path + ": cannot be written"};
  }
}

}  // namespace takt::studies
