// SPDX-License-Identifier: Apache-2.0
#include "../png_file.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../failure.hpp"
#include "../text_file.hpp"

namespace takt::program {

namespace {

/// An SVG picture beside the PNG that is made of it; removed at the end.
class drawing {
 public:
  explicit drawing(const std::string& png) : path_{fmt::format("{}.{}.svg", png, getpid())} {}
  drawing(const drawing&) = delete;
  auto operator=(const drawing&) -> drawing& = delete;
  ~drawing() { (void)unlink(path_.c_str()); }

  [[nodiscard]] auto path() const -> const std::string& { return path_; }

 private:
  std::string path_;
};

/// Runs the program. Returns why it failed, empty if it did not.
[[nodiscard]] auto converted(const std::string& svg, const std::string& png) -> std::string {
  std::array<std::string, 4> words{png_maker, "--output", png, svg};
  std::array<char*, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, png_maker, nullptr, nullptr, arguments.data(), environ); error != 0) {
    return std::strerror(error);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : fmt::format("{} failed", png_maker);
}

}  // namespace

auto png_maker_is_installed() -> bool {
  const char* const path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "" : path};
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = std::filesystem::path{folder.empty() ? "." : folder} / png_maker;
    if (access(file.c_str(), X_OK) == 0) { return true; }
  }
  return false;
}

void write_png(const std::string& path, const std::function<void(std::ostream&)>& draw) {
  const drawing svg{path};
  write_file(svg.path(), draw);
  const std::string why = converted(svg.path(), path);
  if (!why.empty()) { throw environment_error{fmt::format("{}: cannot be made of an SVG ({})", path, why)}; }
}

}  // namespace takt::program
