// SPDX-License-Identifier: Apache-2.0
// The airborne set of Yao et al. 2022, Table 4, on the invented platform: half an hour, and what is seen of it.
#include <array>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/shares/sufficient_shares.hpp>
#include <takt/report/svg_gantt.hpp>
#include <takt/rules/shares/one_at_a_time.hpp>
#include <takt/rules/shares/scheduled_shares.hpp>
#include <takt/rules/shares/share_baselines.hpp>
#include <takt/simulation/release_times.hpp>
#include <takt/simulation/trace.hpp>
#include <takt/systems/shares/figures/synthetic_sets.hpp>
#include <takt/systems/shares/plans/static_shares.hpp>
#include <takt/systems/shares/simulation/simulate.hpp>

#include "support/traces.hpp"
#include "support/written_trace.hpp"

namespace {

using takt::ticks;
namespace gen = takt::generation;
namespace sim = takt::simulation;

constexpr std::size_t size = gen::synthetic_airborne.size();
using table = takt::application_set<size>;
using predictor = takt::contention_predictor<size>;
using scheduled = takt::scheduled_shares<size, predictor>;
constexpr ticks second = 1'000'000;
constexpr ticks half_an_hour = 1800 * second;

auto airborne() -> table {
  table t;
  REQUIRE(gen::synthetic_set(std::span<const gen::synthetic_application>{gen::synthetic_airborne}, t) ==
          takt::model_fault::none);
  return t;
}

auto periodic(const table& t, ticks horizon) {
  return sim::release_times(t.tasks, takt::simulation_options{.horizon = takt::duration{horizon}});
}

template <class Policy>
auto run(const table& t, const Policy& policy) -> takt::share_observation<size> {
  return sim::simulate_shares(t, policy, periodic(t, half_an_hour), {.horizon = half_an_hour});
}

template <class Result>
auto misses_of(const Result& r, std::string_view name) -> std::int64_t {
  for (const auto& t : r.tasks) {
    if (t.name == name) { return static_cast<std::int64_t>(t.misses); }
  }
  return -1;
}

}  // namespace

TEST_CASE("half an hour of the airborne set: every job is in time under WAMP2S and with constant shares" *
          takt_tests::traces("WAMP-47")) {
  const table t = airborne();
  const auto test = takt::analysis::sufficient_shares(t, predictor{t});
  CHECK(test.sufficient);
  CHECK(test.sum == 82);
  for (const auto& rules : {takt::wamp2s_literal, takt::wamp2s_text, takt::wamp2s_robust}) {
    const auto r = run(t, scheduled{t, predictor{t}, rules});
    CHECK(r.misses() == 0);
    CHECK(r.without_miss() == size);
    CHECK(r.tasks[0].released == 1800);
    CHECK(r.completed() >= 1800 + 360 + 60 + 60 + 90 - 5);
  }
  CHECK(run(t, takt::fixed_shares<size>{t, takt::static_shares(t, predictor{t})}).misses() == 0);
}

TEST_CASE("half an hour of the airborne set: what the other policies lose" * takt_tests::traces("WAMP-47 WAMP-54")) {
  const table t = airborne();
  const auto equal = run(t, takt::equal_shares<size>{t});
  CHECK(misses_of(equal, "BD") == 360);
  CHECK(equal.misses() == 360);
  const auto sliced = run(t, takt::time_sliced<size>{t});
  CHECK(misses_of(sliced, "CM") == 360);
  CHECK(misses_of(sliced, "OD") == 90);
  CHECK(misses_of(sliced, "BD") > 1700);
  const auto proportional = run(t, takt::proportional_shares<size>{t});
  CHECK(misses_of(proportional, "OD") == 60);
  CHECK(proportional.misses() == 60);
  const auto waiting = run(t, takt::one_at_a_time{t, {}, takt::by_given_priority{}});
  for (const char* name : {"BD", "CM", "OD"}) { CHECK(misses_of(waiting, name) > 0); }
  const auto preemptive = [&](const takt::JobPriority auto& order) {
    return run(t, takt::one_at_a_time{t, {.preemptive = true}, order});
  };
  CHECK(misses_of(preemptive(takt::by_given_priority{}), "OD") == 90);
  CHECK(misses_of(preemptive(takt::by_absolute_deadline{}), "OD") == 90);
}

TEST_CASE("a trace shows start, end and every change of a share, and both exporters draw it" *
          takt_tests::traces("WAMP-47")) {
  const table t = airborne();
  const scheduled policy{t, predictor{t}, takt::wamp2s_robust};
  takt::trace trace;
  const auto r = sim::simulate_shares(t, policy, periodic(t, 20 * second), {.horizon = 20 * second}, trace);
  CHECK(r.misses() == 0);
  std::array<ticks, size> until{};
  std::array<std::uint32_t, size> held{};
  std::array<std::uint64_t, size> job{};
  std::int64_t changes = 0;
  for (const auto& s : trace.slices()) {
    CHECK(s.start < s.end);
    CHECK(s.segment >= 1);
    CHECK(s.segment <= 100);
    CHECK(s.start >= until[s.task]);
    const bool same_job = until[s.task] == s.start && job[s.task] == s.job;
    if (same_job) {
      CHECK(held[s.task] != s.segment);
      ++changes;
    }
    until[s.task] = s.end;
    held[s.task] = s.segment;
    job[s.task] = s.job;
  }
  CHECK(changes > 50);
  std::vector<std::string_view> names;
  for (const auto& task : t.tasks) { names.push_back(task.name); }
  const takt::report::trace_view view{trace.slices(), trace.marks(), names};
  const std::string chrome = takt_tests::written_trace(view);
  std::ostringstream gantt;
  takt::report::write_svg_gantt(gantt, view, {.title = "airborne set"});
  for (const std::string_view name : names) {
    CHECK(chrome.find(name) != std::string::npos);
    CHECK(gantt.str().find(name) != std::string::npos);
  }
  CHECK(chrome.find("\"completion\"") != std::string::npos);
  CHECK(chrome.find("DEADLINE MISSED") == std::string::npos);
}
