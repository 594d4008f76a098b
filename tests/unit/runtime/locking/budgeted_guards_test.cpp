// SPDX-License-Identifier: Apache-2.0
// TAKT_BUDGET_RUNS: how many random jobs, 500 by default.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <takt/core/duration.hpp>
#include <takt/core/number.hpp>
#include <takt/core/random.hpp>
#include <takt/model/gpu_topology.hpp>
#include <takt/model/stage.hpp>
#include <takt/rules/budget.hpp>
#include <takt/rules/locking/engine_locks.hpp>
#include <takt/rules/locking/k_fmlp.hpp>
#include <takt/runtime/locking/chunked_copy.hpp>
#include <takt/runtime/locking/gpu_pool.hpp>
#include <takt/runtime/locking/job_budget.hpp>

#include "fake_clocks.hpp"
#include "support/environment.hpp"
#include "support/traces.hpp"
#include "team.hpp"

namespace {

using namespace locking_tests;
using takt::duration;
using takt::engine_kind;
using takt::ticks;
using takt::runtime::budget_exhausted;
using takt::runtime::token_guard;

constexpr std::size_t clients = 4;
using topology = takt::gpu_topology<2, 1>;
using pool = takt::runtime::gpu_pool<takt::k_fmlp<2, clients>, takt::fifo_engine_locks<2, clients>, topology>;
using budgeted = token_guard<pool, fake_meter>;

static_assert(std::is_move_constructible_v<budgeted> && !std::is_copy_constructible_v<budgeted>);
static_assert(std::is_move_constructible_v<budgeted::engine> && !std::is_copy_constructible_v<budgeted::engine>);
static_assert(!std::is_constructible_v<budgeted::engine, pool::engine, fake_meter&>,
              "a budgeted engine comes from a budgeted token only");
static_assert(takt::runtime::detail::BudgetClock<takt::runtime::detail::thread_clocks>);

/// GPUs of one hub, with a token each.
struct lone_tokens {
  explicit lone_tokens(int gpus = 1) : locks{{.gpus = gpus, .tokens_per_gpu = 1}, protocol(gpus), board(gpus)} {}

  static auto protocol(int gpus) -> takt::k_fmlp<2, clients> {
    return takt::k_fmlp<2, clients>{takt::k_fmlp_options{.replicas = gpus}};
  }
  static auto board(int gpus) -> topology {
    topology t;
    const auto hub = t.add_hub();
    for (int g = 0; g < gpus; ++g) { (void)t.add_gpu(hub, 2); }
    return t;
  }
  [[nodiscard]] auto token_is_free() -> bool {
    bool is_free = false;
    std::jthread{[&] {
      is_free = static_cast<bool>(locks.begin_job().try_acquire_token_until(std::chrono::steady_clock::now()));
    }}.join();
    return is_free;
  }

  pool locks;
};

/// By how much the budget was exceeded, if the call says that it was.
template <class Call>
auto overrun_of(Call call) -> std::optional<ticks> {
  try {
    call();
  } catch (const budget_exhausted& e) { return e.overrun().count(); }
  return std::nullopt;
}

auto rounds() -> std::uint64_t { return takt_tests::from_environment("TAKT_BUDGET_RUNS", 500); }

}  // namespace

TEST_CASE("one budget covers CPU and engine time; its overrun is raised once no engine is held, and frees all" *
          takt_tests::traces("GSD-92")) {
  lone_tokens gpu;
  fake_time time;
  fake_meter meter{duration{10}, fake_clocks{time}};
  time.compute(4);
  bool cleaned_up = false;
  const auto overrun = overrun_of([&] {
    token_guard token{gpu.locks.begin_job(), meter};
    try {
      auto engine = token.lock(engine_kind::execution);
      time.suspend(7);
      CHECK_NOTHROW(meter.check());
      CHECK(meter.account().overrun() == 1);
      CHECK(static_cast<bool>(engine));
      std::move(engine).release();
      FAIL("the overrun was not raised");
    } catch (const budget_exhausted&) {
      CHECK_FALSE(gpu.token_is_free());
      auto engine = token.lock(engine_kind::copy);
      time.suspend(7);
      CHECK_NOTHROW(std::move(engine).release());
      cleaned_up = true;
      throw;
    }
  });
  CHECK(overrun == 1);
  CHECK(cleaned_up);
  CHECK(gpu.token_is_free());
}

TEST_CASE("an engine that goes out of scope puts the overrun off to the next call under the token" *
          takt_tests::traces("GSD-92")) {
  fake_time time;
  const auto ends_with = [&](auto call) {
    lone_tokens gpu{2};
    fake_meter meter{duration{10}, fake_clocks{time}};
    token_guard token{gpu.locks.begin_job(), meter};
    {
      const auto engine = token.lock(engine_kind::copy);
      time.suspend(13);
    }
    return overrun_of([&] { call(token, meter); });
  };
  CHECK(ends_with([](auto& t, auto&) { (void)t.lock(engine_kind::copy); }) == 3);
  CHECK(ends_with([](auto& t, auto&) { (void)t.lock(takt::to_host); }) == 3);
  CHECK(ends_with([](auto& t, auto&) { (void)t.lock_peer_copy(1 - t.gpu()); }) == 3);
  CHECK(ends_with([](auto& t, auto&) {
          (void)t.lock_migration(lone_tokens::board(2).peer_copy_engines(1 - t.gpu(), t.gpu()));
        }) == 3);
  CHECK(ends_with([](auto& t, auto&) {
          (void)t.try_lock_until(std::chrono::steady_clock::now(), engine_kind::execution);
        }) == 3);
  CHECK(ends_with([](auto& t, auto&) { std::move(t).release(); }) == 3);
  CHECK(ends_with([](auto&, auto& m) { m.check(); }) == 3);
  CHECK(ends_with([](auto& t, auto&) { (void)t.gpu(); }) == std::nullopt);
}

TEST_CASE("an overrun on the CPU is raised before the token is asked for" * takt_tests::traces("GSD-92")) {
  lone_tokens gpu;
  fake_time time;
  fake_meter meter{duration{10}, fake_clocks{time}};
  time.compute(12);
  auto others = gpu.locks.begin_job().acquire_token();
  std::optional<ticks> overrun;
  std::jthread{[&] { overrun = overrun_of([&] { budgeted{gpu.locks.begin_job(), meter}; }); }}.join();
  CHECK(overrun == 2);
}

TEST_CASE("a token that was acquired otherwise is given back when the budget is used up already") {
  lone_tokens gpu;
  fake_time time;
  fake_meter meter{duration{10}, fake_clocks{time}};
  time.compute(12);
  CHECK(overrun_of([&] { budgeted{gpu.locks.begin_job().acquire_token(), meter}; }) == 2);
  CHECK(gpu.token_is_free());
}

TEST_CASE("a budget pays for CPU time outside engines, all time inside, and for no suspension besides") {
  lone_tokens gpu;
  fake_time time;
  fake_meter meter{duration{100}, fake_clocks{time}};
  budgeted token{gpu.locks.begin_job(), meter};
  time.suspend(1'000);
  time.compute(5);
  {
    const auto engine = token.lock(engine_kind::copy);
    time.compute(3);
    time.suspend(20);
  }
  time.suspend(1'000);
  time.compute(7);
  meter.check();
  CHECK(meter.account().budget().left == 100 - 5 - 3 - 20 - 7);
  time.compute(65);
  CHECK_NOTHROW(meter.check());
  time.compute(1);
  CHECK(overrun_of([&] { meter.check(); }) == 1);
  time.compute(1);
  CHECK_NOTHROW(meter.check());
  CHECK(meter.account().overrun() == 2);
}

TEST_CASE("a stop during the wait for a token leaves the job as it was and charges nothing") {
  lone_tokens gpu;
  const fake_time time;
  fake_meter meter{duration{10}, fake_clocks{time}};
  auto others = gpu.locks.begin_job().acquire_token();
  std::jthread{[&] {
    const std::stop_source stop;
    stop.request_stop();
    auto job = gpu.locks.begin_job();
    const budgeted token{std::move(job), meter, stop.get_token()};
    CHECK_FALSE(static_cast<bool>(token));
    CHECK(static_cast<bool>(job));  // NOLINT(bugprone-use-after-move)
  }}.join();
  CHECK(meter.account().budget().left == 10);
}

TEST_CASE("guards charge what the simulator's account is charged, and raise in the same steps" *
          takt_tests::traces("GSD-92")) {
  takt::random_stream random{80};
  for (std::uint64_t round = 0; round < rounds(); ++round) {
    lone_tokens gpu;
    fake_time time;
    const ticks budget = random.between(1, 60);
    fake_meter meter{duration{budget}, fake_clocks{time}};
    takt::budget_account account{takt::overrun_policy::signal, {.refill = budget, .period = 1, .left = budget}};
    takt::budget_actions todo;
    budgeted token{gpu.locks.begin_job(), meter};
    bool was_told = false;
    for (int step = 0; step < 8; ++step) {
      const ticks on_cpu = random.below(6);
      const ticks on_engine = random.below(12);
      const bool told = overrun_of([&] {
                          time.compute(on_cpu);
                          auto engine = token.lock(engine_kind::execution);
                          time.suspend(on_engine);
                          std::move(engine).release();
                        }).has_value();
      REQUIRE(account.charge(on_cpu, todo));
      bool expected = !todo.empty();
      if (!expected) {
        account.engine_locked();
        REQUIRE(account.charge(on_engine, todo));
        REQUIRE(todo.empty());
        expected = !account.engine_unlocked().empty();
      }
      REQUIRE(told == expected);
      REQUIRE(meter.account() == account);
      was_told = was_told || told;
    }
    REQUIRE(was_told == (account.overrun() > 0));
  }
}

TEST_CASE("a clock that goes backwards or to the end of time charges nothing, or everything once") {
  fake_time time;
  fake_meter meter{duration{10}, fake_clocks{time}};
  time.cpu = -5;
  CHECK_NOTHROW(meter.check());
  CHECK(meter.account().budget().left == 10);
  time.cpu = duration::max().count();
  CHECK(overrun_of([&] { meter.check(); }) == duration::max().count() - 10);
  time.cpu = 0;
  meter.check();
  time.cpu = duration::max().count();
  CHECK_NOTHROW(meter.check());
}

TEST_CASE("a budget of nothing is refused with its value") {
  for (const ticks budget : {ticks{0}, ticks{-3}}) {
    std::string sentence;
    try {
      const takt::runtime::budget_meter meter{duration{budget}};
    } catch (const std::invalid_argument& e) { sentence = e.what(); }
    CHECK(sentence == "takt: the budget of a job is " + std::to_string(budget) + " ns; at least 1 ns");
  }
}

TEST_CASE("the clocks of threads drain a budget: computing does, sleeping does not") {
  lone_tokens gpu;
  takt::runtime::budget_meter meter{std::chrono::hours{1}};
  const auto left = [&] { return meter.account().budget().left; };
  const ticks first = left();
  takt::runtime::burn(2'000'000, takt::runtime::later(takt::runtime::now(), 10'000'000'000));
  meter.check();
  CHECK(left() < first);
  {
    token_guard token{gpu.locks.begin_job(), meter};
    const ticks second = left();
    const auto engine = token.lock(engine_kind::execution);
    const ticks begin = takt::runtime::now();
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    const ticks passed = takt::runtime::now() - begin;
    meter.check();
    CHECK(second - left() >= passed);
  }
}
