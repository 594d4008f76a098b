// SPDX-License-Identifier: Apache-2.0
// The schedules of Elliott 2015, section 2.1.6.1: one processor, critical sections of 8 units from time 5 on.
#include <array>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <takt/simulation/trace.hpp>

#include "support/traces.hpp"
#include "unit/simulation/locks/fixtures.hpp"

using namespace locking_fixtures;
using takt::any_progress;

namespace {

using instants = std::vector<ticks>;

constexpr std::array<any_progress, 4> all_mechanisms{takt::no_progress{}, takt::priority_inheritance{},
                                                     takt::boost_when_contended{}, takt::boost_when_granted{}};

constexpr std::size_t low = 0;
constexpr std::size_t high = 1;
constexpr std::size_t medium = 2;
constexpr std::size_t very_high = 3;

/// Figure 2.6 up to the release of the medium job, whose length matters where nothing bounds the inversion.
auto figure_2_6(ticks medium_length) -> lock_programs {
  lock_programs w;
  w.task().execute(5).lock(0).execute(8).unlock(0).execute(1).released(0, {4});
  w.task().execute(7).lock(0).execute(5).unlock(0).released(8, {2});
  w.task().execute(medium_length).released(18, {3});
  return w;
}
auto with_very_high_job(lock_programs w) -> lock_programs {
  w.task().execute(5).released(19, {1});
  return w;
}
auto run(const lock_programs& w, const any_progress& progress, std::int32_t clusters = 1) -> lock_result {
  bank b = mutex_with(progress);
  return simulate_locks(w, b, {.clusters = clusters});
}

}  // namespace

TEST_CASE("without a progress mechanism an inversion lasts as long as unrelated jobs run" *
          takt_tests::traces("GSD-19")) {
  for (const ticks length : {ticks{10}, ticks{1000}}) {
    const auto r = run(figure_2_6(length), takt::no_progress{});
    CHECK(grants_of(r, low) == instants{5});
    CHECK(grants_of(r, high) == instants{20 + length});
    CHECK(r.jobs[high].inversion.oblivious() == 5 + length);
  }
}

TEST_CASE("with inheritance the inversion ends with the critical section" * takt_tests::traces("GSD-19 GSD-20")) {
  for (const ticks length : {ticks{10}, ticks{1000}}) {
    const auto r = run(figure_2_6(length), takt::priority_inheritance{});
    CHECK(r.requests[high].issued == 15);
    CHECK(grants_of(r, high) == instants{20});
    CHECK(r.jobs[high].inversion.oblivious() == 5);
    CHECK(r.jobs[high].finish == 25);
  }
}

TEST_CASE("a boosted holder delays a very important job that needs no lock" * takt_tests::traces("GSD-19 GSD-22")) {
  const auto boosted = run(with_very_high_job(figure_2_6(10)), takt::boost_when_contended{});
  CHECK(boosted.requests[high].issued == 15);
  CHECK(grants_of(boosted, high) == instants{20});
  CHECK(boosted.jobs[very_high].finish == 25);
  CHECK(boosted.jobs[very_high].inversion.oblivious() == 1);
  CHECK(boosted.jobs[high].finish == 30);

  const auto inherited = run(with_very_high_job(figure_2_6(10)), takt::priority_inheritance{});
  CHECK(inherited.jobs[very_high].finish == 24);
  CHECK(inherited.jobs[very_high].inversion.oblivious() == 0);
  CHECK(grants_of(inherited, high) == instants{25});
}

TEST_CASE("boosted from the grant on, a holder delays others although nobody wants its lock" *
          takt_tests::traces("GSD-22")) {
  for (const auto& [kind, finish] : {std::pair<any_progress, ticks>{takt::boost_when_granted{}, 16},
                                     std::pair<any_progress, ticks>{takt::boost_when_contended{}, 11}}) {
    lock_programs w;
    w.task().execute(5).lock(0).execute(8).unlock(0).released(0, {2});
    w.task().execute(3).released(8, {1});
    const auto r = run(w, kind);
    CHECK(r.jobs[1].finish == finish);
    CHECK(r.jobs[1].inversion.oblivious() == finish - 11);
  }
}

TEST_CASE("a boosted holder can delay one job many times, a donor is delayed once" * takt_tests::traces("GSD-22")) {
  const auto workload = [] {
    lock_programs w;
    w.task().execute(1).suspend(1).execute(1).suspend(1).execute(1).released(1, {0});
    for (std::int64_t i = 1; i <= 3; ++i) { w.task().lock(0).execute(4).unlock(0).released(0, {i}); }
    return w;
  };
  const auto boosted = run(workload(), takt::boost_when_granted{});
  CHECK(boosted.jobs[0].inversion.oblivious() == 3 + 3 + 3);
  bank b = bank_with(ck_omlp{1});
  const auto donated = simulate_locks(workload(), b, {.donation_at_release = true});
  CHECK(donated.jobs[0].inversion.oblivious() == 3);
}

TEST_CASE("a job donates at its release and runs as soon as the critical section ends" *
          takt_tests::traces("GSD-19 GSD-24")) {
  bank b = bank_with(ck_omlp{1});
  const auto r = simulate_locks(figure_2_6(10), b, {.donation_at_release = true});
  CHECK(r.requests[low].released == 13);
  CHECK(r.jobs[high].inversion.donating == 13 - 8);
  CHECK(r.requests[high].issued == 13 + 7);
  CHECK(grants_of(r, high) == instants{13 + 7});
}

TEST_CASE("inheritance is transitive and ends with the lock it came through" * takt_tests::traces("GSD-20")) {
  bank b;
  b.add(fifo_mutex{});
  b.add(fifo_mutex{});
  lock_programs w;
  w.task().lock(1).execute(10).unlock(1).execute(5).released(0, {3});
  w.task().lock(0).execute(1).lock(1).execute(1).unlock(1).unlock(0).released(2, {2});
  w.task().execute(1).lock(0).execute(1).unlock(0).released(5, {0});
  w.task().execute(100).released(7, {1});
  takt::null_recorder null_sink;
  takt_tests::lock_run<bank> s{w, b, {}, null_sink};
  s.run_until(1);
  CHECK(s.effective(0) == 3);
  s.run_until(4);
  CHECK(s.effective(0) == 2);
  s.run_until(7);
  CHECK(s.effective(1) == 0);
  CHECK(s.effective(0) == 0);
  s.run_until(12);
  CHECK(s.effective(0) == 3);
  const auto r = s.run();
  CHECK(r.requests[0].released == 12);
  CHECK(grants_of(r, 1) == instants{2, 12});
  CHECK(grants_of(r, 2) == instants{13});
  CHECK(r.jobs[2].finish == 14);
  CHECK(r.jobs[0].finish == 119);
}

TEST_CASE("inheritance does not help across partitions, boosting and donation do" * takt_tests::traces("GSD-23")) {
  // Figure 2.7: the medium job waits on processor 0 for the low job of processor 1, where a more important job runs.
  const auto workload = [](ticks high_length) {
    lock_programs w;
    w.task(1).execute(5).lock(0).execute(8).unlock(0).execute(1).released(0, {3});
    w.task(1).execute(high_length).released(8, {1});
    w.task(0).execute(3).lock(0).execute(2).unlock(0).released(12, {2});
    return w;
  };
  for (const ticks length : {ticks{10}, ticks{100}, ticks{10'000}}) {
    CHECK(grants_of(run(workload(length), takt::priority_inheritance{}, 2), medium) == instants{13 + length});
    CHECK(grants_of(run(workload(length), takt::boost_when_contended{}, 2), medium) == instants{20});
    CHECK(grants_of(run(workload(length), takt::boost_when_granted{}, 2), medium) == instants{15});
    bank b = bank_with(ck_omlp{1});
    const auto donated = simulate_locks(workload(length), b, {.clusters = 2, .donation_at_release = true});
    CHECK(grants_of(donated, medium) == instants{15});
    CHECK(donated.jobs[high].inversion.oblivious() == 5);
  }
}

TEST_CASE("suspended jobs of higher priority hide blocking only from the s-oblivious account" *
          takt_tests::traces("GSD-30")) {
  // Example 2.8: two processors; the high job waits from 5 to 15, the low one from 10 to 20.
  bank b = mutex_with(takt::priority_inheritance{});
  lock_programs w;
  w.task().lock(0).execute(15).unlock(0).released(0, {2});
  w.task().execute(5).lock(0).execute(5).unlock(0).execute(1).released(0, {1});
  w.task().execute(5).lock(0).execute(1).unlock(0).released(0, {3});
  const auto r = simulate_locks(w, b, {.processors = 2});
  CHECK(r.requests[2].issued == 10);
  CHECK(r.requests[2].satisfied == 20);
  CHECK(r.jobs[2].inversion.oblivious() == 5);
  CHECK(r.requests[2].blocked == 5);
  CHECK(r.jobs[2].inversion.aware == 10);
  CHECK(r.jobs[1].inversion.oblivious() == 10);
  CHECK(r.jobs[1].inversion.aware == 10);
}

TEST_CASE("s-oblivious blocking never exceeds s-aware blocking, whoever makes progress how" *
          takt_tests::traces("GSD-30")) {
  for (const any_progress& kind : all_mechanisms) {
    const auto r = run(with_very_high_job(figure_2_6(10)), kind);
    for (const auto& j : r.jobs) { CHECK(j.inversion.oblivious() <= j.inversion.aware); }
  }
}

/// Boosts whoever keeps two or more waiting.
struct boost_when_crowded {
  [[nodiscard]] static auto inheritor(const takt::detail::Contended auto& /*l*/, takt::request_id /*c*/)
      -> takt::request_id {
    return takt::no_request;
  }
  [[nodiscard]] static auto boosted(const takt::detail::Contended auto& l, takt::request_id c) -> bool {
    int waiting = 0;
    for (takt::request_id w = 0; w < l.capacity(); ++w) { waiting += l.inheritor(w) == c ? 1 : 0; }
    return l.holds(c) && waiting >= 2;
  }
};

TEST_CASE("locks of one bank get on by a mechanism of one's own too") {
  const auto first_grant = [](ticks second_waiter, const any_progress& progress) {
    lock_programs w;
    w.task().execute(5).lock(0).execute(8).unlock(0).released(0, {9});
    w.task().lock(0).execute(1).unlock(0).released(6, {5});
    w.task().lock(0).execute(1).unlock(0).released(second_waiter, {4});
    w.task().execute(20).released(8, {1});
    return grants_of(run(w, progress), 1).at(0);
  };
  CHECK(first_grant(7, boost_when_crowded{}) == 13);
  CHECK(first_grant(50, boost_when_crowded{}) == 33);
  for (const ticks second_waiter : {7, 50}) {
    CHECK(first_grant(second_waiter, takt::no_progress{}) == 33);
    CHECK(first_grant(second_waiter, takt::boost_when_contended{}) == 13);
  }
}

TEST_CASE("who inherits from whom does not depend on how many other locks there are") {
  const auto run = [](takt::host::resource_id second) {
    bank b;
    for (takt::host::resource_id r = 0; r <= second; ++r) { b.add(priority_mutex{}); }
    lock_programs w;
    w.task().lock(0).execute(5).unlock(0).execute(3).released(0, {9});
    w.task().lock(second).execute(1).lock(0).execute(2).unlock(0).execute(2).unlock(second).released(1, {6});
    w.task().execute(4).released(2, {4});
    w.task().execute(1).lock(second).execute(2).unlock(second).released(3, {1});
    w.task().lock(second).execute(1).unlock(second).released(4, {7});
    w.task().lock(0).execute(1).unlock(0).released(4, {3});
    return simulate_locks(w, b, {});
  };
  const auto near = run(1);
  for (const takt::host::resource_id far : {63, 64, 65, 128}) {
    CAPTURE(far);
    const auto same = run(far);
    CHECK(finishes_of(same) == finishes_of(near));
    CHECK(inversions_of(same) == inversions_of(near));
    for (std::size_t j = 0; j < 6; ++j) { CHECK(grants_of(same, j) == grants_of(near, j)); }
  }
  CHECK(finishes_of(near)[3] < finishes_of(near)[2]);
}
