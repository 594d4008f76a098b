// SPDX-License-Identifier: Apache-2.0
#include "rtgpu_methods.hpp"

#include <algorithm>

#include <takt/analysis/analyze.hpp>
#include <takt/simulation/simulate.hpp>

#include "../file_platform.hpp"

namespace takt::program::sweep {

namespace {

using cpu_rule = fixed_priority_rule<by_relative_deadline>;
template <bool Shared>
using board = file_platform<cpu_rule, nonpreemptive_rule<cpu_rule>, federated_rule<Shared>>;

template <class P, class... Variant>
[[nodiscard]] auto search(const P& platform, const study_table& table, std::uint64_t effort, const Variant&... variant)
    -> study_plan {
  auto a = analysis::make_analysis(platform, table, variant...);
  if (a.fits(table, platform.record())) { return {}; }
  return search_plan(a, exact_search, effort);
}

template <class P>
[[nodiscard]] auto search_by(method m, const P& platform, const study_table& table, std::uint64_t effort)
    -> study_plan {
  switch (m) {
    case method::rtgpu: return search(platform, table, effort, analysis::rtgpu_published);
    case method::takt: return search(platform, table, effort, analysis::rtgpu_best);
    case method::self_suspension: return search(one_at_a_time(platform), table, effort);
    case method::busy_waiting: return search(spinning(platform), table, effort);
    case method::enhanced_mpcp: return search(one_at_a_time_on_all_sms(platform), table, effort);
  }
  return {};
}

/// Calls `f` with the platform whose SMs are handed out as the record says.
template <class F>
[[nodiscard]] auto on_board(const platform_record& platform, const F& f) {
  return platform.gpus[0].shared ? f(board<true>{platform}) : f(board<false>{platform});
}

}  // namespace

auto find_plan(method m, const study_table& table, const platform_record& platform, std::uint64_t effort)
    -> study_plan {
  return on_board(platform, [&](const auto& p) { return search_by(m, p, table, effort); });
}

auto runs_without_miss(const study_table& table, const platform_record& platform, const study_plan& p,
                       std::int64_t periods) -> bool {
  ticks longest = 0;
  for (const auto& t : table.tasks) { longest = std::max(longest, t.period); }
  const simulation_options options{.horizon = duration{longest * periods}, .stop_at_first_miss = true};
  return on_board(platform, [&](const auto& b) {
    return simulate(b, table, static_cast<const plan<most_tasks>&>(p), options).status() == observation_status::no_miss;
  });
}

}  // namespace takt::program::sweep
