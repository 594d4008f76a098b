// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string_view>
#include <vector>

#include <takt/core/rational.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/rules/shares/contention_predictor.hpp>
#include <takt/rules/shares/exact_progress.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

namespace takt::test {

inline constexpr std::size_t few = 5;
using few_shares = application_set<few>;
using few_predictor = contention_predictor<few>;
using few_scheduled = scheduled_shares<few, few_predictor, exact_progress<rational>>;

struct small_task {
  ticks wcet = 0;
  std::int32_t fixed_permille = 0;
  ticks period = 0;
  ticks deadline = 0;
  std::int32_t priority = 0;
};

[[nodiscard]] inline auto shares_of(std::initializer_list<small_task> tasks) -> few_shares {
  constexpr std::array<std::string_view, few> names{"A0", "A1", "A2", "A3", "A4"};
  few_shares out;
  for (const small_task& t : tasks) {
    static_cast<void>(out.add({.name = names[out.size()],
                               .period = t.period,
                               .deadline = t.deadline,
                               .priority = t.priority,
                               .alone = wcet_row::scaling(t.wcet, t.fixed_permille)}));
  }
  return out;
}

struct seen_operation {
  ticks time = 0;
  bool schedulable = true;
  std::vector<int> shares{};
  std::vector<int> needs{};  ///< in the order in which the scheduler looked

  friend auto operator==(const seen_operation&, const seen_operation&) -> bool = default;
  friend auto operator<<(std::ostream& out, const seen_operation& o) -> std::ostream& {
    out << o.time << (o.schedulable ? " schedulable [" : " unschedulable [");
    for (const int s : o.shares) { out << ' ' << s; }
    out << " ] needs [";
    for (const int n : o.needs) { out << ' ' << n; }
    return out << " ]";
  }
};

/// What a scheduler did and when jobs ended.
struct share_log {
  takt::trace trace;
  std::vector<seen_operation> operations;

  void record(const slice& s) { trace.record(s); }
  void record(const mark& m) { trace.record(m); }
  template <class Policy>
    requires requires(const Policy& p) { p.scheduler(); }
  void record(const simulation::share_operation<Policy>& o) {
    const auto& d = o.policy.scheduler().decision();
    seen_operation seen{.time = o.time, .schedulable = d.schedulable};
    for (std::size_t i = 0; i < tasks; ++i) { seen.shares.push_back(d.shares[i].percent()); }
    for (const auto& e : d.examined) { seen.needs.push_back(e.need); }
    operations.push_back(seen);
  }
  std::size_t tasks = 0;

  [[nodiscard]] auto times(mark_kind what, std::uint32_t task) const -> std::vector<ticks> {
    std::vector<ticks> out;
    for (const mark& m : trace.marks()) {
      if (m.what == what && m.task == task) { out.push_back(m.time); }
    }
    return out;
  }
  [[nodiscard]] auto ends(std::uint32_t task) const -> std::vector<ticks> { return times(mark_kind::completion, task); }
  [[nodiscard]] auto misses(std::uint32_t task) const -> std::vector<ticks> { return times(mark_kind::miss, task); }
};

/// Releases at offset + k period; applications beyond the end of `offsets` have none.
template <class Set>
[[nodiscard]] auto periodic_releases(const Set& set, ticks horizon, const std::vector<ticks>& offsets = {}) {
  std::vector<std::vector<ticks>> out(set.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    ticks at = i < offsets.size() ? offsets[i] : 0;
    for (; at < horizon; at += set.tasks[i].period) { out[i].push_back(at); }
  }
  return out;
}

struct share_run {
  share_log log;
  share_observation<few> result;
};

template <class Policy>
[[nodiscard]] auto run_shares(const few_shares& table, const Policy& policy, const std::vector<ticks>& offsets,
                              const simulation::share_options& options) -> share_run {
  share_run out;
  out.log.tasks = table.size();
  out.result =
      simulation::simulate_shares(table, policy, periodic_releases(table, options.horizon, offsets), options, out.log);
  return out;
}
[[nodiscard]] inline auto schedule(const few_shares& table, const share_rules& rules, ticks horizon,
                                   const std::vector<ticks>& offsets = {},
                                   const share_triggers& triggers = every_change, std::int64_t bias = 0,
                                   std::int64_t margin = 0) -> share_run {
  return run_shares(table, few_scheduled{table, few_predictor{table, bias, margin}, rules, triggers}, offsets,
                    {.horizon = horizon});
}

}  // namespace takt::test
