// SPDX-License-Identifier: Apache-2.0
// Bounds of rules that schedule several units together are held against runs that are meant to break them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <takt/analysis/combiners/guarded.hpp>
#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include <takt/rules/clusters.hpp>
#include "property/composed_systems.hpp"
#include "property/mistaken_bounds.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using namespace mistaken_bounds;

/// Any order that leaves no unit idle while somebody waits, of which nothing else is known.
struct eager : takt::fixed_priority_rule<takt::by_given_priority> {
  static constexpr bool takes_suspensions = false;
  static void responds(std::span<takt::visit_demand> visits, std::int32_t units) {
    an::global_responses(visits, units);
  }
};
struct eager_and_patient : takt::nonpreemptive_rule<takt::fixed_priority_rule<takt::by_given_priority>> {
  static void responds(std::span<takt::visit_demand> visits, std::int32_t units) {
    an::nonpreemptive_global_responses(visits, units);
  }
};

auto global_rule_of(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 12)) {
    case 0: return takt::fixed_priority;
    case 1: return takt::deadline_monotonic;
    case 2: return takt::edf;
    case 3: return takt::g_fl;
    case 4: return takt::g_fifo;
    case 5: return takt::nonpreemptive(takt::deadline_monotonic);
    case 6: return takt::nonpreemptive(takt::edf);
    case 7: return takt::nonpreemptive(takt::g_fl);
    case 8: return takt::nonpreemptive(takt::g_fifo);
    case 9: return eager{};
    case 10: return eager_and_patient{};
    case 11: return takt::fifo;
    default: return takt::clustered(takt::rate_monotonic, 2);
  }
}

/// Tasks on one or two clusters of one to four units, and on a station that some of them visit in between.
template <class RuleOf>
auto random_clusters(std::uint64_t seed, const RuleOf& rule_of) -> random_system {
  draws d{seed};
  random_system out;
  const auto clusters = static_cast<std::uint32_t>(d.one_in(4) ? 2 : 1);
  std::int32_t units = 0;
  for (std::uint32_t s = 0; s < clusters; ++s) {
    const auto cluster_size = static_cast<std::int32_t>(d.one_in(8) ? 1 : d.between(2, d.one_in(3) ? 4 : 2));
    units += cluster_size;
    REQUIRE(out.places.add(rule_of(d), cluster_size));
  }
  const bool has_device = d.one_in(2);
  if (has_device) { REQUIRE(out.places.add(d.one_in(2) ? takt::any_rule<visits>{takt::federated} : takt::fifo)); }
  const ticks count = d.between(2, tasks);
  const ticks load = d.between(2, 8);  // in eighths of the units, roughly
  for (ticks i = 0; i < count; ++i) {
    std::array<ticks, 4> upper{};
    const ticks length = has_device ? d.between(1, 4) : d.between(1, 2);
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) {
      sum += upper[static_cast<std::size_t>(j)] = d.one_in(10) ? 0 : d.between(1, d.one_in(4) ? 12 : 5);
    }
    const ticks period = std::max(sum, sum * count * 8 / (load * units)) + d.between(0, d.one_in(2) ? 12 : 3) + 1;
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period - (d.one_in(3) ? d.between(0, (period - sum) / 2) : 0),
                              .jitter = d.one_in(3) ? d.between(0, (period - sum) / 2) : 0,
                              .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    const bool graph = d.one_in(3);
    const auto home = static_cast<std::uint32_t>(d.between(0, clusters - 1));
    for (ticks j = 0; j < length; ++j) {
      const ticks most = upper[static_cast<std::size_t>(j)];
      const auto before = (takt::visit_mask{1} << j) - 1;
      const auto after = graph    ? static_cast<takt::visit_mask>(d.between(0, 15)) & before
                         : j == 0 ? 0
                                  : before ^ (before >> 1);
      const bool away = has_device && j % 2 == 1 && !d.one_in(4);
      REQUIRE(out.set.add_visit(away ? clusters : home, d.one_in(2) ? most : d.between(0, most), most, after));
    }
  }
  return out;
}

/// Tasks of one visit without jitter whose periods leave little room on two to four units.
inline auto crowded_cluster(std::uint64_t seed, const takt::any_rule<visits>& rule) -> random_system {
  draws d{seed};
  random_system out;
  REQUIRE(out.places.add(rule, static_cast<std::int32_t>(d.between(2, 4))));
  const ticks count = d.between(3, tasks);
  const ticks room = d.between(2, 6);
  for (ticks i = 0; i < count; ++i) {
    const ticks upper = d.between(1, 9);
    const ticks period = upper * d.between(4, 4 * room) / 4 + d.between(0, 3);
    REQUIRE(out.set.add_task({.name = "t",
                              .period = period,
                              .deadline = period - (d.one_in(3) ? d.between(0, period - upper) : 0),
                              .priority = static_cast<std::int32_t>(d.between(0, 3))}));
    REQUIRE(out.set.add_next(0, d.one_in(2) ? upper : 1, upper));
  }
  return out;
}

}  // namespace

TEST_CASE("no run exceeds a holistic bound of clusters, whatever the order on them") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    const auto s = random_clusters(seed, global_rule_of);
    hold(s, an::holistic(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 500);
}

TEST_CASE("no run that honours guards exceeds them on clusters") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    const auto s = random_clusters(seed, global_rule_of);
    hold(s, an::guarded(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 500);
}

TEST_CASE("no run misses a deadline of tasks on clusters that are proven with suspensions as execution") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(6000); ++seed) {
    const auto s = random_clusters(seed, global_rule_of);
    hold(s, an::inflated(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 300);
}

TEST_CASE("no run exceeds what densities and compliant vectors say of crowded clusters") {
  tally count;
  for (std::uint64_t seed = 1; seed <= systems_or(4000); ++seed) {
    const std::array<takt::any_rule<visits>, 4> rules{takt::g_edf, takt::g_fl, takt::g_fifo,
                                                      takt::nonpreemptive(takt::g_fl)};
    const auto s = crowded_cluster(seed, rules[seed % rules.size()]);
    hold(s, an::holistic(s.set, s.places), seed, count);
  }
  MESSAGE(count.proven << " systems proven, " << count.jobs << " jobs, " << count.tight << " bounds reached");
  CHECK(count.violations == 0);
  CHECK(count.proven > 500);
}

namespace {

/// A rule with a bound that counts the work of others in its own way.
template <class Rule, bool Preemptive, class Work>
struct counts_otherwise : Rule {
  static constexpr bool takes_suspensions = false;
  static void responds(std::span<takt::visit_demand> given, std::int32_t units) {
    an::detail::window_responses<Preemptive>(given, units, nullptr, Work::of);
  }
};
template <bool Preemptive>
struct leaves_carry_in_out {
  static auto of(takt::visit_demand u, const takt::visit_demand& v, ticks window) -> an::detail::window_work {
    u.response = u.wcet;
    if (u.point < v.point) { return {an::detail::work_within(u, window), 0}; }
    return {0, Preemptive ? 0 : u.wcet};
  }
};
struct leaves_carry_in_by_points_out {
  static auto of(takt::visit_demand u, const takt::visit_demand& v, ticks window) -> an::detail::window_work {
    const ticks within = an::detail::work_within(u, window);
    u.response = 0;
    return {std::min(within, an::detail::work_due(u, v, 1)), 0};
  }
};
/// Others may take all of the wait: one tick more than this.
struct leaves_a_tick_out {
  static auto of(const takt::visit_demand& u, const takt::visit_demand& v, ticks window) -> an::detail::window_work {
    return {std::min(an::detail::work_within(u, window), window - v.wcet), 0};
  }
};
struct leaves_blockers_out {
  static auto of(const takt::visit_demand& u, const takt::visit_demand& v, ticks window) -> an::detail::window_work {
    return {u.point < v.point ? an::detail::work_within(u, window) : 0, 0};
  }
};

/// Violations when one rule is mistaken and all others are not.
template <class Rule>
auto violations_of() -> std::uint64_t {
  return first_violations(60'000, [](std::uint64_t seed) {
    return seed % 2 == 0 ? crowded_cluster(seed, Rule{}) : random_clusters(seed, [](draws&) { return Rule{}; });
  });
}

}  // namespace

TEST_CASE("the harness catches bounds of clusters that leave something out") {
  using priority = takt::fixed_priority_rule<takt::by_relative_deadline>;
  using patient = takt::nonpreemptive_rule<priority>;
  using patient_edf = takt::nonpreemptive_rule<takt::edf_rule>;
  using fair = std::remove_const_t<decltype(takt::g_fl)>;
  CHECK(violations_of<looks_away<priority, leaves_jitter_out>>() > 0);
  CHECK(violations_of<looks_away<patient, leaves_jitter_out>>() > 0);
  CHECK(violations_of<looks_away<takt::edf_rule, leaves_jitter_out>>() > 0);
  CHECK(violations_of<looks_away<fair, leaves_jitter_out>>() > 0);
  CHECK(violations_of<looks_away<priority, leaves_own_branches_out>>() > 0);
  CHECK(violations_of<looks_away<patient_edf, leaves_own_branches_out>>() > 0);
  CHECK(violations_of<looks_away<priority, leaves_branches_of_others_out>>() > 0);
  CHECK(violations_of<looks_away<takt::edf_rule, leaves_branches_of_others_out>>() > 0);
  CHECK(violations_of<counts_otherwise<patient, false, leaves_carry_in_out<false>>>() > 0);
  CHECK(violations_of<counts_otherwise<takt::edf_rule, true, leaves_carry_in_by_points_out>>() > 0);
  CHECK(violations_of<counts_otherwise<priority, true, leaves_a_tick_out>>() > 0);
  CHECK(violations_of<counts_otherwise<patient, false, leaves_blockers_out>>() > 0);
}

TEST_CASE("the harness catches that a job of before is still under way when a window of priorities begins") {
  using given = takt::fixed_priority_rule<takt::by_given_priority>;
  using mistaken = counts_otherwise<given, true, leaves_carry_in_out<true>>;
  random_system s;
  REQUIRE(s.places.add(mistaken{}, 2));
  for (const auto& [upper, period, priority] : {std::array{1, 4, 3}, {1, 2, 0}, {1, 3, 1}, {2, 3, 2}}) {
    REQUIRE(s.set.add_task({.name = "t", .period = period, .deadline = period, .priority = priority}));
    REQUIRE(s.set.add_next(0, 1, upper));
  }
  const auto verdict = an::holistic(s.set, s.places);
  REQUIRE(verdict.schedulable());
  tally count;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) { watch(s, verdict, seed, count); }
  CHECK(count.violations > 0);
  random_system sound;
  sound.set = s.set;
  REQUIRE(sound.places.add(takt::fixed_priority, 2));
  for (std::uint64_t seed = 1; seed <= 100; ++seed) { hold(sound, an::holistic(sound.set, sound.places), seed, count); }
}

namespace {

/// Stations that do not say that they have several units, so that nobody looks for visits beside each other.
struct seems_to_have_one_unit : board {
  [[nodiscard]] static auto units(std::size_t /*s*/) noexcept -> std::int32_t { return 1; }
};

}  // namespace

TEST_CASE("the harness catches jobs that are no sequence on a cluster and are proven as if they were") {
  tally count;
  for (std::uint64_t seed = 1; seed <= 60'000 && count.violations == 0; ++seed) {
    const auto s = random_clusters(seed, [](draws&) { return takt::g_edf; });
    const auto verdict = an::inflated(s.set, seems_to_have_one_unit{s.places});
    if (verdict.schedulable()) { watch(s, verdict, seed, count); }
  }
  CHECK(count.violations > 0);
}
