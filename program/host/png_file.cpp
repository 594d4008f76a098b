// SPDX-License-Identifier: Apache-2.0
#include "../png_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
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

/// A file without a name, which is gone when it is closed.
class drawing {
 public:
  drawing() : file_{std::tmpfile()} {
    if (file_ == nullptr) { throw environment_error{fmt::format("no temporary file ({})", std::strerror(errno))}; }
  }
  drawing(const drawing&) = delete;
  auto operator=(const drawing&) -> drawing& = delete;
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): it owns
  ~drawing() { (void)std::fclose(file_); }

  void fill(const std::string& text) {
    const bool whole = std::fwrite(text.data(), 1, text.size(), file_) == text.size() && std::fflush(file_) == 0;
    if (!whole || std::fseek(file_, 0, SEEK_SET) != 0) {
      throw environment_error{fmt::format("a temporary file cannot be written ({})", std::strerror(errno))};
    }
  }
  [[nodiscard]] auto descriptor() const -> int { return fileno(file_); }

 private:
  std::FILE* file_;
};

/// Runs the program from one descriptor to another, so that no name can be taken for an option. Returns why it failed,
/// empty if it did not.
[[nodiscard]] auto converted(int svg, int png) -> std::string {
  std::string word{png_maker};
  std::array<char*, 2> arguments{word.data(), nullptr};
  posix_spawn_file_actions_t actions;
  if (const int error = posix_spawn_file_actions_init(&actions); error != 0) { return std::strerror(error); }
  pid_t child = 0;
  int error = posix_spawn_file_actions_adddup2(&actions, svg, STDIN_FILENO);
  if (error == 0) { error = posix_spawn_file_actions_adddup2(&actions, png, STDOUT_FILENO); }
  if (error == 0) { error = posix_spawnp(&child, png_maker, &actions, nullptr, arguments.data(), environ); }
  (void)posix_spawn_file_actions_destroy(&actions);
  if (error != 0) { return std::strerror(error); }
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
  std::ostringstream text;
  draw(text);
  drawing svg;
  svg.fill(text.str());
  write_descriptor(path, [&](int png) {
    const std::string why = converted(svg.descriptor(), png);
    if (!why.empty()) { throw environment_error{fmt::format("{}: cannot be made of an SVG ({})", path, why)}; }
  });
}

}  // namespace takt::program
