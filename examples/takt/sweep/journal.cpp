// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "../failure.hpp"

namespace takt::program::sweep {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".journal";

/// Fowler, Noll and Vo, FNV-1a.
[[nodiscard]] auto checksum(std::string_view text) -> std::uint64_t {
  std::uint64_t sum = 0xCBF2'9CE4'8422'2325U;
  for (const char c : text) { sum = (sum ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3U; }
  return sum;
}

[[nodiscard]] auto sealed(std::string_view text) -> std::string {
  return fmt::format("{} #{:016x}\n", text, checksum(text));
}

constexpr std::size_t seal_length = sizeof(" #0123456789abcdef") - 1;

/// The next line without its seal; nothing when it is torn. Moves `rest` behind it.
[[nodiscard]] auto next_line(std::string_view& rest) -> std::optional<std::string_view> {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos || end < seal_length) { return {}; }
  const std::string_view text = rest.substr(0, end - seal_length);
  if (sealed(text) != rest.substr(0, end + 1)) { return {}; }
  rest.remove_prefix(end + 1);
  return text;
}

[[nodiscard]] auto numbers_of(std::string_view line) -> std::vector<std::int64_t> {
  std::istringstream text{std::string{line}};
  const std::vector<std::int64_t> out{std::istream_iterator<std::int64_t>{text}, {}};
  return text.eof() ? out : std::vector<std::int64_t>{};
}

[[nodiscard]] auto bytes_of(const fs::path& path) -> std::string {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Reads one journal; returns the length of its sound part.
auto replay(const fs::path& path, std::string_view header, std::size_t columns, const unit_receiver& receive)
    -> std::size_t {
  const std::string bytes = bytes_of(path);
  std::string_view rest = bytes;
  const auto first = next_line(rest);
  if (!first) {
    if (bytes.find('\n') == std::string::npos) { return 0; }
    throw input_error{"--resume", fmt::format("{} is no journal of a sweep", path.string()), "a folder of journals"};
  }
  if (*first != header) {
    throw input_error{"--resume", fmt::format("{} was made with other parameters ({})", path.string(), *first),
                      fmt::format("the same parameters ({}) or another folder", header)};
  }
  while (const auto line = next_line(rest)) {
    const auto numbers = numbers_of(*line);
    if (numbers.size() != columns + 1 || numbers[0] < 0) { break; }
    receive(static_cast<std::size_t>(numbers[0]), std::span{numbers}.subspan(1));
  }
  return bytes.size() - rest.size();
}

[[noreturn]] void refuse(const std::string& path) {
  throw environment_error{fmt::format("{}: cannot be used ({})", path, std::strerror(errno))};
}

}  // namespace

journal::journal(const std::string& folder, std::string_view study, const shard& part, const std::string& fingerprint,
                 std::size_t columns, const unit_receiver& receive) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) { throw environment_error{fmt::format("{}: cannot be made ({})", folder, error.message())}; }
  const fs::path own = fs::path{folder} / fmt::format("{}.{}-of-{}{}", study, part.index, part.count, suffix);
  path_ = own.string();
  const std::string header = fmt::format("takt-sweep/1 {} {}", study, fingerprint);
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator{folder}) {
    const std::string name = entry.path().filename().string();
    const bool same_study = name.starts_with(fmt::format("{}.", study)) && name.ends_with(suffix);
    if (same_study && entry.path() != own) { others.push_back(entry.path()); }
  }
  std::ranges::sort(others);
  for (const fs::path& path : others) { (void)replay(path, header, columns, receive); }

  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) { refuse(path_); }
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw environment_error{fmt::format("{}: another sweep is writing to it", path_)};
    }
    const std::size_t sound = replay(own, header, columns, receive);
    if (ftruncate(file_, static_cast<off_t>(sound)) != 0) { refuse(path_); }
    if (sound == 0) { write_line(header); }
  } catch (...) {
    close(file_);
    throw;
  }
}

journal::~journal() { close(file_); }

void journal::append(std::size_t index, std::span<const std::int64_t> counts) {
  std::string text = fmt::format("{}", index);
  for (const std::int64_t n : counts) { text += fmt::format(" {}", n); }
  write_line(text);
}

void journal::write_line(const std::string& text) {
  const std::string line = sealed(text);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) { continue; }
    if (written < 0) { refuse(path_); }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace takt::program::sweep
