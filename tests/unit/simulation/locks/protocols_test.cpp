// SPDX-License-Identifier: Apache-2.0
// Schedules of the k-exclusion protocols with known instants.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <takt/analysis/methods/locking/k_exclusion.hpp>
#include <takt/rules/locking/as_published.hpp>

#include "support/traces.hpp"
#include "unit/simulation/locks/fixtures.hpp"

using namespace locking_fixtures;

namespace {

using instants = std::vector<ticks>;

auto four_jobs() -> lock_programs {
  lock_programs w;
  w.task().execute(1).lock(0).execute(6).unlock(0).execute(1).released(0, {3});
  w.task().execute(1).lock(0).suspend(4).execute(1).unlock(0).released(0, {2});
  w.task().execute(1).lock(0).execute(3).unlock(0).execute(2).released(1, {1});
  w.task().execute(1).lock(0).suspend(2).unlock(0).execute(1).released(2, {0});
  return w;
}

struct requester {
  std::int64_t priority = 0;
  ticks release = 0;
};
/// Jobs that want a section of 10 units, suspended, as soon as they are released.
auto requesters(const std::vector<requester>& jobs) -> lock_programs {
  lock_programs w;
  for (const requester& j : jobs) { w.task().lock(0).suspend(10).unlock(0).released(j.release, {j.priority}); }
  return w;
}
auto satisfied(const lock_result& r) -> instants {
  instants out;
  for (std::size_t j = 0; j < r.jobs.size(); ++j) { out.push_back(grants_of(r, j).front()); }
  return out;
}
auto waiting(const lock_result& r) -> instants {
  instants out;
  for (const auto& j : r.jobs) { out.push_back(j.inversion.waiting); }
  return out;
}
auto donating(const lock_result& r) -> instants {
  instants out;
  for (const auto& j : r.jobs) { out.push_back(j.inversion.donating); }
  return out;
}

}  // namespace

TEST_CASE("a request is issued, satisfied and released, and its section lasts as declared when nobody preempts" *
          takt_tests::traces("GSD-18")) {
  bank b = bank_with(fifo_mutex{});
  lock_programs w;
  w.task().execute(2).lock(0).execute(3).suspend(4).execute(1).unlock(0).execute(1).released(1, {1});
  w.task().execute(1).lock(0).execute(2).unlock(0).released(5, {2});
  const auto r = simulate_locks(w, b, {.processors = 2});
  CHECK(r.requests[0].issued == 3);
  CHECK(r.requests[0].satisfied == 3);
  CHECK(r.requests[0].released == 3 + 8);
  CHECK(r.requests[1].issued == 6);
  CHECK(r.requests[1].satisfied == 11);
  CHECK(r.requests[1].released == 13);
}

TEST_CASE("who waits suspended gives its processor away, who spins keeps it" * takt_tests::traces("GSD-18")) {
  const auto run = [](bool spins) {
    bank b;
    b.add(fifo_mutex{}, {.spins = spins});
    lock_programs w;
    w.task(0).lock(0).suspend(10).unlock(0).released(0, {5});
    w.task(1).execute(1).lock(0).execute(2).unlock(0).released(0, {1});
    w.task(1).execute(4).released(0, {2});
    return simulate_locks(w, b, {.clusters = 2});
  };
  const auto suspended = run(false);
  CHECK(finishes_of(suspended) == instants{10, 12, 5});
  CHECK(suspended.jobs[1].inversion.waiting == 9);
  const auto spinning = run(true);
  CHECK(finishes_of(spinning) == instants{10, 12, 16});
  CHECK(spinning.jobs[1].inversion.waiting == 0);
  CHECK(spinning.jobs[2].inversion.oblivious() == 0);
  CHECK(spinning.jobs[2].inversion.aware == 0);
}

TEST_CASE("four jobs under the k-FMLP with two replicas and with one" * takt_tests::traces("GSD-32")) {
  bank two = bank_with(k_fmlp{{.replicas = 2}});
  const auto a = simulate_locks(four_jobs(), two, {.processors = 2});
  CHECK(finishes_of(a) == instants{9, 6, 12, 9});
  CHECK(waiting(a) == instants{0, 0, 5, 3});
  bank one = bank_with(k_fmlp{{.replicas = 1}});
  const auto b = simulate_locks(four_jobs(), one, {.processors = 2});
  CHECK(finishes_of(b) == instants{8, 12, 17, 18});
  CHECK(waiting(b) == instants{0, 1, 10, 12});
}

TEST_CASE("four jobs under the R2DGLP with two replicas and with one" * takt_tests::traces("GSD-33")) {
  bank two = bank_with(r2dglp{{.replicas = 2, .cluster = 2}});
  const auto a = simulate_locks(four_jobs(), two, {.processors = 2});
  CHECK(finishes_of(a) == instants{9, 6, 12, 9});
  CHECK(waiting(a) == instants{0, 0, 5, 3});
  bank one = bank_with(r2dglp{{.replicas = 1, .cluster = 2}});
  const auto b = simulate_locks(four_jobs(), one, {.processors = 2});
  CHECK(finishes_of(b) == instants{8, 12, 17, 18});
  CHECK(waiting(b) == instants{0, 1, 10, 12});
}

TEST_CASE("four jobs under the CK-OMLP with two replicas and with one" * takt_tests::traces("GSD-34")) {
  bank two = bank_with(ck_omlp{2});
  const auto a = simulate_locks(four_jobs(), two, {.processors = 2, .donation_at_release = true});
  CHECK(finishes_of(a) == instants{8, 7, 13, 10});
  CHECK(waiting(a) == instants{0, 0, 0, 0});
  CHECK(donating(a) == instants{0, 0, 6, 4});
  bank one = bank_with(ck_omlp{1});
  const auto b = simulate_locks(four_jobs(), one, {.processors = 2, .donation_at_release = true});
  CHECK(finishes_of(b) == instants{8, 13, 17, 18});
  CHECK(waiting(b) == instants{0, 1, 4, 2});
  CHECK(donating(b) == instants{0, 0, 6, 10});
}

TEST_CASE("with donees that keep their donors a request of the best stays outside, and the total bound holds" *
          takt_tests::traces("GSD-33")) {
  using printed = takt::as_published::r2dglp<takt::as_published::r2dglp_donees_rise, 4, 16>;
  const auto w = requesters({{1, 0}, {4, 1}, {2, 2}, {6, 3}, {5, 11}});
  const auto run = [&w]<class Lock>(Lock /*kind*/, bool outside) {
    takt::host::lock_bank<Lock> b;
    b.add(Lock{{.replicas = 1, .cluster = 2}});
    takt::null_recorder null_sink;
    takt_tests::lock_run<takt::host::lock_bank<Lock>> s{w, b, {.processors = 2}, null_sink};
    // From 20 on, when the first two jobs are complete, the last job is among the two best.
    s.run_until(20);
    CHECK(b.template lock<Lock>(0).among_best(4));
    CHECK(b.template lock<Lock>(0).in_priority_queue(4) == outside);
    return s.run();
  };
  const auto stays = run(printed{}, true);
  CHECK(satisfied(stays) == instants{0, 10, 30, 20, 40});
  CHECK(inversions_of(stays) == instants{0, 1, 28, 0, 20});
  const auto steps_inside = run(r2dglp{}, false);
  CHECK(satisfied(steps_inside) == instants{0, 10, 20, 40, 30});
  for (const auto& r : {stays, steps_inside}) {
    for (const auto& j : r.jobs) { CHECK(j.inversion.oblivious() <= (2 * 2 - 1) * 10); }
  }
}

TEST_CASE("donees that rise with their donors break the bound in a job set on three processors" *
          takt_tests::traces("GSD-33")) {
  lock_programs w;
  w.task().lock(0).suspend(6).unlock(0).released(0, {10});
  w.task().lock(0).suspend(3).unlock(0).released(0, {20});
  w.task().lock(0).suspend(2).unlock(0).lock(0).execute(6).unlock(0).released(0, {70});
  w.task().lock(0).execute(6).unlock(0).released(0, {90});
  w.task().lock(0).suspend(3).unlock(0).released(1, {0});
  w.task().lock(0).suspend(6).unlock(0).released(2, {40});
  w.task().lock(0).execute(6).unlock(0).released(4, {30});
  w.task().execute(40).released(5, {65});
  w.task().lock(0).execute(1).unlock(0).released(6, {60});
  w.task().lock(0).execute(6).unlock(0).released(7, {1});
  const auto worst = [&w]<class Lock>(Lock /*kind*/) {
    takt::host::lock_bank<Lock> b;
    b.add(Lock{{.replicas = 3, .cluster = 3}});
    ticks longest = 0;
    for (const auto& j : simulate_locks(w, b, {.processors = 3}).jobs) {
      longest = std::max(longest, j.inversion.oblivious());
    }
    return longest;
  };
  const auto bound = takt::analysis::r2dglp_wait<ticks>(3, 3, 6);
  REQUIRE(bound.bounded());
  CHECK(worst(takt::as_published::r2dglp<takt::as_published::r2dglp_donees_rise, 4, 16>{}) == 7);
  CHECK(worst(r2dglp{}) <= bound.time);
  CHECK(bound.time == 6);
}

TEST_CASE("displacement from the best always leaves a donee, the printed number of donors does not" *
          takt_tests::traces("GSD-33")) {
  const std::vector<requester> jobs{{4, 0}, {1, 1}, {3, 2}, {2, 3}};
  bank b = bank_with(r2dglp{{.replicas = 1, .cluster = 2}});
  const auto r = simulate_locks(requesters(jobs), b, {.processors = 2});
  CHECK(satisfied(r) == instants{0, 10, 30, 20});
  CHECK(inversions_of(r) == instants{0, 9, 11, 17});

  using printed = takt::as_published::r2dglp<takt::as_published::r2dglp_r1c, 4, 16>;
  takt::host::lock_bank<printed> p;
  p.add(printed{{.replicas = 1, .cluster = 2}});
  const auto w = requesters(jobs);
  takt::null_recorder null_sink;
  takt_tests::lock_run<takt::host::lock_bank<printed>> s{w, p, {.processors = 2}, null_sink};
  s.run_until(3);
  CHECK(p.lock<printed>(0).among_best(3));
  CHECK(p.lock<printed>(0).donee_of(3) == takt::no_request);
}

TEST_CASE("without the gate on requests a job that no bound lets wait does wait" *
          takt_tests::traces("GSD-24 GSD-34")) {
  lock_programs w;
  w.task().execute(1).lock(0).suspend(4).unlock(0).execute(1).lock(0).suspend(4).unlock(0).released(0, {0});
  w.task().execute(2).lock(0).suspend(10).unlock(0).released(0, {1});
  bank gated = bank_with(ck_omlp{1});
  const auto with = simulate_locks(w, gated, {.donation_at_release = true});
  CHECK(finishes_of(with) == instants{10, 20});
  CHECK(with.jobs[0].inversion.oblivious() == 0);
  bank ungated = bank_with(ck_omlp{1});
  const auto without =
      simulate_locks<takt::as_published::donation_without_gate>(w, ungated, {.donation_at_release = true});
  CHECK(finishes_of(without) == instants{20, 16});
  CHECK(without.jobs[0].inversion.waiting == 10);
}

TEST_CASE("a donor of a donor takes its place, and a donor stops when its donee rises among the best" *
          takt_tests::traces("GSD-24")) {
  // One processor. The holder gets its first donor at 2 and another at 4, which takes the place of the first.
  lock_programs w;
  w.task().execute(1).lock(0).execute(9).unlock(0).execute(1).released(0, {2});
  w.task().execute(3).released(2, {1});
  w.task().execute(3).released(4, {0});
  bank b = bank_with(ck_omlp{1});
  const auto r = simulate_locks(w, b, {.donation_at_release = true});
  CHECK(donating(r) == instants{0, 2, 6});
  CHECK(finishes_of(r) == instants{17, 16, 13});

  // Two processors. The donee is third until the best job completes at 6, while its own section goes on until 20.
  const auto risen = [] {
    lock_programs x;
    x.task().execute(6).released(0, {0});
    x.task().lock(0).suspend(20).unlock(0).released(0, {2});
    x.task().execute(3).released(4, {1});
    return x;
  }();
  bank first = bank_with(ck_omlp{1});
  const auto ends = simulate_locks(risen, first, {.processors = 2, .donation_at_release = true});
  CHECK(donating(ends) == instants{0, 0, 2});
  CHECK(ends.jobs[2].finish == 9);
  bank second = bank_with(ck_omlp{1});
  const auto goes_on = simulate_locks<takt::as_published::donation_to_the_end>(
      risen, second, {.processors = 2, .donation_at_release = true});
  CHECK(donating(goes_on) == instants{0, 0, 16});
}
