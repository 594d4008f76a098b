// SPDX-License-Identifier: Apache-2.0
// Sections under each rule of tokens: bounds of random systems are held against runs that are meant to break them.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string_view>

#include <takt/analysis/combiners/holistic.hpp>
#include <takt/analysis/combiners/inflated.hpp>
#include "property/composed_systems.hpp"

namespace {

namespace an = takt::analysis;
using namespace composed_systems;
using token_rule = takt::any_token_rule<visits>;

/// Jobs of one processor or of one processor each, which hold tokens while they copy, while kernels run and, at times,
/// while they have a processor.
struct shape {
  token_rule rule{};
  ticks most_tokens = 3;
  bool one_core = true;
  bool inside = true;  ///< sections contain visits on processors
  bool dags = false;
};

auto cpu_rule(draws& d, bool fixed) -> takt::any_rule<visits> {
  switch (d.between(0, fixed ? 1 : 2)) {
    case 0: return takt::fixed_priority;
    case 1: return takt::deadline_monotonic;
    default: return takt::edf;
  }
}
auto engine_rule(draws& d) -> takt::any_rule<visits> {
  switch (d.between(0, 3)) {
    case 0: return takt::fifo;
    case 1: return takt::nonpreemptive(takt::fixed_priority);
    case 2: return takt::federated;
    default: return takt::nonpreemptive(takt::edf);
  }
}

auto system_of(std::uint64_t seed, const shape& form) -> random_system {
  draws d{seed};
  random_system out;
  const auto cores = static_cast<std::uint32_t>(form.one_core ? 1 : d.between(1, 2));
  for (std::uint32_t c = 0; c < cores; ++c) { REQUIRE(out.places.add(cpu_rule(d, d.one_in(2)))); }
  const auto engines = static_cast<std::uint32_t>(d.between(1, 2));
  for (std::uint32_t e = 0; e < engines; ++e) { REQUIRE(out.places.add(engine_rule(d))); }
  REQUIRE(out.places.add_tokens(form.rule, static_cast<std::int32_t>(d.between(1, form.most_tokens))));
  const ticks count = d.between(2, 5);
  const ticks slack = d.between(0, 6);
  const bool short_sections = d.one_in(2);
  for (ticks i = 0; i < count; ++i) {
    const ticks length = d.between(1, 6);
    const ticks period_part = d.between(2, 3);
    const bool uses = !d.one_in(4);
    const ticks first = d.between(0, length - 1);
    const ticks last = d.between(first, short_sections ? std::min(length - 1, first + 1) : length - 1);
    const auto core = static_cast<std::uint32_t>(d.between(0, cores - 1));
    const auto task = static_cast<std::uint32_t>(i);
    REQUIRE(out.set.add_task({.name = "t", .period = 1, .deadline = 1, .priority = static_cast<std::int32_t>(d.between(0, 4))}));
    ticks sum = 0;
    for (ticks j = 0; j < length; ++j) {
      const bool held = uses && first <= j && j <= last;
      const ticks upper = d.one_in(10) ? 0 : d.between(1, held ? 7 : 5);
      sum += upper;
      const bool on_cpu = held && !form.inside ? false : d.one_in(2);
      const std::uint32_t station = on_cpu ? core : cores + static_cast<std::uint32_t>(d.between(0, engines - 1));
      const takt::visit_mask before = (takt::visit_mask{1} << j) - 1;
      const bool branches = form.dags && !held && j > 0 && (j <= first || !uses) && d.one_in(3);
      const takt::visit_mask after = j == 0 ? 0 : branches ? before >> 1 : before ^ (before >> 1);
      REQUIRE(out.set.add_visit(station, d.one_in(3) ? upper : d.between(0, upper), upper, after));
    }
    auto& t = out.set.tasks.back();
    t.period = (sum + 1) * (2 + count * slack / 4) * period_part / 2 + d.between(0, 5);
    t.jitter = d.one_in(4) ? d.between(0, t.period / 4) : 0;
    t.deadline = t.period - (d.one_in(2) ? d.between(0, t.period / 8) : 0);
    if (!uses) { continue; }
    const auto held = ((takt::visit_mask{2} << last) - 1) ^ ((takt::visit_mask{1} << first) - 1);
    REQUIRE(out.set.sections.push_back({task, 0, held}));
    if (last + 1 < length && d.one_in(2)) {
      const takt::visit_record& x = out.set.visit(task, static_cast<std::size_t>(last) + 1);
      if (form.inside || x.station >= cores) {
        REQUIRE(out.set.sections.push_back({task, 0, takt::visit_mask{1} << (last + 1)}));
      }
    }
  }
  return out;
}

struct tallies {
  tally holistic;
  tally inflated;
};

auto examine(const shape& form, std::uint64_t systems, std::uint64_t from = 0) -> tallies {
  tallies out;
  for (std::uint64_t seed = from + 1; seed <= from + systems; ++seed) {
    const auto s = system_of(seed, form);
    const auto by_paths = an::holistic(s.set, s.places);
    const auto by_inflation = an::inflated(s.set, s.places);
    REQUIRE_FALSE(by_paths.error);
    hold(s, by_paths, seed, out.holistic);
    hold(s, by_inflation, seed, out.inflated);
  }
  return out;
}

}  // namespace

TEST_CASE("no run of the engine exceeds a bound of tasks with sections, whatever protocol grants the tokens") {
  struct entry {
    std::string_view name;
    token_rule rule;
    ticks most_tokens = 3;
  };
  const std::array<entry, 5> rules{{{"fifo", takt::fifo_order},
                                    {"k-FMLP", takt::k_fmlp_order},
                                    {"R2DGLP", takt::r2dglp_order},
                                    {"CK-OMLP", takt::ck_omlp_order},
                                    {"priority mutex", takt::priority_mutex_order, 1}}};
  const std::uint64_t systems = systems_or(400);
  for (const entry& e : rules) {
    for (const bool one_core : {true, false}) {
      for (const bool inside : {true, false}) {
        for (const bool dags : {true, false}) {
          CAPTURE(e.name);
          CAPTURE(one_core);
          CAPTURE(inside);
          CAPTURE(dags);
          const auto seen = examine({e.rule, e.most_tokens, one_core, inside, dags}, systems);
          MESSAGE(e.name << std::string_view{one_core ? ", one core" : ", cores"} << std::string_view{inside ? ", inside" : ""} << std::string_view{dags ? ", dags" : ""} << ": "
                         << seen.holistic.proven << " and " << seen.inflated.proven << " of " << systems << ", "
                         << seen.holistic.tight << " and " << seen.inflated.tight << " reached, "
                         << seen.holistic.violations << " and " << seen.inflated.violations << " exceeded");
          CHECK(seen.holistic.violations == 0);
          CHECK(seen.inflated.violations == 0);
        }
      }
    }
  }
}
