// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <takt/core/random.hpp>
#include <takt/model/model_error.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/systems/shares/figures/synthetic_platform.hpp>
#include <takt/systems/shares/figures/uunisort.hpp>

namespace takt::inline TAKT_ABI::generation {

namespace detail {

/// Returns an application of the invented platform as a task, with its deadline at the end of the period.
[[nodiscard]] constexpr auto synthetic_task(const synthetic_application& a, ticks period) noexcept -> share_task {
  return {.name = a.name,
          .period = period,
          .deadline = period,
          .priority = a.priority,
          .alone = wcet_row::scaling(a.wcet, a.fixed_permille)};
}

}  // namespace detail

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
