// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <takt/core/number.hpp>

namespace takt::inline TAKT_ABI::host {

struct time_span {
  ticks from = 0;
  ticks to = 0;
  [[nodiscard]] friend constexpr auto operator==(const time_span&, const time_span&) noexcept -> bool = default;
};

/// Records from when to when bounds were void. They are void from the instant at which something that a bound rests on
/// was late. That is a job not at its station by its nominal release, a job that should have ended, or a process that
/// stopped. They hold again once every station has been empty since the last of these was there: from then on each
/// station is as if it began, with jobs in time.
///
/// Instants do not decrease, but for those from which something was late. Cost of each call: the stations, where bounds
/// are void; memory for `most_listed` spans.
class void_bounds {
 public:
  /// The list holds so many spans; later ones are joined to the last one.
  static constexpr std::size_t most_listed = 1'000;

  explicit void_bounds(std::size_t stations = 0) : jobs_(stations, 0), has_been_empty_(stations, true) {
    spans_.reserve(most_listed);
  }

  [[nodiscard]] auto are_void() const noexcept -> bool { return open_; }
  /// A job is at a station.
  void enters(std::size_t station) { ++jobs_[station]; }
  /// It is there no longer.
  void leaves(std::size_t station, ticks now) {
    if (--jobs_[station] > 0 || !open_) { return; }
    has_been_empty_[station] = true;
    close_if_clear(now);
  }
  /// Something was late from an instant on, and is so no longer, or is at its station by now.
  void late(ticks from, ticks now) {
    open(from);
    for (std::size_t s = 0; s < jobs_.size(); ++s) { has_been_empty_[s] = jobs_[s] == 0; }
    close_if_clear(now);
  }
  /// Something is late that does not prove by itself that a bound was exceeded. It counts where bounds are void, or
  /// have been until this very instant.
  void still_late(ticks now) {
    if (open_ || (!spans_.empty() && now <= spans_.back().to)) { late(spans_.back().from, now); }
  }
  /// Returns the spans in order; they do not touch. Bounds that are void at the end are void until then, and what came
  /// after it is left out.
  [[nodiscard]] auto until(ticks end) const -> std::vector<time_span> {
    auto out = spans_;
    if (open_) { out.back().to = end; }
    std::erase_if(out, [end](const time_span& s) { return s.from > end; });
    for (time_span& s : out) { s.to = std::min(s.to, end); }
    return out;
  }

 private:
  void open(ticks from) {
    const auto joins = [this](ticks at) { return open_ || at <= spans_.back().to || spans_.size() == most_listed; };
    for (; !spans_.empty() && joins(from); spans_.pop_back()) {
      from = std::min(from, spans_.back().from);
      open_ = false;
    }
    spans_.push_back({from, from});
    open_ = true;
  }
  void close_if_clear(ticks now) {
    if (!std::ranges::all_of(has_been_empty_, [](bool b) { return b; })) { return; }
    open_ = false;
    spans_.back().to = std::max(spans_.back().from, now);
  }

  std::vector<std::size_t> jobs_;  ///< by station
  std::vector<bool> has_been_empty_;
  std::vector<time_span> spans_;
  bool open_ = false;  ///< the last span
};

}  // namespace takt::inline TAKT_ABI::host
