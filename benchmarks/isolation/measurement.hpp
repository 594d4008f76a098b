// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <takt/core/number.hpp>

#include "work.hpp"

namespace takt_benchmarks {

enum class row_kind : std::uint8_t {
  alone,
  green_alone,
  pinned_alone,
  same_priority,
  lower_priority,
  both_green,
  both_pinned,
  shrink,
  yield,
  alone_again,
};

/// What a row measures, by parts.
struct row_form {
  const char* name = "";
  bool green = false;
  bool pinned = false;
  bool loaded = false;
  bool urgent = false;                   ///< the load has a lower priority
  bool shrinks = false;                  ///< the load has all SMs and gives up those of the foreground
  bool yields = false;                   ///< the load has all SMs and gives up all
  bool load_at_rest = false;             ///< the load does not run all the time, so it has no rate
  row_kind reference = row_kind::alone;  ///< the same foreground without a load
};

[[nodiscard]] constexpr auto form_of(row_kind k) noexcept -> row_form {
  switch (k) {
    case row_kind::alone: return {.name = "alone"};
    case row_kind::green_alone: return {.name = "green context, no load", .green = true};
    case row_kind::pinned_alone: return {.name = "pinned, no load", .pinned = true};
    case row_kind::same_priority: return {.name = "beside load in one context", .loaded = true};
    case row_kind::lower_priority: return {.name = "load at lower priority", .loaded = true, .urgent = true};
    case row_kind::both_green:
      return {.name = "both green", .green = true, .loaded = true, .reference = row_kind::green_alone};
    case row_kind::both_pinned:
      return {.name = "both pinned", .pinned = true, .loaded = true, .reference = row_kind::pinned_alone};
    case row_kind::shrink:
      return {.name = "load shrinks",
              .pinned = true,
              .loaded = true,
              .shrinks = true,
              .load_at_rest = true,
              .reference = row_kind::pinned_alone};
    case row_kind::yield:
      return {.name = "load yields",
              .pinned = true,
              .loaded = true,
              .yields = true,
              .load_at_rest = true,
              .reference = row_kind::pinned_alone};
    case row_kind::alone_again: return {.name = "alone again"};
  }
  return {};
}

/// One job of the foreground. Times are the host's, from the request: before the launch, or before the load is asked
/// to shrink or to yield.
struct job_sample {
  takt::ticks start = 0;     ///< until the first store was seen
  takt::ticks end = 0;       ///< until the wait for its stream returned
  std::uint64_t before = 0;  ///< steps of the load at the request
  std::uint64_t after = 0;   ///< and at the end
};

struct row_record {
  row_kind kind = row_kind::alone;
  std::int32_t sms = 0;  ///< of the foreground's partition; 0: the whole device
  std::vector<job_sample> samples{};
  std::int64_t late = 0;          ///< tries that were given up before the request, as the load was nearly over
  std::int64_t jobs_checked = 0;  ///< whose output was compared, element by element
  std::int64_t elements_checked = 0;
  std::int64_t elements_wrong = 0;
  std::uint64_t steps_launched = 0;
  std::uint64_t steps_done = 0;  ///< as the device counted them
  takt::ticks load_time = 0;     ///< by events
  sm_set foreground{};           ///< SMs that any job of the row used
  sm_set background{};
  std::int32_t promised_foreground = 0;  ///< SMs; 0: nothing was promised
  std::int32_t promised_background = 0;
};

/// One spin of a nominal millisecond.
struct spin_record {
  takt::ticks device = 0;  ///< by the device's nanoseconds
  takt::ticks host = 0;    ///< between the two stores, as the host saw them
  takt::ticks event = 0;
  std::uint64_t cycles = 0;  ///< of the SM
};

struct device_record {
  std::string name{};
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
  std::int32_t sms = 0;
  std::int32_t threads_per_sm = 0;
  std::int32_t driver_version = 0;  ///< 1000 * major + 10 * minor
};

/// All that was seen, and nothing of what it means.
struct isolation_measurement {
  device_record device{};
  std::string commit{};
  std::vector<row_record> rows{};
  std::vector<std::string> left_out{};  ///< sentences on rows that this device cannot have
  std::uint64_t load_alone_steps = 0;
  takt::ticks load_alone_time = 0;
  takt::ticks load_length = 0;  ///< of one launch of the load, alone
  std::vector<spin_record> first_spins{};
  std::vector<spin_record> last_spins{};
  std::array<sm_set, 2> control{};  ///< SMs of two kernels whose ranges overlap on purpose

  /// Null when there is none.
  [[nodiscard]] auto find(row_kind k, std::int32_t sms) const noexcept -> const row_record* {
    const auto at = std::ranges::find_if(rows, [&](const row_record& r) { return r.kind == k && r.sms == sms; });
    return at == rows.end() ? nullptr : &*at;
  }
  /// The row that this one is compared with; null when it was not measured.
  [[nodiscard]] auto reference_of(const row_record& r) const noexcept -> const row_record* {
    const row_kind k = form_of(r.kind).reference;
    const bool in_partition = form_of(k).green || form_of(k).pinned;
    return find(k, in_partition ? r.sms : 0);
  }
};

/// The value that `percent` of the values do not exceed. Pre: not empty, 0 < percent <= 100.
[[nodiscard]] inline auto percentile(std::vector<takt::ticks> values, std::int64_t percent) -> takt::ticks {
  std::ranges::sort(values);
  const auto n = static_cast<std::int64_t>(values.size());
  return values[static_cast<std::size_t>((n * percent + 99) / 100 - 1)];
}

[[nodiscard]] inline auto times_of(const std::vector<job_sample>& samples, takt::ticks job_sample::* which)
    -> std::vector<takt::ticks> {
  std::vector<takt::ticks> out;
  out.reserve(samples.size());
  for (const job_sample& s : samples) { out.push_back(s.*which); }
  return out;
}

}  // namespace takt_benchmarks
