// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <ratio>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <takt/rules/locking/ck_omlp.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/rules/locking/priority_mutex.hpp>
#include <takt/rules/locking/r2dglp.hpp>
#include <takt/runtime/locking/protocol_lock.hpp>

#include "recording.hpp"
#include "support/asleep.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using namespace std::chrono_literals;
using mutex = takt::runtime::lock<takt::fifo_mutex<4>>;
using pair_lock = takt::runtime::lock<takt::k_fmlp<2, 4>>;

/// Whether another thread would get something at once.
template <class Lock>
auto is_free(Lock& lock) -> bool {
  bool free = false;
  std::jthread{[&] { free = static_cast<bool>(lock.try_acquire()); }}.join();
  return free;
}

/// Holds a lock on a thread of its own until told otherwise.
template <class Lock>
class other_holder {
 public:
  explicit other_holder(Lock& lock)
      : thread_{[this, &lock] {
          const auto held = lock.acquire();
          holds_ = true;
          await([this] { return done_.load(); });
        }} {
    await([this] { return holds_.load(); });
  }
  ~other_holder() { done_ = true; }

 private:
  std::atomic<bool> holds_{false};
  std::atomic<bool> done_{false};
  std::jthread thread_;
};

/// Counts the requests that it hears of.
class counted_mutex : public takt::priority_mutex<4> {
 public:
  explicit counted_mutex(std::atomic<int>& asked) : asked_{&asked} {}
  auto issue(takt::request_id r, const takt::lock_request& q) -> takt::request_id {
    ++*asked_;
    return takt::priority_mutex<4>::issue(r, q);
  }

 private:
  std::atomic<int>* asked_;
};

/// Who is served, of three threads that ask in the order of their numbers while the lock is held, in a domain that has
/// had so many requests.
auto order_of_service(std::int64_t requests, const std::array<std::int64_t, 3>& priorities) -> std::vector<int> {
  takt::runtime::lock_domain domain{takt::runtime::inheritance::off, {requests}};
  std::atomic<int> asked{0};
  takt::runtime::lock<counted_mutex> lock{domain, counted_mutex{asked}};
  std::vector<int> served;  // guarded by the lock
  std::vector<std::jthread> waiters;
  auto held = lock.acquire();
  for (int i = 0; i < 3; ++i) {
    waiters.emplace_back([&, i] {
      const auto own = lock.acquire({.priority = priorities[static_cast<std::size_t>(i)]});
      served.push_back(i);
    });
    await([&] { return asked == i + 2; });
  }
  held.release();
  waiters.clear();
  return served;
}

static_assert(!std::is_copy_constructible_v<mutex::hold> && std::is_nothrow_move_constructible_v<mutex::hold>);
static_assert(!std::is_copy_constructible_v<mutex> && !std::is_move_constructible_v<mutex>);

}  // namespace

TEST_CASE("a lock works with the standard guards") {
  mutex a;
  pair_lock b;
  {
    const std::scoped_lock both{a, b};
    CHECK_FALSE(is_free(a));
    CHECK(is_free(b));
  }
  CHECK(is_free(a));
  std::unique_lock later{a, std::defer_lock};
  CHECK(later.try_lock_for(1ms));
  later.unlock();
  CHECK(later.try_lock());
  later.unlock();
  CHECK(later.try_lock_until(std::chrono::system_clock::now() + 1ms));
  const other_holder<pair_lock> one{b};
  const std::lock_guard second{b};
  CHECK_FALSE(is_free(b));
}

TEST_CASE("a lock tells which replica is held, alone and beside another") {
  pair_lock lock;
  auto alone = lock.acquire();
  CHECK(alone.replica() == 0);
  alone.release();
  const other_holder<pair_lock> other{lock};
  CHECK(lock.acquire().replica() == 1);
  CHECK(lock.acquire().replica() == 1);
}

TEST_CASE("misuse of a lock is an error with a code") {
  mutex lock;
  CHECK(error_of([&] { lock.unlock(); }) == std::errc::operation_not_permitted);
  auto held = lock.acquire();
  CHECK(error_of([&] { lock.lock(); }) == std::errc::resource_deadlock_would_occur);
  CHECK(error_of([&] { (void)lock.try_acquire(); }) == std::errc::resource_deadlock_would_occur);
  std::error_code elsewhere;
  std::jthread{[&] { elsewhere = error_of([&] { lock.unlock(); }); }}.join();
  CHECK(elsewhere == std::errc::operation_not_permitted);
  std::jthread{[&] {
    auto moved = std::move(held);
    elsewhere = error_of([&] { moved.release(); });
  }}.join();
  CHECK(elsewhere == std::errc::operation_not_permitted);
  lock.unlock();
  CHECK(is_free(lock));
}

TEST_CASE("more threads than a protocol has room for are refused, and nothing is lost") {
  takt::runtime::lock<takt::fifo_mutex<2>> lock;
  std::atomic<int> refused{0};
  std::atomic<int> served{0};
  {
    auto held = lock.acquire();
    std::vector<std::jthread> others;
    for (int i = 0; i < 3; ++i) {
      others.emplace_back([&] {
        const auto error = error_of([&] {
          const auto mine = lock.acquire();
          ++served;
        });
        if (error == std::errc::resource_unavailable_try_again) { ++refused; }
      });
    }
    await([&] { return refused == 2; });
    held.release();
  }
  await([&] { return served == 1; });
  CHECK(is_free(lock));
}

TEST_CASE("a thread holds a limited number of locks") {
  std::vector<std::unique_ptr<mutex>> locks;
  std::vector<mutex::hold> held;
  for (std::size_t i = 0; i < takt::runtime::detail::max_claims; ++i) {
    held.push_back(locks.emplace_back(std::make_unique<mutex>())->acquire());
  }
  mutex last;
  CHECK(error_of([&] { last.lock(); }) == std::errc::resource_unavailable_try_again);
  held.pop_back();
  CHECK(static_cast<bool>(last.try_acquire()));
}

TEST_CASE("an attempt that fails leaves no trace in the protocol") {
  recorder to;
  using protocol = recording<takt::fifo_mutex<4>, false>;
  takt::runtime::lock<protocol> lock{protocol{to}};
  const other_holder other{lock};
  const std::size_t before = to.events.size();
  CHECK_FALSE(static_cast<bool>(lock.try_acquire()));
  CHECK(to.events.size() == before);
}

TEST_CASE("the protocol hears of a lone request when a second one comes, and in the order in which they came") {
  recorder to;
  using protocol = recording<takt::fifo_mutex<4>, true>;
  takt::runtime::lock<protocol> lock{protocol{to}};
  auto held = lock.acquire({.priority = 7});
  CHECK(to.events.empty());
  std::jthread waiter{[&] { const auto mine = lock.acquire({.priority = 3}); }};
  await([&] { return held.contended(); });
  held.release();
  waiter.join();
  REQUIRE(to.events.size() > 3);
  CHECK(to.events[0].kind == event_kind::issued);
  CHECK(to.events[0].priority.point == 7);
  CHECK(to.events[2].kind == event_kind::issued);
  CHECK(to.events[2].priority.point == 3);
  const std::size_t before = to.events.size();
  (void)lock.acquire();
  CHECK(to.events.size() == before);
}

TEST_CASE("waiting ends at a deadline and by a stop, and the next in the queue is served") {
  mutex lock;
  std::optional<other_holder<mutex>> other{lock};
  CHECK_FALSE(static_cast<bool>(lock.try_acquire_for(2ms)));
  CHECK_FALSE(static_cast<bool>(lock.try_acquire_for(1ms, {.spins = true})));
  CHECK_FALSE(static_cast<bool>(lock.try_acquire_until(std::chrono::steady_clock::now() - 1s)));
  CHECK_FALSE(static_cast<bool>(lock.try_acquire_until(std::chrono::system_clock::time_point{})));
  std::stop_source stop;
  std::atomic<int> stopped{0};
  {
    std::array<std::atomic<pid_t>, 3> threads{};
    std::vector<std::jthread> waiters;
    for (std::atomic<pid_t>& own : threads) {
      waiters.emplace_back([&] {
        own = takt_tests::own_thread();
        stopped += lock.acquire(stop.get_token()) ? 0 : 1;
      });
    }
    for (const std::atomic<pid_t>& t : threads) {
      await([&t] { return takt_tests::is_asleep(t); });
    }
    stop.request_stop();
  }
  CHECK(stopped == 3);
  std::atomic<bool> served{false};
  std::jthread next{[&] {
    const auto mine = lock.acquire({.spins = true});
    served = true;
  }};
  other.reset();
  next.join();
  CHECK(served);
  CHECK(is_free(lock));
}

TEST_CASE("limits at the ends of a clock, and beyond those of nanoseconds, end a wait at once or never") {
  using namespace std::chrono;
  using takt::runtime::detail::saturated;
  constexpr takt::ticks least = std::numeric_limits<takt::ticks>::min();
  constexpr takt::ticks most = std::numeric_limits<takt::ticks>::max();
  static_assert(saturated(nanoseconds::min()) == least && saturated(nanoseconds::max()) == most);
  static_assert(saturated(seconds::min()) == least && saturated(seconds::max()) == most &&
                saturated(-2s) == -2'000'000'000);
  static_assert(saturated(duration<std::uint64_t, std::nano>::max()) == most);
  static_assert(saturated(duration<std::int64_t, std::pico>{1001}) == 2);
  static_assert(saturated(duration<std::int64_t, std::pico>{-1999}) == -1);
  static_assert(saturated(duration<std::int64_t, std::ratio<1, 3>>{4}) == 1'333'333'334);
  static_assert(saturated(duration<double>{1e300}) == most && saturated(duration<double>{-1e300}) == least);
  static_assert(saturated(duration<double, std::nano>{2.5}) == 3 && saturated(duration<float>{-0.5F}) == -500'000'000);
  CHECK(saturated(duration<double>{std::numeric_limits<double>::quiet_NaN()}) == 0);
  mutex lock;
  // What a limited request gives while another thread holds the lock. It is freed once the request waits, if it does.
  const auto result_of = [&](auto request) {
    auto held = lock.acquire();
    std::atomic<bool> over{false};
    bool granted = false;
    std::jthread other{[&] {
      granted = request();
      if (granted) { lock.unlock(); }
      over = true;
    }};
    await([&] { return over || held.contended(); });
    const bool waited = !over;
    if (waited) { held.release(); }
    other.join();
    return waited && granted;
  };
  CHECK(result_of([&] { return lock.try_lock_until(time_point<system_clock, seconds>::max()); }));
  CHECK(result_of([&] { return lock.try_lock_until(system_clock::time_point::max()); }));
  CHECK(result_of([&] { return lock.try_lock_until(steady_clock::time_point::max()); }));
  CHECK(result_of(
      [&] { return lock.try_lock_until(time_point<steady_clock, duration<double>>{duration<double>{1e30}}); }));
  CHECK(result_of([&] { return lock.try_lock_for(seconds::max()); }));
  CHECK(result_of([&] { return lock.try_lock_for(hours::max()); }));
  CHECK(result_of([&] { return lock.try_lock_for(nanoseconds::max()); }));
  const other_holder<mutex> other{lock};
  CHECK_FALSE(lock.try_lock_until(steady_clock::time_point::min()));
  CHECK_FALSE(lock.try_lock_until(system_clock::time_point::min()));
  CHECK_FALSE(lock.try_lock_until(time_point<system_clock, seconds>::min()));
  CHECK_FALSE(lock.try_lock_until(time_point<steady_clock, hours>::min()));
  CHECK_FALSE(lock.try_lock_for(nanoseconds::min()));
  CHECK_FALSE(lock.try_lock_for(hours::min()));
}

TEST_CASE("what a thread holds when it ends is given back and counted, whatever ends it") {
  pair_lock lock;
  static pair_lock* shared = nullptr;
  shared = &lock;
  SUBCASE("return") {
    std::jthread{[&] { lock.lock(); }}.join();
  }
  SUBCASE("return, with a waiter") {
    const other_holder<pair_lock> one{lock};
    std::atomic<bool> go{false};
    std::jthread ending{[&] {
      lock.lock();
      await([&] { return go.load(); });
    }};
    await([&] { return !is_free(lock); });
    std::jthread waiter{[&] { (void)lock.acquire(); }};
    go = true;
  }
  SUBCASE("pthread_exit") {
    pthread_t thread{};
    REQUIRE(pthread_create(
                &thread, nullptr,
                [](void*) -> void* {
                  shared->lock();
                  pthread_exit(nullptr);
                },
                nullptr) == 0);
    pthread_join(thread, nullptr);
  }
  SUBCASE("pthread_cancel") {
    static std::atomic<bool> holds{false};
    pthread_t thread{};
    REQUIRE(pthread_create(
                &thread, nullptr,
                [](void*) -> void* {
                  shared->lock();
                  holds = true;
                  for (;;) { (void)sleep(1); }
                },
                nullptr) == 0);
    await([] { return holds.load(); });
    pthread_cancel(thread);
    pthread_join(thread, nullptr);
  }
  CHECK(lock.abandoned() == 1);
  CHECK(is_free(lock));
}

TEST_CASE("an exception gives back what a guard holds") {
  mutex lock;
  CHECK_THROWS_AS(([&] {
                    const auto held = lock.acquire();
                    throw std::runtime_error{"budget"};
                  }()),
                  std::runtime_error);
  CHECK(is_free(lock));
  CHECK(lock.abandoned() == 0);
}

TEST_CASE("a wait that would close a circle through a domain is refused") {
  takt::runtime::lock_domain domain;
  mutex a{domain};
  mutex b{domain};
  std::atomic<bool> waits{false};
  auto held_a = a.acquire();
  std::jthread other{[&] {
    const auto held_b = b.acquire();
    waits = true;
    const auto held = a.acquire();
  }};
  await([&] { return waits && held_a.contended(); });
  CHECK(error_of([&] { b.lock(); }) == std::errc::resource_deadlock_would_occur);
  held_a.release();
  other.join();
  CHECK(is_free(b));
}

TEST_CASE("a held lock says when somebody should go first: in FIFO order anybody, else the more important" *
          takt_tests::traces("GSD-79")) {
  const auto yields = [](auto& lock, std::int64_t holder, std::int64_t waiter) {
    auto held = lock.acquire({.priority = holder});
    CHECK_FALSE(held.should_yield());
    std::jthread other{[&] { const auto mine = lock.acquire({.priority = waiter}); }};
    await([&] { return held.contended(); });
    const bool answer = held.should_yield();
    CHECK(held.should_yield() == answer);
    held.release();
    return answer;
  };
  takt::runtime::lock<takt::fifo_mutex<4>> fifo;
  CHECK(yields(fifo, 1, 5));
  CHECK(yields(fifo, 5, 1));
  takt::runtime::lock<takt::priority_mutex<4>> priority;
  CHECK_FALSE(yields(priority, 1, 5));
  CHECK(yields(priority, 5, 1));
}

TEST_CASE("equal priorities are served in the order of their requests, however many there were before") {
  for (const std::int64_t limit : {std::int64_t{1} << 24, std::int64_t{1} << 25, std::int64_t{1} << 32}) {
    for (std::int64_t before = limit - 4; before <= limit; ++before) {
      CAPTURE(before);
      CHECK(order_of_service(before, {1, 1, 1}) == std::vector{0, 1, 2});
      CHECK(order_of_service(before, {2, 1, 1}) == std::vector{1, 2, 0});
    }
  }
}

TEST_CASE("a lock that is destroyed in use ends the program") {
  CHECK(ends_by_signal(SIGABRT, [] {
    std::optional<mutex> lock{std::in_place};
    lock->lock();
    lock.reset();
  }));
}

TEST_CASE_TEMPLATE("a lone request gets replica 0 and leaves no trace in the protocols that say so", Protocol,
                   takt::k_fmlp<1, 4>, takt::k_fmlp<2, 4>, takt::r2dglp<2, 4>, takt::ck_omlp<2, 4>,
                   takt::priority_mutex<4>) {
  REQUIRE(takt::runtime::lone_requests_pass<Protocol>);
  const Protocol fresh;
  for (takt::request_id r = 0; r < Protocol::capacity(); ++r) {
    Protocol p;
    CHECK(p.issue(r, {.priority = {5, 1}, .length = 3}) == r);
    CHECK(p.replica(r) == 0);
    CHECK(p.release(r) == takt::no_request);
    CHECK(p == fresh);
  }
}
