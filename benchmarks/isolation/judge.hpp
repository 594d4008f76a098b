// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "measurement.hpp"

/// Whether a measurement may be shown. Each check has its own sentence; nothing here measures or prints.
namespace takt_benchmarks {

inline constexpr takt::ticks nominal_spin = 1'000'000;
inline constexpr std::size_t samples_for_p99 = 2'000;
inline constexpr std::int64_t least_load_ratio = 5;

namespace detail {

/// Whether two values differ by at most so many percent of the first.
[[nodiscard]] inline auto within(double a, double b, double percent) -> bool {
  return a > 0 && std::abs(a - b) * 100 <= a * percent;
}

[[nodiscard]] inline auto text(double value, const char* unit) -> std::string {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.3f %s", value, unit);
  return out.data();
}

[[nodiscard]] inline auto title(const row_record& r) -> std::string {
  return std::string{form_of(r.kind).name} + (r.sms > 0 ? " (" + std::to_string(r.sms) + " SMs)" : "");
}

[[nodiscard]] inline auto median_of(const std::vector<spin_record>& spins, takt::ticks spin_record::* which)
    -> takt::ticks {
  std::vector<takt::ticks> all;
  for (const spin_record& s : spins) { all.push_back(s.*which); }
  return percentile(std::move(all), 50);
}

/// Cycles of an SM per nanosecond: the middle one of the spins. Pre: not empty.
[[nodiscard]] inline auto clock_of(const std::vector<spin_record>& spins) -> double {
  std::vector<double> all;
  for (const spin_record& s : spins) {
    all.push_back(s.device > 0 ? static_cast<double>(s.cycles) / static_cast<double>(s.device) : 0);
  }
  std::ranges::sort(all);
  return all[all.size() / 2];
}

using sentences = std::vector<std::string>;

inline void judge_times(const row_record& r, sentences& out) {
  const auto bad =
      std::ranges::count_if(r.samples, [](const job_sample& s) { return s.start <= 0 || s.end < s.start; });
  if (bad > 0) {
    out.push_back(title(r) + ": " + std::to_string(bad) + " jobs ended before they started or started at once");
  }
}

inline void judge_progress(const row_record& r, sentences& out) {
  if (!form_of(r.kind).loaded) { return; }
  const auto still = std::ranges::count_if(r.samples, [](const job_sample& s) { return s.after <= s.before; });
  if (still > 0) {
    out.push_back(title(r) + ": the load made no progress during " + std::to_string(still) + " of " +
                  std::to_string(r.samples.size()) + " samples");
  }
  if (r.steps_done != r.steps_launched || r.steps_launched == 0) {
    out.push_back(title(r) + ": the load did " + std::to_string(r.steps_done) + " steps of " +
                  std::to_string(r.steps_launched));
  }
  if (r.late > static_cast<std::int64_t>(r.samples.size())) {
    out.push_back(title(r) + ": the load was nearly over before the request in " + std::to_string(r.late) +
                  " tries, more than there are samples");
  }
}

inline void judge_outputs(const row_record& r, sentences& out) {
  if (r.elements_wrong > 0) {
    out.push_back(title(r) + ": " + std::to_string(r.elements_wrong) + " of " + std::to_string(r.elements_checked) +
                  " output elements are wrong");
  }
  if (r.jobs_checked != static_cast<std::int64_t>(r.samples.size())) {
    out.push_back(title(r) + ": the output of " + std::to_string(r.jobs_checked) + " jobs was checked, but " +
                  std::to_string(r.samples.size()) + " were timed");
  }
}

[[nodiscard]] inline auto overlap_of(const sm_set& a, const sm_set& b) -> std::size_t { return (a & b).count(); }

inline void judge_sms(const row_record& r, sentences& out) {
  const auto exact = [&](const char* who, const sm_set& used, std::int32_t promised) {
    if (promised > 0 && used.count() != static_cast<std::size_t>(promised)) {
      out.push_back(title(r) + ": the " + who + " used " + std::to_string(used.count()) + " SMs where " +
                    std::to_string(promised) + " were promised");
    }
  };
  exact("foreground", r.foreground, r.promised_foreground);
  exact("background", r.background, r.promised_background);
  const row_form form = form_of(r.kind);
  if ((form.green || form.pinned) && r.promised_foreground <= 0) {
    out.push_back(title(r) + ": nobody says how many SMs the foreground was promised");
  }
  const bool apart = form.loaded && (form.green || form.pinned) && !form.load_at_rest;
  if (!apart) { return; }
  if (r.promised_background <= 0) {
    out.push_back(title(r) + ": nobody says how many SMs the background was promised");
  }
  if (const std::size_t both = overlap_of(r.foreground, r.background); both > 0) {
    out.push_back(title(r) + ": foreground and background shared " + std::to_string(both) + " SMs");
  }
}

inline void judge_rows(const isolation_measurement& m, sentences& out) {
  for (const row_kind k : {row_kind::alone, row_kind::pinned_alone, row_kind::same_priority, row_kind::lower_priority,
                           row_kind::both_pinned, row_kind::shrink, row_kind::yield, row_kind::alone_again}) {
    if (std::ranges::find(m.rows, k, &row_record::kind) == m.rows.end()) {
      out.push_back(std::string{"there is no row \""} + form_of(k).name + "\"");
    }
  }
  for (const row_record& r : m.rows) {
    if (r.samples.empty()) {
      out.push_back(title(r) + ": there are no samples");
      continue;
    }
    judge_times(r, out);
    judge_progress(r, out);
    judge_outputs(r, out);
    judge_sms(r, out);
    const row_record* reference = m.reference_of(r);
    if (reference == nullptr || reference->samples.empty()) {
      out.push_back(title(r) + ": the same without a load was not measured");
    }
    const bool lone = (form_of(r.kind).green || form_of(r.kind).pinned) && !form_of(r.kind).loaded;
    const row_kind beside = form_of(r.kind).green ? row_kind::both_green : row_kind::both_pinned;
    if (lone && m.find(beside, r.sms) == nullptr) {
      out.push_back(title(r) + ": the same beside a load was not measured");
    }
  }
}

[[nodiscard]] inline auto median_of(const row_record* r, takt::ticks job_sample::* which) -> takt::ticks {
  return r == nullptr || r->samples.empty() ? 0 : percentile(times_of(r->samples, which), 50);
}

inline void judge_load(const isolation_measurement& m, sentences& out) {
  if (m.load_alone_steps == 0 || m.load_alone_time <= 0) { out.emplace_back("the load alone has no rate"); }
  const takt::ticks alone = median_of(m.find(row_kind::alone, 0), &job_sample::end);
  const takt::ticks beside = median_of(m.find(row_kind::same_priority, 0), &job_sample::end);
  if (beside < least_load_ratio * alone) {
    out.push_back("the load is no load: beside it at the same priority the median job took " +
                  text(static_cast<double>(beside) / 1'000, "us") + ", which is less than " +
                  std::to_string(least_load_ratio) + " times the " + text(static_cast<double>(alone) / 1'000, "us") +
                  " alone");
  }
}

inline void judge_again(const isolation_measurement& m, sentences& out) {
  const row_record* first = m.find(row_kind::alone, 0);
  const row_record* last = m.find(row_kind::alone_again, 0);
  const auto same = [&](const char* what, takt::ticks job_sample::* which) {
    const auto a = static_cast<double>(median_of(first, which));
    const auto b = static_cast<double>(median_of(last, which));
    if (!within(a, b, 10)) {
      out.push_back(std::string{"alone again: the median "} + what + " is " + text(b / 1'000, "us") + ", it was " +
                    text(a / 1'000, "us") + ": more than 10 % apart");
    }
  };
  same("start", &job_sample::start);
  same("end", &job_sample::end);
}

inline void judge_clocks(const isolation_measurement& m, sentences& out) {
  if (m.first_spins.empty() || m.last_spins.empty()) {
    out.emplace_back("the clocks were not compared");
    return;
  }
  const double first = clock_of(m.first_spins);
  const double last = clock_of(m.last_spins);
  if (!within(first, last, 5)) {
    out.push_back("the SM clock was " + text(first, "GHz") + " at the start and " + text(last, "GHz") +
                  " at the end: more than 5 % apart");
  }
  for (const auto* spins : {&m.first_spins, &m.last_spins}) {
    const auto by = [&](takt::ticks spin_record::* which) { return static_cast<double>(median_of(*spins, which)); };
    const auto agree = [&](const char* what, double nanoseconds) {
      if (!within(nominal_spin, nanoseconds, 2)) {
        out.push_back(std::string{"a spin of 1 ms took "} + text(nanoseconds / 1e6, "ms") + " by " + what +
                      ": more than 2 % apart");
      }
    };
    agree("the device's timer", by(&spin_record::device));
    agree("the host's clock", by(&spin_record::host));
    agree("events", by(&spin_record::event));
  }
}

}  // namespace detail

/// Why a table of this measurement would be false. Empty: print it.
[[nodiscard]] inline auto refusals(const isolation_measurement& m) -> std::vector<std::string> {
  detail::sentences out;
  if (m.device.name.empty() || m.device.sms <= 0) { out.emplace_back("the device has no name or no SMs"); }
  if (m.commit.empty()) { out.emplace_back("nobody says which commit was measured"); }
  detail::judge_rows(m, out);
  detail::judge_load(m, out);
  detail::judge_again(m, out);
  detail::judge_clocks(m, out);
  if (detail::overlap_of(m.control[0], m.control[1]) == 0) {
    out.emplace_back("two kernels whose SMs overlap on purpose were not told from disjoint ones");
  }
  const bool green = std::ranges::any_of(m.rows, [](const row_record& r) { return form_of(r.kind).green; });
  if (!green && m.left_out.empty()) { out.emplace_back("rows of green contexts are missing, and nobody says why"); }
  return out;
}

}  // namespace takt_benchmarks
