// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include <takt/core/random.hpp>
#include <takt/systems/graphs/run/links/shared_graph.hpp>

#include "link_fixture.hpp"
#include "support/signal_storm.hpp"
#include "support/traces.hpp"

namespace {

using namespace link_test;

/// Three producers of different rates, a consumer that joins them, and a sink.
auto join(const std::string& name) -> graph_description {
  return {.name = name,
          .nodes = {"a", "b", "c", "join", "sink"},
          .edges = {{.name = "from-a", .from = "a", .to = "join", .produce = 2, .consume = 3, .threshold = 5},
                    {.name = "from-b", .from = "b", .to = "join", .produce = 1, .consume = 2, .threshold = 2},
                    {.name = "from-c", .from = "c", .to = "join", .produce = 3, .consume = 1, .initial = 1},
                    {.name = "out", .from = "join", .to = "sink", .produce = 2, .consume = 1}}};
}

/// Executes jobs of a node, and counts those that waited.
template <class Graph>
auto work(const Graph& g, std::string_view node, std::int64_t jobs, std::uint64_t seed, std::atomic<int>& wrong)
    -> std::uint64_t {
  takt::random_stream random{seed};
  auto n = g.claim(node);
  std::uint64_t waited = 0;
  if (!n || !n.bind_all(soon())) {
    ++wrong;
    return 0;
  }
  for (std::int64_t job = 1; job <= jobs; ++job) {
    if (!n.begin_job(soon()) || n.job().number != job) {
      ++wrong;
      return waited;
    }
    if (n.job().waited) { ++waited; }
    if (random.chance(1, 8)) { std::this_thread::yield(); }
    if (random.chance(1, 64)) { takt::runtime::sleep_until(now() + random.between(0, 200'000)); }
    if (!n.finish_job(soon())) { ++wrong; }
  }
  return waited;
}

template <class Monitor>
void join_many(std::int64_t jobs, bool is_disturbed = false) {
  const named<Monitor> name{"join"};
  const auto g = shared_graph<Monitor>::create(join(name.get()));
  REQUIRE_MESSAGE(g, g.status().sentence());
  std::optional<takt_tests::signal_storm> storm;
  if (is_disturbed) { storm.emplace(); }
  std::atomic<int> wrong = 0;
  std::uint64_t joins_waited = 0;
  std::uint64_t sinks_waited = 0;
  {
    std::vector<std::jthread> all;
    // Just enough: threshold - consume tokens of `from-a` stay behind.
    all.emplace_back([&] { (void)work(g, "a", (3 * jobs + 2 + 1) / 2, 1, wrong); });
    all.emplace_back([&] { (void)work(g, "b", 2 * jobs, 2, wrong); });
    all.emplace_back([&] { (void)work(g, "c", (jobs - 1 + 2) / 3, 3, wrong); });
    all.emplace_back([&] { joins_waited = work(g, "join", jobs, 4, wrong); });
    all.emplace_back([&] { sinks_waited = work(g, "sink", 2 * jobs, 5, wrong); });
  }
  CHECK(wrong == 0);
  CHECK(g.finished("join") == jobs);
  CHECK(g.finished("sink") == 2 * jobs);
  CHECK(g.tokens("from-a") == 2 * ((3 * jobs + 3) / 2) - 3 * jobs);
  CHECK(g.tokens("from-b") == 0);
  CHECK(g.tokens("out") == 0);
  // The producer of the last missing token woke it, once for each job that waited.
  CHECK(g.wakes("join") == joins_waited);
  CHECK(g.wakes("sink") == sinks_waited);
  if (is_disturbed) { return; }
  CHECK(joins_waited > 0);
  // It was the wake-ups that ended the waits. A look around may come first by chance.
  CHECK(g.found("join") <= joins_waited / 4);
}

}  // namespace

TEST_CASE("the producer of the last missing token wakes the consumer, once per job, and no wake-up is lost" *
          takt_tests::traces("GSA-37")) {
  SUBCASE("under the monitor of the operating system") { join_many<system_monitor>(3'000); }
  SUBCASE("under spinning in the order of tickets") { join_many<ticket_monitor<>>(3'000); }
}

TEST_CASE("signals at random instants cost no token and no wake-up") {
  SUBCASE("under the monitor of the operating system") { join_many<system_monitor>(2'000, true); }
  SUBCASE("under spinning in the order of tickets") { join_many<ticket_monitor<>>(2'000, true); }
}

TEST_CASE("tokens that leave another threshold open wake nobody" * takt_tests::traces("GSA-37")) {
  const named name{"partial"};
  const auto g = shared_graph<>::create(join(name.get()));
  REQUIRE(g);
  std::atomic<int> wrong = 0;
  std::uint64_t waited = 0;
  std::jthread consumer{[&] { waited = work(g, "join", 1, 1, wrong); }};
  (void)work(g, "a", 50, 2, wrong);
  (void)work(g, "b", 1, 3, wrong);
  CHECK(g.wakes("join") == 0);
  CHECK(g.finished("join") == 0);
  (void)work(g, "b", 0, 3, wrong);
  auto b = g.claim("b");
  REQUIRE(b.bind_all());
  REQUIRE(b.begin_job());
  CHECK(b.job().number == 2);
  REQUIRE(b.finish_job());
  consumer.join();
  CHECK(wrong == 0);
  CHECK(g.wakes("join") == waited);
  CHECK(g.finished("join") == 1);
}

TEST_CASE("monitors let in one thread at a time, those who spin in the order of their tickets" *
          takt_tests::traces("GSA-38")) {
  const auto exclusive = [](auto monitor, int rounds) {
    using monitor_type = decltype(monitor);
    auto state = std::make_unique<typename monitor_type::state>();
    REQUIRE(monitor_type::setup(*state) == 0);
    std::vector<std::atomic<takt::runtime::detail::process_word>> claims(64);
    for (auto& c : claims) { c = takt::runtime::detail::own_word(); }
    std::int64_t plain = 0;  // a race shows as a wrong sum
    std::atomic<int> refused = 0;
    {
      std::vector<std::jthread> all;
      for (std::uint32_t i = 0; i < 4; ++i) {
        all.emplace_back([&, i] {
          monitor_seat seat{.own = i, .all = 0xf, .claims = claims.data()};
          for (int r = 0; r < rounds; ++r) {
            if (monitor_type::enter(*state, seat, soon()) != 0) {
              ++refused;
              return;
            }
            plain = plain + 1;
            monitor_type::leave(*state, seat);
          }
        });
      }
    }
    CHECK(refused == 0);
    CHECK(plain == std::int64_t{4} * rounds);
  };
  exclusive(system_monitor{}, 10'000);
  exclusive(ticket_monitor<>{}, 5'000);

  // Tickets, step by step: a later one waits, until its limit, for an earlier one.
  ticket_monitor<>::state state;
  std::vector<std::atomic<takt::runtime::detail::process_word>> claims(64);
  for (auto& c : claims) { c = takt::runtime::detail::own_word(); }
  monitor_seat first{.own = 5, .all = 0x60, .claims = claims.data()};
  monitor_seat second{.own = 6, .all = 0x60, .claims = claims.data()};
  REQUIRE(ticket_monitor<>::enter(state, first, soon()) == 0);
  CHECK(ticket_monitor<>::enter(state, second, now()) == ETIMEDOUT);
  ticket_monitor<>::leave(state, first);
  REQUIRE(ticket_monitor<>::enter(state, second, now()) == 0);
  // Whoever draws after another one goes after it.
  CHECK(ticket_monitor<>::enter(state, first, now()) == ETIMEDOUT);
  ticket_monitor<>::leave(state, second);
}

TEST_CASE("a ticket of a process that has ended does not stop the others" * takt_tests::traces("GSA-38")) {
  using monitor = ticket_monitor<>;
  monitor::state state;
  std::vector<std::atomic<takt::runtime::detail::process_word>> claims(64);
  claims[0] = takt::runtime::detail::own_word();
  takt::runtime::detail::process_word gone = 0;
  {
    process other{[] {
      for (;;) { pause(); }
      return 0;
    }};
    gone = other.word();
    claims[1] = gone;
    state.seats[1] = 1;
    monitor_seat seat{.own = 0, .all = 3, .claims = claims.data()};
    state.next = 2;
    CHECK_FALSE(takt::runtime::detail::has_ended(gone));
    CHECK(monitor::enter(state, seat, shortly()) == ETIMEDOUT);
    other.kill_only();
    CHECK(takt::runtime::detail::has_ended(gone));
    CHECK(monitor::enter(state, seat, soon()) == 0);
    monitor::leave(state, seat);
  }
  CHECK(takt::runtime::detail::has_ended(gone));
  CHECK_FALSE(takt::runtime::detail::has_ended(takt::runtime::detail::own_word()));
  // The same number, but another start: a process that got the number of one that has ended.
  CHECK(takt::runtime::detail::has_ended(takt::runtime::detail::own_word() ^ 1));
}

TEST_CASE("a ceiling raises the thread inside the monitor, or the system's refusal is told" *
          takt_tests::traces("GSA-38")) {
  const named<ticket_monitor<90>> name{"ceiling"};
  using graph = shared_graph<ticket_monitor<90>>;
  const auto g = graph::create(join(name.get()));
  REQUIRE(g);
  int policy = -1;
  sched_param before{};
  REQUIRE(pthread_getschedparam(pthread_self(), &policy, &before) == 0);
  auto a = g.claim("a");
  REQUIRE(a.bind_all());
  const link_status s = a.begin_job(soon());
  CHECK((s || (s.fault == link_fault::system && s.error == EPERM)));
  int after = -1;
  sched_param parameters{};
  REQUIRE(pthread_getschedparam(pthread_self(), &after, &parameters) == 0);
  CHECK(after == policy);
  CHECK(parameters.sched_priority == before.sched_priority);

  ticket_monitor<90>::state state;
  std::vector<std::atomic<takt::runtime::detail::process_word>> claims(64);
  monitor_seat seat{.own = 0, .all = 1, .claims = claims.data()};
  const int error = ticket_monitor<90>::enter(state, seat, soon());
  CHECK((error == 0) == static_cast<bool>(s));
  if (error == 0) {
    REQUIRE(pthread_getschedparam(pthread_self(), &after, &parameters) == 0);
    CHECK(after == SCHED_FIFO);
    CHECK(parameters.sched_priority >= 90);
    ticket_monitor<90>::leave(state, seat);
  }
}
