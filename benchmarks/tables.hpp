// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <takt/core/number.hpp>
#include <takt/prediction/kernel_profile.hpp>

namespace takt_benchmarks {

/// 1, 2, 4, ... and all.
[[nodiscard]] inline auto sm_counts(std::int32_t sms) -> std::vector<std::int32_t> {
  std::vector<std::int32_t> out;
  for (std::int32_t n = 1; n < sms; n *= 2) { out.push_back(n); }
  out.push_back(sms);
  return out;
}

struct time_summary {
  takt::ticks least = 0;
  takt::ticks median = 0;
  takt::ticks most = 0;
};

/// Pre: not empty.
[[nodiscard]] inline auto summarize(std::vector<takt::ticks> times) -> time_summary {
  std::ranges::sort(times);
  return {times.front(), times[times.size() / 2], times.back()};
}

[[nodiscard]] inline auto microseconds(takt::ticks t) -> double { return static_cast<double>(t) / 1'000; }

struct named_profile {
  const char* name;
  takt::kernel_profile profile;
};

/// Times of kernels over the numbers of virtual SMs that their profiles have.
inline void print_times(std::span<const named_profile> all) {
  std::printf("\nTimes over virtual SMs (Fig. 3), microseconds\n%-8s %7s %6s %10s %10s %10s %10s\n", "kernel",
              "virtual", "runs", "least", "median", "most", "bound");
  for (const auto& [name, profile] : all) {
    for (auto at = profile.samples.begin(); at != profile.samples.end();) {
      const std::int32_t n = at->virtual_sms;
      std::vector<takt::ticks> times;
      for (; at != profile.samples.end() && at->virtual_sms == n; ++at) { times.push_back(at->time); }
      const std::size_t runs = times.size();
      const time_summary s = summarize(std::move(times));
      std::printf("%-8s %7d %6zu %10.1f %10.1f %10.1f %10.1f\n", name, n, runs, microseconds(s.least),
                  microseconds(s.median), microseconds(s.most), microseconds(profile.fit.law.upper(n).count()));
    }
  }
}

/// What was fitted to the times, and what launches take without work. `share` is the s of Eq. 3 on the most virtual SMs
/// that were timed, `speed-up` the N + (1 - N) s that follows.
inline void print_laws(std::span<const named_profile> all) {
  std::printf("\nEq. 3 through the middle of all runs, and laws that bracket them; times in microseconds\n");
  std::printf("%-8s %7s %7s %8s %11s %11s %10s %8s %8s %9s %9s\n", "kernel", "virtual", "share", "speed-up", "work",
              "least work", "overhead", "ratio", "V/r - 1", "plain", "pinned");
  for (const auto& [name, profile] : all) {
    std::int32_t most = 1;
    for (const auto& s : profile.samples) { most = std::max(most, s.virtual_sms); }
    const double n = most;
    const double share = profile.fit.curve.serial_share(n);
    const double ratio =
        static_cast<double>(profile.interleave.numerator) / static_cast<double>(profile.interleave.denominator);
    const auto& law = profile.fit.law;
    std::printf("%-8s %7d %7.4f %8.2f %11.1f %11.1f %10.1f %8.3f %7.1f%% %9.1f %9.1f\n", name, most, share,
                n + (1 - n) * share, microseconds(law.work.upper.count()), microseconds(law.work.lower.count()),
                microseconds(law.overhead.count()), ratio, 100 * (profile.virtual_per_sm / ratio - 1),
                microseconds(profile.overheads.plain.upper), microseconds(profile.overheads.pinned.upper));
  }
  std::puts(
      "plain, pinned: the longest launch without work; the second is in the overhead of every law, so pinning is too");
}

}  // namespace takt_benchmarks
