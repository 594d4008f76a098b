// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/model/stage.hpp>
#include <takt/model/trace_record.hpp>
#include <takt/runtime/inheriting_mutex.hpp>
#include <takt/systems/shares/run/share_page.hpp>

namespace takt::inline TAKT_ABI::runtime {

enum class share_event : std::uint8_t {
  join,       ///< a client has registered; `value` is the memory units it holds
  leave,      ///< it has unregistered
  death,      ///< it has gone without a word
  request,    ///< it asks for a job
  deny,       ///< and is refused; `value` is the deny_reason
  release,    ///< the job has gone to the scheduler
  operation,  ///< shares were decided anew; `value` is 1 when all can meet their deadlines
  skip,       ///< a workload change after which the shares stay
  share,      ///< `value` is what the application has from now on
  grant,      ///< the job may run
  finish,     ///< the job has ended
  miss,       ///< its deadline has passed
  abort,      ///< the job was dropped at its deadline
};

[[nodiscard]] constexpr auto to_string(share_event what) noexcept -> std::string_view {
  constexpr std::array<std::string_view, 13> names{"join", "leave", "death", "request", "deny", "release", "operation",
                                                   "skip", "share", "grant", "finish",  "miss", "abort"};
  return names[static_cast<std::size_t>(what)];
}

struct share_record {
  ticks time = 0;
  share_event what = share_event::join;
  std::uint16_t application = 0;  ///< `no_application` where it concerns none in particular
  std::int32_t value = 0;
  std::uint64_t job = 0;  ///< counts from 1 per application

  static constexpr std::uint16_t no_application = std::numeric_limits<std::uint16_t>::max();

  [[nodiscard]] friend constexpr auto operator==(const share_record&, const share_record&) noexcept -> bool = default;
};

struct share_counts {
  std::uint64_t jobs = 0;  ///< ended, in time or not
  std::uint64_t misses = 0;
  std::uint64_t denials = 0;
  std::uint64_t deaths = 0;
  std::uint64_t operations = 0;
  std::uint64_t skips = 0;
};

/// The last events of a service, in a ring of fixed size, and counts of all. One thread writes, any thread may look.
class share_monitor {
 public:
  explicit share_monitor(std::size_t capacity) : ring_(std::max<std::size_t>(capacity, 1)) {}

  void note(const share_record& r) {
    const std::lock_guard lock{mutex_};
    ring_[written_ % ring_.size()] = r;
    ++written_;
    counts_.jobs += r.what == share_event::finish || r.what == share_event::abort ? 1 : 0;
    counts_.misses += r.what == share_event::miss ? 1 : 0;
    counts_.denials += r.what == share_event::deny ? 1 : 0;
    counts_.deaths += r.what == share_event::death ? 1 : 0;
    counts_.operations += r.what == share_event::operation ? 1 : 0;
    counts_.skips += r.what == share_event::skip ? 1 : 0;
  }

  /// Returns the records, the oldest first.
  [[nodiscard]] auto records() const -> std::vector<share_record> {
    const std::lock_guard lock{mutex_};
    std::vector<share_record> out;
    const std::uint64_t first = written_ > ring_.size() ? written_ - ring_.size() : 0;
    out.reserve(static_cast<std::size_t>(written_ - first));
    for (std::uint64_t i = first; i < written_; ++i) { out.push_back(ring_[i % ring_.size()]); }
    return out;
  }
  [[nodiscard]] auto counts() const -> share_counts {
    const std::lock_guard lock{mutex_};
    return counts_;
  }
  /// Returns how many events the ring has no room for any more.
  [[nodiscard]] auto lost() const -> std::uint64_t {
    const std::lock_guard lock{mutex_};
    return written_ > ring_.size() ? written_ - ring_.size() : 0;
  }

 private:
  mutable inheriting_mutex mutex_;
  std::vector<share_record> ring_;
  std::uint64_t written_ = 0;
  share_counts counts_;
};

/// A line per event, `none` for the application where there is no particular one.
inline void write_csv(std::ostream& out, std::span<const share_record> records, ticks origin = 0) {
  out << "time_ns,event,application,job,value\n";
  for (const share_record& r : records) {
    out << r.time - origin << ',' << to_string(r.what) << ',';
    if (r.application == share_record::no_application) {
      out << "none";
    } else {
      out << r.application;
    }
    out << ',' << r.job << ',' << r.value << '\n';
  }
}

/// Tells a recorder of traces what the records say: per application a slice for each interval with one share above 0,
/// and marks for its jobs. What the ring has lost is missing.
template <TraceRecorder Recorder>
void replay(std::span<const share_record> records, Recorder& recorder, ticks origin, ticks end) {
  struct open_slice {
    ticks since = 0;
    std::int32_t share = 0;
    std::uint64_t job = 0;
  };
  std::array<open_slice, share_page::capacity> open{};
  const auto close = [&](std::size_t application, ticks time) {
    const open_slice& s = open[application];
    if (s.share == 0 || s.since == time) { return; }
    recorder.record(slice{.task = static_cast<std::uint32_t>(application),
                          .job = s.job,
                          .where = {.where = stage::kernel,
                                    .index = static_cast<std::int32_t>(application),
                                    .kind = unit_kind::share,
                                    .percent = static_cast<std::uint8_t>(s.share)},
                          .start = s.since - origin,
                          .end = time - origin});
  };
  const auto tell = [&](mark_kind what, const share_record& r) {
    recorder.record(mark{.what = what, .task = r.application, .job = r.job, .time = r.time - origin});
  };
  for (const share_record& r : records) {
    if (r.application >= open.size()) { continue; }
    open_slice& s = open[r.application];
    switch (r.what) {
      case share_event::release: tell(mark_kind::release, r); break;
      case share_event::finish: tell(mark_kind::completion, r); break;
      case share_event::miss: tell(mark_kind::miss, r); break;
      case share_event::share:
        close(r.application, r.time);
        s = {r.time, r.value, r.job};
        break;
      case share_event::join:
      case share_event::leave:
      case share_event::death:
      case share_event::request:
      case share_event::deny:
      case share_event::operation:
      case share_event::skip:
      case share_event::grant:
      case share_event::abort: break;
    }
  }
  for (std::size_t i = 0; i < open.size(); ++i) { close(i, end); }
}

}  // namespace takt::inline TAKT_ABI::runtime
