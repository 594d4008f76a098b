// SPDX-License-Identifier: Apache-2.0
// TAKT_STRESS_SECONDS: how long each of the configurations below is under load, 60 ms by default.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/group_lock.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_group_lock.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

#include "recording.hpp"
#include "support/environment.hpp"
#include "support/limited_wait.hpp"
#include "support/signal_storm.hpp"

namespace {

using namespace locking_tests;
using std::chrono::microseconds;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t threads = 64;
/// Requests of a domain before those of the test, so that a number of 24 or of 31 bits does not hold them.
constexpr std::int64_t near_an_end = (std::int64_t{1} << 24) - 500;

auto span_of_load() -> std::chrono::milliseconds {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds{takt_tests::stress_time(60'000'000)});
}

/// Runs `body(random, thread)` on all threads for the span of load, and once at least.
template <class Body>
void load(Body body) {
  std::atomic<bool> running{true};
  const takt_tests::signal_storm storm;
  std::vector<std::jthread> team;
  for (std::size_t i = 0; i < threads; ++i) {
    team.emplace_back([&running, &body, i] {
      std::minstd_rand random{static_cast<std::uint32_t>(i + 1)};
      do { body(random, i); } while (running);
    });
  }
  std::this_thread::sleep_for(span_of_load());
  running = false;
}

/// Stops that come from elsewhere: one thread asks now this, now that waiting thread to give up.
class stopper {
 public:
  auto token(std::size_t i) -> std::stop_token {
    const std::lock_guard lock{mutex_};
    sources_[i] = std::stop_source{};
    return sources_[i].get_token();
  }

 private:
  std::mutex mutex_;
  std::array<std::stop_source, threads> sources_;
  std::jthread thread_{[this](const std::stop_token& end) {
    for (std::size_t i = 0; !end.stop_requested(); i = (i + 7) % threads) {
      std::optional<std::stop_source> source;
      {
        const std::lock_guard lock{mutex_};
        source = sources_[i];
      }
      source->request_stop();
      std::this_thread::sleep_for(microseconds{20});
    }
  }};
};

/// Counts who is inside, by replica and in all.
class occupancy {
 public:
  explicit occupancy(takt::replica_id replicas) : replicas_{replicas} {}

  void enter(takt::replica_id x) {
    if (x < 0 || x >= replicas_ || inside_[static_cast<std::size_t>(x)].exchange(true)) { violated_ = true; }
    ++entries_;
  }
  void leave(takt::replica_id x) { inside_[static_cast<std::size_t>(x)] = false; }

  [[nodiscard]] auto violated() const -> bool { return violated_; }
  [[nodiscard]] auto entries() const -> std::int64_t { return entries_; }

 private:
  takt::replica_id replicas_;
  std::array<std::atomic<bool>, 16> inside_{};
  std::atomic<bool> violated_{false};
  std::atomic<std::int64_t> entries_{0};
};

void dwell(std::minstd_rand& random) {
  switch (random() % 4) {
    case 0: return;
    case 1: std::this_thread::yield(); return;
    case 2: std::this_thread::sleep_for(microseconds{random() % 50}); return;
    default:
      for (auto left = random() % 2000; left > 0; --left) { std::atomic_signal_fence(std::memory_order_seq_cst); }
  }
}

template <class Lock>
auto ask(Lock& lock, std::minstd_rand& random, std::size_t i, stopper& stops) -> Lock::hold {
  const takt::runtime::lock_call call{.priority = static_cast<std::int64_t>(random() % 8),
                                      .length = microseconds{random() % 20}};
  switch (random() % 8) {
    case 0: return lock.try_acquire(call);
    case 1:
    case 2: return lock.try_acquire_for(microseconds{random() % 300}, call);
    case 3:
    case 4: return lock.acquire(stops.token(i), call);
    default: return lock.acquire(call);
  }
}

/// No replica is lost.
template <class Lock>
void hold_all(Lock& lock, takt::replica_id replicas) {
  std::atomic<int> holding{0};
  std::atomic<bool> done{false};
  std::vector<std::jthread> holders;
  for (takt::replica_id x = 0; x < replicas; ++x) {
    holders.emplace_back([&] {
      const auto held = lock.acquire();
      ++holding;
      takt_tests::await([&done] { return done.load(); });
    });
  }
  takt_tests::await([&] { return holding == replicas; });
  CHECK_FALSE(static_cast<bool>(lock.try_acquire()));
  done = true;
}

template <class Protocol>
void stress(const Protocol& protocol) {
  takt::runtime::lock_domain domain{takt::runtime::inheritance::if_permitted, {near_an_end}};
  takt::runtime::lock<Protocol> lock{domain, protocol};
  occupancy inside{protocol.replicas()};
  {
    stopper stops;
    load([&](std::minstd_rand& random, std::size_t i) {
      auto held = ask(lock, random, i, stops);
      if (!held) { return; }
      const takt::replica_id x = held.replica();
      inside.enter(x);
      dwell(random);
      inside.leave(x);
    });
  }
  CHECK_FALSE(inside.violated());
  CHECK(inside.entries() > 0);
  CHECK(lock.abandoned() == 0);
  hold_all(lock, protocol.replicas());
}

/// Of two requests that stand in one queue, the one issued first is granted or withdrawn first.
auto is_first_in_first_out(const std::vector<event>& events) -> bool {
  std::array<std::vector<takt::request_id>, 16> queues;
  for (const event& e : events) {
    if (e.kind == event_kind::issued) { queues[static_cast<std::size_t>(e.queue + 1)].push_back(e.client); }
    if (e.kind != event_kind::granted && e.kind != event_kind::withdrawn) { continue; }
    for (auto& q : queues) {
      const auto at = std::ranges::find(q, e.client);
      if (at == q.end()) { continue; }
      if (e.kind == event_kind::granted && at != q.begin()) { return false; }
      q.erase(at);
    }
  }
  return true;
}

/// Whoever is granted has waited with the best priority told last, and among equals longest. What the domain makes of
/// the order of requests, its `tie`, is not believed.
auto is_in_priority_order(const std::vector<event>& events) -> bool {
  std::vector<event> waiting;  // in the order of the requests
  const auto point = [](const event& e) { return e.priority.point; };
  for (const event& e : events) {
    const auto at = std::ranges::find(waiting, e.client, &event::client);
    if (e.kind == event_kind::issued) { waiting.push_back(e); }
    if (at == waiting.end()) { continue; }
    if (e.kind == event_kind::reprioritized) { at->priority = e.priority; }
    if (e.kind == event_kind::granted && std::ranges::min_element(waiting, {}, point) != at) { return false; }
    if (e.kind == event_kind::granted || e.kind == event_kind::withdrawn) { waiting.erase(at); }
  }
  return true;
}

template <bool Alone, class Protocol>
auto record(const Protocol& protocol) -> std::vector<event> {
  recorder to;
  to.events.reserve(recorder::enough);
  stress(recording<Protocol, Alone>{to, protocol});
  CHECK(to.events.size() > threads);
  return std::move(to.events);
}

template <class Protocol>
void stress_in_order(const Protocol& protocol) {
  CHECK(is_first_in_first_out(record<false>(protocol)));
  CHECK(is_first_in_first_out(record<true>(protocol)));
}

template <class Group>
void stress_group() {
  takt::runtime::lock_group<Group> group;
  std::array<occupancy, 5> inside{occupancy{1}, occupancy{1}, occupancy{1}, occupancy{1}, occupancy{1}};
  std::atomic<std::int64_t> given_up{0};
  load([&](std::minstd_rand& random, std::size_t) {
    typename Group::list wanted;
    for (auto n = random() % 3 + 1; wanted.size() < n;) {
      const auto l = static_cast<takt::lock_id>(random() % 5);
      if (std::ranges::find(wanted, l) == wanted.end()) { wanted.unchecked_push_back(l); }
    }
    const takt::runtime::lock_call call{.priority = static_cast<std::int64_t>(random() % 8)};
    auto held = random() % 2 == 0 ? group.acquire(wanted, call)
                                  : group.try_acquire_for(microseconds{random() % 300}, wanted, call);
    if (!held) {
      ++given_up;
      return;
    }
    for (const auto l : wanted) { inside[static_cast<std::size_t>(l)].enter(0); }
    dwell(random);
    for (const auto l : wanted) {
      inside[static_cast<std::size_t>(l)].leave(0);
      if (random() % 2 == 0) { break; }
      held.release(l);
    }
    for (const auto l : wanted) { inside[static_cast<std::size_t>(l)].leave(0); }
  });
  for (const occupancy& o : inside) { CHECK_FALSE(o.violated()); }
  CHECK(inside[0].entries() > 0);
}

}  // namespace

TEST_CASE("k-FMLP under load excludes, loses no wake-up and serves each queue first in, first out") {
  stress_in_order(takt::k_fmlp<1, threads + 1>{});
  stress_in_order(takt::k_fmlp<2, threads + 2>{});
  stress_in_order(takt::k_fmlp<4, threads + 4>{takt::k_fmlp_options{4, takt::queue_measure::declared_times}});
}

TEST_CASE("R2DGLP under load excludes and loses no wake-up") {
  stress(takt::r2dglp<1, threads + 1>{takt::r2dglp_options{.replicas = 1, .cluster = 4}});
  stress(takt::r2dglp<2, threads + 2>{takt::r2dglp_options{.replicas = 2, .cluster = 4}});
  stress(takt::r2dglp<4, threads + 4>{takt::r2dglp_options{.replicas = 4, .cluster = 8}});
}

TEST_CASE("CK-OMLP under load excludes, loses no wake-up and serves first in, first out") {
  stress_in_order(takt::ck_omlp<1, threads + 1>{});
  stress_in_order(takt::ck_omlp<2, threads + 2>{});
  stress_in_order(takt::ck_omlp<4, threads + 4>{});
}

TEST_CASE("a priority mutex under load excludes, loses no wake-up and serves by effective priority") {
  CHECK(is_in_priority_order(record<false>(takt::priority_mutex<threads + 1>{})));
  CHECK(is_in_priority_order(record<true>(takt::priority_mutex<threads + 1>{})));
}

TEST_CASE("groups of locks under load exclude and end every wait, in whatever order the locks are named") {
  stress_group<takt::group_lock<5, threads>>();
  stress_group<takt::priority_group_lock<5, threads>>();
}
