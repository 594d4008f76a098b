// SPDX-License-Identifier: Apache-2.0
// TAKT_ALARM_RUNS: how many random jobs per thread, 20 by default.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/clock.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/job_budget.hpp>

#include "support/environment.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using takt::duration;
using takt::engine_kind;
using takt::ticks;
using takt::runtime::budget_alarm;
using takt::runtime::budget_exhausted;
using takt::runtime::budget_meter;
using takt::runtime::token_guard;
using namespace takt::literals;

constexpr std::size_t clients = 8;
using topology = takt::gpu_topology<1, 1>;
using pool = takt::runtime::gpu_pool<takt::k_fmlp<2, clients>, takt::fifo_engine_locks<1, clients>, topology>;

/// One GPU with two tokens.
auto make_board() -> topology {
  topology t;
  (void)t.add_gpu(t.add_hub(), 2);
  return t;
}
struct shared_gpu {
  pool locks{{.gpus = 1, .tokens_per_gpu = 2}, takt::k_fmlp<2, clients>{}, make_board()};

  [[nodiscard]] auto free_tokens() -> int {
    int held = 0;
    std::vector<std::jthread> holders;
    std::atomic<int> asked{0};
    std::atomic<int> got{0};
    for (int n = 0; n < 2; ++n) {
      holders.emplace_back([&] {
        const auto token = locks.begin_job().try_acquire_token_until(std::chrono::steady_clock::now());
        got += token ? 1 : 0;
        ++asked;
        await([&] { return asked == 2; });
      });
    }
    holders.clear();
    held = got;
    return held;
  }
};

/// Longer than any budget here; a computation that nothing ends ends by itself, and the test fails.
constexpr ticks too_long = 20'000'000'000;

/// Computes for so much CPU time unless it is left before; counts its steps where a jump does not lose them.
struct work {
  std::atomic<std::int64_t>* steps;
  ticks amount = too_long;
  void operator()() const noexcept {
    const ticks end = takt::runtime::thread_time() + amount;
    while (takt::runtime::thread_time() < end) { steps->fetch_add(1, std::memory_order_relaxed); }
  }
};

template <class Call>
auto overrun_of(Call call) -> std::optional<ticks> {
  try {
    call();
  } catch (const budget_exhausted& e) { return e.overrun().count(); }
  return std::nullopt;
}

static_assert(takt::runtime::detail::Abandonable<work&>);
static_assert(!takt::runtime::detail::Abandonable<decltype([] { throw 1; })>);

}  // namespace

TEST_CASE("an overrun is raised while the job computes, and unwinding frees the token" * takt_tests::traces("GSD-80")) {
  shared_gpu gpu;
  std::atomic<std::int64_t> steps{0};
  bool unwound = false;
  bool came_back = false;
  const auto overrun = overrun_of([&] {
    struct watch {
      bool* seen;
      ~watch() { *seen = true; }
    } const watched{&unwound};
    budget_meter meter{5_ms};
    budget_alarm alarm{meter};
    const token_guard token{gpu.locks.begin_job(), meter};
    alarm.compute(work{&steps});
    came_back = true;
  });
  REQUIRE(overrun);
  CHECK(*overrun > 0);
  CHECK(*overrun < too_long - 5'000'000);
  CHECK(steps > 0);
  CHECK(unwound);
  CHECK_FALSE(came_back);
  CHECK(gpu.free_tokens() == 2);
}

TEST_CASE("one budget: what engines have used is missing when the job computes" * takt_tests::traces("GSD-80")) {
  shared_gpu gpu;
  std::atomic<std::int64_t> steps{0};
  budget_meter meter{std::chrono::seconds{5}};
  budget_alarm alarm{meter};
  token_guard token{gpu.locks.begin_job(), meter};
  alarm.compute(work{&steps, 1'000'000});
  const ticks before = meter.account().budget().left;
  {
    auto engine = token.lock(engine_kind::execution);
    std::this_thread::sleep_for(std::chrono::milliseconds{3});
    std::move(engine).release();
  }
  CHECK(meter.account().budget().left <= before - 3'000'000);
  CHECK(meter.account().overrun() == 0);
}

TEST_CASE("the signal is postponed until no engine lock is held: the computation under it goes on to its end" *
          takt_tests::traces("GSD-80")) {
  shared_gpu gpu;
  std::atomic<std::int64_t> steps{0};
  bool computed = false;
  bool was_over = false;
  bool released = false;
  const auto overrun = overrun_of([&] {
    budget_meter meter{2_ms};
    budget_alarm alarm{meter};
    token_guard token{gpu.locks.begin_job(), meter};
    auto engine = token.lock(engine_kind::execution);
    alarm.compute([&]() noexcept {
      const ticks give_up = takt::runtime::now() + too_long;
      while (!alarm.over() && takt::runtime::now() < give_up) { ++steps; }
      was_over = alarm.over();
      work{&steps, 1'000'000}();
    });
    computed = true;
    CHECK(static_cast<bool>(engine));
    CHECK(meter.account().overrun() > 0);
    std::move(engine).release();
    released = true;
  });
  CHECK(was_over);
  CHECK(computed);
  CHECK(overrun);
  CHECK_FALSE(released);
  CHECK(gpu.free_tokens() == 2);
}

TEST_CASE("what is raised can clean up: told once, it computes to the end and uses engines" *
          takt_tests::traces("GSD-80")) {
  shared_gpu gpu;
  std::atomic<std::int64_t> steps{0};
  budget_meter meter{1_ms};
  budget_alarm alarm{meter};
  token_guard token{gpu.locks.begin_job(), meter};
  CHECK(overrun_of([&] { alarm.compute(work{&steps}); }));
  CHECK(alarm.over());
  bool cleaned_up = false;
  CHECK_NOTHROW(alarm.compute([&]() noexcept {
    work{&steps, 2'000'000}();
    cleaned_up = true;
  }));
  CHECK(cleaned_up);
  CHECK(static_cast<bool>(token.lock(engine_kind::copy)));
}

TEST_CASE("a budget that suffices ends nothing, and signals from elsewhere do not either") {
  std::atomic<std::int64_t> steps{0};
  budget_meter meter{std::chrono::hours{1}};
  budget_alarm alarm{meter};
  const pthread_t self = pthread_self();
  std::atomic<bool> done{false};
  std::jthread others{[&] {
    while (!done) {
      (void)pthread_kill(self, SIGRTMAX - 1);
      std::this_thread::yield();
    }
  }};
  for (int n = 0; n < 20; ++n) {
    bool whole = false;
    CHECK_NOTHROW(alarm.compute([&]() noexcept {
      work{&steps, 200'000}();
      whole = true;
    }));
    CHECK(whole);
    CHECK_FALSE(alarm.over());
  }
  done = true;
}

TEST_CASE("an overrun from before a computation keeps it from beginning") {
  budget_meter meter{duration{1}};
  budget_alarm alarm{meter};
  takt::runtime::burn(100'000, takt::runtime::now() + too_long);
  bool began = false;
  CHECK(overrun_of([&] { alarm.compute([&]() noexcept { began = true; }); }));
  CHECK_FALSE(began);
}

TEST_CASE("alarms refuse other threads, and signals that somebody handles") {
  budget_meter meter{1_s};
  budget_alarm alarm{meter};
  bool refused = false;
  std::jthread{[&] {
    try {
      alarm.compute([]() noexcept {});
    } catch (const std::logic_error&) { refused = true; }
  }}.join();
  CHECK(refused);

  struct sigaction before{};
  struct sigaction mine{};
  mine.sa_handler = SIG_IGN;
  REQUIRE(sigaction(SIGRTMAX - 2, &mine, &before) == 0);
  CHECK(error_of([&] { const budget_alarm other{meter, SIGRTMAX - 2}; }) ==
        std::make_error_code(std::errc::device_or_resource_busy));
  CHECK(error_of([&] { const budget_alarm other{meter, 9'999}; }) == std::error_code{EINVAL, std::generic_category()});
  REQUIRE(sigaction(SIGRTMAX - 2, &before, nullptr) == 0);
  const budget_alarm other{meter, SIGRTMAX - 2};
}

TEST_CASE("a computation that may be left is refused tokens, engines and its account") {
  shared_gpu gpu;
  budget_meter meter{1_s};
  budget_alarm alarm{meter};
  token_guard token{gpu.locks.begin_job(), meter};
  int refused = 0;
  alarm.compute([&]() noexcept {
    try {
      (void)token.lock(engine_kind::copy);
    } catch (const std::logic_error&) { ++refused; }
    try {
      meter.check();
    } catch (const std::logic_error&) { ++refused; }
    try {
      alarm.compute([]() noexcept {});
    } catch (const std::logic_error&) { ++refused; }
  });
  CHECK(refused == 3);
  CHECK_NOTHROW(meter.check());
}

TEST_CASE("a thread that blocks the signal is told all the same, and blocks it afterwards") {
  sigset_t ours;
  sigset_t before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGRTMAX - 1);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  {
    std::atomic<std::int64_t> steps{0};
    budget_meter meter{1_ms};
    budget_alarm alarm{meter};
    CHECK(overrun_of([&] { alarm.compute(work{&steps}); }));
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  CHECK(sigismember(&after, SIGRTMAX - 1) == 1);
}

TEST_CASE("many threads overrun where they compute or under engines, and no token or engine is lost" *
          takt_tests::traces("GSD-80")) {
  shared_gpu gpu;
  const auto runs = takt_tests::from_environment("TAKT_ALARM_RUNS", 20);
  std::atomic<std::int64_t> raised{0};
  std::atomic<std::int64_t> finished{0};
  std::atomic<int> on_engine{0};
  std::atomic<bool> violated{false};
  {
    std::vector<std::jthread> team;
    for (std::uint32_t i = 0; i < clients - 2; ++i) {
      team.emplace_back([&, i] {
        std::minstd_rand random{i + 1};
        std::atomic<std::int64_t> steps{0};
        for (std::uint64_t n = 0; n < runs; ++n) {
          const auto amount = [&] { return static_cast<ticks>(random() % 800'000); };
          try {
            budget_meter meter{duration{100'000 + static_cast<ticks>(random() % 1'500'000)}};
            budget_alarm alarm{meter};
            token_guard token{gpu.locks.begin_job(), meter};
            alarm.compute(work{&steps, amount()});
            {
              auto engine = token.lock(engine_kind::execution);
              if (++on_engine > 1) { violated = true; }
              alarm.compute(work{&steps, amount() / 4});
              --on_engine;
              std::move(engine).release();
            }
            alarm.compute(work{&steps, amount()});
            ++finished;
          } catch (const budget_exhausted&) { ++raised; }
        }
      });
    }
  }
  CHECK_FALSE(violated);
  CHECK(on_engine == 0);
  CHECK(raised > 0);
  CHECK(raised + finished == static_cast<std::int64_t>((clients - 2) * runs));
  CHECK(gpu.locks.abandoned() == 0);
  CHECK(gpu.free_tokens() == 2);
}
