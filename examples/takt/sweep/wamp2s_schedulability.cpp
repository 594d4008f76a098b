// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <takt/analysis/known/shares/necessary_shares.hpp>
#include <takt/analysis/known/shares/sufficient_shares.hpp>

#include "../failure.hpp"
#include "wamp2s_sets.hpp"
#include "wamp2s_studies.hpp"

namespace takt::program::old_sweep {

namespace {

constexpr std::size_t policies = share_policies.size();
/// Columns after two per policy.
enum extra : std::uint8_t { sufficient = 2 * policies, not_refuted, accepted_but_missed, columns };

struct question {
  std::uint64_t seed = 1;
  std::int64_t periods = 0;
  std::int64_t seconds = 0;
};

void count_set(const application_table& table, const question& q, std::span<std::int64_t> counts) {
  const bool accepted = analysis::sufficient_shares(table, share_predictor{table}).sufficient;
  const application_releases together{table};
  const ticks horizon = horizon_of(table, q.periods, q.seconds);
  for (std::size_t p = 0; p < policies; ++p) {
    const auto run = run_policy(share_policies[p].policy, table, together, horizon);
    const bool well = run.misses() == 0;
    counts[p] += well ? 1 : 0;
    counts[policies + p] += static_cast<std::int64_t>(run.without_miss());
    if (share_policies[p].policy == share_policy::robust) { counts[accepted_but_missed] += accepted && !well ? 1 : 0; }
  }
  counts[sufficient] += accepted ? 1 : 0;
  counts[not_refuted] += analysis::necessary_shares(table).refuted() ? 0 : 1;
}

[[nodiscard]] auto make_counter(const question& q) -> counter {
  return [q](const unit& u, std::span<std::int64_t> counts) {
    constexpr std::int64_t most_sets = 1'000'000;
    application_table table;
    for (std::int64_t i = 0; i < u.sets; ++i) {
      const auto number = static_cast<std::uint64_t>(u.level * most_sets + u.first_set + i);
      draw({.utilization_permille = static_cast<std::int32_t>(u.level)}, q.seed, number, table);
      count_set(table, q, counts);
    }
  };
}

[[nodiscard]] auto design(const settings& s) -> experiment {
  experiment e;
  e.title = "WAMP2S (Yao et al. 2022), Fig. 14: sets of ten applications that meet all deadlines, invented platform";
  e.level_title = "utilization";
  e.level_name = "utilization";
  e.share_title = "sets without a miss (%)";
  e.levels = s.levels("levels");
  if (e.levels.front() < 1 || e.levels.back() > 10'000) {
    throw input_error{"levels", "a utilization is out of range", "0.001 to 10"};
  }
  e.sets = s.number("sets", 1, 1'000'000);
  e.keys = {"platform"};
  e.all_series = {{{"invented"}}};
  for (const named_policy& p : share_policies) { e.columns.emplace_back(p.cell); }
  for (const named_policy& p : share_policies) { e.columns.push_back("applications_" + std::string{p.cell}); }
  for (const char* name : {"t1", "not_refuted_t2", "accepted_but_missed"}) { e.columns.emplace_back(name); }
  panel wamp2s{"shares that are sized", {}};
  panel others{"what else can be done", {}};
  wamp2s.curves.push_back({.column = not_refuted, .title = "not refuted (T2)", .colour = 6, .line = stroke::band});
  for (std::size_t p = 0; p < policies; ++p) {
    const bool published = p <= static_cast<std::size_t>(share_policy::time_sliced);
    (published ? wamp2s : others)
        .curves.push_back({.column = p,
                           .title = std::string{share_policies[p].title},
                           .colour = share_policies[p].colour,
                           .line = share_policies[p].policy == share_policy::preemptive_fixed_priority
                                       ? stroke::dashed
                                       : stroke::solid});
  }
  wamp2s.curves.push_back({.column = sufficient, .title = "accepted (T1)", .colour = 1, .line = stroke::dashed});
  e.panels = {std::move(wamp2s), std::move(others)};
  const question q{.seed = static_cast<std::uint64_t>(s.number("seed", 0, INT64_MAX)),
                   .periods = s.number("periods", 1, 1000),
                   .seconds = s.number("seconds", 1, 86'400)};
  e.make_counter = [q] { return make_counter(q); };
  return e;
}

}  // namespace

auto wamp2s_schedulability_studies() -> std::vector<study> {
  return {{"wamp2s-fig14",
           "sets without a deadline miss under WAMP2S and nine other policies, simulated on an invented platform",
           {{"seed", "1", "of everything that is drawn"},
            {"sets", "60", "task sets per level"},
            {"levels", "0.2,0.4,0.5,0.6,0.8,1,1.2,1.3,1.4,1.5,1.6,1.7,1.8,2,2.2", "utilization of the set"},
            {"periods", "3", "longest periods that are simulated"},
            {"seconds", "60", "that are simulated at most"}},
           design}};
}

}  // namespace takt::program::old_sweep
