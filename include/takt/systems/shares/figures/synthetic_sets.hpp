// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>

namespace takt::inline TAKT_ABI::generation::detail {

/// Divides `total` into `out.size()` utilisations, uniform on the simplex: the distances between sorted uniform cuts of
/// [0, total]. Takes one number per cut from `random`, and only operations that IEEE 754 rounds the same everywhere.
///
/// A part may exceed 1 where `total` does; such a set is infeasible, but dropping it would change the distribution.
/// Source: Bini and Buttazzo 2005, "Measuring the performance of schedulability tests", UUniSort. It is UUniFast in
/// distribution. Pre: total > 0. Cost: n log n.
constexpr void uunisort(random_stream& random, double total, std::span<double> out) {
  TAKT_EXPECTS(0 < total);
  if (out.empty()) { return; }
  constexpr double unit = 1.0 / 9'007'199'254'740'992.0;  // 2^-53
  for (double& cut : out.first(out.size() - 1)) { cut = total * (static_cast<double>(random.next() >> 11U) * unit); }
  out.back() = total;
  std::ranges::sort(out);
  for (std::size_t i = out.size() - 1; i > 0; --i) { out[i] -= out[i - 1]; }
}

/// Returns the period at which an application of this length has about this utilisation, D = T being the deadline:
/// rounded to a tick, at least 1. Utilisations below 1e-4 count as that. Pre: 0 < wcet < 2^39. Source: Yao et al. 2022,
/// Eq. 14.
[[nodiscard]] constexpr auto period_for(ticks wcet, double utilization) -> ticks {
  TAKT_EXPECTS(0 < wcet && wcet < ticks{1} << 39U);
  constexpr double least = 1e-4;
  const double period = static_cast<double>(wcet) / std::max(utilization, least);
  const auto whole = static_cast<ticks>(period);
  return std::max<ticks>(1, period - static_cast<double>(whole) < 0.5 ? whole : whole + 1);
}

/// Returns an application of the invented platform as a task, with its deadline at the end of the period.
[[nodiscard]] constexpr auto synthetic_task(const synthetic_application& a, ticks period) noexcept -> share_task {
  return {.name = a.name,
          .period = period,
          .deadline = period,
          .priority = a.priority,
          .alone = wcet_row::scaling(a.wcet, a.fixed_permille)};
}

}  // namespace takt::inline TAKT_ABI::generation::detail

namespace takt::inline TAKT_ABI::generation {

/// Adds applications with their published periods, in the given order, and how they slow one another down there.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto synthetic_set(std::span<const synthetic_application> all, application_set<MaxTasks>& out)
    -> model_fault {
  out = {};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!out.add(detail::synthetic_task(all[i], all[i].period))) { return model_fault::set_does_not_fit; }
    for (std::size_t k = 0; k < i; ++k) {
      out.contention.set(i, k, detail::synthetic_slowdown_ppm(all[i], all[k]));
      out.contention.set(k, i, detail::synthetic_slowdown_ppm(all[k], all[i]));
    }
  }
  return model_fault::none;
}

/// Describes the experiments of Yao et al. 2022, Fig. 14 and 15, on the invented platform.
struct benchmark_set_options {
  std::size_t applications = synthetic_benchmarks.size();  ///< drawn from the ten of Table 3, each subset as likely
  std::int32_t utilization_permille = 1000;                ///< the sum, may exceed 1000
};

[[nodiscard]] constexpr auto validate(const benchmark_set_options& o) noexcept -> model_fault {
  const bool good = o.applications > 0 && o.applications <= synthetic_benchmarks.size() && o.utilization_permille > 0 &&
                    o.utilization_permille <= 100'000;
  return good ? model_fault::none : model_fault::options_out_of_range;
}

/// Draws set number `index` of a seed: each can be drawn by itself. Periods from utilisations by UUniSort, deadline =
/// period, applications in the order of Table 3, so by falling priority. Equal arguments give the same set everywhere.
template <std::size_t MaxTasks>
[[nodiscard]] constexpr auto generate(const benchmark_set_options& o, std::uint64_t seed, std::uint64_t index,
                                      application_set<MaxTasks>& out) -> model_fault {
  out = {};
  if (const auto fault = validate(o); fault != model_fault::none) { return fault; }
  random_stream random{random_stream{seed}.next() ^ random_stream{~index}.next()};
  std::array<synthetic_application, synthetic_benchmarks.size()> chosen{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < synthetic_benchmarks.size(); ++i) {
    const auto left = static_cast<ticks>(synthetic_benchmarks.size() - i);
    if (random.chance(static_cast<ticks>(o.applications - count), left)) { chosen[count++] = synthetic_benchmarks[i]; }
  }
  std::array<double, synthetic_benchmarks.size()> parts{};
  const auto total = static_cast<double>(o.utilization_permille) / 1000;
  detail::uunisort(random, total, std::span{parts}.first(count));
  for (std::size_t i = 0; i < count; ++i) { chosen[i].period = detail::period_for(chosen[i].wcet, parts[i]); }
  return synthetic_set(std::span<const synthetic_application>{chosen}.first(count), out);
}

}  // namespace takt::inline TAKT_ABI::generation
