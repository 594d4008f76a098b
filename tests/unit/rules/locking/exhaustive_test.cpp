// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <takt/checking.hpp>
#include <takt/core/checked.hpp>
#include <takt/rules/locking/as_published.hpp>
#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include "support/environment.hpp"
#include "support/traces.hpp"

using namespace takt::checking;
using takt::service_order;

namespace {

/// TAKT_EXHAUSTIVE=1 adds systems that take minutes.
[[nodiscard]] auto thorough() -> bool { return std::getenv("TAKT_EXHAUSTIVE") != nullptr; }

template <class P, class Invariant = no_invariant>
[[nodiscard]] auto complaint(const P& start, std::size_t at_least, const checker_expectations& e = {},
                             Invariant invariant = {}) -> std::string {
  const lock_report seen = check_lock(start, e, invariant);
  if (thorough()) { MESSAGE("states " << seen.states << ", transitions " << seen.transitions); }
  CHECK(seen.states >= at_least);
  return seen.complaint;
}

struct limited_queues {
  /// Whom a wrong state of an r2dglp with limit f over k queues concerns, and how.
  template <class P>
  [[nodiscard]] auto operator()(const P& lock) const -> std::string {
    bool full = true;
    for (takt::replica_id x = 0; x < lock.replicas(); ++x) {
      if (lock.queues().length(x) > lock.queue_limit()) { return "a queue exceeds its limit"; }
      full = full && lock.queues().length(x) == lock.queue_limit();
    }
    for (takt::request_id r = 0; r < P::capacity(); ++r) {
      const bool outside = lock.in_priority_queue(r) || lock.is_donor(r);
      if (outside && !full) { return "somebody stands outside while a queue has a place"; }
      if (!lock.is_donor(r)) { continue; }
      const takt::request_id donee = lock.donee_of(r);
      if (donee == takt::no_request) { return "a donor has no donee"; }
      if (lock.queues().queue_of(donee) == takt::no_replica) { return "a donee stands outside"; }
      if (lock.donor_of(donee) != r) { return "two donors share a donee"; }
      if (!lock.among_best(r)) { return "a donor is not among the best"; }
      if (lock.among_best(donee)) { return "a donee is among the best"; }
    }
    for (takt::request_id r = 0; r < P::capacity(); ++r) {
      if (lock.in_priority_queue(r) && lock.among_best(r)) { return "one of the best stands in the priority queue"; }
    }
    return {};
  }
};

template <std::size_t Replicas, std::size_t Requests, class Rules = takt::r2dglp_rules>
[[nodiscard]] auto r2dglp_of(std::int32_t cpus, std::int32_t limit = 0) {
  return takt::r2dglp<Replicas, Requests, takt::plain_advice, Rules>{
      takt::r2dglp_options{.replicas = static_cast<std::int32_t>(Replicas), .cluster = cpus, .queue_limit = limit}};
}

struct game_result {
  std::int32_t worst = 0;
  std::size_t positions = 0;
};

template <class P>
[[nodiscard]] auto play(const P& start, const blocking_limits& limits) -> game_result {
  const blocking_report seen = longest_blocking(start, limits);
  if (thorough()) {
    MESSAGE("positions " << seen.positions << ", longest pi-blocking " << seen.delay << ": " << seen.trace);
  }
  return {seen.delay, seen.positions};
}

/// In sections: (2 ceil(c/k) - 1), and for each withdrawal while the request waits ceil(c/k) more.
[[nodiscard]] auto r2dglp_sections(std::int32_t cpus, std::int32_t replicas, std::int32_t withdrawals = 0)
    -> std::int32_t {
  const std::int32_t f = takt::ceil_divide(cpus, replicas);
  return 2 * f - 1 + withdrawals * f;
}

template <std::size_t Replicas, std::size_t Requests>
void check_r2dglp(std::int32_t cpus, std::int32_t section, std::size_t at_least) {
  constexpr auto replicas = static_cast<std::int32_t>(Replicas);
  constexpr auto clients = static_cast<takt::request_id>(Requests);
  for (const std::int32_t withdrawals : {-1, 0, 1, 2}) {
    CAPTURE(replicas);
    CAPTURE(clients);
    CAPTURE(cpus);
    CAPTURE(withdrawals);
    const game_result r = play(r2dglp_of<Replicas, Requests>(cpus),
                               {.cpus = cpus, .clients = clients, .section = section, .withdrawals = withdrawals});
    CHECK(r.worst <= r2dglp_sections(cpus, replicas, withdrawals < 0 ? 0 : withdrawals) * section);
    CHECK(r.positions >= at_least);
  }
}

}  // namespace

TEST_CASE("locks exclude, lose nobody, keep their order and serve everybody, in every sequence of events") {
  const checker_expectations in_order{.order = service_order::first_come};
  CHECK(complaint(takt::fifo_mutex<4>{}, 24 * 60, in_order) == "");
  CHECK(complaint(takt::k_fmlp<2, 4>{}, 24 * 60) == "");
  CHECK(complaint(takt::k_fmlp<3, 4>{}, 24 * 60) == "");
  CHECK(complaint(takt::ck_omlp<1, 4>{1}, 24 * 60, in_order) == "");
  CHECK(complaint(takt::ck_omlp<2, 4>{2}, 24 * 60, in_order) == "");
  CHECK(complaint(takt::ck_omlp<3, 4>{2}, 24 * 60, in_order) == "");
}

TEST_CASE(
    "the checker sees that a FIFO queue does not serve the most important first, and that a priority mutex does") {
  CHECK(complaint(takt::fifo_mutex<3>{}, 6, {.order = service_order::priority}) == "somebody is served out of order");
  CHECK(complaint(takt::priority_mutex<4>{}, 24 * 60, {.order = service_order::priority}) == "");
}

TEST_CASE("locks are held to an order of one's own too") {
  constexpr service_order odd_first{[](const takt::waiting_claim& a, const takt::waiting_claim& b) noexcept {
    return a.priority.point % 2 > b.priority.point % 2;
  }};
  CHECK(complaint(takt::fifo_mutex<3>{}, 6, {.order = odd_first}) == "somebody is served out of order");
  constexpr service_order all_alike{
      [](const takt::waiting_claim& /*a*/, const takt::waiting_claim& /*b*/) noexcept { return false; }};
  CHECK(complaint(takt::fifo_mutex<3>{}, 6, {.order = all_alike}) == "");
}

TEST_CASE("the R2DGLP keeps its queues full, its donors among the best and its donees below them, in every sequence") {
  CHECK(complaint(r2dglp_of<1, 4>(2), 24 * 60, {}, limited_queues{}) == "");
  CHECK(complaint(r2dglp_of<1, 4>(3), 24 * 60, {}, limited_queues{}) == "");
  CHECK(complaint(r2dglp_of<2, 4>(2), 24 * 60, {}, limited_queues{}) == "");
  CHECK(complaint(r2dglp_of<2, 4>(3), 24 * 60, {}, limited_queues{}) == "");
}

TEST_CASE("the R2DGLP keeps its queues full in every sequence of more clients" * doctest::skip(!thorough())) {
  CHECK(complaint(r2dglp_of<1, 6>(2), 720 * 60, {}, limited_queues{}) == "");
  CHECK(complaint(r2dglp_of<1, 6>(3), 720 * 60, {}, limited_queues{}) == "");
  CHECK(complaint(r2dglp_of<2, 5>(3), 120 * 60, {}, limited_queues{}) == "");
}

TEST_CASE("the R2DGLP with long queues serves like one that never overflows") {
  CHECK(complaint(r2dglp_of<1, 4>(2, 4), 24 * 60, {.order = service_order::first_come}, limited_queues{}) == "");
}

TEST_CASE("as published: rule R5 leaves a replica idle while somebody waits") {
  const auto printed = r2dglp_of<2, 4, takt::as_published::r2dglp_r5>(3);
  CHECK(complaint(printed, 100) == "a replica idles while somebody waits");
}

TEST_CASE("the k-FMLP keeps its count bound and its time bound in every run of small systems" *
          takt_tests::traces("GSD-32")) {
  const auto count = [](const auto& start, std::int32_t n, std::int32_t k, std::size_t at_least) {
    const game_result r = play(start, {.cpus = n, .clients = n, .section = 2, .withdrawals = 100});
    CHECK(r.worst <= (n - 1) / k * 2);
    CHECK(r.positions >= at_least);
    return r.worst;
  };
  CHECK(count(takt::k_fmlp<1, 4>{}, 4, 1, 500) == 6);
  CHECK(count(takt::k_fmlp<2, 4>{}, 4, 2, 2000) == 2);
  CHECK(count(takt::k_fmlp<3, 4>{}, 4, 3, 1000) == 2);

  const std::vector<std::int32_t> sections{1, 3, 2, 4};
  for (const std::int32_t k : {1, 2, 3}) {
    const takt::k_fmlp<3, 4> start{{.replicas = k, .measure = takt::queue_measure::declared_times}};
    blocking_game<takt::k_fmlp<3, 4>> game{start, {.cpus = 4, .clients = 4, .withdrawals = 100, .sections = sections}};
    for (takt::request_id r = 0; r < 4; ++r) {
      const std::int32_t others = 10 - sections[static_cast<std::size_t>(r)];
      CAPTURE(k);
      CAPTURE(r);
      const std::int32_t worst = game.worst_of(r);
      CHECK(worst * k <= others);
      CHECK(worst > 0);
    }
    CHECK(game.positions() >= 500);
  }
}

TEST_CASE("the R2DGLP keeps its bound in every run of small systems, also where requests are withdrawn" *
          takt_tests::traces("GSD-33")) {
  check_r2dglp<1, 4>(2, 2, 250);
  check_r2dglp<1, 5>(2, 2, 1000);
  check_r2dglp<1, 6>(2, 1, 4000);
  check_r2dglp<1, 6>(3, 1, 10'000);
  check_r2dglp<2, 4>(2, 2, 500);
  check_r2dglp<2, 5>(3, 1, 10'000);
  check_r2dglp<2, 5>(4, 1, 10'000);
  CHECK(play(r2dglp_of<1, 6>(3), {.cpus = 3, .clients = 6}).worst == 5);  // the bound is reached
}

TEST_CASE("the R2DGLP keeps its bound in every run of systems that are not small" * takt_tests::traces("GSD-33") *
          doctest::skip(!thorough())) {
  check_r2dglp<1, 7>(3, 1, 40'000);
  check_r2dglp<1, 8>(2, 1, 40'000);
  check_r2dglp<2, 6>(3, 1, 200'000);
  check_r2dglp<2, 6>(4, 1, 200'000);
}

namespace {

/// A random run of one lock in a cluster, in which every request among the best is pi-blocked while it waits.
class random_run {
 public:
  static constexpr std::size_t clients = 12;
  using lock_type = takt::r2dglp<3, clients>;

  random_run(std::uint32_t seed, std::int32_t replicas, std::int32_t cpus)
      : random_{seed}, lock_{takt::r2dglp_options{.replicas = replicas, .cluster = cpus}} {}

  /// The longest pi-blocking of a request. `sections` last at most so long.
  [[nodiscard]] auto worst(std::int32_t steps, std::int32_t section) -> std::int32_t {
    std::int32_t out = 0;
    for (std::int32_t step = 0; step < steps; ++step) {
      for (std::int32_t events = draw(4); events > 0; --events) { act(); }
      for (takt::request_id r = 0; r < lock_type::capacity(); ++r) {
        if (lock_.holds(r) && elapsed_[index(r)] == section) { finish(r); }
      }
      std::vector<bool> advances(clients);
      for (takt::request_id r = 0; r < lock_type::capacity(); ++r) {
        if ((!lock_.holds(r) && !lock_.waits(r)) || !lock_.among_best(r)) { continue; }
        if (lock_.waits(r)) { out = std::max(out, ++blocked_[index(r)]); }
        takt::request_id end = r;
        while (end != takt::no_request && !lock_.holds(end)) { end = lock_.inheritor(end); }
        if (end != takt::no_request) { advances[index(end)] = true; }
      }
      for (std::size_t r = 0; r < clients; ++r) { elapsed_[r] += advances[r] ? 1 : 0; }
    }
    return out;
  }

 private:
  [[nodiscard]] static auto index(takt::request_id r) -> std::size_t { return static_cast<std::size_t>(r); }
  [[nodiscard]] auto draw(std::int32_t below) -> std::int32_t {
    return static_cast<std::int32_t>(random_() % static_cast<std::uint32_t>(below));
  }
  void finish(takt::request_id r) {
    lock_.release(r);
    elapsed_[index(r)] = 0;
  }
  void act() {
    const takt::request_id r = draw(lock_type::capacity());
    if (lock_.holds(r)) {
      if (draw(8) == 0) { finish(r); }
    } else if (!lock_.waits(r)) {
      blocked_[index(r)] = 0;
      lock_.issue(r, {.priority = {.point = r, .tie = r}});
    }
  }

  std::mt19937 random_;
  lock_type lock_;
  std::array<std::int32_t, clients> elapsed_{};
  std::array<std::int32_t, clients> blocked_{};
};

}  // namespace

TEST_CASE("the R2DGLP keeps its bound in thousands of random systems" * takt_tests::traces("GSD-33")) {
  const auto systems = takt_tests::from_environment<std::int32_t>("TAKT_RANDOM_SYSTEMS", 3000);
  std::int32_t reached = 0;
  for (std::int32_t i = 0; i < systems; ++i) {
    const std::int32_t replicas = 1 + i % 3;
    const std::int32_t cpus = 2 + i / 3 % 6;
    const std::int32_t section = 1 + i / 18 % 4;
    const std::int32_t bound = r2dglp_sections(cpus, replicas) * section;
    random_run run{static_cast<std::uint32_t>(i), replicas, cpus};
    const std::int32_t worst = run.worst(200, section);
    CHECK(worst <= bound);
    reached += worst == bound ? 1 : 0;
  }
  CHECK(reached > systems / 100);
}

TEST_CASE("a longer queue limit f costs (2f - 1) sections; as published, one below ceil(c/k) has no bound" *
          takt_tests::traces("GSD-65")) {
  CHECK(play(r2dglp_of<1, 6>(2, 3), {.cpus = 2, .clients = 6}).worst <= 5);
  CHECK(play(r2dglp_of<2, 5>(2, 2), {.cpus = 2, .clients = 5}).worst <= 3);
  const auto unbounded = r2dglp_of<1, 3, takt::as_published::r2dglp_any_queue_limit>(2, 1);
  CHECK(play(unbounded, {.cpus = 2, .clients = 3, .give_up = 50}).worst == 50);
  CHECK(play(r2dglp_of<1, 3>(2, 1), {.cpus = 2, .clients = 3, .give_up = 50}).worst <= 3);
}

// A donor steps inside when its donee, one of the best by then, is complete; the former donor 6
// rises in the priority queue, from where nobody inherits, so the holder 7 stands still.
TEST_CASE("as published: one of the best in the priority queue advances nobody, and waits longer than the bound") {
  takt::as_published::r2dglp<takt::as_published::r2dglp_donees_rise, 3, 10> printed{
      takt::r2dglp_options{.replicas = 3, .cluster = 3}};
  takt::r2dglp<3, 10> lock{takt::r2dglp_options{.replicas = 3, .cluster = 3}};
  const auto issue = [](auto& l, takt::request_id r) { l.issue(r, {.priority = {.point = r, .tie = r}}); };
  const auto run = [&issue](auto& l) {
    for (const takt::request_id r : {2, 7, 1, 9, 0}) { issue(l, r); }
    l.release(7);
    issue(l, 7);
    issue(l, 4);
    l.release(2);
    issue(l, 3);
    CHECK(l.donee_of(3) == 4);
    l.release(0);
  };
  run(printed);
  printed.release(1);
  issue(printed, 6);
  CHECK(printed.donee_of(6) == 9);  // 6 may have waited for nearly a whole section of 9,
  issue(printed, 0);                // which 0 takes over
  CHECK(printed.donee_of(0) == 9);
  printed.release(4);  // among the best, and still a donee
  CHECK(printed.holds(3));
  CHECK(printed.holds(7));
  CHECK(printed.in_priority_queue(6));
  CHECK(printed.among_best(6));
  CHECK(printed.inheritor(6) == takt::no_request);
  printed.release(9);
  CHECK(printed.waits(6));  // for a whole section of 3 or 0, although one section is the bound

  run(lock);
  CHECK(lock.holds(3));  // in the place of 0, as its donee 4 has risen among the best
  CHECK(lock.donor_of(4) == takt::no_request);
}

TEST_CASE("as published: rules R1a and R1c of the R2DGLP exceed the bound") {
  const auto r1a = r2dglp_of<2, 5, takt::as_published::r2dglp_r1a>(2);
  CHECK(play(r1a, {.cpus = 2, .clients = 5}).worst > r2dglp_sections(2, 2));
  const auto r1c = r2dglp_of<1, 5, takt::as_published::r2dglp_r1c>(2);
  CHECK(play(r1c, {.cpus = 2, .clients = 5, .give_up = 50}).worst == 50);
}

namespace {

template <class P, class Rules = takt::donation_rules>
[[nodiscard]] auto donate(const P& start, const donation_limits& limits) -> donation_game<P, Rules> {
  donation_game<P, Rules> game{start, limits};
  const std::int32_t rounds = takt::ceil_divide(limits.cpus * limits.clusters, start.replicas());
  const auto worst = game.worst();
  if (thorough()) {
    MESSAGE("positions " << game.positions() << ", direct " << worst.direct << ": " << game.direct_trace()
                         << ", indirect " << worst.indirect << ": " << game.indirect_trace());
  }
  CHECK(worst.direct <= (rounds - 1) * limits.section);
  CHECK(worst.indirect == rounds * limits.section);
  CHECK(game.deserted() == 0);
  CHECK(game.late_donations() == 0);
  return game;
}

}  // namespace

TEST_CASE("the CK-OMLP keeps its direct and its indirect bound in every run of small systems" *
          takt_tests::traces("GSD-34")) {
  CHECK(donate(takt::ck_omlp<1, 4>{1}, {.cpus = 1, .section = 2}).positions() >= 500);
  CHECK(donate(takt::ck_omlp<1, 4>{1}, {.cpus = 2, .section = 2}).positions() >= 1000);
  CHECK(donate(takt::ck_omlp<2, 4>{2}, {.cpus = 2, .section = 2}).positions() >= 1000);
  CHECK(donate(takt::ck_omlp<2, 5>{2}, {.cpus = 3}).positions() >= 10'000);
  CHECK(donate(takt::ck_omlp<1, 4>{1}, {.cpus = 1, .clusters = 2, .section = 2}).positions() >= 1000);
  CHECK(donate(takt::k_fmlp<2, 5>{}, {.cpus = 3}).positions() >= 10'000);
}

TEST_CASE("the CK-OMLP keeps its bounds in every run of systems that are not small" * takt_tests::traces("GSD-34") *
          doctest::skip(!thorough())) {
  CHECK(donate(takt::ck_omlp<1, 6>{1}, {.cpus = 2, .clusters = 2}).positions() >= 10'000);
  CHECK(donate(takt::ck_omlp<2, 6>{2}, {.cpus = 3}).positions() >= 100'000);
}

TEST_CASE("across clusters, a limit of ceil(m/k) keeps the outer queues empty and both bounds" *
          takt_tests::traces("GSD-66")) {
  const auto two_clusters = donate(r2dglp_of<1, 4>(2), {.cpus = 1, .clusters = 2, .section = 2});
  CHECK(two_clusters.positions() >= 1000);
  CHECK(two_clusters.overflows() == 0);
  const auto one_cluster = donate(r2dglp_of<2, 5>(3), {.cpus = 3});
  CHECK(one_cluster.positions() >= 10'000);
  CHECK(one_cluster.overflows() == 0);
}

TEST_CASE("as published: donation without the gate exceeds both bounds") {
  donation_game<takt::ck_omlp<1, 3>, takt::as_published::donation_without_gate> game{
      takt::ck_omlp<1, 3>{1}, {.cpus = 1, .section = 2, .give_up = 50}};
  const auto worst = game.worst();
  CHECK(worst.direct == 50);
  CHECK(worst.indirect == 50);
  CHECK(game.deserted() > 0);
}
