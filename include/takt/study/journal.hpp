// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <takt/report/text.hpp>
#include <takt/study/errors.hpp>
#include <takt/study/shard.hpp>
#include <takt/study/unit.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Holds what a process did of a study, from when on, and where.
struct work_note {
  std::string begin;  ///< in UTC
  std::size_t units = 0;
  std::int64_t milliseconds = 0;
  std::size_t workers = 1;
  std::string machine;

  [[nodiscard]] friend auto operator<=>(const work_note&, const work_note&) = default;
};

namespace detail {

/// Returns FNV-1a (Fowler, Noll and Vo).
[[nodiscard]] constexpr auto checksum(std::string_view text) noexcept -> std::uint64_t {
  std::uint64_t sum = 0xCBF2'9CE4'8422'2325U;
  for (const char c : text) { sum = (sum ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01B3U; }
  return sum;
}

[[nodiscard]] inline auto sealed(std::string_view text) -> std::string {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = report::text(text, " #");
  const std::uint64_t sum = checksum(text);
  for (unsigned shift = 64; shift > 0; shift -= 4) { out += digits[sum >> (shift - 4) & 0xFU]; }
  return out + "\n";
}

inline constexpr std::size_t seal_length = sizeof(" #0123456789abcdef") - 1;

/// Returns the next line without its seal; nothing when it is torn. Moves `rest` behind it.
[[nodiscard]] inline auto next_line(std::string_view& rest) -> std::optional<std::string_view> {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos || end < seal_length) { return {}; }
  const std::string_view text = rest.substr(0, end - seal_length);
  if (sealed(text) != rest.substr(0, end + 1)) { return {}; }
  rest.remove_prefix(end + 1);
  return text;
}

[[nodiscard]] inline auto numbers_of(std::string_view line) -> std::vector<std::int64_t> {
  std::istringstream text{std::string{line}};
  const std::vector<std::int64_t> out{std::istream_iterator<std::int64_t>{text}, {}};
  return text.eof() ? out : std::vector<std::int64_t>{};
}

inline constexpr std::string_view note_mark = "@ ";

[[nodiscard]] inline auto text_of(const work_note& n) -> std::string {
  return report::text(note_mark, n.begin, " ", n.units, " ", n.milliseconds, " ", n.workers, " ", n.machine);
}
[[nodiscard]] inline auto note_of(std::string_view line) -> work_note {
  std::istringstream text{std::string{line.substr(note_mark.size())}};
  work_note out;
  text >> out.begin >> out.units >> out.milliseconds >> out.workers >> std::ws;
  std::getline(text, out.machine);
  return out;
}
/// Adds a note if it is newer than that of the same process.
inline void add_note(std::vector<work_note>& to, work_note n) {
  const auto same = std::ranges::find_if(
      to, [&n](const work_note& o) { return o.begin == n.begin && o.machine == n.machine && o.units <= n.units; });
  if (same == to.end()) {
    to.push_back(std::move(n));
  } else {
    *same = std::move(n);
  }
}

[[nodiscard]] inline auto bytes_of(const std::filesystem::path& path) -> std::string {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Reads one journal; returns the length of its sound part.
inline auto replay(const std::filesystem::path& path, std::string_view header, std::size_t columns,
                   const unit_receiver& receive, std::vector<work_note>& notes) -> std::size_t {
  std::vector<work_note> own;
  const std::string bytes = bytes_of(path);
  std::string_view rest = bytes;
  const auto first = next_line(rest);
  if (!first) {
    if (bytes.find('\n') == std::string::npos) { return 0; }
    throw refusal{"folder", path.string() + " is no journal of a sweep", "a folder of journals"};
  }
  if (*first != header) {
    throw refusal{"folder", report::text(path.string(), " was made with other parameters (", *first, ")"),
                  report::text("the same parameters (", header, ") or another folder")};
  }
  while (const auto line = next_line(rest)) {
    if (line->starts_with(note_mark)) {
      add_note(own, note_of(*line));
      continue;
    }
    const auto numbers = numbers_of(*line);
    if (numbers.size() != columns + 1 || numbers[0] < 0) { break; }
    receive(static_cast<std::size_t>(numbers[0]), std::span{numbers}.subspan(1));
  }
  std::ranges::move(own, std::back_inserter(notes));
  return bytes.size() - rest.size();
}

/// Returns "2-of-8", or for named units the first and the last of them and a number of them all.
[[nodiscard]] inline auto name_of(const shard& part) -> std::string {
  if (part.units.empty()) { return report::text(part.index, "-of-", part.count); }
  return report::text("units-", part.units.front(), "-", part.units.back(), "-", checksum(units_text(part.units)));
}

inline constexpr std::string_view journal_suffix = ".journal";

[[nodiscard]] inline auto header_of(std::string_view study, const std::string& fingerprint) -> std::string {
  return report::text("takt-sweep/1 ", study, " ", fingerprint);
}

/// Returns the journals of a study in a folder.
[[nodiscard]] inline auto journals_in(const std::filesystem::path& folder, std::string_view study)
    -> std::vector<std::filesystem::path> {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error}) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(report::text(study, ".")) && name.ends_with(journal_suffix)) { out.push_back(entry.path()); }
  }
  std::ranges::sort(out);
  return out;
}

/// Reads every journal of a study in a folder and changes none; `receive` gets each finished unit. Nothing where there
/// is no journal; else what was noted. Throws `refusal` when one belongs to other parameters.
[[nodiscard]] inline auto read_journals(const std::string& folder, std::string_view study,
                                        const std::string& fingerprint, std::size_t columns,
                                        const unit_receiver& receive) -> std::optional<std::vector<work_note>> {
  const auto all = detail::journals_in(folder, study);
  if (all.empty()) { return {}; }
  std::vector<work_note> out;
  for (const auto& path : all) {
    static_cast<void>(detail::replay(path, detail::header_of(study, fingerprint), columns, receive, out));
  }
  return out;
}

}  // namespace detail

/// Says how long a process waits for a journal to which another one appends. A process that was killed may hold it for
/// a moment longer.
struct lock_wait {
  std::chrono::milliseconds most{10'000};
  const std::atomic<bool>* stop = nullptr;  ///< ends the wait, too
};

/// Holds what a sweep has found so far, in a folder: one file per shard to which finished units are appended, a line
/// each. Every line carries a checksum, so a process may be killed at any moment: a torn last line counts as not
/// written. Between units are notes of what each process did until then. Journals of several machines may be put into
/// one folder.
class journal {
 public:
  /// Opens this shard's file and reads every journal of the study in the folder; `receive` gets each finished unit.
  /// Throws `refusal` when a journal belongs to other parameters, and `failure` when the folder cannot be used or
  /// another process still appends to the same file after `wait`.
  journal(const std::string& folder, std::string_view study, const shard& part, const std::string& fingerprint,
          std::size_t columns, const unit_receiver& receive, const lock_wait& wait = {}) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) { throw failure{report::text(folder, ": cannot be made (", error.message(), ")")}; }
    const fs::path own = fs::path{folder} / report::text(study, ".", detail::name_of(part), detail::journal_suffix);
    path_ = own.string();
    const std::string header = detail::header_of(study, fingerprint);
    for (const fs::path& path : detail::journals_in(folder, study)) {
      if (path != own) { (void)detail::replay(path, header, columns, receive, notes_); }
    }

    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) { refuse(); }
    try {
      if (!lock(wait)) {
        throw failure{report::text(path_, ": another sweep is writing to it, and has been for ", wait.most.count(),
                                   " ms; end it, or wait for its end")};
      }
      const std::size_t sound = detail::replay(own, header, columns, receive, notes_);
      if (ftruncate(file_, static_cast<off_t>(sound)) != 0) { refuse(); }
      if (sound == 0) { write_line(header); }
    } catch (...) {
      close(file_);
      throw;
    }
  }
  journal(const journal&) = delete;
  auto operator=(const journal&) -> journal& = delete;
  journal(journal&&) = delete;
  auto operator=(journal&&) -> journal& = delete;
  ~journal() { close(file_); }

  /// Throws `failure`.
  void append(std::size_t index, std::span<const std::int64_t> counts) {
    std::string text = std::to_string(index);
    for (const std::int64_t n : counts) { text += report::text(" ", n); }
    write_line(text);
  }
  /// Throws `failure`.
  void append(const work_note& note) { write_line(detail::text_of(note)); }

  /// Returns what was noted before.
  [[nodiscard]] auto notes() const noexcept -> const std::vector<work_note>& { return notes_; }

 private:
  [[nodiscard]] auto lock(const lock_wait& wait) const -> bool {
    constexpr std::chrono::milliseconds between_tries{20};
    const auto end = std::chrono::steady_clock::now() + wait.most;
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) { refuse(); }
      if (std::chrono::steady_clock::now() >= end || (wait.stop != nullptr && *wait.stop)) { return false; }
      std::this_thread::sleep_for(between_tries);
    }
    return true;
  }
  [[noreturn]] void refuse() const {
    throw failure{report::text(path_, ": cannot be used (", std::strerror(errno), ")")};
  }
  void write_line(const std::string& text) {
    const std::string line = detail::sealed(text);
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t written = write(file_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) { continue; }
      if (written < 0) { refuse(); }
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::string path_;
  int file_ = -1;
  std::vector<work_note> notes_;
};

}  // namespace takt::inline TAKT_ABI::studies
