// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.hpp"
#include "json_value.hpp"
#include "standard_error.hpp"
#include "tty.hpp"

namespace takt::program {

namespace {

constexpr std::size_t block_bytes = 65536;

struct closer {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): called by the handle, which owns
  void operator()(std::FILE* f) const noexcept { (void)std::fclose(f); }
};
using file_handle = std::unique_ptr<std::FILE, closer>;

[[nodiscard]] auto reason() -> std::string { return std::strerror(errno); }

/// Says on a terminal what is waited for until a pipe has somebody who writes.
[[nodiscard]] auto opened(const std::string& path) -> file_handle {
  struct stat about{};
  const bool waits = stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode) && is_terminal(STDERR_FILENO);
  if (waits) { say_aside("waiting for somebody who writes to {}", one_line(path, longest_message)); }
  file_handle out{std::fopen(path.c_str(), "rbe")};
  const int error = errno;
  if (waits) { say_aside("\r\x1b[K"); }
  errno = error;
  return out;
}

}  // namespace

auto read_text_file(const std::string& path, std::size_t most_bytes, std::string_view what) -> std::string {
  const file_handle file = opened(path);
  struct stat about{};
  if (!file || fstat(fileno(file.get()), &about) != 0) {
    throw input_error{"", fmt::format("cannot be read ({})", reason()), fmt::format("a readable {}", what)};
  }
  if (S_ISDIR(about.st_mode)) { throw input_error{"", "is a directory", fmt::format("a {}", what)}; }
  std::string text;
  std::vector<char> block(block_bytes);
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    text.append(block.data(), n);
    if (text.size() > most_bytes) {
      throw input_error{"", fmt::format("is larger than any {}", what), fmt::format("at most {} bytes", most_bytes)};
    }
  }
  if (std::ferror(file.get()) != 0) {
    throw input_error{"", fmt::format("cannot be read ({})", reason()), fmt::format("a readable {}", what)};
  }
  return text;
}

auto is_there(const std::string& path) -> bool {
  struct stat about{};
  return stat(path.c_str(), &about) == 0;
}

}  // namespace takt::program
