// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "judge.hpp"
#include "measurement.hpp"

namespace takt_benchmarks {

namespace detail {

template <class... Arguments>
[[nodiscard]] auto formatted(const char* format, Arguments... arguments) -> std::string {
  std::array<char, 256> out{};
  std::snprintf(out.data(), out.size(), format, arguments...);
  return out.data();
}

/// P50, P99 and the largest, as three cells.
[[nodiscard]] inline auto cells(const row_record& r, takt::ticks job_sample::* which) -> std::string {
  const auto times = times_of(r.samples, which);
  const auto us = [&](std::int64_t percent) { return static_cast<double>(percentile(times, percent)) / 1'000; };
  const std::string p99 =
      times.size() < samples_for_p99 ? std::to_string(times.size()) + " samples" : formatted("%.1f", us(99));
  return formatted(" %.1f | ", us(50)) + p99 + formatted(" | %.1f |", us(100));
}

/// Steps per time against those of the load alone on the whole device, in percent; none where the load does not run
/// all the time.
[[nodiscard]] inline auto rate_cell(const isolation_measurement& m, const row_record& r) -> std::string {
  const row_form form = form_of(r.kind);
  if (!form.loaded || form.load_at_rest || r.load_time <= 0) { return " |"; }
  const double alone = static_cast<double>(m.load_alone_steps) / static_cast<double>(m.load_alone_time);
  const double here = static_cast<double>(r.steps_done) / static_cast<double>(r.load_time);
  return formatted(" %.1f %% |", 100 * here / alone);
}

[[nodiscard]] inline auto median_ratio(const isolation_measurement& m, const row_record& r) -> double {
  const auto reference = median_of(m.reference_of(r), &job_sample::end);
  return static_cast<double>(median_of(&r, &job_sample::end)) / static_cast<double>(reference);
}

[[nodiscard]] inline auto partition_lines(const isolation_measurement& m) -> std::string {
  std::string out;
  for (const row_record& r : m.rows) {
    const row_record* pinned = m.find(row_kind::pinned_alone, r.sms);
    const bool has_pair = r.sms > 0 && form_of(r.kind).green && !form_of(r.kind).loaded && pinned != nullptr;
    if (!has_pair) { continue; }
    const auto more = [&](takt::ticks job_sample::* which) {
      return static_cast<double>(median_of(&r, which) - median_of(pinned, which)) / 1'000;
    };
    out += formatted("Partition overhead on %d SMs, green context less pinned blocks of the primary context, medians: ",
                     r.sms) +
           formatted("start %+.1f us, end %+.1f us.\n", more(&job_sample::start), more(&job_sample::end));
  }
  return out;
}

}  // namespace detail

/// In Markdown. Pre: `refusals` has none.
[[nodiscard]] inline auto table_of(const isolation_measurement& m) -> std::string {
  using detail::formatted;
  std::string out = m.device.name;
  out += formatted(", compute capability %d.%d, %d SMs of %d threads, driver %d.%d, commit ", m.device.compute_major,
                   m.device.compute_minor, m.device.sms, m.device.threads_per_sm, m.device.driver_version / 1'000,
                   m.device.driver_version % 1'000 / 10) +
         m.commit + formatted(", SM clock %.3f GHz.\n\n", detail::clock_of(m.first_spins));
  out +=
      "| foreground | SMs | samples | start P50 | P99 | max | end P50 | P99 | max | end P50 to no load | background "
      "rate |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const row_record& r : m.rows) {
    out += std::string{"| "} + form_of(r.kind).name + " | " + (r.sms > 0 ? std::to_string(r.sms) : "all") + " | " +
           std::to_string(r.samples.size()) + " |" + detail::cells(r, &job_sample::start) +
           detail::cells(r, &job_sample::end) + formatted(" %.2f |", detail::median_ratio(m, r)) +
           detail::rate_cell(m, r) + "\n";
  }
  out +=
      "\nMicroseconds of the host: from the request to the kernel's first store (start) and to the end of the wait "
      "(end). ";
  out +=
      formatted("A load is one launch of %.2f ms, with one job beside it; ", static_cast<double>(m.load_length) / 1e6) +
      "its rate is that of steps, against the load alone on all SMs. ";
  out += "The request is the launch, or that the load gives up SMs, which it does between blocks.\n";
  out += detail::partition_lines(m);
  for (const std::string& s : m.left_out) { out += "Left out: " + s + ".\n"; }
  return out;
}

struct isolation_report {
  std::string text;
  int code = 1;  ///< of the program
};

/// The table, or why there is none.
[[nodiscard]] inline auto report_of(const isolation_measurement& m) -> isolation_report {
  const auto why = refusals(m);
  if (why.empty()) { return {table_of(m), 0}; }
  isolation_report out;
  for (const std::string& s : why) { out.text += "refused: " + s + ".\n"; }
  return out;
}

}  // namespace takt_benchmarks
