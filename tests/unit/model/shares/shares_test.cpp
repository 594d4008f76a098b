// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <takt/core/random.hpp>
#include <takt/model/shares/application.hpp>
#include <takt/model/shares/contention.hpp>
#include <takt/model/shares/margin.hpp>
#include <takt/model/shares/share.hpp>
#include <takt/model/shares/share_allocation.hpp>
#include <takt/model/shares/wcet_row.hpp>
#include <takt/rules/shares/contention_predictor.hpp>

#include "support/broken_precondition.hpp"
#include "support/traces.hpp"

namespace {

using namespace takt::literals;
using takt::memory_units;
using takt::share;
using takt::share_task;
using takt::ticks;
using takt::wcet_row;

[[nodiscard]] auto application(std::string_view name, std::int32_t priority) -> share_task {
  return {.name = name, .period = 100, .deadline = 90, .priority = priority, .alone = wcet_row::scaling(10)};
}

}  // namespace

TEST_CASE("a share is 0 to 100, and memory comes in units of 256 MB" * takt_tests::traces("WAMP-01")) {
  share s;
  CHECK(s == takt::no_share);
  CHECK(share::make(100, s));
  CHECK(s == takt::full_share);
  CHECK_FALSE(share::make(101, s));
  CHECK_FALSE(share::make(-1, s));
  CHECK(s == takt::full_share);
  CHECK(share::bounded(101) == takt::full_share);
  CHECK(share::bounded(-7) == takt::no_share);
  CHECK(share{7} < share{8});

  CHECK(memory_units{}.count() == 0);
  CHECK(memory_units{4}.bytes() == 1'073'741'824);
  CHECK(memory_units::holding(0).count() == 0);
  CHECK(memory_units::holding(1).count() == 1);
  CHECK(memory_units::holding(268'435'456).count() == 1);
  CHECK(memory_units::holding(268'435'457).count() == 2);
  CHECK(memory_units{-1}.count() == 0);
}

TEST_CASE("the shares of an allocation never add up to more than 100, whatever is asked of it" *
          takt_tests::traces("WAMP-01")) {
  takt::random_stream random{1};
  takt::share_allocation<5> a;
  std::array<int, 5> mirror{};
  for (int step = 0; step < 5000; ++step) {
    const auto task = static_cast<std::size_t>(random.below(6));
    const auto value = share::bounded(static_cast<std::int32_t>(random.below(101)));
    if (task < 5 && random.chance(1, 5)) {
      a.clear(task);
      mirror[task] = 0;
    } else {
      int others = 0;
      for (std::size_t i = 0; i < 5; ++i) { others += i == task ? 0 : mirror[i]; }
      const bool fits = task < 5 && others + value.percent() <= 100;
      CHECK(a.set(task, value) == fits);
      if (fits) { mirror[task] = value.percent(); }
    }
    int sum = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(a[i].percent() == mirror[i]);
      sum += mirror[i];
    }
    CHECK(a.sum() == sum);
    CHECK(a.left() == 100 - sum);
    CHECK(sum <= 100);
  }
}

TEST_CASE("decreases come before increases, so the sum never exceeds 100 on the way" * takt_tests::traces("WAMP-01")) {
  takt::random_stream random{11};
  const auto any = [&] {
    takt::share_allocation<4> out;
    for (std::size_t i = 0; i < 4; ++i) {
      static_cast<void>(out.set(i, share::bounded(static_cast<std::int32_t>(random.below(out.left() + 1)))));
    }
    return out;
  };
  for (int round = 0; round < 500; ++round) {
    const auto from = any();
    const auto to = any();
    auto on_the_way = from;
    takt::for_each_change(from, to, [&](std::size_t task, share value) {
      CHECK(value != on_the_way[task]);
      CHECK(on_the_way.set(task, value));
    });
    CHECK(on_the_way == to);
  }
}

TEST_CASE("a row follows from one time and the part that does not scale" * takt_tests::traces("WAMP-24")) {
  constexpr auto linear = wcet_row::scaling(30);
  CHECK(linear.at(share{1}) == 3000);
  CHECK(linear.at(share{7}) == 429);
  CHECK(linear.at(takt::full_share) == 30);
  CHECK(takt::scaling_wcet(takt::duration{30}) == linear);
  constexpr auto half = wcet_row::scaling(261, 500);
  CHECK(half.at(share{1}) == 13181);
  CHECK(half.at(share{16}) == 947);
  CHECK(half.at(takt::full_share) == 261);
  CHECK(wcet_row::scaling(261, 1000).at(share{1}) == 261);
  CHECK(wcet_row::scaling(261, 1001).at(takt::full_share) == 0);
  CHECK(wcet_row::scaling(261, -1).at(takt::full_share) == 0);
  CHECK(wcet_row::scaling(std::numeric_limits<ticks>::max() / 2).at(share{1}) == takt::unbounded_time);
  CHECK(wcet_row::scaling(std::numeric_limits<ticks>::max() / 2).at(takt::full_share) ==
        std::numeric_limits<ticks>::max() / 2);
}

TEST_CASE("a measured row is raised to its least non-increasing upper envelope" *
          takt_tests::traces("WAMP-24 WAMP-53")) {
  takt::random_stream random{53};
  for (int round = 0; round < 100; ++round) {
    std::array<ticks, wcet_row::shares> times{};
    for (auto& t : times) { t = random.between(1, 500); }
    const auto row = wcet_row::measured(times);
    for (std::size_t i = 0; i < times.size(); ++i) {
      ticks greatest = 0;
      for (std::size_t j = i; j < times.size(); ++j) { greatest = times[j] > greatest ? times[j] : greatest; }
      CHECK(row.at(share::bounded(static_cast<std::int32_t>(i + 1))) == greatest);
    }
    std::array<ticks, wcet_row::shares> again{};
    for (std::size_t i = 0; i < again.size(); ++i) {
      again[i] = row.at(share::bounded(static_cast<std::int32_t>(i + 1)));
    }
    CHECK(wcet_row::measured(again) == row);
  }
}

TEST_CASE("a few measured shares complete a row" * takt_tests::traces("WAMP-24")) {
  const auto full = wcet_row::scaling(100'000, 300);
  const auto at = [&](int percent) {
    return takt::measured_share{share::bounded(percent), full.at(share::bounded(percent))};
  };
  const std::array<takt::measured_share, 4> few{at(100), at(10), at(25), at(50)};
  const auto curve = wcet_row::interpolated(few, takt::between_shares::curve);
  const auto step = wcet_row::interpolated(few);
  for (int percent = 1; percent <= 100; ++percent) {
    const auto held = share::bounded(percent);
    CHECK(curve.at(held) >= full.at(held));
    CHECK(step.at(held) >= curve.at(held));
    // Exact where the job is what the curve assumes, but for roundings.
    if (percent >= 10) { CHECK(curve.at(held) <= full.at(held) + 3); }
  }
  CHECK(curve.at(share{5}) == 2 * full.at(share{10}));
  CHECK(step.at(share{9}) == takt::unbounded_time);
  CHECK(step.at(share{24}) == full.at(share{10}));
  CHECK(step.at(share{99}) == full.at(share{50}));

  // Above the greatest measured share a job is no slower; the slowest of two measurements counts, and so does one that
  // is slower than with less.
  const std::array<takt::measured_share, 5> odd{
      {{share{20}, 50}, {share{40}, 70}, {share{20}, 60}, {share{60}, 30}, {share{0}, 9999}}};
  const auto row = wcet_row::interpolated(odd, takt::between_shares::curve);
  CHECK(row.at(share{20}) == 70);
  CHECK(row.at(share{30}) == 70);
  CHECK(row.at(share{60}) == 30);
  CHECK(row.at(takt::full_share) == 30);
  CHECK(row.at(share{10}) == 140);
  CHECK(wcet_row::interpolated({}).at(takt::full_share) == takt::unbounded_time);

  constexpr ticks least = std::numeric_limits<ticks>::min();
  for (const auto rule : {takt::between_shares::curve, takt::between_shares::step}) {
    for (const std::int32_t first : {20, 80}) {
      const std::array<takt::measured_share, 2> wrong{{{share{50}, least}, {share::bounded(first), 7}}};
      CHECK((wcet_row::interpolated(wrong, rule).at(takt::full_share) <= 0) == (first < 50));
    }
  }
}

TEST_CASE("steps between measured shares bound a kernel whose blocks take rounds, and a curve does not") {
  constexpr ticks block = 1000;
  std::array<ticks, wcet_row::shares> taken{};  // 10 equal blocks on an SM for each 10 per cent
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const ticks sms = static_cast<ticks>(i + 1) / 10;
    taken[i] = sms == 0 ? takt::unbounded_time : (10 + sms - 1) / sms * block;
  }
  const std::array<takt::measured_share, 3> few{
      {{share{10}, taken[9]}, {share{50}, taken[49]}, {share{100}, taken[99]}}};
  const auto step = wcet_row::interpolated(few);
  const auto curve = wcet_row::interpolated(few, takt::between_shares::curve);
  bool curve_is_sharper = false;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const auto held = share::bounded(static_cast<int>(i + 1));
    CHECK(step.at(held) >= taken[i]);
    curve_is_sharper = curve_is_sharper || curve.at(held) < taken[i];
  }
  CHECK(curve_is_sharper);
}

TEST_CASE("the cheapest share of a job has the least product of share and time" * takt_tests::traces("WAMP-24")) {
  CHECK(wcet_row::scaling(1000, 500).cheapest_share() == share{1});
  // Rounding up makes the area of a short job vary.
  takt::random_stream random{24};
  for (int round = 0; round < 50; ++round) {
    const auto row = wcet_row::scaling(random.between(1, 300), static_cast<std::int32_t>(random.below(1000)));
    const auto best = row.cheapest_share();
    for (int percent = 1; percent <= 100; ++percent) {
      CHECK(row.at(best) * best.percent() <= row.at(share::bounded(percent)) * percent);
    }
  }
}

TEST_CASE("contention adds up over the co-runners, and the worst load bounds every other one" *
          takt_tests::traces("WAMP-24")) {
  takt::application_set<3> table;
  for (const auto& t : {application("a", 3), application("b", 2), application("c", 1)}) { REQUIRE(table.add(t)); }
  table.contention.set(0, 1, 60'000);
  table.contention.set(0, 2, 45'000);
  table.contention.set(0, 0, 99);
  CHECK(table.contention.ppm(0, 0) == 0);
  const takt::contention_predictor<3> exactly(table);
  const std::array<takt::co_runner, 2> load{{{1, share{30}}, {2, share{20}}}};
  // 10 ticks at 100 per cent: 20 with half of it, and 0.06 x 0.3 + 0.045 x 0.2 longer.
  CHECK(exactly.predict(0, share{50}, {}) == 20);
  CHECK(exactly.predict(0, share{50}, load) == 21);
  const takt::contention_predictor<3> too_long(table, 500'000, 1'000'000);
  CHECK(too_long.predict(0, share{50}, load) == 62);  // 20 x 1.027 x 1.5 x 2 = 61.62
  const takt::contention_predictor<3> too_short(table, -500'000);
  CHECK(too_short.predict(0, share{50}, load) == 11);

  takt::random_stream random{77};
  for (int round = 0; round < 500; ++round) {
    table.tasks[0].alone = wcet_row::scaling(random.between(1, 100'000), static_cast<std::int32_t>(random.below(1000)));
    table.contention.set(0, 1, static_cast<std::uint32_t>(random.below(2'000'000)));
    table.contention.set(0, 2, static_cast<std::uint32_t>(random.below(2'000'000)));
    const auto own = share::bounded(static_cast<std::int32_t>(random.between(1, 100)));
    const auto first = random.below(101 - own.percent());
    const auto second = random.below(101 - own.percent() - first);
    const std::array<takt::co_runner, 2> others{{{1, share::bounded(static_cast<std::int32_t>(first))},
                                                 {2, share::bounded(static_cast<std::int32_t>(second))}}};
    const ticks worst = exactly.predict_worst(0, own, others);
    CHECK(exactly.predict(0, own, others) <= worst);
    CHECK(exactly.predict_worst(0, takt::full_share, others) <= worst);
  }
  const std::array<takt::co_runner, 2> all{{{1, {}}, {2, {}}}};
  table.tasks[0].alone = wcet_row::scaling(std::numeric_limits<ticks>::max() - 1);
  CHECK(exactly.predict(0, takt::full_share, {}) == std::numeric_limits<ticks>::max() - 1);
  CHECK(exactly.predict_worst(0, share{99}, all) == takt::unbounded_time);
}

TEST_CASE("pairwise slow-down follows from how two applications press on the same resources" *
          takt_tests::traces("WAMP-24")) {
  constexpr takt::resource_profile gs{30, 50, 60, 0, 0};
  constexpr takt::resource_profile hw{60, 40, 30, 40, 0};
  static_assert(takt::profiled_slowdown(gs, hw, 100'000) == 56'000);  // 1800 + 2000 + 1800
  static_assert(takt::profiled_slowdown(hw, gs, 100'000) == 56'000);
  static_assert(takt::profiled_slowdown(gs, {0, 0, 0, 100, 100}, 100'000) == 0);
  CHECK(takt::profiled_slowdown({100, 100, 100, 100, 100}, {100, 100, 100, 100, 100}, 4'000'000'000) ==
        std::numeric_limits<std::uint32_t>::max());
}

TEST_CASE("wrong applications are refused with their place and fault" * takt_tests::traces("WAMP-23")) {
  const auto fault_with = [](const auto& change) {
    takt::application_set<2> table;
    REQUIRE(table.add(application("a", 2)));
    REQUIRE(table.add(application("b", 1)));
    change(table.tasks[1]);
    return takt::validate(table);
  };
  using takt::model_fault;
  const auto refused = [](model_fault fault) { return takt::model_error{.fault = fault, .task = 1}; };
  CHECK_FALSE(fault_with([](share_task&) {}));
  CHECK(fault_with([](share_task& t) { t.period = 0; }) == refused(model_fault::period_not_positive));
  CHECK(fault_with([](share_task& t) { t.deadline = 0; }) == refused(model_fault::deadline_not_positive));
  CHECK(fault_with([](share_task& t) { t.deadline = 101; }) == refused(model_fault::deadline_exceeds_period));
  CHECK(fault_with([](share_task& t) { t.priority = -1; }) == refused(model_fault::negative_priority));
  CHECK(fault_with([](share_task& t) { t.priority = 2; }) == refused(model_fault::duplicate_priority));
  CHECK(fault_with([](share_task& t) { t.name = "a"; }) == refused(model_fault::duplicate_name));
  CHECK(fault_with([](share_task& t) { t.alone = {}; }) == refused(model_fault::kernel_time_not_positive));
  CHECK(fault_with([](share_task& t) { t.alone = wcet_row::scaling(-3); }) ==
        refused(model_fault::kernel_time_not_positive));
  CHECK(fault_with([](share_task& t) { t.period = std::numeric_limits<ticks>::max(); }) ==
        refused(model_fault::time_overflow));
  CHECK(takt::validate(takt::application_set<1>{}).fault == model_fault::no_task);
  takt::application_set<1> full;
  CHECK(full.add(application("a", 1)));
  CHECK_FALSE(full.add(application("b", 2)));
}

TEST_CASE("an application is written down once, with its period as deadline unless it says otherwise" *
          takt_tests::traces("WAMP-23")) {
  constexpr auto set = takt::application_set(
      takt::application("gs", takt::period(1_s), takt::share_priority(10), takt::scaling_wcet(261_ms, 750)),
      takt::application("hw", takt::scaling_wcet(356_ms), takt::deadline(2_s), takt::period(3_s),
                        takt::share_priority(9), takt::share_request(share{40}), memory_units{2}));
  static_assert(takt::ShareTaskSet<decltype(set)>);
  static_assert(takt::detail::ShareTask<share_task>);
  static_assert(!takt::ShareTaskSet<share_task>);
  const auto& table = set.table();
  CHECK(table.size() == 2);
  CHECK(table.tasks[0].deadline == (1_s).count());
  CHECK(table.tasks[0].alone.at(takt::full_share) == (261_ms).count());
  CHECK(takt::detail::reference_share(table.tasks[0]) ==
        share::bounded(table.tasks[0].alone.least_share((1_s).count())));
  CHECK(table.tasks[1].deadline == (2_s).count());
  CHECK(takt::detail::reference_share(table.tasks[1]) == share{40});
  CHECK(table.tasks[1].memory.count() == 2);
  takt::contention_matrix<2> contention;
  contention.set(0, 1, 5);
  CHECK(set.with(contention).table().contention.ppm(0, 1) == 5);
  auto late = application("late", 1);
  late.alone = wcet_row::scaling(200);
  CHECK(takt::detail::reference_share(late) == takt::full_share);
}

#if TAKT_PRECONDITIONS >= 1
TEST_CASE("what is asked of shares has an answer") {
  using takt_test::breaks_precondition;
  const wcet_row row = wcet_row::scaling(200);
  CHECK(breaks_precondition([&] { static_cast<void>(row.at(takt::no_share)); }));
  CHECK(breaks_precondition([] { static_cast<void>(takt::margin_against(1'000'000)); }));
  CHECK(breaks_precondition([] { static_cast<void>(memory_units::holding(-1)); }));
  takt::contention_matrix<2> contention;
  CHECK(breaks_precondition([&] { contention.set(2, 0, 1); }));
  CHECK(breaks_precondition([&] { static_cast<void>(contention.ppm(0, 2)); }));
  takt::share_allocation<2> held;
  CHECK(breaks_precondition([&] { static_cast<void>(held[2]); }));
  CHECK(breaks_precondition([&] { held.clear(2); }));
  const takt::application_set<1> set;
  CHECK(breaks_precondition([&] { const takt::contention_predictor<1> wrong{set, -1'000'000}; }));
  CHECK_FALSE(breaks_precondition([&] { const takt::contention_predictor<1> right{set, -999'999}; }));
}
#endif
