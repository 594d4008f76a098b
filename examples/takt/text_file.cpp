// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <sys/stat.h>

#include "failure.hpp"

namespace takt::program {

namespace {

struct closer {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): called by the handle, which owns
  void operator()(std::FILE* f) const noexcept { (void)std::fclose(f); }
};
using file_handle = std::unique_ptr<std::FILE, closer>;

[[nodiscard]] auto reason() -> std::string { return std::strerror(errno); }

}  // namespace

auto read_text_file(const std::string& path, std::size_t most_bytes, std::string_view what) -> std::string {
  const file_handle file{std::fopen(path.c_str(), "rb")};
  struct stat about{};
  if (!file || fstat(fileno(file.get()), &about) != 0) {
    throw input_error{"", fmt::format("cannot be read ({})", reason()), fmt::format("a readable {}", what)};
  }
  if (S_ISDIR(about.st_mode)) { throw input_error{"", "is a directory", fmt::format("a {}", what)}; }
  std::string text;
  std::array<char, 65536> block{};
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

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file{path, std::ios::binary};
  if (file) { write(file); }
  file.close();
  if (!file) { throw environment_error{fmt::format("{}: cannot be written ({})", path, reason())}; }
}

}  // namespace takt::program
