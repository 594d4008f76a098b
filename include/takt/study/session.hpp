// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/utsname.h>

#include <takt/report/text.hpp>
#include <takt/study/count_units.hpp>
#include <takt/study/journal.hpp>
#include <takt/study/progress.hpp>
#include <takt/study/shard.hpp>
#include <takt/study/study.hpp>

namespace takt::inline TAKT_ABI::studies {

/// Name and processor of this machine in one line.
[[nodiscard]] inline auto machine_words() -> std::string {
  utsname host{};
  if (uname(&host) != 0) { return "unknown"; }
  std::string processor{static_cast<const char*>(host.machine)};
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      processor = line.substr(colon + 2);
      break;
    }
  }
  return report::text(static_cast<const char*>(host.nodename), ", ", processor, ", ",
                      static_cast<const char*>(host.sysname));
}

namespace detail {

/// Returns "2026-11-24T18:54:12Z".
[[nodiscard]] inline auto utc_now() -> std::string {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  (void)gmtime_r(&now, &parts);
  std::array<char, 32> room{};
  return {room.data(), std::strftime(room.data(), room.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace detail

struct run_options {
  unsigned jobs = 0;            ///< threads; 0: one per hardware thread
  shard part{};                 ///< the counts are complete once all parts are
  std::string folder{};         ///< of journals: what is found is kept there, and what is there is not done again
  bool shows_progress = false;  ///< on standard error
  const std::atomic<bool>* stop = nullptr;  ///< see `interruption`; no further unit is begun
  /// Says how long the journal of this part is waited for while another process appends to it.
  std::chrono::milliseconds lock_wait = studies::lock_wait{}.most;
};

/// Holds what a study found, with everything that it takes to repeat it. Its files depend on the study and its settings
/// alone, and where they tell who did what, on the notes.
struct result {
  std::string name;  ///< of the study
  settings used;
  experiment designed;
  tally counts;
  std::vector<work_note> notes{};  ///< of all processes that the folder knows, this one last
};

namespace detail {

[[nodiscard]] inline auto empty_result(const study& what, settings used) -> result {
  experiment designed = what.design(used);
  tally sized{designed.size()};
  return {what.name, std::move(used), std::move(designed), std::move(sized)};
}

[[nodiscard]] inline auto adds_to(tally& counts) -> unit_receiver {
  return [&counts](std::size_t index, std::span<const std::int64_t> found) {
    if (index < counts.units()) { counts.add(index, found); }
  };
}

}  // namespace detail

/// Returns what the journals of a folder have, complete or not; nothing where none is of this study. Throws `refusal`.
[[nodiscard]] inline auto found_in(const std::string& folder, const study& what, settings used)
    -> std::optional<result> {
  result out = detail::empty_result(what, std::move(used));
  auto notes = detail::read_journals(folder, out.name, out.used.fingerprint(), out.counts.columns(),
                                     detail::adds_to(out.counts));
  if (!notes) { return {}; }
  out.notes = std::move(*notes);
  return out;
}

/// Is a run of a study in one process: what it still has to do, and what comes in from any process. One call at a time.
class session {
 public:
  /// Throws `refusal` and `failure`.
  session(const study& what, settings used, const run_options& o, std::size_t workers)
      : found_{std::make_unique<result>(detail::empty_result(what, std::move(used)))}, stop_{o.stop} {
    tally& counts = found_->counts;
    static_cast<void>(units_to_do(counts, o.part));  // which refuses a wrong part before anything is written
    begin_ = detail::utc_now();
    static_cast<void>(add_worker(machine_words(), workers));
    if (!o.folder.empty()) {
      kept_.emplace(o.folder, found_->name, o.part, found_->used.fingerprint(), counts.columns(),
                    detail::adds_to(counts), lock_wait{.most = o.lock_wait, .stop = o.stop});
      found_->notes = kept_->notes();
    }
    dealer_.emplace(counts, units_to_do(counts, o.part));
    if (kept_ && dealer_->left() > 0) { kept_->append(own_[0]); }
    if (o.shows_progress) { bar_.emplace(found_->name, counts); }
  }

  /// Returns the next unit, if there is one.
  [[nodiscard]] auto next() -> std::optional<std::size_t> { return is_stopped() ? std::nullopt : dealer_->next(); }
  /// Another process that counts units, besides this one, which is number 0. Returns its number.
  [[nodiscard]] auto add_worker(std::string machine, std::size_t workers) -> std::size_t {
    own_.push_back({.begin = begin_, .workers = workers, .machine = std::move(machine)});
    return own_.size() - 1;
  }
  /// Keeps what was found, even where the process is killed next. Does nothing for a unit that is known. Throws
  /// `failure`.
  void finished(std::size_t index, std::span<const std::int64_t> counts, std::size_t worker = 0) {
    if (found_->counts.knows(index)) { return; }
    if (kept_) { kept_->append(index, counts); }
    found_->counts.add(index, counts);
    ++own_[worker].units;
    if (kept_ && clock::now() >= next_note_) { note(); }
    if (bar_) { bar_->show(); }
  }

  [[nodiscard]] auto counts() const noexcept -> const tally& { return found_->counts; }
  [[nodiscard]] auto designed() const noexcept -> const experiment& { return found_->designed; }
  /// At most so many units are still to be handed out.
  [[nodiscard]] auto left() const noexcept -> std::size_t { return dealer_->left(); }
  [[nodiscard]] auto is_stopped() const noexcept -> bool { return stop_ != nullptr && *stop_; }

  /// Ends the run. Throws `failure`.
  [[nodiscard]] auto take_result() -> result {
    note();
    std::ranges::copy_if(own_, std::back_inserter(found_->notes), [](const work_note& n) { return n.units > 0; });
    if (bar_) { bar_->finish(); }
    return std::move(*found_);
  }

 private:
  using clock = std::chrono::steady_clock;

  void note() {
    const auto now = clock::now();
    next_note_ = now + std::chrono::seconds{10};
    for (work_note& n : own_) {
      n.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now - start_).count();
      if (kept_ && n.units > 0) { kept_->append(n); }
    }
  }

  std::unique_ptr<result> found_;
  const std::atomic<bool>* stop_;
  std::string begin_;
  std::vector<work_note> own_;  ///< of each process
  clock::time_point start_ = clock::now();
  clock::time_point next_note_ = start_ + std::chrono::seconds{10};
  std::optional<journal> kept_;
  std::optional<detail::unit_dealer> dealer_;
  std::optional<detail::progress_bar> bar_;
};

}  // namespace takt::inline TAKT_ABI::studies
