// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <takt/analysis/methods/demand/blocking.hpp>
#include <takt/analysis/methods/demand/chunk_demand.hpp>
#include <takt/analysis/methods/demand/edf_qpa.hpp>
#include <takt/analysis/methods/demand/sporadic_demand.hpp>
#include <takt/analysis/methods/demand/supply.hpp>
#include "support/environment.hpp"

namespace {

using namespace takt::analysis;
using takt::rational;
using takt::ticks;
using takt::verdict_status;

auto sets_wanted() -> int { return takt_tests::from_environment<int>("TAKT_EDF_SETS", 1500); }

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : engine_{seed} {}
  auto operator()(ticks low, ticks high) -> ticks {
    return low + static_cast<ticks>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

struct random_set {
  sporadic_demand<ticks, 6> whole;
  sporadic_demand<rational, 6> fractions;
  takt::analysis::detail::deadline_blocking<ticks, 6> blocking;
  ticks tasks[6][3]{};
  ticks amounts[6]{};
  int size = 0;
};

/// Loads are drawn so that about half of the sets pass on a processor of rate `percent`.
auto draw(random_source& random, ticks percent) -> random_set {
  constexpr ticks periods[]{4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 30, 36, 40};
  random_set out;
  out.size = static_cast<int>(random(1, 6));
  for (int i = 0; i < out.size; ++i) {
    const ticks period = periods[random(0, 14)];
    const ticks deadline = random(period / 2, period);
    const ticks most = 2 * percent * period / (100 * out.size);
    const ticks wcet = random(1, most < 1 ? 1 : most);
    out.tasks[i][0] = wcet;
    out.tasks[i][1] = deadline;
    out.tasks[i][2] = period;
    out.amounts[i] = random(0, 3);
    CHECK(out.whole.add(wcet, deadline, period));
    CHECK(out.fractions.add(wcet, deadline, period));
    out.blocking.add(deadline, out.amounts[i]);
  }
  return out;
}

/// The definition itself: all windows up to the hyper-period, unit by unit.
struct found {
  bool fits = true;
  bool any = false;
  ticks at = 0;
  ticks slack = 0;
};
template <class Supply>
auto by_definition(const random_set& s, const Supply& supply, ticks last, bool blocked) -> found {
  found out;
  for (ticks t = 1; t <= last; ++t) {
    ticks work = 0;
    ticks longest = 0;
    bool step = false;
    for (int i = 0; i < s.size; ++i) {
      const auto [wcet, deadline, period] = s.tasks[i];
      if (t >= deadline) { work += ((t - deadline) / period + 1) * wcet; }
      step = step || (t >= deadline && (t - deadline) % period == 0);
      if (blocked && deadline > t) { longest = std::max(longest, s.amounts[i]); }
    }
    if (!step) { continue; }
    const ticks slack = supply(t) - work - longest;
    if (slack < 0) { return {false, true, t, slack}; }
    if (!out.any || slack < out.slack) { out = {true, true, t, slack}; }
  }
  return out;
}

template <class Number>
void agree(const edf_verdict<Number>& v, const found& expected) {
  REQUIRE(v.schedulable() == expected.fits);
  REQUIRE(v.has_point);
  REQUIRE(v.at == Number(expected.at));
  REQUIRE(v.slack == Number(expected.slack));
}

}  // namespace

TEST_CASE("the demand test reports what its definition says, and the quick test gives the same verdict") {
  random_source random{20200117};
  int accepted = 0;
  int rejected = 0;
  for (int n = 0; n < sets_wanted(); ++n) {
    const ticks budget = random(3, 12);
    const random_set s = draw(random, budget * 100 / 12);
    const static_slot<ticks> slot{budget, 12};
    const auto supplied = [&](ticks t) { return t / 12 * budget + std::max<ticks>(0, t % 12 - (12 - budget)); };
    const auto with_slot = edf_test(s.whole, slot, takt::analysis::detail::no_blocking<ticks>{});
    const auto blocked = edf_test(s.whole, slot, s.blocking);
    REQUIRE(takt::analysis::detail::edf_schedulable(s.whole, slot, takt::analysis::detail::no_blocking<ticks>{}) ==
            with_slot.status);
    REQUIRE(takt::analysis::detail::edf_schedulable(s.whole, slot, s.blocking) == blocked.status);
    if (with_slot.reason == edf_reason::load_exceeds_supply) {
      CHECK(rational{budget, 12} < s.whole.utilization());
      continue;
    }
    agree(with_slot, by_definition(s, supplied, 720, false));
    agree(blocked, by_definition(s, supplied, 720, true));
    agree(edf_test(s.fractions, static_slot<rational>{budget, 12}, takt::analysis::detail::no_blocking<rational>{}),
          by_definition(s, supplied, 720, false));
    const linear_slot<rational> line{{0, budget, 12}};
    const auto linear = edf_test(s.fractions, line, takt::analysis::detail::no_blocking<rational>{});
    REQUIRE(takt::analysis::detail::edf_schedulable(s.fractions, line,
                                                    takt::analysis::detail::no_blocking<rational>{}) == linear.status);
    REQUIRE((!linear.schedulable() || with_slot.schedulable()));
    ++(blocked.schedulable() ? accepted : rejected);
  }
  CHECK(accepted > sets_wanted() / 20);
  CHECK(rejected > sets_wanted() / 20);
}

TEST_CASE("the quick test agrees on a dedicated processor with long periods") {
  random_source random{2009};
  int accepted = 0;
  const int sets = sets_wanted();
  for (int n = 0; n < sets; ++n) {
    sporadic_demand<ticks, 8> demand;
    takt::analysis::detail::deadline_blocking<ticks, 8> blocking;
    for (int i = 0; i < 8; ++i) {
      const ticks period = random(1000, 50'000);
      const ticks deadline = random(period * 6 / 10, period);
      CHECK(demand.add(random(1, period / 5), deadline, period));
      blocking.add(deadline, random(0, 2000));
    }
    const auto slow = edf_test(demand, takt::analysis::detail::dedicated_processor<ticks>{}, blocking);
    REQUIRE(takt::analysis::detail::edf_schedulable(demand, takt::analysis::detail::dedicated_processor<ticks>{},
                                                    blocking) == slow.status);
    accepted += slow.schedulable() ? 1 : 0;
  }
  CHECK(accepted > sets / 20);
  CHECK(accepted < sets);
}

TEST_CASE("the quick test agrees on chunk graphs") {
  random_source random{11};
  int accepted = 0;
  int rejected = 0;
  for (int n = 0; n < sets_wanted() / 3; ++n) {
    takt::analysis::detail::chunk_demand<ticks, 3, 36> demand;
    for (int i = 0; i < 3; ++i) {
      const ticks pattern = 12 * random(1, 3);
      REQUIRE(demand.add_task(pattern));
      ticks offset = random(0, 3);
      while (offset < pattern - 4) {
        const ticks length = random(2, 6);
        REQUIRE(demand.add_chunk({offset, length, random(1, 3) * length / 6}));
        offset += length + random(2, 6);
      }
    }
    const auto slow = edf_test(demand, takt::analysis::detail::dedicated_processor<ticks>{},
                               takt::analysis::detail::no_blocking<ticks>{});
    REQUIRE(takt::analysis::detail::edf_schedulable(demand, takt::analysis::detail::dedicated_processor<ticks>{},
                                                    takt::analysis::detail::no_blocking<ticks>{}) == slow.status);
    ++(slow.schedulable() ? accepted : rejected);
  }
  CHECK(accepted > 5);
  CHECK(rejected > 5);
}

TEST_CASE("a slot's supply and its inverse fit together") {
  for (ticks budget = 1; budget <= 12; ++budget) {
    const static_slot<ticks> slot{budget, 12};
    for (ticks work = 1; work < 40; ++work) {
      ticks t = 0;
      REQUIRE(slot.time_for(work, t));
      CHECK(slot.supply(t) == work);
      CHECK(slot.supply(t - 1) < work);
    }
  }
}

TEST_CASE("blocking is the longest of the later deadlines") {
  random_source random{3};
  for (int n = 0; n < 300; ++n) {
    takt::analysis::detail::deadline_blocking<ticks, 6> blocking;
    ticks deadlines[6]{};
    ticks amounts[6]{};
    for (int i = 0; i < 6; ++i) {
      deadlines[i] = random(1, 9);
      amounts[i] = random(0, 9);
      blocking.add(deadlines[i], amounts[i]);
    }
    ticks before = blocking.most();
    for (ticks t = 0; t < 12; ++t) {
      ticks longest = 0;
      for (int i = 0; i < 6; ++i) { longest = deadlines[i] > t ? std::max(longest, amounts[i]) : longest; }
      REQUIRE(blocking.blocking(t) == longest);
      REQUIRE(blocking.blocking(blocking.constant_since(t)) == longest);
      REQUIRE((blocking.blocking(t) <= before));
      REQUIRE(((t < blocking.ends()) == (longest > 0)));
      before = longest;
    }
  }
}

TEST_CASE("times that do not fit are a status, never a verdict") {
  constexpr ticks third = 4'000'000'007;
  constexpr ticks other = 4'000'000'009;
  sporadic_demand<ticks, 2> full;
  REQUIRE(full.add(third, 3 * third, 3 * third));
  REQUIRE(full.add(2 * other, 3 * other, 3 * other));
  const takt::analysis::detail::dedicated_processor<ticks> processor;
  CHECK(edf_test(full, processor, takt::analysis::detail::no_blocking<ticks>{}).status == verdict_status::overflow);
  CHECK(takt::analysis::detail::edf_schedulable(full, processor, takt::analysis::detail::no_blocking<ticks>{}) ==
        verdict_status::overflow);

  sporadic_demand<ticks, 1> single;
  REQUIRE(single.add(2, 10, 10));
  constexpr ticks most = std::numeric_limits<ticks>::max();
  CHECK(single.fits(most - 2 - 2 * 10));
  CHECK_FALSE(single.fits(most - 2 - 2 * 10 + 1));
  CHECK_FALSE(single.fits(most - 2 + 1));
  CHECK_FALSE(single.fits(most));

  sporadic_demand<rational, 3> odd;
  for (const std::int64_t prime : {2'147'483'647, 2'147'483'629, 2'147'483'587}) {
    REQUIRE(odd.add(rational{1, 4}, rational{1}, rational{prime, 1'000'000'000}));
  }
  CHECK(edf_test(odd, takt::analysis::detail::dedicated_processor<rational>{},
                 takt::analysis::detail::no_blocking<rational>{})
            .status == verdict_status::overflow);
}

TEST_CASE("a test that takes too long gives up, and says so") {
  constexpr ticks half = 1'000'000'007;
  sporadic_demand<ticks, 2> endless;
  REQUIRE(endless.add(1, 2, 2));
  REQUIRE(endless.add(half, 2 * half, 2 * half));
  const takt::analysis::detail::dedicated_processor<ticks> processor;
  const auto slow = edf_test(endless, processor, takt::analysis::detail::no_blocking<ticks>{}, 1000);
  CHECK(slow.status == verdict_status::not_proven);
  CHECK(slow.reason == edf_reason::too_many_windows);
  CHECK(!slow.has_point);
  CHECK(takt::analysis::detail::edf_schedulable(endless, processor, takt::analysis::detail::no_blocking<ticks>{}, 0) ==
        verdict_status::not_proven);
  CHECK(takt::analysis::detail::edf_schedulable(endless, processor, takt::analysis::detail::no_blocking<ticks>{},
                                                1000) == verdict_status::schedulable);
}

TEST_CASE("a load equal to the rate of a linear supply fails at the hyper-period, and the quick test sees it") {
  sporadic_demand<rational, 1> demand;
  REQUIRE(demand.add(8, 12, 12));
  const linear_slot<rational> line{{0, 8, 12}};
  const auto slow = edf_test(demand, line, takt::analysis::detail::no_blocking<rational>{});
  CHECK(slow.at == rational{12});
  CHECK(slow.slack == rational{-8, 3});
  CHECK(takt::analysis::detail::edf_schedulable(demand, line, takt::analysis::detail::no_blocking<rational>{}) ==
        verdict_status::not_proven);
}

TEST_CASE("a hyper-period beyond 64 bits does not stop a test") {
  sporadic_demand<ticks, 4> demand;
  for (const ticks prime : {999'999'937, 999'999'929, 999'999'893, 999'999'883}) {
    REQUIRE(demand.add(prime / 5, prime / 2, prime));
  }
  const takt::analysis::detail::dedicated_processor<ticks> processor;
  CHECK(edf_test(demand, processor, takt::analysis::detail::no_blocking<ticks>{}).status == verdict_status::not_proven);
  CHECK(takt::analysis::detail::edf_schedulable(demand, processor, takt::analysis::detail::no_blocking<ticks>{}) ==
        verdict_status::not_proven);
  sporadic_demand<ticks, 4> lighter;
  for (const ticks prime : {999'999'937, 999'999'929, 999'999'893, 999'999'883}) {
    REQUIRE(lighter.add(prime / 9, prime / 2, prime));
  }
  CHECK(edf_test(lighter, processor, takt::analysis::detail::no_blocking<ticks>{}).schedulable());
  CHECK(takt::analysis::detail::edf_schedulable(lighter, processor, takt::analysis::detail::no_blocking<ticks>{}) ==
        verdict_status::schedulable);
}
